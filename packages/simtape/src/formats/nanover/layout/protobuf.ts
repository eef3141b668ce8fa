import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  expectWire,
  readBool,
  readFloats,
  readLength,
  readString,
  readTag,
  readUint32,
  readUint32s,
  skipField,
  WIRE,
  writeBytesField,
  writeFloatsField,
  writeStringField,
  writeTag,
  writeUint32sField,
  writeVarintField,
} from "../../../codec/protobuf.ts";
import type { Value } from "../../../model/values/value.ts";
import { emptyMap, FRAME_INDEX, type Frame, floatsOf, type MutableFrame, type StateUpdate } from "./layout.ts";

/** How deep values may nest: protobuf's own limit. */
const MAX_DEPTH = 100;

/**
 * `GetFrameResponse`, the payload of a v2 `.traj` (spec §2). The index comes first and is not overwritten by the value
 * of the same name that recorders of September 2025 left in frames (semantics §1).
 */
export function readFrameResponse(cursor: ByteCursor): Frame {
  const frame = emptyMap();
  let index = 0;
  frame[FRAME_INDEX] = index;
  while (cursor.remaining > 0) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.varint)) index = readUint32(cursor);
    else if (tag === field(2, WIRE.bytes)) readFrameData(cursor, endOf(cursor), frame);
    else skipField(cursor, tag);
  }
  frame[FRAME_INDEX] = index;
  return frame;
}

/** The key `frame.index` is the index, left out when 0 as proto3 does; the rest as `writeFrameData` has it. */
export function writeFrameResponse(builder: ByteBuilder, frame: Frame): void {
  const index = frame[FRAME_INDEX];
  if (typeof index === "number" && index !== 0) writeVarintField(builder, 1, index);
  const data = new ByteBuilder();
  writeFrameData(data, frame);
  writeBytesField(builder, 2, data.take());
}

/** `FrameData`, the payload of a v1 `.traj` (spec §1.1), up to `end`, into `frame`. Of equal keys the last counts. */
export function readFrameData(cursor: ByteCursor, end: number, frame: MutableFrame): void {
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.bytes)) readEntry(cursor, frame, readValue);
    else if (tag === field(2, WIRE.bytes)) readEntry(cursor, frame, readValueArray);
    else skipField(cursor, tag);
  }
  expectEnd(cursor, end);
}

/** Typed arrays and lists of text go to `arrays`, all else to `values`; the index is not written. */
export function writeFrameData(builder: ByteBuilder, frame: Frame): void {
  for (const [key, value] of Object.entries(frame)) {
    if (key === FRAME_INDEX) continue;
    const inner = new ByteBuilder();
    writeStringField(inner, 1, key);
    const array = new ByteBuilder();
    const isArray = writeValueArray(array, value);
    if (!isArray) writeValue(array, value);
    writeBytesField(inner, 2, array.take());
    writeBytesField(builder, isArray ? 2 : 1, inner.take());
  }
}

/**
 * Index of the v2 frame in `bytes[start, end)` without decoding it: 0 when the field is left out; -1 when the bytes are
 * no such message.
 */
export function frameIndexOf(bytes: Uint8Array, start: number, end: number): number {
  let index = 0;
  let position = start;
  while (position < end) {
    const tag = bytes[position++]!;
    if (tag !== 0x08 && tag !== 0x12) return slowFrameIndexOf(bytes, start, end);
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (position >= end || scale > 0x8_0000_0000) return slowFrameIndexOf(bytes, start, end);
      const byte = bytes[position++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    if (tag === 0x08) index = value >>> 0;
    else position += value;
  }
  return position === end ? index : -1;
}

/** As `frameIndexOf`, for messages with fields or varints that the quick way does not take. */
function slowFrameIndexOf(bytes: Uint8Array, start: number, end: number): number {
  const cursor = new ByteCursor(bytes, start, end);
  let index = 0;
  try {
    while (cursor.remaining > 0) {
      const tag = readTag(cursor);
      if (tag === field(1, WIRE.varint)) index = readUint32(cursor);
      else skipField(cursor, tag);
    }
  } catch (error) {
    if (error instanceof LayoutError) return -1;
    throw error;
  }
  return index;
}

/** `StateUpdate` (spec §2): a key whose value is null, or has no kind, is a removal (spec §3.2). */
export function readStateUpdate(cursor: ByteCursor): StateUpdate {
  const changes = emptyMap();
  while (cursor.remaining > 0) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.bytes)) readStruct(cursor, endOf(cursor), changes, MAX_DEPTH);
    else skipField(cursor, tag);
  }
  const updates = emptyMap();
  const removals: string[] = [];
  for (const key in changes) {
    if (changes[key] === null) removals.push(key);
    else updates[key] = changes[key]!;
  }
  return { updates, removals };
}

/** Updates first, then removals as null. */
export function writeStateUpdate(builder: ByteBuilder, update: StateUpdate): void {
  const changes = new ByteBuilder();
  for (const [key, value] of Object.entries(update.updates)) writeStructField(changes, key, value);
  for (const key of update.removals) writeStructField(changes, key, null);
  writeBytesField(builder, 1, changes.take());
}

function field(number: number, wire: number): number {
  return number * 8 + wire;
}

/** Place behind the length-delimited field that begins at the cursor. */
function endOf(cursor: ByteCursor): number {
  const length = readLength(cursor);
  return cursor.position + length;
}

/** Fields inside may claim to reach beyond the message that holds them. */
function expectEnd(cursor: ByteCursor, end: number): void {
  if (cursor.position === end) return;
  throw new LayoutError("malformed", "protobuf field reaches beyond its message", cursor.offset);
}

/** One entry of a map: key 1, value 2 (spec §2, wire notes). */
function readEntry(
  cursor: ByteCursor,
  map: MutableFrame,
  read: (cursor: ByteCursor, end: number, depth: number) => Value,
  depth: number = MAX_DEPTH,
): void {
  const end = endOf(cursor);
  let key = "";
  let value: Value = null;
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.bytes)) key = readString(cursor);
    else if (tag === field(2, WIRE.bytes)) value = read(cursor, endOf(cursor), depth);
    else skipField(cursor, tag);
  }
  expectEnd(cursor, end);
  cursor.claim(96);
  map[key] = value;
}

/** `google.protobuf.Value` (spec §2); without a kind it is null. */
function readValue(cursor: ByteCursor, end: number, depth: number): Value {
  if (depth <= 0) throw new LayoutError("malformed", "protobuf values nested too deep", cursor.offset);
  let value: Value = null;
  while (cursor.position < end) {
    const tag = readTag(cursor);
    switch (tag) {
      case 8: // null_value = 1
        readUint32(cursor);
        value = null;
        break;
      case 17: // number_value = 2
        value = cursor.f64le();
        break;
      case 26: // string_value = 3
        value = readString(cursor);
        break;
      case 32: // bool_value = 4
        value = readBool(cursor);
        break;
      case 42: {
        // struct_value = 5
        const map = emptyMap();
        readStruct(cursor, endOf(cursor), map, depth - 1);
        value = map;
        break;
      }
      case 50: // list_value = 6
        value = readList(cursor, endOf(cursor), depth - 1);
        break;
      default:
        skipField(cursor, tag);
    }
  }
  expectEnd(cursor, end);
  return value;
}

function readStruct(cursor: ByteCursor, end: number, map: MutableFrame, depth: number): void {
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.bytes)) readEntry(cursor, map, readValue, depth);
    else skipField(cursor, tag);
  }
  expectEnd(cursor, end);
}

function readList(cursor: ByteCursor, end: number, depth: number): Value[] {
  const items: Value[] = [];
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag !== field(1, WIRE.bytes)) skipField(cursor, tag);
    else {
      cursor.claim(48);
      items.push(readValue(cursor, endOf(cursor), depth));
    }
  }
  expectEnd(cursor, end);
  return items;
}

/** `ValueArray` (spec §2); without a member it is an empty list. Of several members the last counts. */
function readValueArray(cursor: ByteCursor, end: number): Value {
  let value: Value = [];
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag === field(1, WIRE.bytes)) value = readFloatArray(cursor, endOf(cursor));
    else if (tag === field(2, WIRE.bytes)) value = readIndexArray(cursor, endOf(cursor));
    else if (tag === field(3, WIRE.bytes)) value = readStringArray(cursor, endOf(cursor));
    else skipField(cursor, tag);
  }
  expectEnd(cursor, end);
  return value;
}

/** One packed run is all there is in every sample (spec §2); it is copied at once. */
function readFloatArray(cursor: ByteCursor, end: number): Float32Array<ArrayBuffer> {
  if (cursor.position === end) return new Float32Array(0);
  const start = cursor.position;
  if (readTag(cursor) === field(1, WIRE.bytes)) {
    const length = readLength(cursor);
    if (cursor.position + length === end && length % 4 === 0) return floatsOf(cursor.view(length));
  }
  cursor.seek(end);
  return readFloats(new ByteCursor(cursor.bytes, start, end, cursor.origin), 1);
}

function readIndexArray(cursor: ByteCursor, end: number): Uint32Array<ArrayBuffer> {
  const start = cursor.position;
  cursor.seek(end);
  return readUint32s(new ByteCursor(cursor.bytes, start, end, cursor.origin), 1);
}

function readStringArray(cursor: ByteCursor, end: number): string[] {
  const texts: string[] = [];
  while (cursor.position < end) {
    const tag = readTag(cursor);
    if (tag >>> 3 !== 1) {
      skipField(cursor, tag);
      continue;
    }
    expectWire(cursor, tag, WIRE.bytes);
    cursor.claim(40);
    texts.push(readString(cursor));
  }
  expectEnd(cursor, end);
  return texts;
}

/** False, and nothing written, when `value` is no array of a frame. */
function writeValueArray(builder: ByteBuilder, value: Value): boolean {
  const inner = new ByteBuilder();
  if (value instanceof Float32Array) {
    if (value.length > 0) writeFloatsField(inner, 1, value);
    writeBytesField(builder, 1, inner.take());
  } else if (value instanceof Uint32Array || value instanceof Uint8Array) {
    if (value.length > 0) writeUint32sField(inner, 1, Uint32Array.from(value));
    writeBytesField(builder, 2, inner.take());
  } else if (value instanceof Float64Array) {
    if (value.length > 0) writeFloatsField(inner, 1, Float32Array.from(value));
    writeBytesField(builder, 1, inner.take());
  } else if (isTexts(value)) {
    for (const text of value) writeStringField(inner, 1, text);
    writeBytesField(builder, 3, inner.take());
  } else return false;
  return true;
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

/** Members of a `Value` are always written, also when they are 0, false or null (spec §2, wire notes). */
function writeValue(builder: ByteBuilder, value: Value): void {
  if (value === null) writeVarintField(builder, 1, 0);
  else if (typeof value === "number" || typeof value === "bigint") {
    writeTag(builder, 2, WIRE.fixed64);
    builder.f64le(Number(value));
  } else if (typeof value === "string") writeStringField(builder, 3, value);
  else if (typeof value === "boolean") writeVarintField(builder, 4, value ? 1 : 0);
  else if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = new ByteBuilder();
    for (const item of value as Iterable<Value>) {
      const inner = new ByteBuilder();
      writeValue(inner, item);
      writeBytesField(list, 1, inner.take());
    }
    writeBytesField(builder, 6, list.take());
  } else {
    const struct = new ByteBuilder();
    for (const [key, item] of Object.entries(value)) writeStructField(struct, key, item);
    writeBytesField(builder, 5, struct.take());
  }
}

function writeStructField(builder: ByteBuilder, key: string, value: Value): void {
  const entry = new ByteBuilder();
  writeStringField(entry, 1, key);
  const inner = new ByteBuilder();
  writeValue(inner, value);
  writeBytesField(entry, 2, inner.take());
  writeBytesField(builder, 1, entry.take());
}
