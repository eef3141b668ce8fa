import { ByteBuilder } from "../bytes/builder.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";

/** Any value of MessagePack. Maps are objects without prototype; their keys must be text. */
export type MessagePackValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | MessagePackFloat
  | MessagePackExtension
  | readonly MessagePackValue[]
  | { readonly [key: string]: MessagePackValue };

/** An application's own type, its bytes untouched; time stamps (type -1) come as this too. */
export class MessagePackExtension {
  /** -128 to 127. */
  readonly type: number;
  readonly data: Uint8Array;

  constructor(type: number, data: Uint8Array) {
    this.type = type;
    this.data = data;
  }
}

/** A number to be written as float64 although it is whole. Only for writing: reading gives plain numbers. */
export class MessagePackFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** How deep arrays and maps may nest. */
const MAX_DEPTH = 128;

/**
 * Decodes one value that fills `bytes` exactly. 64-bit integers are numbers where a number is exact and `bigint`
 * beyond; `bin` and extensions are views of `bytes`. Of equal keys the last counts.
 * Nothing is allocated by a stated length alone. Throws `LayoutError` for everything that does not fit, text that is
 * not UTF-8 and keys that are not text included.
 */
export function decodeMessagePack(bytes: Uint8Array): MessagePackValue {
  const cursor = new ByteCursor(bytes);
  const value = readMessagePack(cursor);
  if (cursor.remaining > 0) {
    throw new LayoutError("malformed", `${cursor.remaining} bytes follow the MessagePack value`, cursor.offset);
  }
  return value;
}

/** As `decodeMessagePack` for the value that begins at `bytes[offset]`; other bytes may follow its `length` bytes. */
export function decodeFirst(bytes: Uint8Array, offset = 0): { value: MessagePackValue; length: number } {
  const cursor = new ByteCursor(bytes, offset);
  const value = readMessagePack(cursor);
  return { value, length: cursor.position - offset };
}

/** Decodes the value at the cursor and moves behind it. */
export function readMessagePack(cursor: ByteCursor, depthLimit: number = MAX_DEPTH): MessagePackValue {
  const at = cursor.offset;
  const byte = cursor.u8();
  if (byte < 0x80) return byte;
  if (byte < 0x90) return readMap(cursor, byte & 0x0f, depthLimit);
  if (byte < 0xa0) return readArray(cursor, byte & 0x0f, depthLimit);
  if (byte < 0xc0) return cursor.utf8(byte & 0x1f);
  if (byte >= 0xe0) return byte - 0x100;
  switch (byte) {
    case 0xc0:
      return null;
    case 0xc2:
      return false;
    case 0xc3:
      return true;
    case 0xca:
      return cursor.f32be();
    case 0xcb:
      return cursor.f64be();
    case 0xcc:
      return cursor.u8();
    case 0xcd:
      return cursor.u16be();
    case 0xce:
      return cursor.u32be();
    case 0xcf:
      return exact(cursor.u32be(), cursor.u32be());
    case 0xd0:
      return cursor.i8();
    case 0xd1:
      return cursor.i16be();
    case 0xd2:
      return cursor.i32be();
    case 0xd3:
      return exact(cursor.i32be(), cursor.u32be());
    case 0xc1:
      throw new LayoutError("malformed", "MessagePack byte 0xc1 is never used", at);
  }
  const length = readSize(cursor, byte);
  if (byte >= 0xde) return readMap(cursor, length, depthLimit);
  if (byte >= 0xdc) return readArray(cursor, length, depthLimit);
  if (byte >= 0xd9) return cursor.utf8(length);
  if (byte <= 0xc6) return cursor.view(length);
  const type = cursor.i8();
  return new MessagePackExtension(type, cursor.view(length));
}

/** Moves behind the value at the cursor without making it. Keys may be of any kind. */
export function skipMessagePack(cursor: ByteCursor, depthLimit: number = MAX_DEPTH): void {
  // Values still to pass at each level; one counter per level instead of recursion.
  const left = [1];
  while (left.length > 0) {
    const top = left.length - 1;
    if (left[top] === 0) {
      left.pop();
      continue;
    }
    left[top]!--;
    const at = cursor.offset;
    const byte = cursor.u8();
    let items = -1;
    if (byte < 0x80 || byte >= 0xe0) continue;
    if (byte < 0x90) items = (byte & 0x0f) * 2;
    else if (byte < 0xa0) items = byte & 0x0f;
    else if (byte < 0xc0) cursor.skip(byte & 0x1f);
    else if (byte === 0xc1) throw new LayoutError("malformed", "MessagePack byte 0xc1 is never used", at);
    else if (byte <= 0xc3) continue;
    else if (byte >= 0xde) items = readSize(cursor, byte) * 2;
    else if (byte >= 0xdc) items = readSize(cursor, byte);
    else if (byte >= 0xca && byte <= 0xd3) cursor.skip(SCALAR_BYTES[byte - 0xca]!);
    else cursor.skip(readSize(cursor, byte) + (isExtension(byte) ? 1 : 0));
    if (items < 0) continue;
    checkCount(cursor, items, at);
    if (left.length > depthLimit) throw new LayoutError("malformed", "MessagePack nested too deep", at);
    left.push(items);
  }
}

/**
 * One value in its shortest form: whole numbers as integers where they are safe, all others as float64, as Python's
 * packer does (NanoVer spec §4.2). Keys whose value is undefined are left out.
 */
export function encodeMessagePack(value: MessagePackValue): Uint8Array<ArrayBuffer> {
  const builder = new ByteBuilder();
  writeMessagePack(builder, value);
  return builder.take();
}

/** As `encodeMessagePack`, into a builder. */
export function writeMessagePack(builder: ByteBuilder, value: MessagePackValue): void {
  if (value === null) builder.u8(0xc0);
  else if (typeof value === "boolean") builder.u8(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") writeNumber(builder, value);
  else if (typeof value === "bigint") writeBig(builder, value);
  else if (typeof value === "string") writeText(builder, value);
  else if (value instanceof Uint8Array) {
    writeSize(builder, value.length, 0xc4, 0xc5, 0xc6);
    builder.raw(value);
  } else if (value instanceof MessagePackFloat) builder.u8(0xcb).f64be(value.value);
  else if (value instanceof MessagePackExtension) writeExtension(builder, value);
  else if (isArray(value)) {
    if (value.length < 16) builder.u8(0x90 | value.length);
    else writeSize(builder, value.length, -1, 0xdc, 0xdd);
    for (const item of value) writeMessagePack(builder, item);
  } else {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length < 16) builder.u8(0x80 | entries.length);
    else writeSize(builder, entries.length, -1, 0xde, 0xdf);
    for (const [key, item] of entries) {
      writeText(builder, key);
      writeMessagePack(builder, item);
    }
  }
}

/** Bytes of the values marked 0xca to 0xd3. */
const SCALAR_BYTES = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8];

function isExtension(byte: number): boolean {
  return (byte >= 0xc7 && byte <= 0xc9) || (byte >= 0xd4 && byte <= 0xd8);
}

/** The length or count that follows a mark; fixed extensions have theirs in the mark. */
function readSize(cursor: ByteCursor, byte: number): number {
  switch (byte) {
    case 0xc4:
    case 0xc7:
    case 0xd9:
      return cursor.u8();
    case 0xc5:
    case 0xc8:
    case 0xda:
    case 0xdc:
    case 0xde:
      return cursor.u16be();
    case 0xc6:
    case 0xc9:
    case 0xdb:
    case 0xdd:
    case 0xdf:
      return cursor.u32be();
    default:
      return 1 << (byte - 0xd4);
  }
}

/** Each item takes a byte at least. */
function checkCount(cursor: ByteCursor, items: number, at: number): void {
  if (items <= cursor.remaining) return;
  throw new LayoutError("truncated", `MessagePack states ${items} items, ${cursor.remaining} bytes are left`, at);
}

function readArray(cursor: ByteCursor, count: number, depth: number): MessagePackValue[] {
  if (depth <= 0) throw new LayoutError("malformed", "MessagePack nested too deep", cursor.offset);
  checkCount(cursor, count, cursor.offset);
  cursor.claim(48 + 24 * count);
  const items: MessagePackValue[] = [];
  for (let i = 0; i < count; i++) items.push(readMessagePack(cursor, depth - 1));
  return items;
}

function readMap(cursor: ByteCursor, count: number, depth: number): { [key: string]: MessagePackValue } {
  if (depth <= 0) throw new LayoutError("malformed", "MessagePack nested too deep", cursor.offset);
  checkCount(cursor, count * 2, cursor.offset);
  cursor.claim(192 + 80 * count);
  const map = Object.create(null) as { [key: string]: MessagePackValue };
  for (let i = 0; i < count; i++) {
    const at = cursor.offset;
    const byte = cursor.u8();
    let key: string;
    if ((byte & 0xe0) === 0xa0) key = cursor.utf8(byte & 0x1f);
    else if (byte >= 0xd9 && byte <= 0xdb) key = cursor.utf8(readSize(cursor, byte));
    else throw new LayoutError("malformed", "MessagePack key that is not text", at);
    map[key] = readMessagePack(cursor, depth - 1);
  }
  return map;
}

function exact(high: number, low: number): number | bigint {
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
}

function writeNumber(builder: ByteBuilder, value: number): void {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) builder.u8(0xcb).f64be(value);
  else if (value >= 0) {
    if (value < 0x80) builder.u8(value);
    else if (value < 0x100) builder.u8(0xcc).u8(value);
    else if (value < 0x1_0000) builder.u8(0xcd).u16be(value);
    else if (value < 0x1_0000_0000) builder.u8(0xce).u32be(value);
    else builder.u8(0xcf).i64be(value);
  } else if (value >= -0x20) builder.i8(value);
  else if (value >= -0x80) builder.u8(0xd0).i8(value);
  else if (value >= -0x8000) builder.u8(0xd1).i16be(value);
  else if (value >= -0x8000_0000) builder.u8(0xd2).i32be(value);
  else builder.u8(0xd3).i64be(value);
}

function writeBig(builder: ByteBuilder, value: bigint): void {
  const number = Number(value);
  if (Number.isSafeInteger(number)) writeNumber(builder, number);
  else if (value >= -(1n << 63n) && value < 1n << 64n)
    builder.u8(value < 0n ? 0xd3 : 0xcf).bigI64be(BigInt.asIntN(64, value));
  else throw new RangeError(`MessagePack integer of more than 64 bits: ${value}`);
}

function writeText(builder: ByteBuilder, text: string): void {
  const bytes = UTF8.encode(text);
  if (bytes.length < 32) builder.u8(0xa0 | bytes.length);
  else writeSize(builder, bytes.length, 0xd9, 0xda, 0xdb);
  builder.raw(bytes);
}

function writeExtension(builder: ByteBuilder, value: MessagePackExtension): void {
  const length = value.data.length;
  const fixed = [1, 2, 4, 8, 16].indexOf(length);
  if (fixed >= 0) builder.u8(0xd4 + fixed);
  else writeSize(builder, length, 0xc7, 0xc8, 0xc9);
  builder.i8(value.type).raw(value.data);
}

/** The shortest mark that holds `size`; `small` is -1 where there is no one-byte form. */
function writeSize(builder: ByteBuilder, size: number, small: number, medium: number, large: number): void {
  if (small >= 0 && size < 0x100) builder.u8(small).u8(size);
  else if (size < 0x1_0000) builder.u8(medium).u16be(size);
  else builder.u8(large).u32be(size);
}

const UTF8 = new TextEncoder();

function isArray(value: unknown): value is readonly MessagePackValue[] {
  return Array.isArray(value);
}
