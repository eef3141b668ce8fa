import type { Room } from "./line.ts";
import type { Probe } from "./probe.ts";

/** Rows of the first block, and numbers of the largest: as much as stays close at hand while it is filled. */
const LEAST = 64;
const MOST = 1 << 14;
/** Memory of a text beside its characters. */
const TEXT = 48;

/** What of one path was drained. */
export interface DrainedLine {
  readonly value: Float64Array;
  readonly valid: Uint8Array;
  readonly texts: readonly string[];
}

/** Room for so many rows: all times first, then all numbers of a path, then those of the next. */
interface Block {
  readonly numbers: Float64Array;
  readonly rows: number;
}

/**
 * What paths that have their times in common were: a row for each time. Blocks hold them path by path, so that they are
 * copied in one piece when they are drained. Which paths were there is noted only when it changes.
 */
export class Rows {
  readonly #room: Room;
  readonly #probes: readonly Probe[];
  readonly #numbers: Float64Array;
  /** Place of the first path; the others follow it. */
  readonly #first: number;
  /** Numbers of a row: the time, then one for each path. */
  readonly #width: number;
  /** All but the last are full. */
  #blocks: Block[] = [];
  #block = new Float64Array(0);
  /** Rows there is room for in the last block, and rows in it. */
  #rows = 0;
  #at = 0;
  #full = 0;
  /** Of each run of rows the first, and by path whether it was there. */
  #runs: { readonly from: number; readonly isThere: Uint8Array }[] = [];
  /** By path; null where there was no text. */
  readonly #texts: (Map<string, number> | null)[];
  #bytes = 0;

  /** `probes` have places one behind the other among `numbers`. */
  constructor(room: Room, probes: readonly Probe[]) {
    this.#room = room;
    this.#probes = probes;
    this.#numbers = probes[0]?.numbers ?? new Float64Array(0);
    this.#first = probes[0]?.place ?? 0;
    this.#width = probes.length + 1;
    this.#texts = probes.map(() => null);
  }

  get length(): number {
    return this.#full + this.#at;
  }

  /** Whether nothing was noted since it was drained. */
  get isBlank(): boolean {
    return this.#runs.length === 0;
  }

  /** A row of what the numbers are now. What is there, and texts, are as they were noted last. */
  push(time: number): void {
    if (this.#at === this.#rows) this.#grow();
    const block = this.#block;
    const numbers = this.#numbers;
    const rows = this.#rows;
    let at = this.#at++;
    block[at] = time;
    for (let k = this.#first, end = k + this.#width - 1; k < end; k++) {
      at += rows;
      block[at] = numbers[k]!;
    }
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

  #grow(): void {
    const width = this.#width;
    const rows = Math.min(Math.max(LEAST, this.length), Math.max(LEAST, Math.floor(MOST / width)));
    // what is drained takes as much again for a moment
    this.#take(rows * (8 * width + 9 * width));
    if (this.#rows > 0) this.#blocks.push({ numbers: this.#block, rows: this.#rows });
    this.#full = this.length;
    this.#block = new Float64Array(rows * width);
    this.#rows = rows;
    this.#at = 0;
  }

  /** What there is, which is the caller's from now on; it is empty then. */
  drain(): { readonly time: Float64Array; readonly lines: readonly DrainedLine[] } {
    const { length } = this;
    const width = this.#width;
    const columns = Array.from({ length: width }, () => new Float64Array(length));
    let row = 0;
    for (const { numbers, rows } of [...this.#blocks, { numbers: this.#block, rows: this.#rows }]) {
      const used = Math.min(rows, length - row);
      for (const [k, column] of columns.entries()) column.set(numbers.subarray(k * rows, k * rows + used), row);
      row += used;
    }
    const lines = this.#probes.map((_, k) => {
      const valid = new Uint8Array(length);
      for (const [n, { from, isThere }] of this.#runs.entries())
        if (isThere[k] === 1) valid.fill(1, from, this.#runs[n + 1]?.from ?? length);
      return { value: columns[k + 1]!, valid, texts: [...(this.#texts[k]?.keys() ?? [])] };
    });
    this.#room.give(this.#bytes);
    this.#bytes = 0;
    this.#blocks = [];
    this.#block = new Float64Array(0);
    this.#rows = 0;
    this.#at = 0;
    this.#full = 0;
    this.#runs = [];
    this.#texts.fill(null);
    return { time: columns[0]!, lines };
  }
}
