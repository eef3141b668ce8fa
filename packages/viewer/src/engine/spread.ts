import type { Query } from "./query.ts";

/** Bytes of the file by column of time, from what is known of its chunks: nothing is read. */
export const spread: Query<"spread"> = async (engine, { recording: id, start, end, columns }) => {
  const { chunks } = engine.recording(id).reader;
  if (chunks === undefined) return null;
  const bytes = new Float64Array(columns);
  const scale = columns / Math.max(1, end - start);
  for (const { first, last, length } of chunks) {
    const from = Math.max(0, (first - start) * scale);
    const to = Math.min(columns, Math.max(from + 1, (last - start) * scale));
    const perColumn = length / (to - from);
    for (let column = Math.floor(from); column < to; column++) {
      bytes[column]! += perColumn * (Math.min(to, column + 1) - Math.max(from, column));
    }
  }
  return bytes;
};
