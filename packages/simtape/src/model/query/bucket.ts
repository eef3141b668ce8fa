import type { Line } from "./line.ts";

const FIRST = 0;
const LOWEST = 1;
const HIGHEST = 2;
const LAST = 3;

/**
 * What a path was in a stretch of time, as at most four of its samples: the first, the lowest, the highest and the last
 * one. Of what is no number there is no lowest.
 */
export class Bucket {
  /** Samples taken since it was emptied. */
  #count = 0;
  /** By role: which sample it is, its time, whether it was there, its number and its text. */
  readonly #place = new Float64Array(4);
  readonly #time = new Float64Array(4);
  readonly #isThere = [false, false, false, false];
  readonly #number = new Float64Array(4);
  readonly #words: (string | null)[] = [null, null, null, null];

  /** A sample later than those before: number `k` of `numbers`, or a text. */
  take(time: number, isThere: boolean, numbers: Float64Array, k: number, words: string | null): void {
    const number = numbers[k]!;
    const isFirst = this.#count === 0;
    if (isFirst) {
      this.#put(FIRST, time, isThere, number, words);
      this.#number[LOWEST] = this.#number[HIGHEST] = Number.NaN;
      this.#place[LOWEST] = this.#place[HIGHEST] = 0;
    }
    if (!Number.isNaN(number)) {
      if (!(this.#number[LOWEST]! <= number)) this.#put(LOWEST, time, isThere, number, null);
      if (!(this.#number[HIGHEST]! >= number)) this.#put(HIGHEST, time, isThere, number, null);
    }
    this.#put(LAST, time, isThere, number, words);
    this.#count++;
  }

  /** Samples `[from, to)` of `times` and `numbers`, at least one. */
  takeAll(
    times: Float64Array,
    isThere: boolean,
    numbers: Float64Array,
    from: number,
    to: number,
    words: string | null,
  ): void {
    this.take(times[from]!, isThere, numbers, from, words);
    let lowest = this.#number[LOWEST]!;
    let highest = this.#number[HIGHEST]!;
    for (let n = from + 1; n < to - 1; n++) {
      const number = numbers[n]!;
      if (number >= lowest && number <= highest) this.#count++;
      else {
        this.take(times[n]!, isThere, numbers, n, words);
        lowest = this.#number[LOWEST]!;
        highest = this.#number[HIGHEST]!;
      }
    }
    if (to > from + 1) this.take(times[to - 1]!, isThere, numbers, to - 1, words);
  }

  #put(role: number, time: number, isThere: boolean, number: number, words: string | null): void {
    this.#place[role] = this.#count;
    this.#time[role] = time;
    this.#isThere[role] = isThere;
    this.#number[role] = number;
    this.#words[role] = words;
  }

  /** Puts the samples, each once and in order, at the end of a line, and tells how many these were; it is empty then. */
  empty(into: Line): number {
    if (this.#count === 0) return 0;
    this.#count = 0;
    const { length } = into;
    const isRising = this.#place[LOWEST]! <= this.#place[HIGHEST]!;
    let before = -1;
    for (let n = 0; n < 4; n++) {
      const role = n === 0 ? FIRST : n === 3 ? LAST : isRising === (n === 1) ? LOWEST : HIGHEST;
      const place = this.#place[role]!;
      if (place <= before) continue;
      before = place;
      into.time.push(this.#time[role]!);
      into.push(this.#isThere[role]!, this.#number, role, this.#words[role]!);
    }
    return into.length - length;
  }
}
