import { applyRows } from "../state/apply.ts";
import { bytesOf, type MessageBatch } from "../messages/batch.ts";
import type { Fold } from "../fold.ts";
import { Growth } from "../state/growth.ts";
import type { Reader } from "../reader.ts";
import type { MutableState } from "../state/state.ts";
import { after, type Time } from "../values/time.ts";

/** Called now and then with how much was gone through, of how much, in nanoseconds; a promise is waited for. */
export type OnProgress = (done: Time, total: Time) => void | Promise<void>;

/** Where a walk stops. */
export interface Stops {
  /** The time up to which, and including it, rows may be folded at once, when the next one is of `next`. */
  until(next: Time): Time;
  /** Notes rows `[from, to)`, which are folded then. */
  rows?(batch: MessageBatch, from: number, to: number): void;
}

export interface WalkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Goes forward through `[start, end)` of a recording once. Rows are folded as far as the stops let it. Between the stops
 * the caller may look at the state, which is always the same one.
 */
export class Walk {
  readonly state: MutableState;
  /** The state holds from here on: everything at or before is in it. */
  from: Time;
  readonly #reader: Reader;
  readonly #fold: Fold;
  readonly #range: { readonly start: Time; readonly end: Time };
  readonly #options: WalkOptions;
  /** By channel: in which run the last row of it was met, where each message replaces those before. */
  readonly #met: Uint32Array;
  readonly #isWhole: readonly boolean[];
  #run = 0;

  private constructor(
    reader: Reader,
    fold: Fold,
    state: MutableState,
    range: { readonly start: Time; readonly end: Time },
    options: WalkOptions,
  ) {
    this.state = state;
    this.from = range.start;
    this.#reader = reader;
    this.#fold = fold;
    this.#range = range;
    this.#options = options;
    const { channels, model } = fold.scope;
    this.#isWhole = reader.channels.map(({ id }) => model.replacesState(id));
    this.#met = channels.some(({ id }) => model.replacesState(id)) ? new Uint32Array(reader.channels.length) : NONE;
  }

  /** The state is that right before `start`; `first` is the time of the first message of all. */
  static async begin(
    reader: Reader,
    fold: Fold,
    range: { readonly start: Time; readonly end: Time },
    first: Time,
    options: WalkOptions,
  ): Promise<Walk> {
    const isFirst = range.start <= first;
    const state = isFirst ? fold.begin() : await fold.at(-after(-range.start), options.signal);
    return new Walk(reader, fold, state, range, options);
  }

  /**
   * The messages, to be folded one batch after the other. Throws the signal's reason when it was aborted. `settle` is for
   * who does not fold all of them at once: it brings the state up to `from`. Messages of other channels may be among them
   * then.
   */
  async *batches(settle?: () => void): AsyncGenerator<MessageBatch> {
    const { scope } = this.#fold;
    const { start, end } = this.#range;
    const { signal, onProgress } = this.#options;
    // rows are dearer to pick than to pass over, when nearly all are wanted
    const isAll = scope.channels.length >= MOST * this.#reader.channels.length;
    if (scope.channels.length === 0 || start >= end) return;
    const growth = new Growth(this.#reader.budget);
    let bytes = 0;
    for await (const batch of this.#reader.batches({
      start,
      end,
      channels: isAll ? undefined : scope.channels,
      isLoose: settle !== undefined,
      signal,
    })) {
      signal?.throwIfAborted();
      if (batch.length === 0) continue;
      if (bytes > 0 && batch.time[0]! > this.from) {
        settle?.();
        this.#fold.offer(this.state, this.from, bytes);
        bytes = 0;
      }
      yield batch;
      const folded = bytesOf(batch);
      bytes += folded;
      growth.folded(this.state, folded);
      const waiting = onProgress?.(this.from - start, end - start);
      if (waiting !== undefined) await waiting;
    }
    signal?.throwIfAborted();
  }

  /** Folds a batch. At each stop, before it folds on, it gives the time until which the state as it is now holds. */
  *fold(batch: MessageBatch, stops: Stops): Generator<Time> {
    const { time, length } = batch;
    let i = 0;
    while (i < length) {
      const next = time[i]!;
      if (next > this.from) yield next;
      const until = stops.until(next);
      let to = i + 1;
      while (to < length && time[to]! <= until) to++;
      stops.rows?.(batch, i, to);
      this.apply(batch, i, to);
      i = to;
    }
  }

  /** Folds rows `[from, to)`. */
  apply(batch: MessageBatch, from: number, to: number): void {
    const { model } = this.#fold.scope;
    this.state.time = batch.time[to - 1]!;
    if (this.#met === NONE || to === from + 1) applyRows(model, this.state, batch, from, to);
    else for (const row of this.counting(batch, from, to)) model.apply(this.state, batch, row);
    this.from = this.state.time;
  }

  /** Of rows `[from, to)` those that count: of channels whose last message is enough only that one. */
  counting(batch: MessageBatch, from: number, to: number): readonly number[] {
    const run = ++this.#run;
    const rows: number[] = [];
    for (let i = to - 1; i >= from; i--) {
      const channel = batch.channel[i]!;
      if (this.#isWhole[channel]! && this.#met[channel] === run) continue;
      this.#met[channel] = run;
      rows.push(i);
    }
    return rows.reverse();
  }

  /** Whether of some channels only the last message counts. */
  get hasWhole(): boolean {
    return this.#met !== NONE;
  }
}

/** Part of the channels from which on all of them are read. */
const MOST = 0.6;
const NONE = new Uint32Array(0);
