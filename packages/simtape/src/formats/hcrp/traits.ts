import { cellPath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { roomAt } from "../../model/values/text-room.ts";
import { AXES } from "./meaning/scene.ts";

export const traits: Traits = {
  axesOf: () => AXES,
  words: {
    sets: { players: ["player", "players"], entities: ["entity", "entities"] },
    events: { checkpoint: ["checkpoint", "checkpoints"], chat: ["line of chat", "lines of chat"] },
  },
  people: ["players"],
  showing: {
    things: ["players", "entities"],
    charts: [[cellPath("players", "position", 1), cellPath("players", "position", "speed")]],
    checkpoints: { kinds: ["bookmark", "checkpoint", "report", "start", "end", "mark"], set: "players" },
  },
  // slots of the game's equipment, as recorders write them; what those of the production dialect mean is not known
  handsOf: ({ version }) => (version.startsWith("1") ? { main: "items/0", off: "items/1" } : null),
  room: roomAt("metadata", "simtape", "provenance"),
  originals: async (reader) => (await import("./write/originals.ts")).originalsOf(reader),
  events: async (recording) => (await import("./events-of.ts")).eventsOf(recording),
};
