import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 100;

/** Where two recordings differ. */
export const compareTwo: Query<"compare"> = async (engine, { recording, other, ...options }, signal, report) => {
  const { compare } = await import("simtape/compare");
  const breather = new Breather(signal, engine);
  let reported = 0;
  return compare(engine.recording(recording), engine.recording(other), {
    ...options,
    signal,
    onProgress: (time, { start, end }) => {
      const now = performance.now();
      if (now - reported >= REPORT_EVERY) {
        reported = now;
        report({ done: Math.max(0, time - start), total: Math.max(1, end - start) });
      }
      return breather.breathe();
    },
  });
};
