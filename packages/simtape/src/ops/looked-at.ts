import { Budget } from "../bytes/budget.ts";
import type { Reader } from "../model/reader.ts";
import type { State } from "../model/state/state.ts";
import type { Value } from "../model/values/value.ts";

/**
 * Bytes that a value counts for at each moment it is looked at. Of the usual budget, 5,000 values may then hold while one
 * of them changes in every message of 80 bytes; a file whose every message adds a value, so that the work is the square of
 * its size, is refused.
 */
const VALUE = 4;

/** Counts the values that are looked at again because one of them has changed: work that the budget limits. */
export class LookedAt {
  readonly #budget: Budget;
  readonly #bytes: number;
  #counted = 0;
  #last: ReadonlyMap<string, Value> | null = null;

  constructor({ budget, info }: Reader) {
    this.#budget = budget ?? new Budget();
    this.#bytes = info.bytes ?? 0;
  }

  /** The state at a moment. Throws `BudgetError` when that is too much for a recording of its size. */
  add({ values }: State): void {
    if (values === this.#last) return;
    this.#last = values;
    this.#counted += values.size * VALUE;
    this.#budget.expand("reading its values at every moment", this.#counted, this.#bytes);
  }
}
