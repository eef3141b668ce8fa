import type { NativeRecord } from "simtape";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";

/** Records from the `first`th on: walks there from the beginning of the file. */
export const records: Query<"records"> = async (engine, { recording, first, count }, signal) => {
  const found: NativeRecord[] = [];
  const breather = new Breather(signal);
  let before = 0;
  for await (const some of engine.recording(recording).records(signal)) {
    const from = Math.max(0, first - before);
    for (const { kind, offset, bytes } of some.slice(from, from + count - found.length)) {
      found.push({ kind, offset, bytes: bytes.slice() });
    }
    if (found.length >= count) break;
    before += some.length;
    await breather.breathe();
  }
  return found;
};
