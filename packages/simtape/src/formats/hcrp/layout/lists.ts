import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readVarInt, writeVarInt } from "./framing.ts";

/** Things in one list: ours, so that a damaged count cannot ask for all memory. */
const MAX_COUNT = 1 << 20;

/** Memory of one thing, about. */
const VALUE_BYTES = 256;

/** A count of things of at least `smallest` bytes each, checked against what is left. */
export function readCount(cursor: ByteCursor, smallest: number): number {
  const at = cursor.offset;
  const count = readVarInt(cursor);
  if (count > MAX_COUNT) throw new LayoutError("malformed", `${count} entries, ${MAX_COUNT} are allowed`, at);
  if (count * smallest > cursor.remaining) {
    throw new LayoutError("truncated", `${count} entries, ${cursor.remaining} bytes are left`, at);
  }
  cursor.claim(count * VALUE_BYTES);
  return count;
}

/** An entity, one more than its id, 0 for none (events §2: "E + 1"). */
export function readOptional(cursor: ByteCursor): number | null {
  const value = readVarInt(cursor);
  return value === 0 ? null : value - 1;
}

/** `null` as 0. */
export function writeOptional(builder: ByteBuilder, entity: number | null): void {
  writeVarInt(builder, entity === null ? 0 : entity + 1);
}
