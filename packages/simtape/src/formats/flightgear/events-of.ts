import type { EventReader } from "../../model/query/event.ts";
import type { Recorded } from "../../model/traits.ts";
import { FlightGearEvents } from "./meaning/events.ts";
import { FlightGearReader } from "./read/reader.ts";

/** Reads the events of a tape, which may be edited. Throws `TypeError` for a recording of another format. */
export function eventsOf(recording: Recorded): EventReader {
  const reader = recording.reader.base ?? recording.reader;
  if (!(reader instanceof FlightGearReader)) throw new TypeError("not a recording of FlightGear");
  return new FlightGearEvents(recording, reader);
}
