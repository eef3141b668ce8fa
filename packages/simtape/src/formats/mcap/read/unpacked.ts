import type { Budget } from "../../../bytes/budget.ts";

/**
 * Records of compressed chunks that a scan has unpacked, as far as the budget spares room for them: the first reading
 * takes them, and unpacks nothing twice.
 */
export class Unpacked {
  readonly #budget: Budget;
  readonly #byOffset = new Map<number, Uint8Array>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Keeps the records of the chunk at `offset`, if there is room. */
  keep(offset: number, records: Uint8Array): void {
    if (this.#budget.spare(records.length, this.#forget)) this.#byOffset.set(offset, records);
  }

  /** The records of the chunk at `offset`, which are kept no longer; null: they are not kept. */
  take(offset: number): Uint8Array | null {
    const records = this.#byOffset.get(offset);
    if (records === undefined) return null;
    this.#byOffset.delete(offset);
    this.#budget.spareNoLonger(records.length);
    return records;
  }

  readonly #forget = (): void => this.#byOffset.clear();
}
