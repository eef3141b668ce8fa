import { effectName } from "../game/effects.ts";
import type { Carry } from "./capture.ts";

/** How long an effect lasts that never ends, ticks. */
const FOREVER = 2 ** 31 - 1;
/** Statuses of a thing that say it was hurt, before 1.19.4: by a blow, thorns, water, fire, a bush, frost. */
const HURT: ReadonlySet<number> = new Set([2, 33, 36, 37, 44, 57]);

/** How things are: effects upon them, and what hurts them. */
export const CONDITION: readonly (readonly [string, Carry])[] = [
  [
    "entity_effect",
    (capture, { entityId: id, effectId, amplifier, duration }, lines) => {
      const name = effectName(capture.data, effectId);
      if (capture.body(id) === undefined) return "stray";
      if (name === null) return "left";
      const ticks = duration < 0 ? FOREVER : duration;
      lines.push({ effect: { id, name, ticks, amplifier: amplifier & 0xff } });
      return "carried";
    },
  ],
  [
    "remove_entity_effect",
    (capture, { entityId: id, effectId }, lines) => {
      const name = effectName(capture.data, effectId);
      if (capture.body(id) === undefined) return "stray";
      if (name === null) return "left";
      lines.push({ effect: { id, name, ticks: 0 } });
      return "carried";
    },
  ],
  [
    "entity_status",
    (capture, { entityId: id, entityStatus }, lines) => {
      if (!HURT.has(entityStatus)) return "left";
      if (capture.body(id) === undefined) return "stray";
      lines.push({ hurt: { id } });
      return "carried";
    },
  ],
  [
    "damage_event",
    (capture, { entityId: id, sourceCauseId }, lines) => {
      if (capture.body(id) === undefined) return "stray";
      // One more than the number of who did it; 0: it was no thing.
      const attacker = sourceCauseId - 1;
      lines.push({ hurt: capture.body(attacker) === undefined ? { id } : { id, attacker } });
      return "carried";
    },
  ],
];
