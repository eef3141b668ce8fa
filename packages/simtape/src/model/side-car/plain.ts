import type { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { readVarint, writeVarint } from "../../bytes/varint.ts";
import type { Value } from "../values/value.ts";

/** A value, or a member that is there without one. */
export type Plain = Value | undefined;

/** What a value begins with. docs/index-file.md has the table. */
const TAG = {
  nothing: 0,
  null: 1,
  false: 2,
  true: 3,
  whole: 4,
  double: 5,
  big: 6,
  text: 7,
  broken: 8,
  list: 9,
  record: 10,
} as const;

/** Typed arrays have the tags behind the others, in this order. */
const ARRAYS = [Uint8Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array] as const;
const FIRST_ARRAY = 11;

/** How deep lists and records may nest. */
const MAX_DEPTH = 64;
/** Memory of an item of a list or a record. */
const ITEM_MEMORY = 16;

const texts = new TextEncoder();
/** Half of a surrogate pair: UTF-8 has nothing for it. */
const HALF = /\p{Surrogate}/u;

/**
 * Writes a value so that `readPlain` gives exactly the same: with -0 and NaN, large whole numbers, halves of surrogates
 * and members without a value. Throws `TypeError` for what is no value, such as an object with a class.
 */
export function writePlain(builder: ByteBuilder, value: Plain, depth = 0): void {
  switch (typeof value) {
    case "undefined":
      builder.u8(TAG.nothing);
      return;
    case "boolean":
      builder.u8(value ? TAG.true : TAG.false);
      return;
    case "number":
      if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) writeVarint(builder.u8(TAG.whole), value);
      else builder.u8(TAG.double).f64le(value);
      return;
    case "bigint":
      writeText(builder.u8(TAG.big), value.toString());
      return;
    case "string":
      if (HALF.test(value)) writeHalves(builder.u8(TAG.broken), value);
      else writeText(builder.u8(TAG.text), value);
      return;
    case "object":
      break;
    default:
      throw new TypeError(`a ${typeof value} is no value`);
  }
  if (value === null) {
    builder.u8(TAG.null);
    return;
  }
  if (depth >= MAX_DEPTH) throw new TypeError("a value that nests too deep");
  if (ArrayBuffer.isView(value)) {
    const kind = ARRAYS.findIndex((Kind) => value instanceof Kind);
    if (kind < 0) throw new TypeError("an array of a kind that no value has");
    writeVarint(builder.u8(FIRST_ARRAY + kind), value.byteLength);
    builder.raw(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (Array.isArray(value)) {
    const list = value as readonly Value[];
    writeVarint(builder.u8(TAG.list), list.length);
    for (const item of list) writePlain(builder, item, depth + 1);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new TypeError("an object with a class is no value");
    const members = Object.entries(value);
    writeVarint(builder.u8(TAG.record), members.length);
    for (const [name, member] of members) {
      writePlain(builder, name, depth + 1);
      writePlain(builder, member as Value, depth + 1);
    }
  }
}

/** Reads a value; arrays in it are its own. Throws `LayoutError` for what is none. */
export function readPlain(cursor: ByteCursor, depth = 0): Plain {
  const tag = cursor.u8();
  switch (tag) {
    case TAG.nothing:
      return undefined;
    case TAG.null:
      return null;
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.whole:
      return readVarint(cursor);
    case TAG.double:
      return cursor.f64le();
    case TAG.big:
      return bigOf(cursor);
    case TAG.text:
      return textOf(cursor);
    case TAG.broken:
      return halvesOf(cursor);
    default:
  }
  if (depth >= MAX_DEPTH) throw fault(cursor, "a value that nests too deep");
  if (tag === TAG.list || tag === TAG.record) {
    const count = readVarint(cursor);
    if (count > cursor.remaining) throw fault(cursor, `${count} items in ${cursor.remaining} bytes`);
    cursor.claim(count * ITEM_MEMORY);
    if (tag === TAG.list) {
      const list: Plain[] = [];
      for (let i = 0; i < count; i++) list.push(readPlain(cursor, depth + 1));
      return list as Value;
    }
    const members: Record<string, Plain> = {};
    for (let i = 0; i < count; i++) {
      const name = nameOf(cursor);
      const member = readPlain(cursor, depth + 1);
      // an assignment would set what the record inherits from
      if (name === "__proto__")
        Object.defineProperty(members, name, { value: member, enumerable: true, configurable: true, writable: true });
      else members[name] = member;
    }
    return members as Value;
  }
  const Kind = ARRAYS[tag - FIRST_ARRAY];
  if (Kind === undefined) throw fault(cursor, `${tag} is no kind of value`);
  const length = readVarint(cursor);
  if (length % Kind.BYTES_PER_ELEMENT !== 0) throw fault(cursor, `${length} bytes of numbers`);
  return new Kind(cursor.view(length).slice().buffer);
}

/** The numbers in arrays are as this machine has them: others cannot read them. */
export const isLittleEndian: boolean = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function fault(cursor: ByteCursor, message: string): LayoutError {
  return new LayoutError("malformed", message, cursor.offset);
}

function writeText(builder: ByteBuilder, text: string): void {
  const bytes = texts.encode(text);
  writeVarint(builder, bytes.length);
  builder.raw(bytes);
}

function writeHalves(builder: ByteBuilder, text: string): void {
  writeVarint(builder, text.length);
  for (let i = 0; i < text.length; i++) builder.u16le(text.charCodeAt(i));
}

function halvesOf(cursor: ByteCursor): string {
  const length = readVarint(cursor);
  if (length * 2 > cursor.remaining) throw fault(cursor, `a text of ${length} characters`);
  let text = "";
  for (let i = 0; i < length; i++) text += String.fromCharCode(cursor.u16le());
  return text;
}

function bigOf(cursor: ByteCursor): bigint {
  const text = cursor.utf8(readVarint(cursor));
  if (text.length > 4096 || !/^-?\d+$/.test(text)) throw fault(cursor, "no whole number");
  return BigInt(text);
}

function nameOf(cursor: ByteCursor): string {
  const tag = cursor.u8();
  if (tag === TAG.text) return textOf(cursor);
  if (tag === TAG.broken) return halvesOf(cursor);
  throw fault(cursor, "a member without a name");
}

/** Bytes of a text that is looked for among those that were read lately. */
const SHORT = 32;
/** Short texts in ASCII that were read lately, by a hash of theirs: names and units come again and again. */
const known: string[] = new Array<string>(1024).fill("");

function textOf(cursor: ByteCursor): string {
  const length = readVarint(cursor);
  if (length > SHORT || length > cursor.remaining) return cursor.utf8(length);
  const { bytes, position } = cursor;
  let hash = length;
  for (let i = 0; i < length; i++) hash = (hash * 31 + bytes[position + i]!) & (known.length - 1);
  const before = known[hash]!;
  if (before.length === length) {
    let same = 0;
    while (same < length && before.charCodeAt(same) === bytes[position + same]) same++;
    if (same === length) {
      cursor.skip(length);
      return before;
    }
  }
  const text = cursor.utf8(length);
  if (text.length === length) known[hash] = text;
  return text;
}
