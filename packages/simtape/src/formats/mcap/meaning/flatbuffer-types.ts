import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import { FlatBytes } from "./flatbuffer-tables.ts";

/** Numbers of types in a binary schema (`BaseType` of FlatBuffers' reflection.fbs). */
export const BASE = { unionType: 1, string: 13, vector: 14, object: 15, union: 16, array: 17 } as const;

/** Bytes of the scalars, by the same numbers: 1 union type, 2 bool, 3 byte … 12 double. */
export const SIZES: readonly number[] = [0, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8];

export interface FlatType {
  readonly base: number;
  /** Of a vector or an array: what it holds. */
  readonly element: number;
  /** Of an object: it; of a union: what its types are, by their numbers. */
  readonly object: FlatObject | null;
  readonly union: ReadonlyMap<number, FlatType> | null;
  /** Items of an array. */
  readonly length: number;
}

export interface FlatField {
  readonly name: string;
  readonly type: FlatType;
  /** In a table its place in the list of members, in a struct its place. */
  readonly offset: number;
  /** What an absent scalar is; null: it is absent. */
  readonly fallback: number | bigint | null;
}

export interface FlatObject {
  readonly name: string;
  readonly isStruct: boolean;
  /** Bytes of a struct. */
  readonly size: number;
  fields: readonly FlatField[];
}

/** Members by their places in the lists of members: 4, 6, 8 … in the order of reflection.fbs. */
const SCHEMA = { objects: 4, enums: 6 };
const OBJECT = { name: 4, fields: 6, isStruct: 8, size: 12 };
const FIELD = { name: 4, type: 6, offset: 10, integer: 12, real: 14, isDeprecated: 16, isOptional: 26 };
const TYPE = { base: 4, element: 6, index: 8, length: 10 };
const ENUM = { values: 6 };
const ENUM_VALUE = { number: 6, type: 10 };

/**
 * The objects of a binary schema, a `.bfbs`, by their full names (spec §6). Throws `LayoutError` where it is none.
 */
export function flatObjects(schema: Uint8Array): ReadonlyMap<string, FlatObject> {
  const reader = new SchemaReader(new FlatBytes(schema));
  return new Map(reader.objects.map((object) => [object.name, object]));
}

class SchemaReader {
  readonly objects: readonly FlatObject[];
  readonly #from: FlatBytes;
  readonly #unions: readonly Map<number, FlatType>[];

  constructor(from: FlatBytes) {
    this.#from = from;
    if (from.bytes.length < 8 || String.fromCharCode(...from.bytes.subarray(4, 8)) !== "BFBS") {
      throw new LayoutError("malformed", "no binary schema of FlatBuffers", 0);
    }
    const root = from.target(0);
    const places = this.#tables(root, SCHEMA.objects);
    const objects = places.map((at) => ({
      name: this.#text(at, OBJECT.name),
      isStruct: this.#u8(at, OBJECT.isStruct) !== 0,
      size: Math.max(0, this.#i32(at, OBJECT.size, 0)),
      fields: [] as readonly FlatField[],
    }));
    this.objects = objects;
    const enums = this.#tables(root, SCHEMA.enums);
    this.#unions = enums.map(() => new Map<number, FlatType>());
    for (const [i, at] of enums.entries()) this.#fillUnion(this.#unions[i]!, at);
    for (const [i, at] of places.entries()) {
      objects[i]!.fields = this.#tables(at, OBJECT.fields)
        .filter((field) => this.#u8(field, FIELD.isDeprecated) === 0)
        .map((field) => this.#field(field));
    }
  }

  #fillUnion(union: Map<number, FlatType>, at: number): void {
    for (const value of this.#tables(at, ENUM.values)) {
      const type = this.#from.member(value, ENUM_VALUE.type);
      if (type !== 0) union.set(Number(this.#i64(value, ENUM_VALUE.number)), this.#type(this.#from.target(type)));
    }
  }

  #field(at: number): FlatField {
    const from = this.#from;
    const stated = from.member(at, FIELD.type);
    if (stated === 0) throw new LayoutError("malformed", "a member without a type", at);
    const type = this.#type(from.target(stated));
    const isReal = type.base === 11 || type.base === 12;
    const real = from.member(at, FIELD.real);
    const fallback = isReal
      ? real === 0
        ? 0
        : from.view.getFloat64(from.at(real, 8), true)
      : exact(this.#i64(at, FIELD.integer));
    const offset = from.member(at, FIELD.offset);
    return {
      name: this.#text(at, FIELD.name),
      type,
      offset: offset === 0 ? 0 : from.u16(offset),
      fallback: type.base > 12 || this.#u8(at, FIELD.isOptional) !== 0 ? null : fallback,
    };
  }

  #type(at: number): FlatType {
    const from = this.#from;
    const base = this.#u8(at, TYPE.base);
    const element = this.#u8(at, TYPE.element);
    const index = this.#i32(at, TYPE.index, -1);
    const length = from.member(at, TYPE.length);
    const inner = base === BASE.vector || base === BASE.array ? element : base;
    return {
      base,
      element,
      object: inner === BASE.object ? (this.objects[index] ?? null) : null,
      union: inner === BASE.union ? (this.#unions[index] ?? null) : null,
      length: length === 0 ? 0 : from.u16(length),
    };
  }

  /** Places of the tables of a list. */
  #tables(table: number, slot: number): number[] {
    const from = this.#from;
    const member = from.member(table, slot);
    if (member === 0) return [];
    const list = from.target(member);
    const length = from.length(list, 4);
    from.claim(length * 64);
    return Array.from({ length }, (_, i) => from.target(list + 4 + 4 * i));
  }

  #text(table: number, slot: number): string {
    const member = this.#from.member(table, slot);
    return member === 0 ? "" : this.#from.text(this.#from.target(member));
  }

  #u8(table: number, slot: number): number {
    const member = this.#from.member(table, slot);
    return member === 0 ? 0 : this.#from.u8(member);
  }

  #i32(table: number, slot: number, fallback: number): number {
    const member = this.#from.member(table, slot);
    return member === 0 ? fallback : this.#from.view.getInt32(this.#from.at(member, 4), true);
  }

  #i64(table: number, slot: number): bigint {
    const member = this.#from.member(table, slot);
    return member === 0 ? 0n : this.#from.view.getBigInt64(this.#from.at(member, 8), true);
  }
}
