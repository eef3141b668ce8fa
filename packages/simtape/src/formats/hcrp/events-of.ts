import type { EventReader } from "../../model/query/event.ts";
import type { Recorded } from "../../model/traits.ts";
import { HcrpReader } from "./read/reader.ts";
import { ProductionEvents } from "./meaning/production-events.ts";
import { WorldEvents } from "./meaning/world-events.ts";

/** Reads the events of an HCRP recording of either dialect. Throws `TypeError` for a recording of another format. */
export async function eventsOf(recording: Recorded): Promise<EventReader> {
  const reader = recording.reader.base ?? recording.reader;
  if (!(reader instanceof HcrpReader)) throw new TypeError("not a recording of HCRP");
  const { start } = await recording.timeline();
  const { head, reserved } = reader.preamble;
  if (head.dialect === 1) return new WorldEvents(recording, reserved.subjects, start);
  const snapshot = recording.channels.findIndex(({ name }) => name === "snapshot");
  return new ProductionEvents(recording, snapshot, start);
}
