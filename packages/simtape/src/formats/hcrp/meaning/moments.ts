/** Numbers that lie in one array: where each is, and its place among the columns that it goes to. */
export interface Source {
  numbers: Float64Array;
  readonly at: Int32Array;
  readonly places: readonly number[];
}

/** Numbers that are held at once: they stay close at hand. */
const HELD = 4096;

/**
 * What numbers are at moments: taken moment by moment and put into columns number by number. To write to each column at each
 * moment would take several times as long.
 */
export class Moments {
  readonly #sources: readonly Source[];
  /** In the order of a moment's numbers. */
  readonly #places: readonly number[];
  /** By place whether it is among them. */
  readonly #isPut: boolean[] = [];
  /** Moment after moment. */
  readonly #numbers: Float64Array;
  readonly #slots: Int32Array;
  #count = 0;

  constructor(sources: readonly Source[]) {
    this.#sources = sources;
    this.#places = sources.flatMap(({ places }) => places);
    for (const place of this.#places) this.#isPut[place] = true;
    const width = this.#places.length;
    this.#slots = new Int32Array(Math.max(1, Math.floor(HELD / Math.max(1, width))));
    this.#numbers = new Float64Array(this.#slots.length * width);
  }

  /** Whether each moment has a number for that place. */
  writes(place: number): boolean {
    return this.#isPut[place] === true;
  }

  /** Takes what the numbers are now, which belongs to a slot; true: there is no room for more. */
  take(slot: number): boolean {
    const held = this.#numbers;
    let to = this.#count * this.#places.length;
    for (const { numbers, at } of this.#sources) for (let n = 0; n < at.length; n++) held[to++] = numbers[at[n]!]!;
    this.#slots[this.#count++] = slot;
    return this.#count === this.#slots.length;
  }

  /** Puts what was taken into columns, which are by place. */
  put(columns: readonly Float64Array[]): void {
    const [places, slots, held, count] = [this.#places, this.#slots, this.#numbers, this.#count];
    const width = places.length;
    for (let n = 0; n < width; n++) {
      const column = columns[places[n]!]!;
      for (let k = 0, from = n; k < count; k++, from += width) column[slots[k]!] = held[from]!;
    }
    this.#count = 0;
  }
}
