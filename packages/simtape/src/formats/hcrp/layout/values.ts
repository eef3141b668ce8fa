import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readVarint, readZigzag, writeVarint, writeZigzag } from "../../../bytes/varint.ts";
import type { ColumnData, ColumnKind } from "../../../model/state/column.ts";
import type { Value } from "../../../model/values/value.ts";
import { readString, readVarInt, writeString, writeVarInt } from "./framing.ts";

/*
 * Layouts of simtape's own: values and columns of any recording, as bytes. Numbers in typed arrays are little-endian,
 * so that they are taken over without a loop; all else is as in the rest of the format.
 */

/** First byte of a value. */
const TAG = {
  null: 0,
  false: 1,
  true: 2,
  integer: 3,
  double: 4,
  bigint: 5,
  text: 6,
  u8: 7,
  u16: 8,
  i32: 9,
  u32: 10,
  f32: 11,
  f64: 12,
  list: 13,
  record: 14,
} as const;

/** Values inside values at most. */
const MAX_DEPTH = 100;

/** One value of any kind, exactly: NaN and -0 included, typed arrays with their type. */
export function writeValue(builder: ByteBuilder, value: Value): void {
  switch (typeof value) {
    case "boolean":
      builder.u8(value ? TAG.true : TAG.false);
      return;
    case "number":
      if (Number.isSafeInteger(value) && !Object.is(value, -0) && Math.abs(value) < 2 ** 52) {
        builder.u8(TAG.integer);
        writeZigzag(builder, value);
      } else builder.u8(TAG.double).f64be(value);
      return;
    case "bigint":
      builder.u8(TAG.bigint);
      writeString(builder, String(value));
      return;
    case "string":
      builder.u8(TAG.text);
      writeText(builder, value);
      return;
    default:
      writeObject(builder, value);
  }
}

function writeObject(builder: ByteBuilder, value: Exclude<Value, string | number | bigint | boolean>): void {
  if (value === null) builder.u8(TAG.null);
  else if (ArrayBuffer.isView(value)) {
    const [tag] = ARRAYS.find(([, type]) => value instanceof type) ?? [];
    if (tag === undefined) throw new RangeError("an array of a type that no recording has");
    builder.u8(tag);
    writeVarInt(builder, value.length);
    writeNumbers(builder, value);
  } else if (Array.isArray(value)) {
    const list = value as readonly Value[];
    builder.u8(TAG.list);
    writeVarInt(builder, list.length);
    for (const item of list) writeValue(builder, item);
  } else {
    const entries = Object.entries(value as { readonly [key: string]: Value });
    builder.u8(TAG.record);
    writeVarInt(builder, entries.length);
    for (const [key, item] of entries) {
      writeText(builder, key);
      writeValue(builder, item);
    }
  }
}

/** Typed arrays in the result are the caller's own. Throws `LayoutError` for what does not fit. */
export function readValue(cursor: ByteCursor, depth: number = MAX_DEPTH): Value {
  const at = cursor.offset;
  const tag = cursor.u8();
  if (depth === 0) throw new LayoutError("malformed", "values nested too deep", at);
  switch (tag) {
    case TAG.null:
      return null;
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.integer:
      return readZigzag(cursor);
    case TAG.double:
      return cursor.f64be();
    case TAG.bigint: {
      const text = readString(cursor);
      if (!/^-?\d{1,400}$/.test(text)) throw new LayoutError("malformed", "not a whole number", at);
      return BigInt(text);
    }
    case TAG.text:
      return readText(cursor);
    case TAG.list: {
      const count = readLength(cursor, 1);
      const list: Value[] = [];
      for (let i = 0; i < count; i++) list.push(readValue(cursor, depth - 1));
      return list;
    }
    case TAG.record: {
      const count = readLength(cursor, 2);
      const record: Record<string, Value> = {};
      for (let i = 0; i < count; i++) {
        const key = readText(cursor);
        const value = readValue(cursor, depth - 1);
        // a plain assignment to this key would change the object's prototype
        if (key === "__proto__")
          Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
        else record[key] = value;
      }
      return record;
    }
    default: {
      const found = ARRAYS.find(([of]) => of === tag);
      if (found === undefined) throw new LayoutError("malformed", `value of unknown kind ${tag}`, at);
      const [, type] = found;
      return readNumbers(cursor, type, readLength(cursor, type.BYTES_PER_ELEMENT));
    }
  }
}

type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;
type NumbersType = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): Numbers;
};

const ARRAYS: readonly (readonly [number, NumbersType])[] = [
  [TAG.u8, Uint8Array],
  [TAG.u16, Uint16Array],
  [TAG.i32, Int32Array],
  [TAG.u32, Uint32Array],
  [TAG.f32, Float32Array],
  [TAG.f64, Float64Array],
];

const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function writeNumbers(builder: ByteBuilder, numbers: Numbers): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  builder.raw(IS_LITTLE ? bytes : swapped(bytes, numbers.BYTES_PER_ELEMENT));
}

function readNumbers(cursor: ByteCursor, type: NumbersType, length: number): Numbers {
  const bytes = cursor.view(length * type.BYTES_PER_ELEMENT);
  const own = IS_LITTLE ? bytes.slice() : swapped(bytes, type.BYTES_PER_ELEMENT);
  return new type(own.buffer as ArrayBuffer, own.byteOffset, length);
}

function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const result = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += size)
    for (let k = 0; k < size; k++) result[at + k] = bytes[at + size - 1 - k]!;
  return result;
}

/** Text as UTF-8; with lone surrogates, which UTF-8 has no room for, as its 16-bit units. */
function writeText(builder: ByteBuilder, text: string): void {
  if (!LONE_SURROGATE.test(text)) {
    builder.u8(0);
    writeString(builder, text);
    return;
  }
  builder.u8(1);
  writeVarInt(builder, text.length);
  for (let i = 0; i < text.length; i++) builder.u16be(text.charCodeAt(i));
}

function readText(cursor: ByteCursor): string {
  const form = cursor.u8();
  if (form === 0) return readString(cursor);
  if (form !== 1) throw new LayoutError("malformed", `text of unknown form ${form}`, cursor.offset - 1);
  const length = readLength(cursor, 2);
  let text = "";
  for (let i = 0; i < length; i++) text += String.fromCharCode(cursor.u16be());
  return text;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A count of things of at least `size` bytes, checked against what is left. */
function readLength(cursor: ByteCursor, size: number): number {
  const at = cursor.offset;
  const count = readVarInt(cursor);
  if (count * size > cursor.remaining) {
    throw new LayoutError("truncated", `${count} entries, ${cursor.remaining} bytes are left`, at);
  }
  return count;
}

/** A name: its index in the chunk's text palette, or 0 and the text itself. */
export function writeName(builder: ByteBuilder, name: string, index: number): void {
  writeVarInt(builder, index);
  if (index === 0) writeText(builder, name);
}

/** `nameOf` looks an index up in the text palette. Throws `LayoutError` for one that is not there. */
export function readName(cursor: ByteCursor, nameOf: (index: number) => string | null): string {
  const at = cursor.offset;
  const index = readVarInt(cursor);
  if (index === 0) return readText(cursor);
  const name = nameOf(index);
  if (name === null) throw new LayoutError("malformed", `no text ${index} in the palette`, at);
  return name;
}

/** Ids of things; form 0: ascending whole numbers by their distances, form 1: of any kind. */
export function writeIds(builder: ByteBuilder, ids: readonly (number | string)[]): void {
  writeVarInt(builder, ids.length);
  let isAscending = true;
  for (let i = 0; i < ids.length && isAscending; i++) {
    const id = ids[i];
    isAscending = isWhole(id) && (i === 0 || id > (ids[i - 1] as number));
  }
  builder.u8(isAscending ? 0 : 1);
  if (isAscending) {
    for (let i = 0; i < ids.length; i++) {
      if (i === 0) writeZigzag(builder, ids[0] as number);
      else writeVarint(builder, (ids[i] as number) - (ids[i - 1] as number));
    }
  } else for (const id of ids) writeValue(builder, id);
}

export function readIds(cursor: ByteCursor): (number | string)[] {
  const count = readLength(cursor, 1);
  const form = cursor.u8();
  if (form > 1) throw new LayoutError("malformed", `ids of unknown form ${form}`, cursor.offset - 1);
  const ids: (number | string)[] = [];
  let before = 0;
  for (let i = 0; i < count; i++) {
    if (form === 0) {
      before = i === 0 ? readZigzag(cursor) : before + readVarint(cursor);
      ids.push(before);
    } else {
      const id = readValue(cursor, 1);
      if (typeof id !== "number" && typeof id !== "string") {
        throw new LayoutError("malformed", "an id is a number or a text", cursor.offset);
      }
      ids.push(id);
    }
  }
  return ids;
}

function isWhole(id: number | string | undefined): id is number {
  return typeof id === "number" && Number.isSafeInteger(id) && Math.abs(id) < 2 ** 51 && !Object.is(id, -0);
}

const COLUMN_TYPES = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
} as const;

/** Cells of a column, as many as there are. */
export function writeCells(builder: ByteBuilder, data: ColumnData): void {
  if (Array.isArray(data)) for (const text of data as readonly string[]) writeText(builder, text);
  else writeNumbers(builder, data as Numbers);
}

/** `count` cells; the caller's own. */
export function readCells(cursor: ByteCursor, kind: ColumnKind, count: number): ColumnData {
  if (kind === "string") {
    if (count * 2 > cursor.remaining) {
      throw new LayoutError("truncated", `${count} texts, ${cursor.remaining} bytes are left`, cursor.offset);
    }
    const texts: string[] = [];
    for (let i = 0; i < count; i++) texts.push(readText(cursor));
    return texts;
  }
  return readNumbers(cursor, COLUMN_TYPES[kind], count) as Exclude<ColumnData, readonly string[]>;
}
