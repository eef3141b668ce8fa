import { ByteBuilder } from "../bytes/builder.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import { isSameBytes } from "../bytes/same-bytes.ts";
import { decodeModifiedUtf8, writeModifiedUtf8 } from "../bytes/modified-utf8.ts";

/** Tag numbers of Minecraft's NBT. */
export const NBT = {
  end: 0,
  byte: 1,
  short: 2,
  int: 3,
  long: 4,
  float: 5,
  double: 6,
  byteArray: 7,
  string: 8,
  list: 9,
  compound: 10,
  intArray: 11,
  longArray: 12,
} as const;

/**
 * One tag with its type, so that it can be written again byte for byte.
 * A NaN that a number cannot carry, and text in an unusual encoding, keep their bytes in `raw`, which wins when writing.
 */
export type NbtTag =
  | { readonly type: typeof NBT.byte | typeof NBT.short | typeof NBT.int; readonly value: number }
  | { readonly type: typeof NBT.long; readonly value: bigint }
  | { readonly type: typeof NBT.float | typeof NBT.double; readonly value: number; readonly raw?: Uint8Array }
  | { readonly type: typeof NBT.byteArray; readonly value: Uint8Array }
  | NbtText
  | NbtList
  | NbtCompound
  | { readonly type: typeof NBT.intArray; readonly value: Int32Array }
  | { readonly type: typeof NBT.longArray; readonly value: BigInt64Array };

/** Text; also the names inside compounds. */
export interface NbtText {
  readonly type: typeof NBT.string;
  readonly value: string;
  readonly raw?: Uint8Array;
}

/** Items of one type; empty lists keep the type they were written with. */
export interface NbtList {
  readonly type: typeof NBT.list;
  readonly itemType: number;
  readonly items: readonly NbtTag[];
}

/** Named tags in the order of the bytes. Of equal names the last counts. */
export interface NbtCompound {
  readonly type: typeof NBT.compound;
  readonly entries: readonly { readonly name: NbtText; readonly tag: NbtTag }[];
}

/** A whole NBT document. */
export interface NbtDocument {
  readonly root: NbtCompound;
  /** Name of the root; null in the network form (Minecraft 1.20.2 on), which has none. */
  readonly name: NbtText | null;
}

/** How to read NBT. */
export interface NbtOptions {
  /** Whether the root has a name; `sniff` takes `0A 00 00` with more than two bytes for an empty name. */
  readonly rootName: "network" | "named" | "sniff";
  /** Largest number of bytes; default 1 MiB. */
  readonly maxBytes?: number;
  /** Deepest nesting, the root being 1; default 64. */
  readonly maxDepth?: number;
}

/**
 * Reads big-endian NBT that fills `bytes` exactly, with a compound as root.
 * Lengths are checked against what is left before anything is allocated. Throws `LayoutError` for everything that
 * does not fit, gzipped NBT included.
 */
export function readNbt(bytes: Uint8Array, options: NbtOptions): NbtDocument {
  const { maxBytes = 1 << 20, maxDepth = 64 } = options;
  if (bytes.length > maxBytes) {
    throw new LayoutError("malformed", `NBT of ${bytes.length} bytes, ${maxBytes} are allowed`, 0);
  }
  // HCRP spec §4
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new LayoutError("malformed", "gzipped NBT", 0);
  const cursor = new ByteCursor(bytes);
  const type = cursor.u8();
  if (type !== NBT.compound) throw new LayoutError("malformed", `NBT root is tag ${type}, not a compound`, 0);
  const sniffed = bytes.length > 2 && bytes[1] === 0 && bytes[2] === 0; // HCRP spec §4
  const named = options.rootName === "named" || (options.rootName === "sniff" && sniffed);
  const name = named ? readText(cursor) : null;
  const root = readCompound(cursor, maxDepth);
  if (cursor.remaining > 0)
    throw new LayoutError("malformed", `${cursor.remaining} bytes follow the NBT`, cursor.offset);
  return { root, name };
}

/**
 * Bytes of the nameless tag of any type that begins at `bytes[start]` and ends before `end`: for NBT that stands among
 * other fields without a length. A lone end tag is one byte. Throws `LayoutError` when it does not end in time.
 */
export function nbtLength(bytes: Uint8Array, start: number, end: number = bytes.length, maxDepth = 64): number {
  const cursor = new ByteCursor(bytes, start, end);
  const type = cursor.u8();
  if (type !== NBT.end) readTag(cursor, type, maxDepth);
  return cursor.position - start;
}

/** The bytes of a document: what `readNbt` was given, for every document it gave. */
export function writeNbt(document: NbtDocument): Uint8Array<ArrayBuffer> {
  const builder = new ByteBuilder();
  builder.u8(NBT.compound);
  if (document.name !== null) writeText(builder, document.name);
  writeTag(builder, document.root);
  return builder.take();
}

/** Plain value of a tag. */
export type NbtValue =
  | number
  | bigint
  | string
  | Uint8Array
  | readonly NbtValue[]
  | { readonly [name: string]: NbtValue };

/**
 * A tag without its types: compounds become objects without prototype, byte arrays `Uint8Array`, int and long arrays
 * and lists arrays, longs numbers where a number is exact and `bigint` beyond.
 */
export function nbtToValue(tag: NbtTag): NbtValue {
  switch (tag.type) {
    case NBT.long:
      return plainLong(tag.value);
    case NBT.list:
      return tag.items.map(nbtToValue);
    case NBT.compound: {
      const object = Object.create(null) as Record<string, NbtValue>;
      for (const entry of tag.entries) object[entry.name.value] = nbtToValue(entry.tag);
      return object;
    }
    case NBT.intArray:
      return Array.from(tag.value);
    case NBT.longArray:
      return plainLongs(tag.value);
    default:
      return tag.value;
  }
}

/** The entry of that name, the last if there are several; undefined when there is none. */
export function nbtEntry(compound: NbtCompound, name: string): NbtTag | undefined {
  return compound.entries.findLast((entry) => entry.name.value === name)?.tag;
}

/** A text tag. */
export function nbtText(value: string): NbtText {
  return { type: NBT.string, value };
}

/** A compound with these tags in this order. */
export function nbtCompound(tags: Readonly<Record<string, NbtTag>>): NbtCompound {
  return {
    type: NBT.compound,
    entries: Object.entries(tags).map(([name, tag]) => ({ name: nbtText(name), tag })),
  };
}

/** An iterator over so many would make an object for each. */
function plainLongs(values: BigInt64Array): (number | bigint)[] {
  const plain = new Array<number | bigint>(values.length);
  for (let i = 0; i < values.length; i++) plain[i] = plainLong(values[i]!);
  return plain;
}

function plainLong(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readTag(cursor: ByteCursor, type: number, depth: number): NbtTag {
  switch (type) {
    case NBT.byte:
      return { type, value: cursor.i8() };
    case NBT.short:
      return { type, value: cursor.i16be() };
    case NBT.int:
      return { type, value: cursor.i32be() };
    case NBT.long:
      return { type, value: cursor.bigI64be() };
    case NBT.float:
    case NBT.double:
      return readFloating(cursor, type);
    case NBT.byteArray:
      return { type, value: new Uint8Array(cursor.view(readLength(cursor, 1))) };
    case NBT.string:
      return readText(cursor);
    case NBT.list:
      return readList(cursor, depth);
    case NBT.compound:
      return readCompound(cursor, depth);
    case NBT.intArray: {
      const value = new Int32Array(claimed(cursor, readLength(cursor, 4), 8));
      for (let i = 0; i < value.length; i++) value[i] = cursor.i32be();
      return { type, value };
    }
    case NBT.longArray: {
      const value = new BigInt64Array(claimed(cursor, readLength(cursor, 8), 32));
      for (let i = 0; i < value.length; i++) value[i] = cursor.bigI64be();
      return { type, value };
    }
    default:
      throw new LayoutError("malformed", `NBT tag ${type}`, cursor.offset);
  }
}

function readFloating(cursor: ByteCursor, type: typeof NBT.float | typeof NBT.double): NbtTag {
  const bytes = cursor.view(type === NBT.float ? 4 : 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = type === NBT.float ? view.getFloat32(0) : view.getFloat64(0);
  return Number.isNaN(value) ? { type, value, raw: new Uint8Array(bytes) } : { type, value };
}

/** A count of items of at least `itemBytes` each. */
function readLength(cursor: ByteCursor, itemBytes: number): number {
  const at = cursor.offset;
  const count = cursor.i32be();
  if (count < 0) throw new LayoutError("malformed", `NBT array of ${count} items`, at);
  if (count * itemBytes > cursor.remaining) {
    throw new LayoutError("truncated", `NBT array of ${count} items, ${cursor.remaining} bytes are left`, at);
  }
  return count;
}

/** `count`, once the memory of so many values of `each` bytes was asked for. */
function claimed(cursor: ByteCursor, count: number, each: number): number {
  cursor.claim(count * each);
  return count;
}

/** Smallest encoding of each type, by which a list's count is judged. */
const SMALLEST = [0, 1, 2, 4, 8, 4, 8, 4, 2, 5, 1, 4, 4];

function readList(cursor: ByteCursor, depth: number): NbtList {
  checkDepth(cursor, depth);
  const at = cursor.offset;
  const itemType = cursor.u8();
  const smallest = SMALLEST[itemType];
  if (smallest === undefined) throw new LayoutError("malformed", `NBT tag ${itemType}`, at);
  const count = readLength(cursor, smallest);
  if (itemType === NBT.end && count > 0) throw new LayoutError("malformed", "NBT list of end tags", at);
  const items: NbtTag[] = [];
  claimed(cursor, count, 64);
  for (let i = 0; i < count; i++) items.push(readTag(cursor, itemType, depth - 1));
  return { type: NBT.list, itemType, items };
}

function readCompound(cursor: ByteCursor, depth: number): NbtCompound {
  checkDepth(cursor, depth);
  const entries: { name: NbtText; tag: NbtTag }[] = [];
  for (let type = cursor.u8(); type !== NBT.end; type = cursor.u8()) {
    const name = readText(cursor);
    cursor.claim(192);
    entries.push({ name, tag: readTag(cursor, type, depth - 1) });
  }
  return { type: NBT.compound, entries };
}

function checkDepth(cursor: ByteCursor, depth: number): void {
  if (depth <= 0) throw new LayoutError("malformed", "NBT nested too deep", cursor.offset);
}

function readText(cursor: ByteCursor): NbtText {
  const at = cursor.offset + 2;
  const bytes = cursor.view(cursor.u16be());
  const value = decodeModifiedUtf8(bytes, at);
  return isUsual(bytes, value) ? { type: NBT.string, value } : { type: NBT.string, value, raw: new Uint8Array(bytes) };
}

/** Whether writing `text` gives `bytes` again: not so for a plain NUL and for longer forms than needed. */
function isUsual(bytes: Uint8Array, text: string): boolean {
  if (bytes.length === text.length && !bytes.includes(0)) return true;
  const builder = new ByteBuilder(bytes.length);
  writeModifiedUtf8(builder, text);
  return isSameBytes(builder.take(), bytes);
}

function writeText(builder: ByteBuilder, text: NbtText): void {
  const at = builder.length;
  builder.u16be(0);
  if (text.raw === undefined) writeModifiedUtf8(builder, text.value);
  else builder.raw(text.raw);
  const length = builder.length - at - 2;
  if (length > 0xffff) throw new RangeError(`NBT text of ${length} bytes, 65535 are possible`);
  builder.patchU16be(at, length);
}

function writeTag(builder: ByteBuilder, tag: NbtTag): void {
  switch (tag.type) {
    case NBT.byte:
      builder.i8(tag.value);
      return;
    case NBT.short:
      builder.i16be(tag.value);
      return;
    case NBT.int:
      builder.i32be(tag.value);
      return;
    case NBT.long:
      builder.bigI64be(tag.value);
      return;
    case NBT.float:
      if (tag.raw === undefined) builder.f32be(tag.value);
      else builder.raw(tag.raw);
      return;
    case NBT.double:
      if (tag.raw === undefined) builder.f64be(tag.value);
      else builder.raw(tag.raw);
      return;
    case NBT.byteArray:
      builder.i32be(tag.value.length).raw(tag.value);
      return;
    case NBT.string:
      writeText(builder, tag);
      return;
    case NBT.list:
      builder.u8(tag.itemType).i32be(tag.items.length);
      for (const item of tag.items) {
        if (item.type !== tag.itemType) throw new RangeError(`NBT list of tag ${tag.itemType} holds tag ${item.type}`);
        writeTag(builder, item);
      }
      return;
    case NBT.compound:
      for (const entry of tag.entries) {
        builder.u8(entry.tag.type);
        writeText(builder, entry.name);
        writeTag(builder, entry.tag);
      }
      builder.u8(NBT.end);
      return;
    case NBT.intArray:
      builder.i32be(tag.value.length);
      for (const item of tag.value) builder.i32be(item);
      return;
    case NBT.longArray:
      builder.i32be(tag.value.length);
      for (const item of tag.value) builder.bigI64be(item);
      return;
    default:
      tag satisfies never;
  }
}
