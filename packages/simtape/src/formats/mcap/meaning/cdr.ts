import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import type { Value } from "../../../model/values/value.ts";

/** Memory that the values of one message may take, about. */
const ROOM = 64 << 20;
/** Memory of a value in a list, and of an object. */
export const ITEM = 16;
export const OBJECT = 128;

/** Bytes of numbers, by their names in message definitions. */
export const SIZES: Readonly<Record<string, number>> = {
  bool: 1,
  byte: 1,
  char: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  int64: 8,
  uint64: 8,
  float64: 8,
};

const UTF8 = new TextDecoder();

/** How the numbers of a payload stand. */
export interface CdrLayout {
  /** Where the first value is; numbers stand at multiples of their size from there. */
  readonly at: number;
  readonly isLittle: boolean;
  /** The largest multiple that numbers stand at; 1: they stand anywhere. */
  readonly align: number;
  /** Whether a text ends with a zero, which its length counts. */
  readonly hasZero: boolean;
}

/** Reads numbers, lists of numbers and texts of ROS and DDS. Every length is checked before memory is taken. */
export class CdrReader {
  /** Where the next value is, before its gap. */
  at: number;
  /** Multiples are counted from here. */
  origin: number;
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isLittle: boolean;
  readonly #align: number;
  readonly #hasZero: boolean;
  #room = ROOM;

  constructor(bytes: Uint8Array, { at, isLittle, align, hasZero }: CdrLayout) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.origin = at;
    this.at = at;
    this.#isLittle = isLittle;
    this.#align = align;
    this.#hasZero = hasZero;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** One number or boolean. */
  one(type: string): Value {
    switch (type) {
      case "bool":
        return this.number("uint8") !== 0;
      case "int64":
        return exact(this.#view.getBigInt64(this.take(8, 8), this.#isLittle));
      case "uint64":
        return exact(this.#view.getBigUint64(this.take(8, 8), this.#isLittle));
      default:
        return this.number(type);
    }
  }

  /** Numbers of one type: a typed array where there is one for them. */
  numbers(type: string, length: number, size: number): Value {
    if (length > 0) this.alignTo(size);
    if (length * size > this.bytes.length - this.at) this.cut(length * size);
    if (type === "uint8" || type === "byte" || type === "char") {
      const at = this.take(length, 1);
      return this.bytes.subarray(at, at + length);
    }
    const make = ARRAYS[type];
    if (make === undefined) {
      this.claim(length * ITEM);
      return Array.from({ length }, () => this.one(type));
    }
    const values = make(length);
    for (let i = 0; i < length; i++) values[i] = this.number(type);
    return values;
  }

  number(type: string): number {
    const size = SIZES[type] ?? 1;
    const at = this.take(size, size);
    const [view, isLittle] = [this.#view, this.#isLittle];
    switch (type) {
      case "int8":
        return view.getInt8(at);
      case "int16":
        return view.getInt16(at, isLittle);
      case "uint16":
        return view.getUint16(at, isLittle);
      case "int32":
        return view.getInt32(at, isLittle);
      case "uint32":
        return view.getUint32(at, isLittle);
      case "float32":
        return view.getFloat32(at, isLittle);
      case "float64":
        return view.getFloat64(at, isLittle);
      default:
        return view.getUint8(at);
    }
  }

  text(): string {
    const length = this.number("uint32");
    const at = this.take(length, 1);
    const hasZero = this.#hasZero && length > 0 && this.bytes[at + length - 1] === 0;
    return UTF8.decode(this.bytes.subarray(at, at + length - (hasZero ? 1 : 0)));
  }

  /** Place of the next `length` bytes, which stand at a multiple of `size`; moves behind them. */
  take(length: number, size: number): number {
    this.alignTo(size);
    const at = this.at;
    if (length > this.bytes.length - at) this.cut(length);
    this.at = at + length;
    return at;
  }

  /** Moves to a place in the payload. */
  seek(at: number): void {
    if (at > this.bytes.length) this.cut(at - this.at);
    this.at = at;
  }

  alignTo(size: number): void {
    const to = Math.min(size, this.#align);
    const over = (this.at - this.origin) % to;
    if (over > 0) this.at += to - over;
  }

  /** Asked before values are made: `bytes` is the memory that they will take, about. */
  claim(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new LayoutError("malformed", "more values than one message may have", this.at);
  }

  cut(length: number): never {
    const left = Math.max(0, this.bytes.length - this.at);
    throw new LayoutError("truncated", `the payload needs ${length} bytes, ${left} are left`, this.at);
  }
}

type Numbers = Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

const ARRAYS: Readonly<Record<string, (length: number) => Numbers>> = {
  uint16: (length) => new Uint16Array(length),
  int32: (length) => new Int32Array(length),
  uint32: (length) => new Uint32Array(length),
  float32: (length) => new Float32Array(length),
  float64: (length) => new Float64Array(length),
};
