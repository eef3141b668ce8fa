import type { Value } from "../values/value.ts";

/** Makes a value of the bytes from `at` on. */
export type Make = (bytes: Uint8Array, at: number) => Value;

/** A value that is decoded when it is first read: of many such values, few are read. */
export class Late {
  #bytes: Uint8Array | null;
  readonly #at: number;
  readonly #make: Make;
  #value: Value | undefined;

  /** Keeps `bytes`, which must not be written to any more. */
  constructor(bytes: Uint8Array, at: number, make: Make) {
    this.#bytes = bytes;
    this.#at = at;
    this.#make = make;
  }

  /** The same one each time. */
  get value(): Value {
    if (this.#bytes !== null) {
      this.#value = this.#make(this.#bytes, this.#at);
      this.#bytes = null;
    }
    return this.#value!;
  }
}

/** As it is kept: there, or to be made. */
export type Kept = Value | Late;

/** What is kept, as a value. */
export function given(kept: Kept): Value {
  return kept instanceof Late ? kept.value : kept;
}

/** Values by path, some of which are late: a map like any other to those who read it. */
export class LateValues implements ReadonlyMap<string, Value> {
  readonly #kept: ReadonlyMap<string, Kept>;

  constructor(kept: ReadonlyMap<string, Kept>) {
    this.#kept = kept;
  }

  /** What `values` keeps, none of it made for that. */
  static kept(values: ReadonlyMap<string, Value>): ReadonlyMap<string, Kept> {
    return values instanceof LateValues ? values.#kept : values;
  }

  get [Symbol.toStringTag](): string {
    return "Map";
  }

  get size(): number {
    return this.#kept.size;
  }

  has(path: string): boolean {
    return this.#kept.has(path);
  }

  get(path: string): Value | undefined {
    const kept = this.#kept.get(path);
    return kept === undefined ? undefined : given(kept);
  }

  keys(): MapIterator<string> {
    return this.#kept.keys();
  }

  *values(): MapIterator<Value> {
    for (const kept of this.#kept.values()) yield given(kept);
  }

  *entries(): MapIterator<[string, Value]> {
    for (const [path, kept] of this.#kept) yield [path, given(kept)];
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, path: string, values: ReadonlyMap<string, Value>) => void, self?: unknown): void {
    for (const [path, kept] of this.#kept) callback.call(self, given(kept), path, this);
  }
}
