import { effectName } from "../game/effects.ts";
import type { Carry } from "./carry.ts";

/** Duration of an effect that never ends, ticks. */
const FOREVER = 2 ** 31 - 1;
/** Statuses that mean a hurt, before 1.19.4: by a blow, thorns, water, fire, a bush, frost. */
const HURT: ReadonlySet<number> = new Set([2, 33, 36, 37, 44, 57]);

/** The condition of things: their effects, and what hurts them. */
export const CONDITION: readonly (readonly [string, Carry])[] = [
  [
    "entity_effect",
    (capture, { entityId: id, effectId, amplifier, duration }, events) => {
      const name = effectName(capture.data, effectId);
      if (capture.body(id) === undefined) return "unknown";
      if (name === null) return "left";
      const ticks = duration < 0 ? FOREVER : duration;
      events.push({ kind: "effect", value: { id, name, ticks, amplifier: amplifier & 0xff } });
      return "carried";
    },
  ],
  [
    "remove_entity_effect",
    (capture, { entityId: id, effectId }, events) => {
      const name = effectName(capture.data, effectId);
      if (capture.body(id) === undefined) return "unknown";
      if (name === null) return "left";
      events.push({ kind: "effect", value: { id, name, ticks: 0 } });
      return "carried";
    },
  ],
  [
    "entity_status",
    (capture, { entityId: id, entityStatus }, events) => {
      if (!HURT.has(entityStatus)) return "left";
      if (capture.body(id) === undefined) return "unknown";
      events.push({ kind: "hurt", value: { id } });
      return "carried";
    },
  ],
  [
    "damage_event",
    (capture, { entityId: id, sourceCauseId }, events) => {
      if (capture.body(id) === undefined) return "unknown";
      // One more than the number of the attacker; 0: it was no thing.
      const attacker = sourceCauseId - 1;
      events.push({ kind: "hurt", value: capture.body(attacker) === undefined ? { id } : { id, attacker } });
      return "carried";
    },
  ],
];
