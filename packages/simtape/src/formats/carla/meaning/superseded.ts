import type { MessageBatch } from "../../../model/messages/batch.ts";

/** What packets of a channel are for `supersededIn`, where they are none of motion. */
export const STILL = 0;
/** They may make or remove actors. */
export const CHANGING = -1;
/** They attach actors, which move by what was before, too: nothing behind them is marked. */
export const ATTACHING = -2;

/**
 * Marks packets of motion in rows `[from, to)` that leave no trace: right before and behind them are packets of the same kind
 * about the same actors, and nothing between them makes or removes an actor. `widths`: by channel, the bytes of a record, or
 * one of the above.
 */
export function supersededIn(
  { bytes, channel, start, end }: MessageBatch,
  from: number,
  to: number,
  widths: readonly number[],
): Uint8Array {
  const marks = new Uint8Array(to - from);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** By channel: the packet before, and whether the one before that was about the same actors; -1: there is none. */
  const last = new Int32Array(widths.length).fill(-1);
  const isAlike = new Uint8Array(widths.length);
  for (let i = from; i < to; i++) {
    const of = channel[i]!;
    const width = widths[of]!;
    if (end[i]! - start[i]! <= 2 || width === STILL) continue;
    if (width === ATTACHING) break;
    if (width === CHANGING) {
      last.fill(-1);
      isAlike.fill(0);
      continue;
    }
    const before = last[of]!;
    const isSame =
      before >= 0 &&
      isOfSame(view, start[before]!, end[before]! - start[before]!, start[i]!, end[i]! - start[i]!, width);
    if (isSame && isAlike[of] === 1) marks[before - from] = 1;
    isAlike[of] = isSame ? 1 : 0;
    last[of] = i;
  }
  return marks;
}

/** Whether two packets of equal length have records of the same actors in the same order. */
function isOfSame(view: DataView, a: number, length: number, b: number, otherLength: number, width: number): boolean {
  if (length !== otherLength) return false;
  const count = view.getUint16(a, true);
  if (view.getUint16(b, true) !== count || 2 + count * width !== length) return false;
  for (let at = 2; at < length; at += width)
    if (view.getUint32(a + at, true) !== view.getUint32(b + at, true)) return false;
  return true;
}
