import { cellPath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { AXES } from "./meaning/columns.ts";

/** Units of CARLA's values (spec §4.0, §4.14, §4.20). */
const UNITS: Readonly<Record<string, string>> = {
  "frame-duration": "s",
  "platform-time": "s",
  "visual-time": "s",
};

export const traits: Traits = {
  axesOf: () => AXES,
  words: {
    sets: {
      vehicles: ["vehicle", "vehicles"],
      walkers: ["walker", "walkers"],
      "traffic-lights": ["traffic light", "traffic lights"],
    },
    events: { collision: ["collision", "collisions"] },
  },
  showing: {
    things: ["vehicles", "walkers"],
    charts: [
      [cellPath("vehicles", "velocity", "length")],
      [cellPath("vehicles", "forward-speed")],
      [cellPath("vehicles", "position", 0), cellPath("vehicles", "position", 1)],
    ],
    // new for each actor in each frame
    bulk: ["bones", "physics", "wheels"],
  },
  unitOf: (path) => UNITS[path] ?? null,
  events: async (recording) => (await import("./meaning/events.ts")).CarlaEvents.of(recording),
};
