import type { RaceEntry } from "simtape/race";
import { Breather } from "./breather.ts";
import type { Query } from "./query.ts";

/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 100;

/** Laps of recordings against each other. */
export const raceAll: Query<"race"> = async (engine, { recording, others, ...options }, signal, report) => {
  const { race } = await import("simtape/race");
  const breather = new Breather(signal, engine);
  const entries: RaceEntry[] = [recording, ...others].map((id) => ({ recording: engine.recording(id) }));
  let reported = 0;
  return race(entries, {
    ...options,
    points: 200,
    signal,
    onProgress: (place) => {
      const now = performance.now();
      if (now - reported >= REPORT_EVERY) {
        reported = now;
        report({ done: place, total: entries.length });
      }
      return breather.breathe();
    },
  });
};
