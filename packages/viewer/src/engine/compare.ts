import { paced } from "./pacing.ts";
import type { Query } from "./query.ts";

/** Where two recordings differ. */
export const compareTwo: Query<"compare"> = async (engine, { recording, other, ...options }, signal, report) => {
  const { compare } = await import("simtape/compare");
  const gotTo = paced(signal, engine, report);
  return compare(engine.recording(recording), engine.recording(other), {
    ...options,
    signal,
    onProgress: (time, { start, end }) => gotTo(time - start, end - start),
  });
};
