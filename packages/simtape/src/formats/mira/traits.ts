import { cellPath, valuePath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { AXES } from "./meaning/axes.ts";

export const traits: Traits = {
  axesOf: () => AXES,
  words: { sets: { poses: ["pose", "poses"] } },
  showing: {
    things: ["poses"],
    // what a robot tells has any name
    charts: [
      [cellPath("poses", "position", 0), cellPath("poses", "position", 1), valuePath("/robot/charger/Level")],
      "any",
    ],
  },
  events: async (recording, signal) => (await import("./meaning/events.ts")).TapeEvents.of(recording, signal),
};
