import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { skipMessagePack, writeMessagePack } from "../../../codec/messagepack.ts";
import {
  readLength,
  readString,
  readTag,
  skipField,
  WIRE,
  writeBytesField,
  writeVarintField,
} from "../../../codec/protobuf.ts";
import { FRAME_INDEX } from "../layout/layout.ts";
import { readKey, readMapSize, writeMapSize } from "../layout/messagepack.ts";
import type { Container } from "../meaning/schema.ts";

/** One key of a map with its value, as bytes of a payload. */
export interface Entry {
  readonly key: string;
  /** Key and value as they are encoded, with what frames them in protobuf. A view of the payload. */
  readonly bytes: Uint8Array;
}

/** The top-level parts of a zip's message. Throws `LayoutError` when it is none. */
export function partsOf(payload: Uint8Array): Entry[] {
  return mapEntries(new ByteCursor(payload));
}

/**
 * A message with some parts of another, under new names: `names` tells the name that a part gets, null drops it.
 * Throws `LayoutError` when none is left.
 */
export function withParts(payload: Uint8Array, names: (name: string) => string | null): Uint8Array {
  const builder = new ByteBuilder(payload.length);
  const kept: { readonly name: string; readonly value: Uint8Array }[] = [];
  for (const { key, bytes } of partsOf(payload)) {
    const name = names(key);
    if (name !== null) kept.push({ name, value: valueIn(bytes) });
  }
  if (kept.length === 0) throw new LayoutError("malformed", "message without the part that is wanted", 0);
  writeMapSize(builder, kept.length);
  for (const { name, value } of kept) {
    writeMessagePack(builder, name);
    builder.raw(value);
  }
  return builder.take();
}

/** The keys of a frame, its index left out. Throws `LayoutError` when the payload is no frame. */
export function frameEntries(payload: Uint8Array, container: Container): Entry[] {
  switch (container) {
    case "1":
      return fields(new ByteCursor(payload), payload.length);
    case "2":
      return inner(payload, 2);
    case "zip": {
      const part = partsOf(payload).find(({ key }) => key === "frame");
      return part === undefined ? [] : entriesIn(valueIn(part.bytes)).filter(({ key }) => key !== FRAME_INDEX);
    }
    default:
      return container satisfies never;
  }
}

/** Index of a frame as it is encoded; null when it has none. In v2 there is always one. */
export function frameIndexEntry(payload: Uint8Array, container: Container): Uint8Array | null {
  if (container === "1") return null;
  if (container === "zip") {
    const part = partsOf(payload).find(({ key }) => key === "frame");
    const entries = part === undefined ? [] : entriesIn(valueIn(part.bytes));
    return entries.findLast(({ key }) => key === FRAME_INDEX)?.bytes ?? null;
  }
  const cursor = new ByteCursor(payload);
  let index = new Uint8Array(0);
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const tag = readTag(cursor);
    skipField(cursor, tag);
    if (tag === 8) index = payload.slice(start, cursor.position);
  }
  return index;
}

/** A frame of such entries; `index` is as `frameIndexEntry` gives it, null: 0 in v2, none in a zip. */
export function frameOf(entries: readonly Uint8Array[], index: Uint8Array | null, container: Container): Uint8Array {
  const builder = new ByteBuilder();
  if (container === "zip") {
    builder.u8(0x81);
    writeMessagePack(builder, "frame");
    writeMapSize(builder, entries.length + (index === null ? 0 : 1));
    if (index !== null) builder.raw(index);
    for (const entry of entries) builder.raw(entry);
    return builder.take();
  }
  const data = new ByteBuilder();
  for (const entry of entries) data.raw(entry);
  if (container === "1") return data.take();
  if (index !== null) builder.raw(index);
  writeBytesField(builder, 2, data.take());
  return builder.take();
}

/** Index 0 as an entry: what a simulation begins with. */
export function zeroIndex(container: Container): Uint8Array | null {
  if (container !== "zip") return null;
  const builder = new ByteBuilder();
  writeMessagePack(builder, FRAME_INDEX);
  return builder.u8(0).take();
}

/** The frame with index 0, all else as it is. Throws `RangeError` in v1, which has none. */
export function asReset(payload: Uint8Array, container: Container): Uint8Array {
  if (container === "1") throw new RangeError("NanoVer v1 cannot say that a simulation begins again");
  if (container === "2") {
    const entries = frameEntries(payload, container).map(({ bytes }) => bytes);
    return frameOf(entries, zeroIndex(container), container);
  }
  // Other parts of the message stay.
  const builder = new ByteBuilder(payload.length + 16);
  const parts = partsOf(payload);
  writeMapSize(builder, parts.length);
  for (const { key, bytes } of parts) {
    writeMessagePack(builder, key);
    if (key === "frame") writeAsReset(builder, valueIn(bytes));
    else builder.raw(valueIn(bytes));
  }
  return builder.take();
}

/** The map of a frame in a zip with index 0 before all else. A frame may have millions of keys: no list is made of them. */
function writeAsReset(builder: ByteBuilder, frame: Uint8Array): void {
  let count = 0;
  for (const _ of entriesBesidesIndex(frame)) count++;
  writeMapSize(builder, count + 1);
  builder.raw(zeroIndex("zip")!);
  for (const { bytes } of entriesBesidesIndex(frame)) builder.raw(bytes);
}

function* entriesBesidesIndex(frame: Uint8Array): Generator<Entry> {
  if (frame[0] === 0xc0) return;
  for (const entry of eachEntry(new ByteCursor(frame))) if (entry.key !== FRAME_INDEX) yield entry;
}

/** The index of a frame, set or removed without touching its keys: between v1, which has none, and v2. */
export function reframed(payload: Uint8Array, from: "1" | "2", index: number): Uint8Array {
  const builder = new ByteBuilder(payload.length + 16);
  if (from === "2") {
    for (const { bytes } of frameEntries(payload, from)) builder.raw(bytes);
    return builder.take();
  }
  if (index !== 0) writeVarintField(builder, 1, index);
  writeBytesField(builder, 2, payload);
  return builder.take();
}

/**
 * The keys that a state update sets; removals are not among them. Throws `LayoutError` when the payload is no update.
 */
export function stateEntries(payload: Uint8Array, container: Container): Entry[] {
  if (container !== "zip") return inner(payload, 1);
  const part = partsOf(payload).find(({ key }) => key === "state");
  if (part === undefined) return [];
  const updates = entriesIn(valueIn(part.bytes)).findLast(({ key }) => key === "updates");
  return updates === undefined ? [] : entriesIn(valueIn(updates.bytes));
}

/**
 * A state update that sets such entries, and in a zip removes such keys; both parts are always there (NanoVer semantics
 * §5.1). Throws `RangeError` for removals in v1 and v2, where a removal is an entry with the value null.
 */
export function stateOf(
  entries: readonly Uint8Array[],
  container: Container,
  removals: readonly string[] = [],
): Uint8Array {
  const builder = new ByteBuilder();
  if (container !== "zip") {
    if (removals.length > 0) throw new RangeError("an update of NanoVer v1 and v2 removes a key by an entry");
    const struct = new ByteBuilder();
    for (const entry of entries) struct.raw(entry);
    writeBytesField(builder, 1, struct.take());
    return builder.take();
  }
  builder.u8(0x81);
  writeMessagePack(builder, "state");
  builder.u8(0x82);
  writeMessagePack(builder, "updates");
  writeMapSize(builder, entries.length);
  for (const entry of entries) builder.raw(entry);
  writeMessagePack(builder, "removals");
  writeMessagePack(builder, removals);
  return builder.take();
}

function entriesIn(map: Uint8Array): Entry[] {
  return map[0] === 0xc0 ? [] : mapEntries(new ByteCursor(map));
}

function mapEntries(cursor: ByteCursor): Entry[] {
  return [...eachEntry(cursor)];
}

/** The entries of a map that fills what is left. Throws `LayoutError` when it does not. */
function* eachEntry(cursor: ByteCursor): Generator<Entry> {
  for (let left = readMapSize(cursor); left > 0; left--) {
    const start = cursor.position;
    const key = readKey(cursor);
    skipMessagePack(cursor);
    yield { key, bytes: cursor.bytes.subarray(start, cursor.position) };
  }
  if (cursor.remaining > 0) {
    throw new LayoutError("malformed", `${cursor.remaining} bytes follow the map`, cursor.offset);
  }
}

/** The value of an entry of a MessagePack map. */
export function valueIn(entry: Uint8Array): Uint8Array {
  const cursor = new ByteCursor(entry);
  skipMessagePack(cursor);
  return entry.subarray(cursor.position);
}

/** Entries of the maps that are the fields `number` of a protobuf message. */
function inner(payload: Uint8Array, number: number): Entry[] {
  const cursor = new ByteCursor(payload);
  const entries: Entry[] = [];
  while (cursor.remaining > 0) {
    const tag = readTag(cursor);
    if (tag !== number * 8 + WIRE.bytes) {
      skipField(cursor, tag);
      continue;
    }
    const length = readLength(cursor);
    entries.push(...fields(cursor, cursor.position + length));
  }
  return entries;
}

/** Length-delimited fields up to `end`, as entries of a map: their key is field 1 of each. */
function fields(cursor: ByteCursor, end: number): Entry[] {
  const entries: Entry[] = [];
  while (cursor.position < end) {
    const start = cursor.position;
    const tag = readTag(cursor);
    if ((tag & 7) !== WIRE.bytes) {
      skipField(cursor, tag);
      continue;
    }
    const length = readLength(cursor);
    const entry = new ByteCursor(cursor.bytes, cursor.position, cursor.position + length, cursor.origin);
    cursor.skip(length);
    let key = "";
    while (entry.remaining > 0) {
      const inside = readTag(entry);
      if (inside === 8 + WIRE.bytes) key = readString(entry);
      else skipField(entry, inside);
    }
    entries.push({ key, bytes: cursor.bytes.subarray(start, cursor.position) });
  }
  return entries;
}
