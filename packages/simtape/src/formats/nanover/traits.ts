import { valuePath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { roomAt } from "../../model/values/text-room.ts";
import { SIMULATION_AXES } from "./meaning/axes.ts";

/** Units of NanoVer's values (semantics §2). */
const UNITS: Readonly<Record<string, string>> = {
  "system.simulation.time": "ps",
  "system.box.vectors": "nm",
};

export const traits: Traits = {
  axesOf: (channel) => (channel === "frame" ? SIMULATION_AXES : null),
  words: {
    sets: { particles: ["atom", "atoms"], avatars: ["person", "people"] },
    within: { "residue.count": ["residue", "residues"] },
  },
  people: ["avatars"],
  showing: {
    things: ["particles", "avatars"],
    charts: [[valuePath("energy.kinetic"), valuePath("energy.potential")]],
  },
  room: roomAt("provenance"),
  unitOf: (path) => (path.startsWith("energy.") ? "kJ/mol" : (UNITS[path] ?? null)),
  events: async (recording) => new (await import("./meaning/events.ts")).NanoverEvents(recording),
};
