import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import type { Value } from "../../../model/value.ts";
import { type RosField, rosTypes, type RosTypes, SCALARS } from "./ros-types.ts";
import type { Decode } from "./schema.ts";

/** Memory that the values of one message may take, about. */
const ROOM = 64 << 20;
const ITEM = 16;
const OBJECT = 128;

/** Bytes of numbers; text and times are not here. */
const SIZES: Readonly<Record<string, number>> = {
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

/** ROS 1: numbers are little-endian and without gaps, text has its length before it (spec §6). */
export function ros1Decoder(definition: Uint8Array, root: string): Decode | null {
  return decoder(definition, root, (payload) => new RosReader(payload, 0, true, 1, false));
}

/**
 * ROS 2: a head of four bytes, then numbers at multiples of their size, counted from behind the head; text ends with a
 * zero that its length counts. The head tells the byte order, and whether the largest multiple is 8 or 4.
 */
export function cdrDecoder(definition: Uint8Array, root: string): Decode | null {
  return decoder(definition, root, (payload) => {
    const kind = payload.length < 4 || payload[0] !== 0 ? -1 : payload[1]!;
    if (kind !== 0 && kind !== 1 && kind !== 6 && kind !== 7) {
      throw new LayoutError("malformed", "the payload is no plain CDR", 0);
    }
    return new RosReader(payload, 4, (kind & 1) === 1, kind < 2 ? 8 : 4, true);
  });
}

function decoder(definition: Uint8Array, root: string, open: (payload: Uint8Array) => RosReader): Decode | null {
  const types = rosTypes(UTF8.decode(definition), root);
  if (types === null) return null;
  const name = root.replace("/msg/", "/");
  return (payload) => open(payload).message(types, name);
}

class RosReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #origin: number;
  readonly #isLittle: boolean;
  /** The largest multiple that numbers stand at; 1: they stand anywhere. */
  readonly #align: number;
  readonly #hasZero: boolean;
  #at: number;
  #room = ROOM;

  constructor(bytes: Uint8Array, at: number, isLittle: boolean, align: number, hasZero: boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#origin = at;
    this.#at = at;
    this.#isLittle = isLittle;
    this.#align = align;
    this.#hasZero = hasZero;
  }

  message(types: RosTypes, name: string): { [key: string]: Value } {
    this.#claim(OBJECT);
    const value: { [key: string]: Value } = {};
    for (const field of types.get(name) ?? []) value[field.name] = this.#field(types, field);
    return value;
  }

  #field(types: RosTypes, { type, count }: RosField): Value {
    if (count === "one") return this.#one(types, type);
    const length = count === "many" ? this.#number("uint32") : count;
    const size = SIZES[type];
    // every item but an empty message takes a byte at least
    if (SCALARS.has(type) && length * (size ?? 1) > this.#bytes.length - this.#at) this.#cut(length * (size ?? 1));
    this.#claim(length * (size ?? ITEM));
    if (size !== undefined && type !== "bool") return this.#numbers(type, length, size);
    if (!SCALARS.has(type)) this.#claim(length * OBJECT);
    return Array.from({ length }, () => this.#one(types, type));
  }

  #one(types: RosTypes, type: string): Value {
    switch (type) {
      case "bool":
        return this.#number("uint8") !== 0;
      case "string":
        return this.#text();
      case "time":
        return { sec: this.#number("uint32"), nsec: this.#number("uint32") };
      case "duration":
        return { sec: this.#number("int32"), nsec: this.#number("int32") };
      case "int64":
        return exact(this.#view.getBigInt64(this.#take(8, 8), this.#isLittle));
      case "uint64":
        return exact(this.#view.getBigUint64(this.#take(8, 8), this.#isLittle));
      default:
        return SCALARS.has(type) ? this.#number(type) : this.message(types, type);
    }
  }

  /** Numbers of one type: a typed array where there is one for them. */
  #numbers(type: string, length: number, size: number): Value {
    if (length > 0) this.#alignTo(size);
    if (length * size > this.#bytes.length - this.#at) this.#cut(length * size);
    if (type === "uint8" || type === "byte" || type === "char") {
      const at = this.#take(length, 1);
      return this.#bytes.subarray(at, at + length);
    }
    const make = ARRAYS[type];
    if (make === undefined) {
      this.#claim(length * ITEM);
      return Array.from({ length }, () => this.#one(NO_TYPES, type));
    }
    const values = make(length);
    for (let i = 0; i < length; i++) values[i] = this.#number(type);
    return values;
  }

  #number(type: string): number {
    const size = SIZES[type] ?? 1;
    const at = this.#take(size, size);
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

  #text(): string {
    const length = this.#number("uint32");
    const at = this.#take(length, 1);
    const hasZero = this.#hasZero && length > 0 && this.#bytes[at + length - 1] === 0;
    return UTF8.decode(this.#bytes.subarray(at, at + length - (hasZero ? 1 : 0)));
  }

  #take(length: number, size: number): number {
    this.#alignTo(size);
    const at = this.#at;
    if (length > this.#bytes.length - at) this.#cut(length);
    this.#at = at + length;
    return at;
  }

  #alignTo(size: number): void {
    const to = Math.min(size, this.#align);
    const over = (this.#at - this.#origin) % to;
    if (over > 0) this.#at += to - over;
  }

  #claim(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new LayoutError("malformed", "more values than one message may have", this.#at);
  }

  #cut(length: number): never {
    const left = Math.max(0, this.#bytes.length - this.#at);
    throw new LayoutError("truncated", `the payload needs ${length} bytes, ${left} are left`, this.#at);
  }
}

const NO_TYPES: RosTypes = new Map();

type Numbers = Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

const ARRAYS: Readonly<Record<string, (length: number) => Numbers>> = {
  uint16: (length) => new Uint16Array(length),
  int32: (length) => new Int32Array(length),
  uint32: (length) => new Uint32Array(length),
  float32: (length) => new Float32Array(length),
  float64: (length) => new Float64Array(length),
};
