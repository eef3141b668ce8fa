/** simtape/carla-queries: the texts of CARLA's own query tools, and what they say as rows, without CARLA. */
export { type CarlaBlocked, carlaBlocked, type CarlaBlockedOptions } from "./blocked.ts";
export {
  type CarlaCollider,
  type CarlaCollision,
  carlaCollisions,
  type CarlaCollisionsOptions,
} from "./collisions.ts";
export { CARLA_LIKES, type CarlaLike, likeOf } from "./forms.ts";
export { carlaInfo, type CarlaInfoOptions } from "./info.ts";
export type { CarlaQueryOptions } from "./packets.ts";
