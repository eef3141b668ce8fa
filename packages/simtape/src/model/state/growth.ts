import { Budget } from "../../bytes/budget.ts";
import { applyRows } from "./apply.ts";
import type { MessageBatch } from "../messages/batch.ts";
import type { StateModel } from "./state-model.ts";
import type { MutableState } from "./state.ts";

/** Payload bytes folded at once: so much may come of a state before it is looked at again. */
const SLICE = 1 << 20;
/** Bytes of state that come of one byte of payload, at most and about. */
const GROWTH = 64;
/** A state is weighed again when what was folded since could fill this share of the budget: weighing looks at all of it. */
const SHARE = 64;

/** Folds rows into one state, and weighs the state whenever what was folded could have made it too large. */
export class Growth {
  readonly #budget: Budget;
  readonly #copies: number;
  /** Weight of the state when it was weighed last, and payload bytes folded since. */
  #weight = 0;
  #since = 0;

  /** `copies`: how often the state is held: twice at least, as it is folded and as it is shown. The usual budget, when the reader has none of its own. */
  constructor(budget: Budget = new Budget(), copies = 2) {
    this.#copies = copies;
    this.#budget = budget;
  }

  /** Folds rows `[from, to)`. Throws `BudgetError` when the state has become too large. */
  apply(model: StateModel, state: MutableState, batch: MessageBatch, from: number, to: number): void {
    for (let row = from; row < to; ) {
      const first = row;
      let bytes = 0;
      while (row < to && bytes < SLICE) {
        bytes += batch.end[row]! - batch.start[row]!;
        row++;
      }
      applyRows(model, state, batch, first, row);
      this.folded(state, bytes);
    }
  }

  /** To be called when `bytes` of payload were folded into `state` in another way. */
  folded(state: MutableState, bytes: number): void {
    this.#since += bytes;
    const added = this.#since * GROWTH * this.#copies;
    const { limit } = this.#budget;
    if (this.#weight * this.#copies + added <= limit || (this.#weight > 0 && added < limit / SHARE)) return;
    this.#weight = state.weigh();
    this.#since = 0;
    this.#budget.fit("state", this.#weight * this.#copies);
  }
}
