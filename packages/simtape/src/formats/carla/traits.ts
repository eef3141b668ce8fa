import type { Traits } from "../../model/traits.ts";

/** Units of CARLA's values (spec §4.0, §4.14, §4.20). */
const UNITS: Readonly<Record<string, string>> = {
  "frame-duration": "s",
  "platform-time": "s",
  "visual-time": "s",
};

export const traits: Traits = {
  unitOf: (path) => UNITS[path] ?? null,
  events: async (recording) => (await import("./events.ts")).CarlaEvents.of(recording),
};
