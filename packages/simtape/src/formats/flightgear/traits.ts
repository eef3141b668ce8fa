import { cellPath, valuePath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { roomAt } from "../../model/text-room.ts";
import { unitOf } from "./meaning/units.ts";

export const traits: Traits = {
  words: { sets: { aircraft: ["aircraft", "aircraft"] } },
  showing: {
    things: ["aircraft"],
    charts: [[cellPath("aircraft", "geodetic", 2, "self"), valuePath("/velocities/airspeed-kt")]],
  },
  // a property beside those that FlightGear reads from `meta`
  room: roomAt("meta", "simtape-provenance"),
  unitOf,
  events: async (recording) => (await import("./events-of.ts")).eventsOf(recording),
};
