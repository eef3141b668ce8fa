import type { Traits } from "../../model/traits.ts";

export const traits: Traits = {
  events: async (recording) => (await import("./events-of.ts")).eventsOf(recording),
};
