import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import type { Value } from "../../../model/values/value.ts";
import { FlatBytes } from "./flatbuffer-tables.ts";
import { BASE, type FlatField, type FlatObject, flatObjects, type FlatType, SIZES } from "./flatbuffer-types.ts";
import type { Decode } from "./schema.ts";

/** How deep tables may nest: the limit of FlatBuffers' own verifier. */
const DEPTH = 64;
/** Memory of a value in a list, and of an object. */
const ITEM = 16;
const OBJECT = 128;

/**
 * Decodes FlatBuffers whose root is the table `name` of a binary schema (spec §6). Enums are numbers. A scalar that is
 * absent has its default, unless the schema makes it optional; everything else that is absent is no member. Null: the
 * schema does not have the table.
 */
export function flatbufferDecoder(schema: Uint8Array, name: string): Decode | null {
  const root = flatObjects(schema).get(name);
  if (root === undefined || root.isStruct) return null;
  return (payload) => {
    const from = new FlatBytes(payload);
    return new FlatReader(from).object(root, from.target(0), DEPTH);
  };
}

class FlatReader {
  readonly #from: FlatBytes;

  constructor(from: FlatBytes) {
    this.#from = from;
  }

  object(object: FlatObject, at: number, depth: number): { [key: string]: Value } {
    if (depth === 0) throw new LayoutError("malformed", "tables nested too deep", at);
    const { fields, isStruct } = object;
    this.#from.claim(OBJECT + fields.length * ITEM);
    const value: { [key: string]: Value } = {};
    for (const field of fields) {
      const place = isStruct ? at + field.offset : this.#from.member(at, field.offset);
      const found = place === 0 ? field.fallback : this.#value(field, place, at, object, depth);
      if (found === null || field.name === "__proto__") continue;
      value[field.name] = place === 0 && field.type.base === 2 ? found !== 0 : found;
    }
    return value;
  }

  /** Null: there is none. */
  #value({ name, type }: FlatField, at: number, owner: number, object: FlatObject, depth: number): Value {
    const from = this.#from;
    switch (type.base) {
      case BASE.string:
        return from.text(from.target(at));
      case BASE.object:
        return type.object === null ? null : this.object(type.object, this.#place(type.object, at), depth - 1);
      case BASE.vector:
        return this.#vector(name, type, from.target(at), owner, object, depth);
      case BASE.array:
        return this.#items(type, at, type.length, depth);
      case BASE.union:
        return this.#union(type, this.#kinds(name, owner, object)?.(0) ?? 0, at, depth);
      default:
        return this.#scalar(type.base, at);
    }
  }

  /** A struct stands where it is, a table is spoken of. */
  #place(object: FlatObject, at: number): number {
    return object.isStruct ? at : this.#from.target(at);
  }

  #vector(name: string, type: FlatType, list: number, owner: number, object: FlatObject, depth: number): Value {
    if (type.element !== BASE.union) return this.#items(type, list + 4, this.#from.length(list, 1), depth);
    const kindAt = this.#kinds(name, owner, object);
    const length = this.#from.length(list, 4);
    this.#from.claim(length * ITEM);
    return Array.from({ length }, (_, i) => this.#union(type, kindAt?.(i) ?? 0, list + 4 + 4 * i, depth));
  }

  /** Of a union the member `NAME_type` says what it holds, of a list of unions the list `NAME_type`. */
  #kinds(name: string, owner: number, { fields }: FlatObject): ((i: number) => number) | null {
    const field = fields.find((one) => one.name === `${name}_type`);
    const at = field === undefined ? 0 : this.#from.member(owner, field.offset);
    if (at === 0) return null;
    if (field!.type.base !== BASE.vector) return () => this.#from.u8(at);
    const list = this.#from.target(at);
    const length = this.#from.length(list, 1);
    return (i) => (i < length ? this.#from.u8(list + 4 + i) : 0);
  }

  #union({ union }: FlatType, kind: number, at: number, depth: number): Value {
    const type = union?.get(kind);
    if (type?.base === BASE.string) return this.#from.text(this.#from.target(at));
    // a struct in a union is spoken of, too
    return type?.object == null ? null : this.object(type.object, this.#from.target(at), depth - 1);
  }

  /** Items that stand one behind the other; numbers are a typed array where there is one for them. */
  #items({ element, object }: FlatType, at: number, length: number, depth: number): Value {
    const from = this.#from;
    const size = object?.isStruct === true ? object.size : (SIZES[element] ?? 4);
    from.at(at, length * Math.max(1, size));
    if (element === 4 || element === BASE.unionType) return from.bytes.subarray(at, at + length);
    const make = ARRAYS[element];
    if (make !== undefined) {
      from.claim(length * size);
      return make(from.view, at, length);
    }
    from.claim(length * ITEM);
    if (element === BASE.string) return Array.from({ length }, (_, i) => from.text(from.target(at + 4 * i)));
    if (object === null) return Array.from({ length }, (_, i) => this.#scalar(element, at + size * i));
    return Array.from({ length }, (_, i) => this.object(object, this.#place(object, at + size * i), depth - 1));
  }

  #scalar(base: number, at: number): Value {
    const { view } = this.#from;
    this.#from.at(at, SIZES[base] ?? 0);
    switch (base) {
      case 1:
      case 4:
        return view.getUint8(at);
      case 2:
        return view.getUint8(at) !== 0;
      case 3:
        return view.getInt8(at);
      case 5:
        return view.getInt16(at, true);
      case 6:
        return view.getUint16(at, true);
      case 7:
        return view.getInt32(at, true);
      case 8:
        return view.getUint32(at, true);
      case 9:
        return exact(view.getBigInt64(at, true));
      case 10:
        return exact(view.getBigUint64(at, true));
      case 11:
        return view.getFloat32(at, true);
      case 12:
        return view.getFloat64(at, true);
      default:
        throw new LayoutError("malformed", `a type ${base} of FlatBuffers`, at);
    }
  }
}

type Make = (view: DataView, at: number, length: number) => Value;

const ARRAYS: Readonly<Record<number, Make>> = {
  6: (view, at, length) => filled(new Uint16Array(length), (i) => view.getUint16(at + 2 * i, true)),
  7: (view, at, length) => filled(new Int32Array(length), (i) => view.getInt32(at + 4 * i, true)),
  8: (view, at, length) => filled(new Uint32Array(length), (i) => view.getUint32(at + 4 * i, true)),
  11: (view, at, length) => filled(new Float32Array(length), (i) => view.getFloat32(at + 4 * i, true)),
  12: (view, at, length) => filled(new Float64Array(length), (i) => view.getFloat64(at + 8 * i, true)),
};

function filled<T extends Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array>(
  array: T,
  at: (i: number) => number,
): T {
  for (let i = 0; i < array.length; i++) array[i] = at(i);
  return array;
}
