import type { Traits } from "../../model/traits.ts";
import { unitOf } from "./units.ts";

export const traits: Traits = {
  unitOf,
  events: async (recording) => new (await import("./events.ts")).FlightGearEvents(recording),
};
