import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readLength, readString, readTag, skipField } from "../../../codec/protobuf.ts";

/** Bytes `[from, to)` of a key's value: a double, or packed floats. With others in their place only that value is another. */
export interface FrameSpan {
  readonly key: string;
  readonly kind: "number" | "floats";
  readonly from: number;
  readonly to: number;
}

/** Tags of `FrameData`, of an entry of its maps, and of the values with a span of their own (spec §1.1, §2). */
const VALUES = 10;
const ARRAYS = 18;
const KEY = 10;
const VALUE = 18;
const NUMBER = 17;
const FLOATS = 10;

/** The spans of a `FrameData` in `bytes[start, end)`; null: it is not laid out as usual. */
export function frameSpans(bytes: Uint8Array, start: number, end: number): FrameSpan[] | null {
  const cursor = new ByteCursor(bytes, start, end);
  const spans: FrameSpan[] = [];
  const keys = new Set<string>();
  try {
    while (cursor.remaining > 0) {
      const tag = readTag(cursor);
      if (tag !== VALUES && tag !== ARRAYS) {
        skipField(cursor, tag);
        continue;
      }
      const to = lengthEnd(cursor);
      if (readTag(cursor) !== KEY) return null;
      const key = readString(cursor);
      if (keys.has(key) || readTag(cursor) !== VALUE || lengthEnd(cursor) !== to) return null;
      keys.add(key);
      if (tag === VALUES && bytes[cursor.position] === NUMBER && cursor.position + 9 === to)
        spans.push({ key, kind: "number", from: to - 8, to });
      else if (tag === ARRAYS && isPacked(cursor, to)) spans.push({ key, kind: "floats", from: cursor.position, to });
      cursor.seek(to);
    }
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
  return spans;
}

/** Whether there is one packed run of floats up to `to`, at which the cursor is then. */
function isPacked(cursor: ByteCursor, to: number): boolean {
  if (cursor.position === to || readTag(cursor) !== FLOATS || lengthEnd(cursor) !== to) return false;
  if (cursor.position === to || readTag(cursor) !== FLOATS || lengthEnd(cursor) !== to) return false;
  return (to - cursor.position) % 4 === 0;
}

function lengthEnd(cursor: ByteCursor): number {
  const length = readLength(cursor);
  return cursor.position + length;
}
