import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Between two reports of what was counted so far, milliseconds. */
const REPORT_EVERY = 200;

/** Counts messages by channel and column. No payload is touched. */
export const density: Query<"density"> = async (engine, { recording: id, start, end, columns }, signal, report) => {
  const recording = engine.recording(id);
  const counts = new Uint32Array(recording.channels.length * columns);
  const scale = columns / Math.max(1, end - start);
  const breather = new Breather(signal, engine);
  let reported = performance.now();
  for await (const { length, time, channel } of recording.batches({ start, end, signal })) {
    for (let i = 0; i < length; i++) {
      const column = Math.min(columns - 1, Math.floor((time[i]! - start) * scale));
      counts[channel[i]! * columns + column]!++;
    }
    await breather.breathe();
    const now = performance.now();
    if (now - reported > REPORT_EVERY) {
      reported = now;
      report({ done: time[length - 1]! - start, total: end - start, partial: counts.slice() });
    }
  }
  return counts;
};
