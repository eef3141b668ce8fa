import { cellPath, valuePath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";

export const traits: Traits = {
  words: { sets: { poses: ["pose", "poses"] } },
  showing: {
    things: ["poses"],
    // what a robot tells has any name
    charts: [
      [cellPath("poses", "position", 0), cellPath("poses", "position", 1), valuePath("/robot/charger/Level")],
      "any",
    ],
  },
  events: async (recording, signal) => (await import("./events.ts")).TapeEvents.of(recording, signal),
};
