import type { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  encodeMessagePack,
  MessagePackExtension,
  MessagePackFloat,
  type MessagePackValue,
  readMessagePack,
  skipMessagePack,
  writeMessagePack,
} from "../../../codec/messagepack.ts";
import type { Value } from "../../../model/values/value.ts";
import {
  bytesOf,
  COUNTS,
  emptyMap,
  FRAME_INDEX,
  type Frame,
  isNumber,
  type MutableFrame,
  PACKINGS,
  SERVER_TIMESTAMP,
  type StateUpdate,
  unpack,
} from "./layout.ts";

/** One message of a zip: a map with any of these keys, or others (spec §4.1). */
export interface ZipMessage {
  readonly frame?: Frame | undefined;
  readonly state?: StateUpdate | undefined;
  readonly command?: Value | undefined;
}

/**
 * The part of the message in `payload` under the top-level `key`, by `read`; null when it is nil. Other parts are
 * passed over. Throws `LayoutError` when there is no such part or the message does not fill the payload.
 */
export function readPart<T>(payload: Uint8Array, key: string, read: (cursor: ByteCursor) => T): T | null {
  const cursor = new ByteCursor(payload);
  let part: T | null = null;
  let isThere = false;
  for (let left = readMapSize(cursor); left > 0; left--) {
    if (readKey(cursor) !== key) skipMessagePack(cursor);
    else {
      isThere = true;
      part = isNil(cursor) ? skipped(cursor) : read(cursor);
    }
  }
  if (cursor.remaining > 0) {
    throw new LayoutError("malformed", `${cursor.remaining} bytes follow the message`, cursor.offset);
  }
  if (!isThere) throw new LayoutError("malformed", `message without ${key}`, 0);
  return part;
}

/** The parts in the order frame, state, command. */
export function writeMessage(builder: ByteBuilder, message: ZipMessage): void {
  const { frame, state, command } = message;
  builder.u8(0x80 + [frame, state, command].filter((part) => part !== undefined).length);
  if (frame !== undefined) {
    writeMessagePack(builder, "frame");
    writeFrame(builder, frame);
  }
  if (state !== undefined) {
    writeMessagePack(builder, "state");
    writeState(builder, state);
  }
  if (command !== undefined) {
    writeMessagePack(builder, "command");
    writeMessagePack(builder, toMessagePack(command));
  }
}

/** Memory of a key of a frame with what it is put into, about. */
const KEY_BYTES = 160;

/** The map under "frame" (spec §4.2). */
export function readFrame(cursor: ByteCursor): Frame {
  const frame: MutableFrame = emptyMap();
  for (let left = readMapSize(cursor); left > 0; left--) {
    const key = readKey(cursor);
    const at = cursor.offset;
    cursor.claim(KEY_BYTES);
    frame[key] = unpacked(key, toValue(readMessagePack(cursor)), at);
  }
  return frame;
}

/** Packed as NanoVer does (spec §4.2); numbers that are no counts are float64, as XR wants them (spec §4.2). */
export function writeFrame(builder: ByteBuilder, frame: Frame): void {
  const entries = Object.entries(frame);
  writeMapSize(builder, entries.length);
  for (const [key, value] of entries) {
    writeMessagePack(builder, key);
    writeMessagePack(builder, packed(key, value));
  }
}

/** The map under "state" (spec §4.1); absent parts are empty. */
export function readState(cursor: ByteCursor): StateUpdate {
  let updates: { readonly [key: string]: Value } = emptyMap();
  let removals: readonly string[] = [];
  for (let left = readMapSize(cursor); left > 0; left--) {
    const key = readKey(cursor);
    const at = cursor.offset;
    const value = toValue(readMessagePack(cursor));
    if (key === "updates" && value !== null) {
      if (!isMap(value)) throw new LayoutError("malformed", "updates are no map", at);
      updates = value;
    } else if (key === "removals" && value !== null) {
      if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
        throw new LayoutError("malformed", "removals are no list of keys", at);
      removals = value as readonly string[];
    }
  }
  return { updates, removals };
}

/** Both parts are always written (semantics §5.1). */
export function writeState(builder: ByteBuilder, state: StateUpdate): void {
  builder.u8(0x82);
  writeMessagePack(builder, "updates");
  writeMessagePack(builder, toMessagePack(state.updates));
  writeMessagePack(builder, "removals");
  writeMessagePack(builder, state.removals);
}

/** Any value, extensions as `{ type, data }`. */
export function readValue(cursor: ByteCursor): Value {
  return toValue(readMessagePack(cursor));
}

/** What a message says of itself without being decoded. */
export interface MessageOutline {
  /** Top-level keys in order. */
  readonly types: readonly string[];
  /** Null when there is no frame, or it has none. */
  readonly frameIndex: number | null;
  /** Seconds; null when there is no frame, or it has none. */
  readonly serverTimestamp: number | null;
}

/** Reads the keys of the message in `bytes[start, end)`. Throws `LayoutError` when it is none or does not fill them. */
export function outlineOf(bytes: Uint8Array, start: number, end: number): MessageOutline {
  const cursor = new ByteCursor(bytes, start, end);
  const types: string[] = [];
  let frameIndex: number | null = null;
  let serverTimestamp: number | null = null;
  for (let left = readMapSize(cursor); left > 0; left--) {
    const type = readKey(cursor);
    if (!types.includes(type)) types.push(type);
    if (type !== "frame" || isNil(cursor)) {
      skipMessagePack(cursor);
      continue;
    }
    for (let keys = readMapSize(cursor); keys > 0; keys--) {
      const key = readKey(cursor);
      if (key !== FRAME_INDEX && key !== SERVER_TIMESTAMP) {
        skipMessagePack(cursor);
        continue;
      }
      const value = readMessagePack(cursor);
      if (key === SERVER_TIMESTAMP) serverTimestamp = isNumber(value) ? value : null;
      else frameIndex = isNumber(value) ? Math.trunc(value) : null;
    }
  }
  if (cursor.remaining > 0) {
    throw new LayoutError("malformed", `${cursor.remaining} bytes follow the message`, cursor.offset);
  }
  return { types, frameIndex, serverTimestamp };
}

/**
 * Place behind the MessagePack value that begins at `position`. When it goes on behind `end`, minus the place up to
 * which bytes are needed at the least; 0 when it is no value.
 */
export function valueEnd(view: DataView, position: number, end: number): number {
  let at = position;
  // Values still to pass, over all levels: what is inside what does not matter for the end.
  for (let left = 1; left > 0; left--) {
    if (at + left > end) return -(at + left);
    const byte = view.getUint8(at++);
    let items = 0;
    let length = 0;
    if (byte < 0x80 || byte >= 0xe0) continue;
    if (byte < 0x90) items = (byte & 0x0f) * 2;
    else if (byte < 0xa0) items = byte & 0x0f;
    else if (byte < 0xc0) length = byte & 0x1f;
    else if (byte === 0xc1) return 0;
    else if (byte < 0xc4) continue;
    else if (byte >= 0xca && byte <= 0xd3) length = SCALAR_BYTES[byte - 0xca]!;
    else if (byte >= 0xd4 && byte <= 0xd8) length = 1 + (1 << (byte - 0xd4));
    else {
      const sizeBytes = SIZE_BYTES[byte - 0xc4]!;
      if (at + sizeBytes > end) return -(at + sizeBytes);
      const size = sizeBytes === 1 ? view.getUint8(at) : sizeBytes === 2 ? view.getUint16(at) : view.getUint32(at);
      at += sizeBytes;
      if (byte >= 0xde) items = size * 2;
      else if (byte >= 0xdc) items = size;
      else length = byte >= 0xc7 && byte <= 0xc9 ? size + 1 : size;
    }
    at += length;
    left += items;
    if (at + left - 1 > end) return -(at + left - 1);
  }
  return at;
}

/**
 * Index of the frame in the message `bytes[start, end)` whose only part is a frame, without decoding it; NaN when it
 * has none, or the bytes are no such message. `view` is of `bytes`.
 */
export function frameIndexOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  let at = start + 1 + FRAME_KEY.length;
  if (at >= end) return Number.NaN;
  const map = bytes[at++]!;
  let left = 0;
  if (map >= 0x80 && map < 0x90) left = map & 0x0f;
  else if (map === 0xde && at + 2 <= end) {
    left = view.getUint16(at);
    at += 2;
  } else if (map === 0xdf && at + 4 <= end) {
    left = view.getUint32(at);
    at += 4;
  }
  let index = Number.NaN;
  for (; left > 0; left--) {
    const value = valueEnd(view, at, end);
    if (value <= 0) return index;
    const next = valueEnd(view, value, end);
    if (next <= 0) return index;
    if (startsWith(bytes, at, value, INDEX_KEY)) index = numberAt(bytes, value, next);
    at = next;
  }
  return index;
}

/** Whether the message at `start` has one part only, under the key whose encoding is `key`. */
export function isOnly(bytes: Uint8Array, start: number, end: number, key: Uint8Array): boolean {
  return bytes[start] === 0x81 && startsWith(bytes, start + 1, end, key);
}

function startsWith(bytes: Uint8Array, at: number, end: number, key: Uint8Array): boolean {
  if (at + key.length > end) return false;
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  const value = readMessagePack(new ByteCursor(bytes, start, end));
  return isNumber(value) ? Math.trunc(value) : Number.NaN;
}

const FRAME_KEY: Uint8Array = encodeMessagePack("frame");
const INDEX_KEY: Uint8Array = encodeMessagePack(FRAME_INDEX);

/** Whether a message can begin here: a map whose first key is text. */
export function isMessageStart(bytes: Uint8Array, position: number, end: number): boolean {
  if (position >= end) return false;
  const byte = bytes[position]!;
  if (byte === 0x80) return true;
  const key =
    byte > 0x80 && byte < 0x90 ? position + 1 : byte === 0xde ? position + 3 : byte === 0xdf ? position + 5 : -1;
  if (key < 0) return false;
  return key >= end || (bytes[key]! >= 0xa1 && bytes[key]! <= 0xbf) || bytes[key] === 0xd9;
}

/** Bytes of the values marked 0xca to 0xd3. */
const SCALAR_BYTES: readonly number[] = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8];
/** Bytes of the size after the marks 0xc4 to 0xdf; 0 for marks that have none. */
const SIZE_BYTES: readonly number[] = [
  ...[1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4],
];

/** Entries of the map at the cursor. */
export function readMapSize(cursor: ByteCursor): number {
  const at = cursor.offset;
  const byte = cursor.u8();
  const size =
    byte >= 0x80 && byte < 0x90 ? byte & 0x0f : byte === 0xde ? cursor.u16be() : byte === 0xdf ? cursor.u32be() : -1;
  if (size < 0) throw new LayoutError("malformed", "not a map", at);
  if (size * 2 > cursor.remaining) {
    throw new LayoutError("truncated", `map of ${size} entries, ${cursor.remaining} bytes are left`, at);
  }
  return size;
}

export function writeMapSize(builder: ByteBuilder, size: number): void {
  if (size < 16) builder.u8(0x80 + size);
  else if (size < 0x1_0000) builder.u8(0xde).u16be(size);
  else builder.u8(0xdf).u32be(size);
}

/** Keys are text (spec §4.2). */
export function readKey(cursor: ByteCursor): string {
  const at = cursor.offset;
  const key = readMessagePack(cursor);
  if (typeof key === "string") return key;
  throw new LayoutError("malformed", "map key that is not text", at);
}

/** Nil is the same as absent (semantics §5). */
function isNil(cursor: ByteCursor): boolean {
  return cursor.remaining > 0 && cursor.bytes[cursor.position] === 0xc0;
}

function skipped(cursor: ByteCursor): null {
  cursor.skip(1);
  return null;
}

/** A list of plain numbers is accepted where a `bin` belongs, as older builds sent it (spec §4.2). */
function unpacked(key: string, value: Value, offset: number): Value {
  const packing = PACKINGS.get(key);
  if (value instanceof Uint8Array) return packing === undefined ? value : unpack(value, packing, key, offset);
  if (Array.isArray(value) && value.length > 0 && value.every(isNumber)) {
    if (packing?.item === "f32") return Float32Array.from(value);
    if (packing?.item === "u32") return Uint32Array.from(value);
    return packing?.item === "u8" ? Uint8Array.from(value) : Float64Array.from(value);
  }
  return isNumber(value) && COUNTS.has(key) ? Math.trunc(value) : value;
}

/** What a frame's value is written as: arrays of the well-known keys as `bin`, numbers that are no counts as float64. */
export function packed(key: string, value: Value): MessagePackValue {
  const packing = PACKINGS.get(key);
  if (packing !== undefined && ArrayBuffer.isView(value)) {
    const numbers = value as unknown as ArrayLike<number>;
    if (packing.item === "u8") return value instanceof Uint8Array ? value : Uint8Array.from(numbers);
    if (packing.item === "u32") return bytesOf(value instanceof Uint32Array ? value : Uint32Array.from(numbers));
    return bytesOf(value instanceof Float32Array ? value : Float32Array.from(numbers));
  }
  if (typeof value === "number") return COUNTS.has(key) ? Math.trunc(value) : new MessagePackFloat(value);
  return toMessagePack(value);
}

function toValue(value: MessagePackValue): Value {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value as Value;
  if (value instanceof MessagePackExtension) return { type: value.type, data: value.data };
  if (value instanceof MessagePackFloat) return value.value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === "object" && item !== null) value[i] = toValue(item as MessagePackValue);
    }
    return value;
  }
  const map = value as { [key: string]: MessagePackValue };
  for (const key in map) {
    const item = map[key]!;
    if (typeof item === "object" && item !== null) map[key] = toValue(item) as MessagePackValue;
  }
  return map as Value;
}

/** Whole numbers stay integers, other numbers are float64; typed arrays but bytes become lists of float64. */
function toMessagePack(value: Value): MessagePackValue {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) {
    return Array.from(value as unknown as ArrayLike<number>, (item) => new MessagePackFloat(item));
  }
  if (Array.isArray(value)) return value.map(toMessagePack);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toMessagePack(item)]));
}

function isMap(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
