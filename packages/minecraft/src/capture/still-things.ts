import { Body } from "./body.ts";
import type { Carry } from "./carry.ts";

/** Degrees of one step of a painting's direction: south, west, north, east. */
const QUARTER = 90;

/** Things that have packets of their own to appear with. */
export const STILL_THINGS: readonly (readonly [string, Carry])[] = [
  [
    "spawn_entity_experience_orb",
    (capture, { entityId: id, x, y, z }, events) => {
      const body = new Body();
      body.put(x, y, z);
      return capture.appear(id, body, { id, type: "minecraft:experience_orb" }, events);
    },
  ],
  [
    "spawn_entity_painting",
    (capture, { entityId: id, location: { x, y, z }, direction }, events) => {
      const body = new Body();
      body.put(x, y, z);
      body.yaw = direction * QUARTER;
      body.head = body.yaw;
      return capture.appear(id, body, { id, type: "minecraft:painting" }, events);
    },
  ],
];
