import { roomAt, type Traits } from "../../model/traits.ts";

export const traits: Traits = {
  room: roomAt("metadata", "simtape", "provenance"),
  originals: async (reader) => (await import("./write/originals.ts")).originalsOf(reader),
  events: async (recording) => (await import("./events-of.ts")).eventsOf(recording),
};
