import type { Finding, Recording } from "simtape";
import type { Damage } from "../protocol.ts";
import type { Query } from "./query.ts";

/** Those shown at most: more cannot be seen apart. */
const MOST = 1000;

/** Where what is damaged or lost lies in time. */
export const damage: Query<"damage"> = async (engine, { recording: id }) => {
  const recording = engine.recording(id);
  const { findings } = recording;
  return findings
    .filter(({ severity }) => severity === "damage" || severity === "loss")
    .flatMap((finding) => placeOf(finding, recording) ?? [])
    .slice(0, MOST)
    .sort((a, b) => a.start - b.start);
};

/** Null: nothing tells when. A finding about no bytes of its own, as of a header, is nowhere in time. */
function placeOf({ message, offset, length, time }: Finding, { reader }: Recording): Damage | null {
  if (time !== undefined) return { start: time, end: time, message };
  const { chunks = [] } = reader;
  if (offset === undefined || length === undefined || chunks.length === 0) return null;
  return { start: timeAt(offset, chunks), end: timeAt(offset + length, chunks), message };
}

/** About when the bytes at an offset were written, as if those of a chunk were spread evenly over its time. */
function timeAt(offset: number, chunks: NonNullable<Recording["reader"]["chunks"]>): number {
  const behind = chunks.filter((chunk) => chunk.offset <= offset);
  const chunk = behind.reduce((last, next) => (next.offset >= last.offset ? next : last), behind[0] ?? chunks[0]!);
  const part = Math.min(1, Math.max(0, (offset - chunk.offset) / Math.max(1, chunk.length)));
  return chunk.first + part * (chunk.last - chunk.first);
}
