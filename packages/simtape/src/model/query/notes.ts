import { Budget } from "../../bytes/budget.ts";

/** Memory of one thing that is noted, about. */
export const NOTE = 384;

/** Notes between two looks at the budget. */
const LOOK_EVERY = 1024;

/** Counts what is noted: more than the budget has is over budget. */
export class Notes {
  readonly #budget: Budget;
  readonly #beside: () => number;
  #count = 0;

  /**
   * The usual budget, when the reader has none of its own; `beside`: bytes that what the notes are of takes at the same
   * time.
   */
  constructor(budget: Budget = new Budget(), beside: () => number = nothing) {
    this.#budget = budget;
    this.#beside = beside;
  }

  /** `count`: how many usual notes what is noted takes. */
  add(count = 1): void {
    this.#count += count;
    if (this.#count % LOOK_EVERY >= count) return;
    this.#budget.fit("the paths of a recording", this.#count * NOTE + this.#beside());
  }
}

function nothing(): number {
  return 0;
}
