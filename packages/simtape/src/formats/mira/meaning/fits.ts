import { isUtf8 } from "../../../bytes/is-utf8.ts";
import { type Encoding, MAX_DEPTH, ROOM, VALUE_BYTES } from "./payload.ts";
import { leastBytes, type ObjectLayout, type Scalar, SCALAR_BYTES, type TypeLayout } from "./types.ts";

/** Numbers of a vector that are looked at to judge whether they are plausible. */
const JUDGED = 64;

/** Whether a payload has exactly that layout and its values are plausible: finite and ordinary numbers, bools of 0 or 1. */
export function fitsPayload(payload: Uint8Array, layout: TypeLayout, encoding: Encoding): boolean {
  return new Judge(payload, encoding).isWhole(layout);
}

/** Walks a payload as `decodePayload` does, without making values: hundreds of encodings are tried, and most do not fit. */
class Judge {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #encoding: Encoding;
  #at = 0;
  #depth = 0;
  #room = ROOM;

  constructor(bytes: Uint8Array, encoding: Encoding) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#encoding = encoding;
  }

  isWhole(layout: TypeLayout): boolean {
    return this.#pass(this.#encoding.prefix) && this.#value(layout) && this.#at === this.#bytes.length;
  }

  #value(layout: TypeLayout): boolean {
    if (++this.#depth > MAX_DEPTH) return false;
    const isFit = this.#inner(layout);
    this.#depth--;
    return isFit;
  }

  #inner(layout: TypeLayout): boolean {
    switch (layout.kind) {
      case "scalar":
        return this.#scalar(layout.scalar);
      case "string": {
        const from = this.#at + this.#encoding.countBytes;
        return this.#pass(this.#count()) && isUtf8(this.#bytes.subarray(from, this.#at));
      }
      case "vector":
        return this.#items(layout.item, this.#count());
      case "array":
        return this.#items(layout.item, layout.length);
      case "map":
        return this.#pairs(layout.key, layout.value, this.#count());
      case "buffer":
        return this.#pass(this.#u64());
      case "raw":
        return this.#pass(layout.length);
      case "object":
        return this.#object(layout);
      default:
        return layout satisfies never;
    }
  }

  #object(layout: ObjectLayout): boolean {
    const { slotBytes, slots, isLatest } = this.#encoding;
    let version = isLatest ? Number.POSITIVE_INFINITY : 0;
    if (slotBytes !== 0 && (layout.isVersioned || slots === "all")) {
      version = this.#unsigned(slotBytes);
      // Class versions are small numbers; all ones may stand for none.
      if (version > 0xff && version !== 2 ** (8 * slotBytes) - 1) return false;
    }
    for (const { type, since } of layout.fields)
      if ((since === undefined || version >= since) && !this.#value(type)) return false;
    return true;
  }

  #items(item: TypeLayout, count: number): boolean {
    if (!this.#hasRoom(count, leastBytes(item))) return false;
    if (item.kind !== "scalar" || item.scalar === "bool" || item.scalar.endsWith("int64")) {
      if (!this.#claims(count)) return false;
      for (let i = 0; i < count; i++) if (!this.#value(item)) return false;
      return true;
    }
    // numbers that are handed out as one array: vectors of them are only sampled
    const end = this.#at + count * SCALAR_BYTES[item.scalar];
    for (let i = 0; i < Math.min(count, JUDGED); i++) if (!this.#scalar(item.scalar)) return false;
    this.#at = end;
    return true;
  }

  #pairs(key: TypeLayout, value: TypeLayout, count: number): boolean {
    if (!this.#hasRoom(count, leastBytes(key) + leastBytes(value)) || !this.#claims(count)) return false;
    for (let i = 0; i < count; i++) if (!this.#value(key) || !this.#value(value)) return false;
    return true;
  }

  #scalar(scalar: Scalar): boolean {
    const at = this.#at;
    if (!this.#pass(SCALAR_BYTES[scalar])) return false;
    if (scalar === "bool") return this.#bytes[at]! <= 1;
    if (scalar === "float") return isOrdinary(this.#view.getFloat32(at, this.#encoding.isLittle));
    return scalar !== "double" || isOrdinary(this.#view.getFloat64(at, this.#encoding.isLittle));
  }

  /** Whether items of at least `least` bytes each may follow. */
  #hasRoom(count: number, least: number): boolean {
    return count * Math.max(1, least) <= this.#bytes.length - this.#at;
  }

  #claims(count: number): boolean {
    this.#room -= count * VALUE_BYTES;
    return this.#room >= 0;
  }

  #count(): number {
    return this.#encoding.countBytes === 4 ? this.#unsigned(4) : this.#u64();
  }

  /** Infinity: its bytes are not there. */
  #unsigned(width: 1 | 2 | 4): number {
    const at = this.#at;
    if (!this.#pass(width)) return Number.POSITIVE_INFINITY;
    const { isLittle } = this.#encoding;
    if (width === 1) return this.#bytes[at]!;
    return width === 2 ? this.#view.getUint16(at, isLittle) : this.#view.getUint32(at, isLittle);
  }

  #u64(): number {
    const at = this.#at;
    if (!this.#pass(8)) return Number.POSITIVE_INFINITY;
    const { isLittle } = this.#encoding;
    const low = this.#view.getUint32(isLittle ? at : at + 4, isLittle);
    return this.#view.getUint32(isLittle ? at + 4 : at, isLittle) * 0x1_0000_0000 + low;
  }

  #pass(length: number): boolean {
    if (length > this.#bytes.length - this.#at) return false;
    this.#at += length;
    return true;
  }
}

function isOrdinary(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size > 1e-20 && size < 1e20);
}
