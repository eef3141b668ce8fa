import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { leastBytes, type ObjectLayout, type Scalar, SCALAR_BYTES, type TypeLayout } from "./types.ts";

/** How payloads of a tape are encoded: what the published format leaves open, semantics §5. */
export interface Encoding {
  readonly isLittle: boolean;
  /** Bytes before the value. */
  readonly prefix: number;
  /** Width of class versions, and before which objects they stand. */
  readonly slotBytes: 0 | 1 | 2 | 4;
  readonly slots: "versioned" | "all";
  /** Width of the count of strings and containers. */
  readonly countBytes: 4 | 8;
  /** Without slots: members of later class versions are there. */
  readonly isLatest: boolean;
}

/** Depth of values inside values; a type as deep as that is not known to exist. */
export const MAX_DEPTH = 64;
/** Memory that the values of one payload may take, and that of one value in a list, about. */
export const ROOM: number = 64 << 20;
export const VALUE_BYTES: number = 64;

/** Decodes a whole payload. Throws `LayoutError` when it does not fit exactly. The value owns its bytes. */
export function decodePayload(payload: Uint8Array, layout: TypeLayout, encoding: Encoding): Value {
  return new Decoder(payload, encoding).whole(layout);
}

/** Lower-case hex digits of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  const digits = new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    digits[2 * i] = DIGITS[byte >>> 4]!;
    digits[2 * i + 1] = DIGITS[byte & 15]!;
  }
  return ASCII.decode(digits);
}

const DIGITS = new TextEncoder().encode("0123456789abcdef");
const ASCII = new TextDecoder();
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #encoding: Encoding;
  #at: number;
  #depth = 0;
  #room = ROOM;

  constructor(bytes: Uint8Array, encoding: Encoding) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#encoding = encoding;
    this.#at = 0;
  }

  whole(layout: TypeLayout): Value {
    this.#take(this.#encoding.prefix);
    const value = this.#value(layout);
    const left = this.#bytes.length - this.#at;
    if (left > 0) this.#fail("malformed", `${left} bytes follow the value`, this.#at);
    return value;
  }

  #value(layout: TypeLayout): Value {
    if (++this.#depth > MAX_DEPTH) this.#fail("malformed", "values are nested too deeply", this.#at);
    const value = this.#inner(layout);
    this.#depth--;
    return value;
  }

  #inner(layout: TypeLayout): Value {
    switch (layout.kind) {
      case "scalar":
        return this.#scalar(layout.scalar);
      case "string":
        return this.#string(this.#count(1));
      case "vector":
        return this.#items(layout.item, this.#count(leastBytes(layout.item)));
      case "array":
        this.#check(layout.length, leastBytes(layout.item));
        return this.#items(layout.item, layout.length);
      case "map": {
        const pairs: Value[] = [];
        const count = this.#count(leastBytes(layout.key) + leastBytes(layout.value));
        this.#claim(count);
        for (let i = 0; i < count; i++) pairs.push([this.#value(layout.key), this.#value(layout.value)]);
        return pairs;
      }
      case "buffer": {
        const length = this.#u64();
        return this.#raw(length);
      }
      case "raw":
        return this.#raw(layout.length);
      case "object":
        return this.#object(layout);
      default:
        return layout satisfies never;
    }
  }

  #object(layout: ObjectLayout): Value {
    const { slotBytes, slots, isLatest } = this.#encoding;
    let version = isLatest ? Number.POSITIVE_INFINITY : 0;
    if (slotBytes !== 0 && (layout.isVersioned || slots === "all")) {
      version = this.#unsigned(slotBytes);
    }
    const entries: [string, Value][] = [];
    for (const { name, type, since } of layout.fields) {
      if (since === undefined || version >= since) entries.push([name, this.#value(type)]);
    }
    return Object.fromEntries(entries);
  }

  #items(item: TypeLayout, count: number): Value {
    if (item.kind === "scalar" && item.scalar !== "bool" && !item.scalar.endsWith("int64")) {
      return this.#numbers(item.scalar, count);
    }
    this.#claim(count);
    const values: Value[] = [];
    for (let i = 0; i < count; i++) values.push(this.#value(item));
    return values;
  }

  /** Asked before a list is made. */
  #claim(count: number): void {
    this.#room -= count * VALUE_BYTES;
    if (this.#room < 0) this.#fail("malformed", `${count} values are more than one message may hold`, this.#at);
  }

  #numbers(scalar: Scalar, count: number): Value {
    const width = SCALAR_BYTES[scalar];
    this.#check(count, width);
    const target = roomFor(scalar, count);
    for (let i = 0; i < count; i++) target[i] = this.#scalar(scalar) as number;
    return target;
  }

  #scalar(scalar: Scalar): number | bigint | boolean {
    const { isLittle } = this.#encoding;
    const view = this.#view;
    const at = this.#take(SCALAR_BYTES[scalar]);
    switch (scalar) {
      case "bool": {
        const byte = view.getUint8(at);
        if (byte > 1) this.#fail("malformed", `bool ${byte}`, at);
        return byte === 1;
      }
      case "int8":
        return view.getInt8(at);
      case "uint8":
        return view.getUint8(at);
      case "int16":
        return view.getInt16(at, isLittle);
      case "uint16":
        return view.getUint16(at, isLittle);
      case "int32":
        return view.getInt32(at, isLittle);
      case "uint32":
        return view.getUint32(at, isLittle);
      case "int64":
        return narrow(view.getBigInt64(at, isLittle));
      case "uint64":
        return narrow(view.getBigUint64(at, isLittle));
      case "float":
        return view.getFloat32(at, isLittle);
      case "double":
        return view.getFloat64(at, isLittle);
      default:
        return scalar satisfies never;
    }
  }

  #string(length: number): string {
    const at = this.#take(length);
    try {
      return UTF8.decode(this.#bytes.subarray(at, at + length));
    } catch {
      this.#fail("malformed", "text is not UTF-8", at);
    }
  }

  #raw(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.slice(at, at + length);
  }

  /** A count of items that take at least `least` bytes each. */
  #count(least: number): number {
    const count = this.#encoding.countBytes === 4 ? this.#unsigned(4) : this.#u64();
    this.#check(count, least);
    return count;
  }

  #check(count: number, least: number): void {
    const left = this.#bytes.length - this.#at;
    if (count * Math.max(1, least) > left)
      this.#fail("truncated", `${count} items of at least ${least} bytes, ${left} bytes are left`, this.#at);
  }

  #unsigned(width: 1 | 2 | 4): number {
    const { isLittle } = this.#encoding;
    const at = this.#take(width);
    if (width === 1) return this.#view.getUint8(at);
    return width === 2 ? this.#view.getUint16(at, isLittle) : this.#view.getUint32(at, isLittle);
  }

  #u64(): number {
    const { isLittle } = this.#encoding;
    const at = this.#take(8);
    const low = this.#view.getUint32(isLittle ? at : at + 4, isLittle);
    return this.#view.getUint32(isLittle ? at + 4 : at, isLittle) * 0x1_0000_0000 + low;
  }

  #take(length: number): number {
    const at = this.#at;
    const left = this.#bytes.length - at;
    if (length > left) this.#fail("truncated", `${length} bytes are needed, ${left} are left`, at);
    this.#at = at + length;
    return at;
  }

  #fail(reason: "truncated" | "malformed", message: string, at: number): never {
    throw new LayoutError(reason, message, at);
  }
}

function narrow(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function roomFor(
  scalar: Scalar,
  count: number,
): Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array {
  switch (scalar) {
    case "uint8":
      return new Uint8Array(count);
    case "uint16":
      return new Uint16Array(count);
    case "uint32":
      return new Uint32Array(count);
    case "float":
      return new Float32Array(count);
    case "double":
      return new Float64Array(count);
    default:
      return new Int32Array(count);
  }
}
