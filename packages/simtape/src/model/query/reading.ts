import { applyRows } from "../state/apply.ts";
import type { MessageBatch } from "../messages/batch.ts";
import type { ColumnReader } from "../state/column-reader.ts";
import type { Reader } from "../reader.ts";
import type { Scope } from "../scope.ts";
import type { MutableState } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import type { Probe } from "./probe.ts";
import type { Runs } from "./runs.ts";
import type { Now, Sink } from "./sinks.ts";
import type { Walk } from "./walk.ts";

/** Rows that a column reader has to be given before it is judged, and the part of them that it has to take. */
const JUDGED = 64;
const LEAST_READ = 0.75;

/** Rows at most that are handed to it at once where only what holds behind them counts. */
const STRETCH = 512;

/** What is done with the messages of a channel. */
const PASS = 0;
const FOLD = 1;
const READ = 2;

/**
 * Goes through a recording for a sink: what the format has a column reader for is read ahead of the state, all else is
 * folded. The state is brought up to what was read only where something has to look at it.
 */
export class Reading implements Now {
  readonly #walk: Walk;
  readonly #scope: Scope;
  readonly #sink: Sink;
  #columns: ColumnReader | null;
  from: Time;
  next: Time;
  /** By channel. */
  readonly #routes: Uint8Array;
  /** One column for each number, of one row: the number at its place. */
  readonly #places: readonly Float64Array[];
  /** A run of one row. */
  readonly #one = { rows: new Int32Array(1), slots: new Int32Array(1), count: 1 };
  /** A run of rows that all have one slot. */
  readonly #stretch = { rows: new Int32Array(STRETCH), slots: new Int32Array(STRETCH) };
  #runs: Runs | null = null;
  /** Rows were read since the state was settled. */
  #isAhead = false;
  #readRows = 0;
  #missed = 0;

  /** `columnar` reads columns where the format has a reader of them; null: it has none, and all is folded. */
  constructor(
    reader: Reader,
    scope: Scope,
    walk: Walk,
    sink: Sink,
    probes: readonly Probe[],
    columnar: typeof import("./columnar.ts") | null,
  ) {
    this.#walk = walk;
    this.from = this.next = walk.from;
    this.#scope = scope;
    this.#sink = sink;
    this.#routes = new Uint8Array(reader.channels.length);
    for (const { id } of scope.channels) this.#routes[id] = FOLD;
    const found = columnar?.columnsOf(reader, scope, probes) ?? null;
    this.#columns = found?.columns ?? null;
    this.#places = [];
    if (columnar === null || found === null) return;
    const { numbers } = probes[0]!;
    this.#places = Array.from(numbers, (_, place) => numbers.subarray(place, place + 1));
    for (const id of found.channels) this.#routes[id] = READ;
    found.columns.begin(walk.state);
    sink.readBy((probe) => found.probes.has(probe));
    const isPassed = Array.from(this.#routes, (route) => route === PASS);
    this.#runs = new columnar.Runs(found.columns, sink, isPassed, found.speeding);
  }

  /** Whether a column reader is at work. */
  get isReading(): boolean {
    return this.#columns !== null;
  }

  get state(): MutableState {
    return this.#walk.state;
  }

  settle(): void {
    if (!this.#isAhead) return;
    this.#isAhead = false;
    this.#walk.state.time = this.from;
    this.#columns?.settle(this.#walk.state);
  }

  giveUp(): void {
    this.settle();
    this.#columns = null;
    this.#runs = null;
    for (const [id, route] of this.#routes.entries()) if (route === READ) this.#routes[id] = FOLD;
    this.#sink.readBy(() => false);
  }

  /** Goes on from row `i` of a batch, as far as the sink has room; gives the row to go on from. */
  advance(batch: MessageBatch, i: number): number {
    const { time, channel, length } = batch;
    const sink = this.#sink;
    const routes = this.#routes;
    const { isAtMoments } = sink;
    let at = i;
    while (at < length) {
      if (routes[channel[at]!] === PASS) {
        at++;
        continue;
      }
      const next = time[at]!;
      if (next > this.from) {
        this.next = next;
        if (sink.hold(this) || sink.isFull) return at;
        const runTo = this.#runs === null || next < sink.start ? at : this.#read(this.#runs, batch, at);
        if (runTo > at) {
          at = runTo;
          continue;
        }
      }
      const until = isAtMoments ? next : sink.until(next);
      let to = at + 1;
      while (to < length && time[to]! <= until) to++;
      sink.rows(batch, at, to);
      if (this.#columns === null) this.#walk.apply(batch, at, to);
      else this.#take(batch, at, to);
      this.from = time[to - 1]!;
      at = to;
    }
    this.#walk.from = this.from;
    const isJudged = this.#columns !== null && this.#missed > JUDGED;
    if (isJudged && this.#readRows < LEAST_READ * (this.#readRows + this.#missed)) this.giveUp();
    return at;
  }

  /** Holds what is until the end; true: the sink is full, and this has to be called again. */
  end(time: Time): boolean {
    this.next = time;
    return this.#sink.hold(this);
  }

  /** Reads a run, and gives the row behind it. */
  #read(runs: Runs, batch: MessageBatch, from: number): number {
    const before = runs.taken;
    const to = runs.read(batch, from);
    if (to === from) return from;
    this.#readRows += runs.taken - before;
    this.#isAhead = true;
    this.from = runs.time;
    return to;
  }

  /** Takes rows `[from, to)`, of which what holds behind the last one counts. */
  #take(batch: MessageBatch, from: number, to: number): void {
    if (to === from + 1) {
      this.#takeRow(batch, from);
      return;
    }
    const counting = this.#walk.hasWhole ? this.#walk.counting(batch, from, to) : null;
    const length = counting?.length ?? to - from;
    const { rows } = this.#stretch;
    let count = 0;
    for (let n = 0; n < length; n++) {
      const row = counting === null ? from + n : counting[n]!;
      const route = this.#routes[batch.channel[row]!];
      if (route === READ) rows[count++] = row;
      if (count > 0 && (route === FOLD || count === STRETCH)) {
        this.#takeStretch(batch, count);
        count = 0;
      }
      if (route === FOLD) this.#fold(batch, row);
    }
    if (count > 0) this.#takeStretch(batch, count);
  }

  /** Takes rows that are for the column reader, all into one slot. */
  #takeStretch(batch: MessageBatch, count: number): void {
    const { rows, slots } = this.#stretch;
    for (let n = 0; n < count; n++) {
      const left = n === 0 ? rows : rows.subarray(n);
      const taken = this.#columns!.read({ batch, rows: left, slots, count: count - n }, this.#places);
      this.#readRows += taken;
      if (taken > 0) this.#isAhead = true;
      n += taken;
      if (n < count) this.#giveBack(batch, rows[n]!);
    }
  }

  #takeRow(batch: MessageBatch, i: number): void {
    const route = this.#routes[batch.channel[i]!];
    if (route === FOLD) this.#fold(batch, i);
    if (route !== READ) return;
    const { rows, slots, count } = this.#one;
    rows[0] = i;
    if (this.#columns!.read({ batch, rows, slots, count }, this.#places) === 1) {
      this.#isAhead = true;
      this.#readRows++;
    } else this.#giveBack(batch, i);
  }

  /** Folds a row that the column reader did not take. */
  #giveBack(batch: MessageBatch, i: number): void {
    this.#missed++;
    this.settle();
    this.#fold(batch, i);
    this.#columns!.begin(this.#walk.state);
    this.#sink.spoil();
  }

  #fold(batch: MessageBatch, i: number): void {
    const { state } = this.#walk;
    state.time = batch.time[i]!;
    applyRows(this.#scope.model, state, batch, i, i + 1);
  }
}
