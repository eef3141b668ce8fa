import type { Traits } from "../../model/traits.ts";

export const traits: Traits = {
  events: async (recording, signal) => (await import("./events.ts")).TapeEvents.of(recording, signal),
};
