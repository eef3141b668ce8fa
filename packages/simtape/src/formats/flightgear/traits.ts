import { cellPath, valuePath } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import { roomAt } from "../../model/values/text-room.ts";
import { unitOf } from "./meaning/units.ts";

export const traits: Traits = {
  words: { sets: { aircraft: ["aircraft", "aircraft"] } },
  // FlightGear has no geoid: elevations above sea level are laid on the ellipsoid, and altitudes are above the same
  heights: "sea",
  showing: {
    things: ["aircraft"],
    charts: [[cellPath("aircraft", "geodetic", 2, "self"), valuePath("/velocities/airspeed-kt")]],
  },
  // a property beside those that FlightGear reads from `meta`
  room: roomAt("meta", "simtape-provenance"),
  unitOf,
  events: async (recording) => (await import("./events-of.ts")).eventsOf(recording),
};
