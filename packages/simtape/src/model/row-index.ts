/** Ids below this are looked up in an array. */
const SMALL = 1 << 16;

/** Which row a thing is in, by its id. Most ids are small whole numbers, and are looked up for every message. */
export class RowIndex {
  /** Row + 1 by id; 0: none. */
  #small = new Int32Array(0);
  readonly #others: Map<number | string, number>;

  constructor(others: Map<number | string, number> = new Map()) {
    this.#others = others;
  }

  /** The row of `id`, or -1. */
  get(id: number | string): number {
    const small = this.#small;
    if (typeof id === "number" && id >= 0 && id < small.length && (id | 0) === id) return small[id]! - 1;
    return this.#others.size === 0 ? -1 : (this.#others.get(id) ?? -1);
  }

  set(id: number | string, row: number): void {
    if (!isSmall(id)) {
      this.#others.set(id, row);
      return;
    }
    if (id >= this.#small.length) this.#grow(id);
    this.#small[id] = row + 1;
  }

  delete(id: number | string): void {
    if (!isSmall(id)) this.#others.delete(id);
    else if (id < this.#small.length) this.#small[id] = 0;
  }

  clone(): RowIndex {
    const copy = new RowIndex(new Map(this.#others));
    copy.#small = this.#small.slice();
    return copy;
  }

  #grow(id: number): void {
    const grown = new Int32Array(Math.max(id + 1, this.#small.length * 2, 16));
    grown.set(this.#small);
    this.#small = grown;
  }
}

function isSmall(id: number | string): id is number {
  return typeof id === "number" && id >= 0 && id < SMALL && (id | 0) === id;
}
