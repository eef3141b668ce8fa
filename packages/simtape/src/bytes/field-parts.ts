import type { ByteCursor } from "./cursor.ts";
import { LayoutError } from "./error.ts";
import type { Fields, FieldRole } from "./fields.ts";

/** Names one part of a layout as `name`, or the parts it is made of, and gives what it says. */
export type Part<T = unknown> = (fields: Fields, name: string) => T;

/** One field that `read` reads: a number, or anything else that a layout function gives. */
export function part<T>(read: (cursor: ByteCursor) => T): Part<T> {
  return (fields, name) => fields.read(name, read);
}

/** An unsigned byte. */
export const u8: Part<number> = part((cursor) => cursor.u8());
/** A signed byte. */
export const i8: Part<number> = part((cursor) => cursor.i8());
/** An unsigned number of 16 bits, the lowest byte first. */
export const u16le: Part<number> = part((cursor) => cursor.u16le());
/** An unsigned number of 16 bits, the highest byte first. */
export const u16be: Part<number> = part((cursor) => cursor.u16be());
/** A signed number of 16 bits, the lowest byte first. */
export const i16le: Part<number> = part((cursor) => cursor.i16le());
/** A signed number of 16 bits, the highest byte first. */
export const i16be: Part<number> = part((cursor) => cursor.i16be());
/** An unsigned number of 32 bits, the lowest byte first. */
export const u32le: Part<number> = part((cursor) => cursor.u32le());
/** An unsigned number of 32 bits, the highest byte first. */
export const u32be: Part<number> = part((cursor) => cursor.u32be());
/** A signed number of 32 bits, the lowest byte first. */
export const i32le: Part<number> = part((cursor) => cursor.i32le());
/** A signed number of 32 bits, the highest byte first. */
export const i32be: Part<number> = part((cursor) => cursor.i32be());
/** An unsigned number of 64 bits, the lowest byte first; a `bigint` where a number would not be exact. */
export const u64le: Part<number | bigint> = part((cursor) => exact(cursor.bigU64le()));
/** An unsigned number of 64 bits, the highest byte first; a `bigint` where a number would not be exact. */
export const u64be: Part<number | bigint> = part((cursor) => exact(cursor.bigU64be()));
/** A signed number of 64 bits, the lowest byte first; a `bigint` where a number would not be exact. */
export const i64le: Part<number | bigint> = part((cursor) => exact(cursor.bigI64le()));
/** A signed number of 64 bits, the highest byte first; a `bigint` where a number would not be exact. */
export const i64be: Part<number | bigint> = part((cursor) => exact(cursor.bigI64be()));
/** A float of 32 bits, the lowest byte first. */
export const f32le: Part<number> = part((cursor) => cursor.f32le());
/** A float of 32 bits, the highest byte first. */
export const f32be: Part<number> = part((cursor) => cursor.f32be());
/** A float of 64 bits, the lowest byte first. */
export const f64le: Part<number> = part((cursor) => cursor.f64le());
/** A float of 64 bits, the highest byte first. */
export const f64be: Part<number> = part((cursor) => cursor.f64be());
/** A byte that is 0 for no, and anything else for yes. */
export const bool: Part<boolean> = part((cursor) => cursor.u8() !== 0);

/** A number where a number is exact. */
export function exact(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** `of` with a unit, or with what its value stands for. */
export function noted<T>(of: Part<T>, note: string | ((value: T) => string | null)): Part<T> {
  return (fields, name) => {
    const value = of(fields, name);
    fields.note(typeof note === "string" ? note : note(value));
    return value;
  };
}

/** A number that is a place in `words`. */
export function oneOf(of: Part<number>, words: readonly string[]): Part<number> {
  return noted(of, (value) => words[value] ?? null);
}

/** A number whose bits have names, the lowest first. */
export function bits(of: Part<number>, words: readonly string[]): Part<number> {
  return noted(of, (value) => words.filter((_, bit) => (Math.floor(value / 2 ** bit) & 1) === 1).join(", ") || "none");
}

/** `of` in another role. */
export function as<T>(role: FieldRole, of: Part<T>): Part<T> {
  return (fields, name) => fields.as(role, () => of(fields, name));
}

/** Parts one after another, named as members. */
export function struct(parts: Readonly<Record<string, Part>>): Part<void> {
  const entries = Object.entries(parts);
  return (fields, name) => {
    for (const [member, of] of entries) of(fields, inside(name, member));
  };
}

/** `member` of `name`. */
export function inside(name: string, member: string): string {
  return name === "" ? member : `${name}.${member}`;
}

/** A count, which is of the frame, and as many items. */
export function list(count: Part<number>, item: Part): Part<number> {
  return (fields, name) => {
    const size = fields.as("frame", () => count(fields, inside(name, "count")));
    items(fields, name, size, item);
    return size;
  };
}

/** `size` items. One without bytes is damage: there could be any number of them. */
export function items(fields: Fields, name: string, size: number, item: Part): void {
  for (let i = 0; i < size; i++) {
    const before = fields.left;
    if (before === 0) throw new LayoutError("truncated", `${size - i} more of ${name || "the list"} are missing`, 0);
    item(fields, `${name}[${i}]`);
    if (fields.left === before) throw new LayoutError("malformed", `${name}[${i}] takes no bytes`, 0);
  }
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

/** UTF-8 of `length` bytes; bytes that are none become U+FFFD. */
export function text(length: number): Part<string> {
  return part((cursor) => TEXT.decode(cursor.view(length)));
}

/** A length, which is of the frame, and a text. */
export function sizedText(length: Part<number>): Part<string> {
  return (fields, name) => {
    const size = fields.as("frame", () => length(fields, inside(name, "length")));
    return text(size)(fields, name);
  };
}

/** A length, which is of the frame, and bytes. */
export function sizedBytes(length: Part<number>): Part<Uint8Array> {
  return (fields, name) => {
    const size = fields.as("frame", () => length(fields, inside(name, "length")));
    return fields.bytes(name, size);
  };
}

/** `length` bytes as they are. */
export function raw(length: number): Part<Uint8Array> {
  return (fields, name) => fields.bytes(name, length);
}

/** All bytes that are left. */
export const remaining: Part<Uint8Array> = (fields, name) => fields.bytes(name, fields.left);

/** Kinds of numbers in an array. */
export type NumberKind = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" | "f64";

type Numbers = { [index: number]: number; readonly length: number };
type Get = (view: DataView, at: number, isLittle: boolean) => number;

/** The type of array of each kind, and how one of its numbers is read. */
const NUMBERS: Readonly<
  Record<NumberKind, readonly [type: { readonly BYTES_PER_ELEMENT: number; new (length: number): Numbers }, get: Get]>
> = {
  u8: [Uint8Array, (view, at) => view.getUint8(at)],
  i8: [Int8Array, (view, at) => view.getInt8(at)],
  u16: [Uint16Array, (view, at, isLittle) => view.getUint16(at, isLittle)],
  i16: [Int16Array, (view, at, isLittle) => view.getInt16(at, isLittle)],
  u32: [Uint32Array, (view, at, isLittle) => view.getUint32(at, isLittle)],
  i32: [Int32Array, (view, at, isLittle) => view.getInt32(at, isLittle)],
  f32: [Float32Array, (view, at, isLittle) => view.getFloat32(at, isLittle)],
  f64: [Float64Array, (view, at, isLittle) => view.getFloat64(at, isLittle)],
};

/** Numbers of one kind and byte order as one field; its value has as many bytes as the field. */
export function numbers(kind: NumberKind, count: number, isLittle = true): Part<Numbers> {
  const [type, get] = NUMBERS[kind];
  const width = type.BYTES_PER_ELEMENT;
  return part((cursor) => {
    const bytes = cursor.view(count * width);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const values = new type(count);
    for (let i = 0; i < count; i++) values[i] = get(view, i * width, isLittle);
    return values;
  });
}
