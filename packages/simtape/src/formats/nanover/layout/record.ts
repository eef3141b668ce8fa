import type { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";

/** u64 6661355757386708963, little-endian (spec §1). */
export const MAGIC: Uint8Array = Uint8Array.of(0xe3, 0xb7, 0x89, 0x99, 0xc4, 0xe3, 0x71, 0x5c);
/** The only version ever written in a header; what is called version 1 has no header (spec §1, §1.1). */
export const VERSION = 2;
export const HEADER_BYTES = 16;
/** Time and size before each payload (spec §1). */
export const RECORD_HEADER_BYTES = 24;

/** High words below this keep a u64 within 2^53. */
const SAFE_HIGH = 0x20_0000;

/** Version in the header. Throws `LayoutError` when the magic is another. */
export function readFileHeader(cursor: ByteCursor): number {
  const at = cursor.offset;
  for (const byte of MAGIC) {
    if (cursor.u8() !== byte) throw new LayoutError("malformed", "no NanoVer magic", at);
  }
  return cursor.u64le();
}

export function writeFileHeader(builder: ByteBuilder, version: number): void {
  builder.raw(MAGIC).i64le(version);
}

export function startsWithMagic(head: Uint8Array): boolean {
  return head.length >= MAGIC.length && MAGIC.every((byte, i) => head[i] === byte);
}

/**
 * Whether a file with this beginning is one of version 2 whose header is damaged: half of the magic is in its place, or
 * its end is a little further on.
 */
export function isDamagedHeader(head: Uint8Array): boolean {
  let inPlace = 0;
  for (let i = 0; i < MAGIC.length; i++) if (head[i] === MAGIC[i]) inPlace++;
  if (inPlace >= MAGIC.length / 2) return true;
  const end = MAGIC.subarray(MAGIC_END);
  for (let at = MAGIC_END; at <= MAX_SHIFT; at++) if (end.every((byte, i) => head[at + i] === byte)) return true;
  return false;
}

/** Where the part of the magic begins that is looked for, and how far. */
const MAGIC_END = 3;
const MAX_SHIFT = 256;
/** Higher ones are no version but damage. */
const MAX_VERSION = 255;

/** Whether the header, which has the magic, says a version that no program will ever write. */
export function isDamagedVersion(version: number): boolean {
  return version === 0 || version > MAX_VERSION;
}

export interface RecordHeader {
  /** Since the recorder started; u128 in the file, upper 75 bits zero (spec §1). */
  readonly microseconds: number;
  /** Bytes of the payload that follows. */
  readonly size: number;
}

/** Spec §1. */
export function readRecordHeader(cursor: ByteCursor): RecordHeader {
  const microseconds = cursor.u64le();
  const at = cursor.offset;
  if (cursor.u64le() !== 0) throw new LayoutError("malformed", "time of more than 64 bits", at);
  return { microseconds, size: cursor.u64le() };
}

export function writeRecordHeader(builder: ByteBuilder, header: RecordHeader): void {
  builder.i64le(header.microseconds).i64le(0).i64le(header.size);
}

export function writeRecord(builder: ByteBuilder, microseconds: number, payload: Uint8Array): void {
  writeRecordHeader(builder, { microseconds, size: payload.length });
  builder.raw(payload);
}

/**
 * Whether the 24 bytes at `position` can be the header of a record, `room` bytes being left in the file from there.
 * All zeros are none, unless it is the first of the file: that is what a crashed disk leaves.
 */
export function isRecordHeader(view: DataView, position: number, room: number, isFirst: boolean): boolean {
  if (view.getUint32(position + 8, true) !== 0 || view.getUint32(position + 12, true) !== 0) return false;
  if (view.getUint32(position + 4, true) >= SAFE_HIGH || view.getUint32(position + 20, true) >= SAFE_HIGH) return false;
  const size = recordSize(view, position);
  if (size > room - RECORD_HEADER_BYTES) return false;
  return size > 0 || isFirst || recordMicroseconds(view, position) > 0;
}

export function recordMicroseconds(view: DataView, position: number): number {
  return view.getUint32(position + 4, true) * 0x1_0000_0000 + view.getUint32(position, true);
}

export function recordSize(view: DataView, position: number): number {
  return view.getUint32(position + 20, true) * 0x1_0000_0000 + view.getUint32(position + 16, true);
}

/** What the records of a file hold; in v1 frames have no index. */
export type Content = "frame" | "state";

/**
 * Name of the other file of a pair: `run.state` beside `run.traj`, and the other way. Beside a file with no ending of
 * NanoVer's, that of the kind it does not hold is added, state when that is not known: a point in a name is part of it.
 */
export function siblingName(name: string, content: Content | null): string {
  const match = /^(.*\.)(traj|state)$/is.exec(name);
  if (match !== null) return match[1]! + (match[2]!.toLowerCase() === "traj" ? "state" : "traj");
  return `${name.replace(/(.)\.nanover\.zip$/i, "$1")}.${content === "state" ? "traj" : "state"}`;
}

/**
 * What kind of message begins at `bytes[start]`; null when it is none, or too little of it is there to tell. v2 is
 * recognised by the first byte (spec §1, seen in about 9,800 records); in v1 both kinds begin alike (spec §1.1), so
 * that the first entry is looked into: a frame's begins with its key, a state's lies one message deeper.
 */
export function contentAt(bytes: Uint8Array, start: number, end: number, version: number): Content | null {
  const first = bytes[start];
  if (start >= end || first === undefined) return null;
  if (version === VERSION) return first === 0x08 || first === 0x12 ? "frame" : first === 0x0a ? "state" : null;
  const cursor = new ByteCursor(bytes, start, end);
  try {
    if (first !== 0x0a && first !== 0x12) return null;
    cursor.skip(1);
    const length = length32(cursor);
    if (length === 0) return first === 0x0a && end - start === 2 ? "state" : null;
    if (cursor.u8() !== 0x0a) return null;
    const inner = length32(cursor);
    if (inner >= length) return null;
    if (cursor.remaining < Math.min(inner, 2)) return null;
    if (bytes[cursor.position] === 0x0a) {
      cursor.skip(1);
      const key = length32(cursor);
      return first === 0x0a && key < inner && isText(bytes, cursor.position, key, end) ? "state" : null;
    }
    return isText(bytes, cursor.position, inner, end) ? "frame" : null;
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/**
 * What most of the records in `bytes[start, end)` hold: the damaged first record of a file does not decide alone.
 * Null when none of them tells. `size` is that of the file.
 */
export function contentOf(bytes: Uint8Array, start: number, size: number, version: number): Content | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let frames = 0;
  let states = 0;
  for (let position = start; position + RECORD_HEADER_BYTES < bytes.length; ) {
    const payload = position + RECORD_HEADER_BYTES;
    if (!isRecordHeader(view, position, Number.POSITIVE_INFINITY, position === start)) break;
    const next = payload + recordSize(view, position);
    const content = contentAt(bytes, payload, Math.min(next, bytes.length), version);
    if (content === "frame") frames++;
    else if (content === "state") states++;
    if (next > size) break;
    position = next;
  }
  return frames === 0 && states === 0 ? null : frames >= states ? "frame" : "state";
}

/** As `contentOf`, for bytes that begin with damage: what the first record behind it holds. */
export function contentBehindDamage(bytes: Uint8Array, size: number, version: number): Content | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 1; start + RECORD_HEADER_BYTES < bytes.length; start++) {
    if (view.getUint32(start + 12, true) !== 0 || !isRecordHeader(view, start, size - start, false)) continue;
    const payload = start + RECORD_HEADER_BYTES;
    const content = contentAt(bytes, payload, Math.min(payload + recordSize(view, start), bytes.length), version);
    if (content !== null) return content;
  }
  return null;
}

/** Whether `head` begins a file without header: the chain of sizes holds, and the messages are of one known kind. */
export function sniffHeaderless(head: Uint8Array, size: number | null): "certain" | "possible" | null {
  if (head.length < RECORD_HEADER_BYTES) return null;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const room = size ?? Number.POSITIVE_INFINITY;
  let decided: Content | null = null;
  let records = 0;
  let position = 0;
  while (position + RECORD_HEADER_BYTES < head.length) {
    if (!isRecordHeader(view, position, room - position, position === 0)) return decided ? "possible" : null;
    const payload = position + RECORD_HEADER_BYTES;
    const next = payload + recordSize(view, position);
    const content = contentAt(head, payload, Math.min(next, head.length), 1);
    if (next > payload && content === null && payload + 16 < head.length) return decided ? "possible" : null;
    if (decided !== null && content !== null && content !== decided) return "possible";
    decided ??= content;
    records++;
    position = next;
  }
  if (decided === null) return null;
  return records > 1 || position > head.length || position === size ? "certain" : "possible";
}

function length32(cursor: ByteCursor): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = cursor.u8();
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    if (scale > 0x1000_0000) throw new LayoutError("malformed", "length of more than 32 bits", cursor.offset);
  }
}

/** Keys are printable ASCII in all recordings (seen in samples/nanover); only what is there of it is looked at. */
function isText(bytes: Uint8Array, start: number, length: number, end: number): boolean {
  if (length === 0) return false;
  for (let i = start; i < Math.min(start + length, end); i++) if (bytes[i]! < 0x20 || bytes[i] === 0x7f) return false;
  return true;
}
