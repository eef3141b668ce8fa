import { cellPath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { AXES } from "./meaning/columns.ts";

export const traits: Traits = {
  axesOf: () => AXES,
  words: {
    sets: {
      scene: ["entity", "entities"],
      poses: ["pose", "poses"],
      frames: ["frame", "frames"],
      fixes: ["fix", "fixes"],
    },
    events: { error: ["error", "errors"], fatal: ["fatal error", "fatal errors"] },
  },
  showing: {
    things: ["poses", "scene", "frames", "fixes"],
    charts: [[cellPath("poses", "position", 0), cellPath("poses", "position", 1)], "any"],
  },
  originals: async (reader) => (await import("./read/originals.ts")).originalsOf(reader),
  events: async (recording) => (await import("./meaning/events.ts")).eventsOf(recording),
};
