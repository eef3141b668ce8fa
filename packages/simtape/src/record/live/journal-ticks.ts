import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { CHUNK_RECORD_BYTES, readChunkRecord } from "../../formats/hcrp/layout/framing.ts";
import type { JournalContent } from "./journal.ts";

/** How many ticks of a journal lie at or behind tick `end`, where the recording beside it ends. */
export function ticksBehind({ finished, open }: JournalContent, end: number): number {
  let ticks = 0;
  const count = (from: number, to: number): void => {
    ticks += Math.max(0, to - Math.max(from, end));
  };
  const cursor = new ByteCursor(finished);
  try {
    while (cursor.remaining >= CHUNK_RECORD_BYTES) {
      const { startTick, tickCount, compressedLength } = readChunkRecord(cursor);
      count(startTick, startTick + tickCount);
      cursor.skip(compressedLength);
    }
  } catch (error) {
    // Behind what is no chunk record nothing is counted, as nothing is recovered.
    if (!(error instanceof LayoutError)) throw error;
  }
  if (open !== null) count(open.startTick, open.end);
  return ticks;
}
