import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 100;

/** What the numbers of a recording are. */
export const stats: Query<"stats"> = async (engine, { recording: id }, signal, report) => {
  const { statistics } = await import("simtape/stats");
  const recording = engine.recording(id);
  const { start, end } = await recording.timeline();
  const breather = new Breather(signal, engine);
  let reported = 0;
  return statistics(recording, {
    signal,
    onProgress: (time) => {
      const now = performance.now();
      if (now - reported >= REPORT_EVERY) {
        reported = now;
        report({ done: Math.max(0, time - start), total: Math.max(1, end - start) });
      }
      return breather.breathe();
    },
  });
};
