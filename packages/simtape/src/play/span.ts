import type { MessageBatch } from "../model/batch.ts";
import type { StateModel } from "../model/reader.ts";
import type { MutableState, State } from "../model/state.ts";
import type { Time } from "../model/time.ts";
import type { Stretch } from "./stretch.ts";

/** A state that goes to and fro over a stretch: forward by folding, back by undoing. */
export class Span {
  readonly stretch: Stretch;
  readonly #model: StateModel;
  readonly #state: MutableState;
  /** Moments folded, ascending: the time, the mark set before it, and where its first message is. */
  readonly #times: Time[] = [];
  readonly #marks: number[] = [];
  readonly #batches: number[] = [];
  readonly #rows: number[] = [];
  /** The next message to fold. */
  #batch: number;
  #row: number;
  /** The mark that the last undoing left, for the next moment. */
  #standing: number | null = null;
  #frozen: State | null = null;

  constructor(stretch: Stretch, model: StateModel) {
    this.stretch = stretch;
    this.#model = model;
    this.#state = stretch.base.clone();
    const { batches, start } = stretch;
    const batch = batches.findIndex(({ time, length }) => length > 0 && time[length - 1]! >= start);
    this.#batch = batch < 0 ? batches.length : batch;
    this.#row = batch < 0 ? 0 : firstRow(batches[batch]!, start);
  }

  /** Everything recorded at or before `time`, which must lie in the stretch or be the moment of motion at its end. */
  at(time: Time): State {
    if (time < (this.#times.at(-1) ?? Number.NEGATIVE_INFINITY)) this.#undo(time);
    else this.#fold(time);
    this.#frozen ??= this.#state.freeze();
    return { ...this.#frozen, time };
  }

  #fold(time: Time): void {
    const { batches } = this.stretch;
    let moment = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
    for (; this.#batch < batches.length; this.#batch++, this.#row = 0) {
      const batch = batches[this.#batch]!;
      for (; this.#row < batch.length; this.#row++) {
        const at = batch.time[this.#row]!;
        if (at > time) return;
        if (at !== moment) {
          moment = at;
          this.#begin(at);
        }
        this.#model.apply(this.#state, batch, this.#row);
      }
    }
  }

  #begin(time: Time): void {
    this.#times.push(time);
    this.#marks.push(this.#standing ?? this.#state.mark());
    this.#standing = null;
    this.#batches.push(this.#batch);
    this.#rows.push(this.#row);
    this.#frozen = null;
  }

  #undo(time: Time): void {
    let count = this.#times.length;
    while (count > 0 && this.#times[count - 1]! > time) count--;
    this.#standing = this.#marks[count]!;
    this.#state.undo(this.#standing);
    this.#batch = this.#batches[count]!;
    this.#row = this.#rows[count]!;
    this.#times.length = count;
    this.#marks.length = count;
    this.#batches.length = count;
    this.#rows.length = count;
    this.#frozen = null;
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
    for (let i = firstRow(batch, start); i < batch.length && batch.time[i]! < end; i++) model.apply(state, batch, i);
  }
}

/** The first row at or after `time`. */
function firstRow(batch: MessageBatch, time: Time): number {
  let low = 0;
  let high = batch.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (batch.time[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
