import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { CdrReader, ITEM, OBJECT, SIZES } from "./cdr.ts";
import { type IdlField, type IdlType, idlType } from "./idl-types.ts";
import type { Decode } from "./schema.ts";

const UTF8 = new TextDecoder();
/** How deep values may nest: a list may hold the type that it is in. */
const DEPTH = 64;

/** How a payload is laid out, by the second byte of its head (DDS-XTypes 1.3, clauses 7.6.2.1.2 and 7.4.3.4). */
interface Encapsulation {
  readonly isLittle: boolean;
  /** The second version: numbers of 8 bytes stand at multiples of 4. */
  readonly isSecond: boolean;
  /** Appendable and mutable types have their size before them. */
  readonly isDelimited: boolean;
  /** Members of mutable types have their ids before them. */
  readonly hasIds: boolean;
}

/** By the number without its lowest bit, which is the byte order: version, delimited, with ids. */
const KINDS: ReadonlyMap<number, readonly [isSecond: boolean, isDelimited: boolean, hasIds: boolean]> = new Map([
  [0x00, [false, false, false]],
  [0x02, [false, false, true]],
  [0x06, [true, false, false]],
  [0x08, [true, true, false]],
  [0x0a, [true, true, true]],
  [0x10, [true, false, false]],
  [0x12, [true, true, true]],
  [0x14, [true, true, false]],
]);

/** Ids of the first version that are no members (DDS-XTypes 1.3, clause 7.4.1.2.5): the end of a list of members, and a longer head. */
const LAST = 0x3f02;
const LONG = 0x3f01;

/**
 * CDR by definitions in OMG IDL (spec §6): plain, delimited and with the ids of members, of both versions. Enums are
 * numbers, a union is an object with the one member that it has, and an optional member that is absent is none. As in
 * the libraries of Foxglove, no size stands before lists of structs. Null where `idlType` gives null.
 */
export async function idlDecoder(definition: Uint8Array, root: string): Promise<Decode | null> {
  const type = await idlType(UTF8.decode(definition), root);
  if (type === null) return null;
  return (payload) => {
    const number = payload.length < 4 || payload[0] !== 0 ? -1 : payload[1]!;
    const kind = KINDS.get(number & ~1);
    if (number < 0 || kind === undefined) throw new LayoutError("malformed", "the payload is no CDR", 0);
    const [isSecond, isDelimited, hasIds] = kind;
    const how = { isLittle: (number & 1) === 1, isSecond, isDelimited, hasIds };
    return new IdlReader(payload, how).value(type, DEPTH);
  };
}

type Made = { [key: string]: Value };

class IdlReader {
  readonly #from: CdrReader;
  readonly #how: Encapsulation;

  constructor(payload: Uint8Array, how: Encapsulation) {
    const { isLittle, isSecond } = how;
    this.#from = new CdrReader(payload, { at: 4, isLittle, align: isSecond ? 4 : 8, hasZero: true });
    this.#how = how;
  }

  value(type: IdlType, depth: number): Value {
    const from = this.#from;
    if (depth === 0) throw new LayoutError("malformed", "values nested too deep", from.at);
    from.claim(OBJECT);
    const { isDelimited, hasIds } = this.#how;
    let end: number | null = null;
    if (isDelimited && type.extensibility !== "final") {
      const size = from.number("uint32");
      if (size > from.left) from.cut(size);
      end = from.at + size;
    }
    const value: Made = {};
    if (hasIds && type.extensibility === "mutable") this.#withIds(value, type, end, depth);
    else if (type.union === null) {
      for (const field of type.fields) {
        // a later version of the type has more members than the payload
        if (end !== null && from.at >= end) break;
        this.#member(value, field, depth);
      }
    } else this.#field(value, caseOf(type, from.number(type.union.switchType), from.at), depth);
    if (end !== null) from.seek(end);
    return value;
  }

  #member(value: Made, field: IdlField, depth: number): void {
    const from = this.#from;
    if (!field.isOptional) this.#field(value, field, depth);
    else if (this.#how.isSecond) {
      if (from.number("uint8") !== 0) this.#field(value, field, depth);
    } else {
      const { size, start } = this.#head();
      if (size > 0) this.#inside(value, field, start, size, depth);
    }
  }

  /** Members with their ids, up to `end`, in the first version up to a mark. */
  #withIds(value: Made, type: IdlType, end: number | null, depth: number): void {
    const from = this.#from;
    let isDone = false;
    let chosen: IdlField | null = null;
    while (!isDone && (end === null || from.at < end)) {
      const { id, size, start } = this.#head();
      isDone = id === null;
      if (id === null) break;
      const isSwitch = type.union !== null && chosen === null;
      if (isSwitch) {
        chosen = caseOf(type, from.number(type.union!.switchType), start);
        from.seek(start + size);
        continue;
      }
      const field: IdlField | undefined = chosen ?? type.fields.find((one) => one.id === id);
      if (field === undefined) from.seek(start + size);
      else this.#inside(value, field, start, size, depth);
    }
  }

  /** A member whose size is known. */
  #inside(value: Made, field: IdlField, start: number, size: number, depth: number): void {
    this.#from.seek(start);
    this.#field(value, field, depth);
    this.#from.seek(start + size);
  }

  /** What stands before a member: its id, and where its bytes are; an id of null is the end of the list. */
  #head(): { readonly id: number | null; readonly size: number; readonly start: number } {
    const from = this.#from;
    if (!this.#how.isSecond) {
      from.alignTo(4);
      const short = from.number("uint16") & 0x3fff;
      const length = from.number("uint16");
      if (short === LAST) return { id: null, size: 0, start: from.at };
      const [id, size] = short === LONG ? [from.number("uint32"), from.number("uint32")] : [short, length];
      if (size > from.left) from.cut(size);
      from.origin = from.at;
      return { id, size, start: from.at };
    }
    const head = from.number("uint32");
    const code = (head >>> 28) & 7;
    const id = head & 0x0fff_ffff;
    if (code < 4) return this.#sized(id, 1 << code, from.at);
    const next = from.number("uint32");
    // from 5 on the word is the length that the member itself begins with
    if (code === 4) return this.#sized(id, next, from.at);
    return this.#sized(id, 4 + next * (code === 5 ? 1 : code === 6 ? 4 : 8), from.at - 4);
  }

  #sized(
    id: number,
    size: number,
    start: number,
  ): { readonly id: number; readonly size: number; readonly start: number } {
    const { bytes } = this.#from;
    if (size > bytes.length - start) this.#from.cut(size);
    return { id, size, start };
  }

  #field(value: Made, field: IdlField, depth: number): void {
    const { name, type, count } = field;
    const found =
      count === "one"
        ? this.#one(type, depth)
        : count === "many"
          ? this.#list(type, this.#from.number("uint32"), depth)
          : this.#array(type, count, 0, depth);
    if (name !== "__proto__") value[name] = found;
  }

  #array(type: string | IdlType, lengths: readonly number[], level: number, depth: number): Value {
    const length = lengths[level] ?? 0;
    if (level === lengths.length - 1) return this.#list(type, length, depth);
    this.#room(length);
    return Array.from({ length }, () => this.#array(type, lengths, level + 1, depth));
  }

  #list(type: string | IdlType, length: number, depth: number): Value {
    this.#room(length);
    const size = typeof type === "string" ? SIZES[type] : undefined;
    if (typeof type === "string" && size !== undefined && type !== "bool")
      return this.#from.numbers(type, length, size);
    return Array.from({ length }, () => this.#one(type, depth));
  }

  /** Every item takes a byte at least. */
  #room(length: number): void {
    if (length > this.#from.left) this.#from.cut(length);
    this.#from.claim(length * ITEM);
  }

  #one(type: string | IdlType, depth: number): Value {
    if (typeof type !== "string") return this.value(type, depth - 1);
    return type === "string" ? this.#from.text() : this.#from.one(type);
  }
}

function caseOf({ union }: IdlType, value: number, at: number): IdlField {
  const found = union?.caseOf(value) ?? null;
  if (found === null) throw new LayoutError("malformed", `a union has no case for ${value}`, at);
  return found;
}
