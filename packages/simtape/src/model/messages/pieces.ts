import { type MessageBatch, rowsOf } from "./batch.ts";

/** Rows of a piece at most, and bytes of payloads from which on it ends. */
const ROWS = 4096;
const BYTES = 256 << 10;

/**
 * A batch in pieces of a few rows. A batch may have any number of messages of one moment, so what is made of all of them
 * at once takes memory without a limit.
 */
export function* piecesOf(batch: MessageBatch): Generator<MessageBatch> {
  for (let from = 0, to = 0; from < batch.length; from = to) {
    to = endOfPiece(batch, from);
    yield from === 0 && to === batch.length ? batch : rowsOf(batch, from, to);
  }
}

function endOfPiece({ start, end, length }: MessageBatch, from: number): number {
  const most = Math.min(length, from + ROWS);
  let bytes = 0;
  let to = from;
  for (; to < most && bytes < BYTES; to++) bytes += end[to]! - start[to]!;
  return to;
}
