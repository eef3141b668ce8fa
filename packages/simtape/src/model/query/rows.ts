import type { Room } from "./line.ts";
import type { Time } from "../values/time.ts";
import type { Probe } from "./probe.ts";

/** Rows there is room for at first, and rows from which on it is worth to foresee how many there will be. */
const LEAST = 64;
const FORESEEN = 1024;
/** The part of the time that has to be over for that, and how much more room is made than foreseen. */
const OVER = 1 / 32;
const SPARE = 1.02;
/** How many times as many rows there is room for at least when they become more. */
const GROWTH = 1.25;
/** Room that is left is given out with the numbers if it is at most this part of them: to copy them would take longer. */
const LEFT = 1 / 8;
/** Memory of a text beside its characters. */
const TEXT = 48;

/** What of one path was drained. */
export interface DrainedLine {
  readonly value: Float64Array;
  readonly valid: Uint8Array;
  readonly texts: readonly string[];
}

/** Columns that rows are put into from outside: the times, and one for each path. */
export interface OpenRows {
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  /** The first free row. */
  readonly from: number;
}

/**
 * What paths that have their times in common were: a row for each time, a column for each path. Which paths were there is
 * noted only when it changes.
 */
export class Rows {
  readonly #room: Room;
  readonly #probes: readonly Probe[];
  readonly #numbers: Float64Array;
  /** Place of the first path; the others follow it. */
  readonly #first: number;
  /** From when to when rows are pushed. */
  readonly #range: { readonly start: Time; readonly end: Time };
  /** Rows after which it is drained. */
  readonly #most: number;
  #time: Float64Array<ArrayBuffer> = new Float64Array(0);
  #columns: Float64Array<ArrayBuffer>[];
  #length = 0;
  /** Rows that were drained last. */
  #before = 0;
  /** Of each run of rows the first, and by path whether it was there. */
  #runs: { readonly from: number; readonly isThere: Uint8Array }[] = [];
  /** By path; null where there was no text. */
  readonly #texts: (Map<string, number> | null)[];
  #bytes = 0;

  /** `probes` have places one behind the other among `numbers`. */
  constructor(room: Room, probes: readonly Probe[], range: { readonly start: Time; readonly end: Time }, most: number) {
    this.#room = room;
    this.#probes = probes;
    this.#numbers = probes[0]?.numbers ?? new Float64Array(0);
    this.#first = probes[0]?.place ?? 0;
    this.#range = range;
    this.#most = Math.ceil(most / Math.max(1, probes.length)) + 1;
    this.#columns = probes.map(() => new Float64Array(0));
    this.#texts = probes.map(() => null);
  }

  get length(): number {
    return this.#length;
  }

  /** Whether nothing was noted since it was drained. */
  get isBlank(): boolean {
    return this.#runs.length === 0;
  }

  /** A row of what the numbers are now. What is there, and texts, are as they were noted last. */
  push(time: number): void {
    if (this.#length === this.#time.length) this.#grow(time);
    const numbers = this.#numbers;
    const columns = this.#columns;
    const at = this.#length++;
    this.#time[at] = time;
    for (let k = 0, place = this.#first; k < columns.length; k++, place++) columns[k]![at] = numbers[place]!;
  }

  /** For rows from `time` on that are put into the columns from outside, as far as there is room for them. */
  open(time: number): OpenRows {
    if (this.#length === this.#time.length) this.#grow(time);
    return { time: this.#time, columns: this.#columns, from: this.#length };
  }

  /** So many more rows are in the columns. */
  filled(count: number): void {
    this.#length += count;
  }

  /** To be called before rows are pushed in which other paths are there, or other texts; and after a draining. */
  note(): void {
    const probes = this.#probes;
    const last = this.#runs.at(-1)?.isThere;
    let isSame = last !== undefined;
    for (let k = 0; k < probes.length; k++) {
      const { isThere, words } = probes[k]!;
      if (isSame && last![k] !== (isThere ? 1 : 0)) isSame = false;
      if (words !== null) this.#numbers[this.#first + k] = this.#placeOf(k, words);
    }
    if (!isSame)
      this.#runs.push({ from: this.length, isThere: Uint8Array.from(probes, ({ isThere }) => (isThere ? 1 : 0)) });
  }

  #placeOf(k: number, words: string): number {
    const texts = this.#texts[k] ?? new Map<string, number>();
    this.#texts[k] = texts;
    const known = texts.get(words);
    if (known !== undefined) return known;
    this.#take(TEXT + 2 * words.length);
    const place = texts.size;
    texts.set(words, place);
    return place;
  }

  #take(bytes: number): void {
    this.#room.take(bytes);
    this.#bytes += bytes;
  }

  #grow(time: number): void {
    const { length } = this;
    const width = this.#columns.length + 1;
    // what is drained has a byte more for each number
    const bytes = (rows: number): number => rows * 9 * width;
    const foreseen = this.#foreseen(time);
    const isMuch = this.#room.left < bytes(foreseen - length);
    const wanted = Math.max(this.#before, GROWTH * length, isMuch ? 2 * length : foreseen);
    const rows = Math.max(length + LEAST, Math.min(Math.ceil(wanted), this.#most));
    this.#take(bytes(rows - this.#time.length));
    this.#time = grown(this.#time, rows);
    this.#columns = this.#columns.map((column) => grown(column, rows));
  }

  /** How many rows there will be, if they go on as they did until this time. */
  #foreseen(time: number): number {
    const { start, end } = this.#range;
    const over = (time - start) / (end - start);
    return this.length < FORESEEN || !(over > OVER) ? 2 * this.length : Math.ceil((SPARE * this.length) / over);
  }

  /** What there is, which is the caller's from now on; it is empty then. */
  drain(): { readonly time: Float64Array; readonly lines: readonly DrainedLine[] } {
    const { length } = this;
    const time = cut(this.#time, length);
    const known = new Map<string, Uint8Array>();
    const lines = this.#probes.map((_, k) => {
      const valid = this.#validOf(k, known);
      const value = cut(this.#columns[k]!, length);
      this.#columns[k] = NONE;
      return { value, valid, texts: [...(this.#texts[k]?.keys() ?? [])] };
    });
    this.#room.give(this.#bytes);
    this.#bytes = 0;
    this.#time = NONE;
    this.#before = length;
    this.#length = 0;
    this.#runs = [];
    this.#texts.fill(null);
    return { time, lines };
  }

  /** By row whether path `k` was there; one array for all paths that were there at the same times. */
  #validOf(k: number, known: Map<string, Uint8Array>): Uint8Array {
    const key = this.#runs.map(({ isThere }) => isThere[k]).join("");
    const found = known.get(key);
    if (found !== undefined) return found;
    const valid = new Uint8Array(this.#length);
    for (const [n, { from, isThere }] of this.#runs.entries())
      if (isThere[k] === 1) valid.fill(1, from, this.#runs[n + 1]?.from ?? this.#length);
    known.set(key, valid);
    return valid;
  }
}

const NONE: Float64Array<ArrayBuffer> = new Float64Array(0);

function grown(numbers: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const found = new Float64Array(length);
  found.set(numbers);
  return found;
}

function cut(numbers: Float64Array, length: number): Float64Array {
  return numbers.length - length <= LEFT * length ? numbers.subarray(0, length) : numbers.slice(0, length);
}
