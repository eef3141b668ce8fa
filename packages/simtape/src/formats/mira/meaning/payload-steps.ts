import { type Encoding, VALUE_BYTES } from "./payload.ts";
import { type Scalar, SCALAR_BYTES } from "./types.ts";

/** A number that is wanted of a payload's value: the keys that lead to it, and its place. */
export interface Leaf {
  readonly keys: readonly (string | number)[];
  readonly place: number;
}

/** What is wanted of the items of a list, by index. */
export type ByIndex = ReadonlyMap<number, readonly Leaf[]>;

/** Places of those leaves that no keys are left of. */
export function placesOf(leaves: readonly Leaf[]): number[] {
  return leaves.filter(({ keys }) => keys.length === 0).map(({ place }) => place);
}

/** A payload while it is gone through. */
export class Run {
  readonly encoding: Encoding;
  readonly numbers: Float64Array;
  /** By place, in which run it was met last. */
  readonly met: Float64Array;
  index = 0;
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  end = 0;
  room = 0;

  constructor(encoding: Encoding, places: number) {
    this.encoding = encoding;
    this.numbers = new Float64Array(places).fill(Number.NaN);
    this.met = new Float64Array(places);
  }

  put(place: number, number: number): void {
    this.numbers[place] = number;
    this.met[place] = this.index;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** A number of 1, 2, 4 or 8 bytes without sign; -1: it is cut. */
  unsigned(width: number): number {
    const { at, view } = this;
    if (width > this.left) return -1;
    this.at = at + width;
    const { isLittle } = this.encoding;
    if (width === 1) return view.getUint8(at);
    if (width === 2) return view.getUint16(at, isLittle);
    return width === 4 ? view.getUint32(at, isLittle) : wide(view, at, isLittle, false);
  }
}

/** Part of a payload. */
export interface Step {
  /** Goes past it and takes from it what is wanted; false: it does not fit, or is so seldom that others judge it. */
  run(run: Run): boolean;
  /** Bytes of it, where nothing in them can be wrong; null: that has to be looked at. */
  readonly bare: number | null;
}

/** Numbers at places that do not depend on what is there. */
export class Fixed implements Step {
  readonly bare: number | null;
  readonly #size: number;
  readonly #booleans: Int32Array;
  readonly #at: Int32Array;
  readonly #places: Int32Array;
  readonly #scalars: readonly Scalar[];

  constructor(size: number, booleans: readonly number[], found: readonly FixedLeaf[]) {
    this.bare = booleans.length === 0 ? size : null;
    this.#size = size;
    this.#booleans = Int32Array.from(booleans);
    this.#at = Int32Array.from(found, ({ at }) => at);
    this.#places = Int32Array.from(found, ({ place }) => place);
    this.#scalars = found.map(({ scalar }) => scalar);
  }

  run(run: Run): boolean {
    const from = run.at;
    if (run.left < this.#size) return false;
    const booleans = this.#booleans;
    for (let n = 0; n < booleans.length; n++) if (run.bytes[from + booleans[n]!]! > 1) return false;
    const at = this.#at;
    for (let n = 0; n < at.length; n++)
      run.put(this.#places[n]!, numberAt(run.view, from + at[n]!, this.#scalars[n]!, run.encoding.isLittle));
    run.at = from + this.#size;
    return true;
  }
}

export interface FixedLeaf {
  readonly at: number;
  readonly scalar: Scalar;
  readonly place: number;
}

/** A text of ASCII; others are left to those who know all of UTF-8. */
export class Text implements Step {
  readonly bare = null;

  run(run: Run): boolean {
    const length = run.unsigned(run.encoding.countBytes);
    if (length < 0 || length > run.left) return false;
    const end = run.at + length;
    for (let k = run.at; k < end; k++) if (run.bytes[k]! >= 0x80) return false;
    run.at = end;
    return true;
  }
}

/** A count, and as many numbers. */
export class Numbers implements Step {
  readonly bare = null;
  readonly #countBytes: number;
  readonly #scalar: Scalar;
  readonly #indices: readonly number[];
  readonly #places: readonly (readonly number[])[];

  constructor(countBytes: number, scalar: Scalar, wanted: ByIndex) {
    this.#countBytes = countBytes;
    this.#scalar = scalar;
    this.#indices = [...wanted.keys()];
    this.#places = Array.from(wanted.values(), (leaves) => placesOf(leaves));
  }

  run(run: Run): boolean {
    const count = run.unsigned(this.#countBytes);
    const width = SCALAR_BYTES[this.#scalar];
    if (count < 0 || count * width > run.left) return false;
    const from = run.at;
    for (let n = 0; n < this.#indices.length; n++) {
      const index = this.#indices[n]!;
      if (index >= count) continue;
      const number = numberAt(run.view, from + index * width, this.#scalar, run.encoding.isLittle);
      for (const place of this.#places[n]!) run.put(place, number);
    }
    run.at = from + count * width;
    return true;
  }
}

/** Values of one type; how many is said before them, or by the type. */
export class List implements Step {
  readonly bare = null;
  readonly #count: number | null;
  readonly #least: number;
  readonly #item: Steps;
  readonly #wanted: ReadonlyMap<number, Steps>;

  constructor(count: number | null, least: number, item: Steps, wanted: ReadonlyMap<number, Steps>) {
    this.#count = count;
    this.#least = Math.max(1, least);
    this.#item = item;
    this.#wanted = wanted;
  }

  run(run: Run): boolean {
    const count = this.#count ?? run.unsigned(run.encoding.countBytes);
    if (count < 0 || count * this.#least > run.left) return false;
    run.room -= count * VALUE_BYTES;
    if (run.room < 0) return false;
    const { bare } = this.#item;
    if (bare === null) {
      for (let n = 0; n < count; n++) if (!(this.#wanted.get(n) ?? this.#item).run(run)) return false;
      return true;
    }
    const from = run.at;
    if (count * bare > run.left) return false;
    for (const [n, steps] of this.#wanted) {
      if (n >= count) continue;
      run.at = from + n * bare;
      if (!steps.run(run)) return false;
    }
    run.at = from + count * bare;
    return true;
  }
}

/** A class version, and members that depend on it. */
export class Versioned implements Step {
  readonly bare = null;
  readonly #slotBytes: number;
  readonly #fields: readonly { readonly since: number; readonly steps: Steps }[];

  constructor(slotBytes: number, fields: readonly { readonly since: number; readonly steps: Steps }[]) {
    this.#slotBytes = slotBytes;
    this.#fields = fields;
  }

  run(run: Run): boolean {
    const version = run.unsigned(this.#slotBytes);
    if (version < 0) return false;
    for (const { since, steps } of this.#fields) if (version >= since && !steps.run(run)) return false;
    return true;
  }
}

/** Steps one after the other. */
export class Steps {
  readonly #steps: readonly Step[];
  readonly bare: number | null;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.bare = steps.length === 0 ? 0 : steps.length === 1 ? steps[0]!.bare : null;
  }

  run(run: Run): boolean {
    const steps = this.#steps;
    for (let n = 0; n < steps.length; n++) if (!steps[n]!.run(run)) return false;
    return true;
  }
}

function numberAt(view: DataView, at: number, scalar: Scalar, isLittle: boolean): number {
  switch (scalar) {
    case "float":
      return view.getFloat32(at, isLittle);
    case "double":
      return view.getFloat64(at, isLittle);
    case "bool":
    case "uint8":
      return view.getUint8(at);
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
    case "int64":
      return wide(view, at, isLittle, true);
    case "uint64":
      return wide(view, at, isLittle, false);
    default:
      return scalar satisfies never;
  }
}

/** A number of eight bytes, rounded once, as `Number` does. */
function wide(view: DataView, at: number, isLittle: boolean, isSigned: boolean): number {
  const high = isLittle ? at + 4 : at;
  const low = view.getUint32(isLittle ? at : at + 4, isLittle);
  return (isSigned ? view.getInt32(high, isLittle) : view.getUint32(high, isLittle)) * 0x1_0000_0000 + low;
}
