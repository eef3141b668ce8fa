import { applyRows } from "../model/state/apply.ts";
import type { MessageBatch } from "../model/messages/batch.ts";
import type { StateModel } from "../model/state/state-model.ts";
import type { MutableState, State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import { countBefore, countUntil } from "./search.ts";
import { before, type Stretch } from "./stretch.ts";

/** Payload bytes that take about as long to fold as what a message takes for itself. */
const BYTES_OF_EFFORT = 128;

/** A state that goes to and fro over a stretch: forward by folding, back by undoing. */
export class Span {
  readonly stretch: Stretch;
  readonly #model: StateModel;
  readonly #state: MutableState;
  /** Moments folded, ascending: the time, the savepoint before it, and where its first message is. */
  readonly #times: Time[] = [];
  readonly #savepoints: number[] = [];
  readonly #batches: number[] = [];
  readonly #rows: number[] = [];
  /** The next message to fold. */
  #batch: number;
  #row: number;
  /** The savepoint that the last undoing left, for the next moment. */
  #standing: number | null = null;
  /** The two states looked at last, and how many moments went into each. */
  #frozen: readonly { readonly count: number; readonly state: State }[] = [];

  constructor(stretch: Stretch, model: StateModel) {
    this.stretch = stretch;
    this.#model = model;
    this.#state = stretch.base.clone();
    const { batches, start } = stretch;
    const batch = batches.findIndex(({ time, length }) => length > 0 && time[length - 1]! >= start);
    this.#batch = batch < 0 ? batches.length : batch;
    this.#row = batch < 0 ? 0 : countBefore(batches[batch]!.time, start);
  }

  /** The last moment that is folded. */
  get reached(): Time {
    return this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  /** Everything recorded at or before `time`, which must lie in the stretch or be the moment of motion at its end. */
  at(time: Time): State {
    if (time >= this.reached) this.#fold(time, Number.POSITIVE_INFINITY);
    const count = countUntil(this.#times, time);
    return { ...(this.#frozenAt(count) ?? this.#freeze(count)), time };
  }

  /** Folds on as far as `effort` goes: a message costs 1, and 1 for each `BYTES_OF_EFFORT` in it. */
  foldAhead(effort: number): void {
    this.#fold(before(this.stretch.end), effort);
  }

  /** Up to `time`, or to the end of the moment in which the effort is used up. */
  #fold(time: Time, effort: number): void {
    const { batches } = this.stretch;
    let left = effort;
    let moment = this.reached;
    for (; this.#batch < batches.length; this.#batch++, this.#row = 0) {
      const batch = batches[this.#batch]!;
      for (; this.#row < batch.length; this.#row++) {
        const at = batch.time[this.#row]!;
        if (at > time) return;
        if (at !== moment) {
          if (left <= 0) return;
          moment = at;
          this.#begin(at);
        }
        this.#model.apply(this.#state, batch, this.#row);
        left -= 1 + (batch.end[this.#row]! - batch.start[this.#row]!) / BYTES_OF_EFFORT;
      }
    }
  }

  #begin(time: Time): void {
    this.#times.push(time);
    this.#savepoints.push(this.#standing ?? this.#state.savepoint());
    this.#standing = null;
    this.#batches.push(this.#batch);
    this.#rows.push(this.#row);
  }

  #frozenAt(count: number): State | null {
    return this.#frozen.find((frozen) => frozen.count === count)?.state ?? null;
  }

  /** Goes back to the first `count` moments, when there are more. */
  #freeze(count: number): State {
    if (count < this.#times.length) this.#undo(count);
    const state = this.#state.freeze();
    this.#frozen = [...this.#frozen.slice(-1), { count, state }];
    return state;
  }

  #undo(count: number): void {
    this.#standing = this.#savepoints[count]!;
    this.#state.undo(this.#standing);
    this.#batch = this.#batches[count]!;
    this.#row = this.#rows[count]!;
    this.#times.length = count;
    this.#savepoints.length = count;
    this.#batches.length = count;
    this.#rows.length = count;
  }
}

/** Of the messages in `batches` those in `[start, end)` change `state`. */
export function foldRows(
  state: MutableState,
  model: StateModel,
  batches: readonly MessageBatch[],
  start: Time,
  end: Time,
): void {
  for (const batch of batches) {
    applyRows(model, state, batch, countBefore(batch.time, start), countBefore(batch.time, end));
  }
}
