import { paced } from "./pacing.ts";
import type { Query } from "./query.ts";

/** What the numbers of a recording are. */
export const stats: Query<"stats"> = async (engine, { recording: id }, signal, report) => {
  const { statistics } = await import("simtape/stats");
  const recording = engine.recording(id);
  const { start, end } = await recording.timeline();
  const gotTo = paced(signal, engine, report);
  return statistics(recording, { signal, onProgress: (time) => gotTo(time - start, end - start) });
};
