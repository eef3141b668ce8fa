/** Rows for which there is always room in the array, and places of it for each thing there is. */
const ROOM = 64;
const SPARSE = 4;

/**
 * Which row a thing is in, by its id. Most ids are small whole numbers and are looked up for every message, in an array;
 * what would make it mostly empty, and text, is in a map. Memory grows with the number of things, not with their ids.
 */
export class RowIndex {
  /** Row + 1 by id; 0: not here. */
  #small = new Int32Array(0);
  readonly #others: Map<number | string, number>;
  #count = 0;

  constructor(others: Map<number | string, number> = new Map()) {
    this.#others = others;
  }

  /** The row of `id`, or -1. */
  get(id: number | string): number {
    const small = this.#small;
    if (typeof id === "number" && id >= 0 && id < small.length && (id | 0) === id) {
      const row = small[id]!;
      if (row !== 0) return row - 1;
    }
    return this.#others.size === 0 ? -1 : (this.#others.get(id) ?? -1);
  }

  set(id: number | string, row: number): void {
    if (this.get(id) < 0) this.#count++;
    if (this.#others.has(id) || !this.#isSmall(id)) this.#others.set(id, row);
    else {
      if (id >= this.#small.length) this.#grow(id);
      this.#small[id] = row + 1;
    }
  }

  delete(id: number | string): void {
    if (this.get(id) < 0) return;
    this.#count--;
    if (!this.#others.delete(id)) this.#small[id as number] = 0;
  }

  clone(): RowIndex {
    const copy = new RowIndex(new Map(this.#others));
    copy.#small = this.#small.slice();
    copy.#count = this.#count;
    return copy;
  }

  #isSmall(id: number | string): id is number {
    return typeof id === "number" && id >= 0 && id < ROOM + SPARSE * this.#count && (id | 0) === id;
  }

  #grow(id: number): void {
    const grown = new Int32Array(Math.max(id + 1, this.#small.length * 2, 16));
    grown.set(this.#small);
    this.#small = grown;
  }
}
