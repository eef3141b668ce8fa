import type { RaceEntry } from "simtape/race";
import { paced } from "./pacing.ts";
import type { Query } from "./query.ts";

/** Laps of recordings against each other. */
export const raceAll: Query<"race"> = async (engine, { recording, others, ...options }, signal, report) => {
  const { race } = await import("simtape/race");
  const gotTo = paced(signal, engine, report);
  const entries: RaceEntry[] = [recording, ...others].map((id) => ({ recording: engine.recording(id) }));
  return race(entries, { ...options, points: 200, signal, onProgress: (place) => gotTo(place, entries.length) });
};
