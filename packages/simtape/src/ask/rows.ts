import type { Series } from "../model/query/sinks.ts";
import type { Time } from "../model/values/time.ts";
import type { Spans } from "./spans.ts";

/** Paths that have the same times, and of each row of the batch the place in these that holds there; -1: what held before. */
export interface TimeGroup {
  readonly time: Float64Array;
  place: Int32Array;
  /** 1 at the rows which are moments of the group. */
  fresh: Uint8Array;
  /** Rows of the batch are those of the group. */
  isWhole: boolean;
}

/** Rows of a batch: all times at which something changes. */
export interface Rows {
  readonly time: Float64Array;
  readonly length: number;
  readonly groups: readonly TimeGroup[];
  /** By path. */
  readonly groupOf: readonly number[];
}

/**
 * Puts the times of series, and those at which spans begin and end, into one order. Times of spans up to the last one of
 * the series belong to the batch; with `end`, all before it.
 */
export class RowMaker {
  readonly #changes: Float64Array;
  #at = 0;
  #start: Time | null;

  /** The first row of all is at `start`. */
  constructor(spans: readonly Spans[], start: Time, end: Time) {
    const times = new Set<Time>();
    for (const { from, until } of spans) {
      for (const list of [from, until]) for (const time of list) if (time >= start && time < end) times.add(time);
    }
    this.#changes = Float64Array.from(times).sort();
    this.#start = start;
  }

  /** `end`: this is the last batch. Null: it has no rows. */
  make(series: readonly Series[], end: Time | null): Rows | null {
    const groups: TimeGroup[] = [];
    const known = new Map<Float64Array, number>();
    const groupOf = series.map(({ time }) => {
      const found = known.get(time);
      if (found !== undefined) return found;
      known.set(time, groups.length);
      return groups.push({ time, place: NO_PLACES, fresh: NO_ROWS, isWhole: false }) - 1;
    });
    const last = groups.reduce((most, { time }) => Math.max(most, time.at(-1) ?? most), Number.NEGATIVE_INFINITY);
    const from = this.#at;
    while (this.#at < this.#changes.length && (end !== null || this.#changes[this.#at]! <= last)) this.#at++;
    const changes = this.#changes.subarray(from, this.#at);
    const time = this.#merged(groups, changes, end);
    if (time === null) return null;
    for (const group of groups) place(group, time);
    return { time, length: time.length, groups, groupOf };
  }

  #merged(groups: readonly TimeGroup[], changes: Float64Array, end: Time | null): Float64Array | null {
    const lists = [...groups.map(({ time }) => time), changes].filter((list) => list.length > 0);
    if (lists.length === 0 && (end === null || this.#start === null)) return null;
    const isFirst = this.#start !== null;
    const first = Math.min(...lists.map((list) => list[0]!));
    const begins = isFirst && !(first <= this.#start!) ? [Float64Array.of(this.#start!)] : [];
    this.#start = null;
    const all = [...begins, ...lists];
    if (all.length === 1) return all[0]!;
    const merged = new Float64Array(all.reduce((sum, list) => sum + list.length, 0));
    let at = 0;
    for (const list of all) {
      merged.set(list, at);
      at += list.length;
    }
    merged.sort();
    let length = 0;
    for (let i = 0; i < merged.length; i++) {
      if (length === 0 || merged[i] !== merged[length - 1]) merged[length++] = merged[i]!;
    }
    return merged.subarray(0, length);
  }
}

function place(group: TimeGroup, rows: Float64Array): void {
  const { time } = group;
  if (time === rows) {
    group.isWhole = true;
    group.fresh = new Uint8Array(rows.length).fill(1);
    return;
  }
  const found = new Int32Array(rows.length);
  const fresh = new Uint8Array(rows.length);
  let k = -1;
  for (let i = 0; i < rows.length; i++) {
    const now = rows[i]!;
    if (k + 1 < time.length && time[k + 1] === now) {
      k++;
      fresh[i] = 1;
    }
    found[i] = k;
  }
  group.place = found;
  group.fresh = fresh;
}

const NO_PLACES = new Int32Array(0);
const NO_ROWS = new Uint8Array(0);
