import { Body } from "./body.ts";
import type { Carry } from "./capture.ts";

/** Degrees of a turn that a painting's direction counts: south, west, north, east. */
const QUARTER = 90;

/** Things that have packets of their own to appear with. */
export const STILL_THINGS: readonly (readonly [string, Carry])[] = [
  [
    "spawn_entity_experience_orb",
    (capture, { entityId: id, x, y, z }, lines) => {
      const body = new Body();
      body.put(x, y, z);
      return capture.appear(id, body, { id, type: "minecraft:experience_orb" }, lines);
    },
  ],
  [
    "spawn_entity_painting",
    (capture, { entityId: id, location: { x, y, z }, direction }, lines) => {
      const body = new Body();
      body.put(x, y, z);
      body.yaw = direction * QUARTER;
      body.head = body.yaw;
      return capture.appear(id, body, { id, type: "minecraft:painting" }, lines);
    },
  ],
];
