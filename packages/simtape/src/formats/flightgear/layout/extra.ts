import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { TEXT } from "./layout.ts";

/** One entry of an extra-properties item; `value` null: the property is removed (spec §6). */
export interface ExtraProperty {
  readonly path: string;
  readonly value: string | null;
}

// spec §6: strings are i16 byte length + bytes; an empty string before the path is a removal
export function readExtraProperty(cursor: ByteCursor): ExtraProperty {
  const path = readString(cursor);
  if (path === "") return { path: readString(cursor), value: null };
  return { path, value: readString(cursor) };
}
export function writeExtraProperty(builder: ByteBuilder, entry: ExtraProperty): void {
  if (entry.value === null) {
    builder.i16le(0);
    writeString(builder, entry.path);
  } else {
    writeString(builder, entry.path);
    writeString(builder, entry.value);
  }
}

/** Whether entries fill `bytes[start, end)` exactly; one that removes nothing is none. */
export function fillsExtraProperties(view: DataView, start: number, end: number): boolean {
  let at = start;
  let strings = 0;
  let isRemoval = false;
  while (at < end) {
    if (at + 2 > end) return false;
    const length = view.getInt16(at, true);
    if (length < 0 || at + 2 + length > end) return false;
    at += 2 + length;
    if (strings++ % 2 === 0) isRemoval = length === 0;
    else if (isRemoval && length === 0) return false;
  }
  return strings % 2 === 0;
}

/** One of the strings of an item, as bytes: a view. */
export function readExtraText(cursor: ByteCursor): Uint8Array {
  const at = cursor.offset;
  const length = cursor.i16le();
  if (length < 0) throw new LayoutError("malformed", `text of ${length} bytes`, at);
  return cursor.view(length);
}

function readString(cursor: ByteCursor): string {
  return TEXT.decode(readExtraText(cursor));
}

function writeString(builder: ByteBuilder, text: string): void {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 0x7fff) throw new RangeError(`text of ${bytes.length} bytes, 32767 fit`);
  builder.i16le(bytes.length).raw(bytes);
}
