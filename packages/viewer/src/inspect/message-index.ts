import type { Time } from "simtape";

/** Which message of a recording is the nth: messages counted in columns of time, for the channels chosen. */
export class MessageIndex {
  readonly #start: Time;
  readonly #scale: number;
  /** Messages before each column, and of all of them at the end. */
  readonly #before: Float64Array;

  /** `counts[channel * columns + column]` as the query `density` gives them for `[start, end)`; null: all channels. */
  constructor(
    counts: Uint32Array,
    { start, end, columns }: { readonly start: Time; readonly end: Time; readonly columns: number },
    channels: readonly number[] | null,
  ) {
    this.#start = start;
    this.#scale = columns / Math.max(1, end - start);
    this.#before = new Float64Array(columns + 1);
    const chosen = channels ?? Array.from({ length: counts.length / columns }, (_, channel) => channel);
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (const channel of chosen) sum += counts[channel * columns + column]!;
      this.#before[column + 1] = this.#before[column]! + sum;
    }
  }

  get count(): number {
    return this.#before.at(-1)!;
  }

  /** Where to begin for the message numbered `row`: at a time, and how many to pass over from there. */
  locate(row: number): { readonly start: Time; readonly skip: number } {
    const column = this.#columnWith(row);
    return { start: this.#timeOf(column), skip: row - this.#before[column]! };
  }

  /** About how many messages there are before a time: those of its column are not distinguished. */
  rowAt(time: Time): number {
    const last = this.#before.length - 2;
    const column = Math.max(0, Math.min(last, Math.floor((time - this.#start) * this.#scale)));
    return Math.min(this.count - 1, this.#before[column]!);
  }

  #columnWith(row: number): number {
    let low = 0;
    let high = this.#before.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#before[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The first whole nanosecond that is counted in a column. */
  #timeOf(column: number): Time {
    let time = Math.ceil(this.#start + column / this.#scale);
    while (Math.floor((time - 1 - this.#start) * this.#scale) >= column) time--;
    while (Math.floor((time - this.#start) * this.#scale) < column) time++;
    return column === 0 ? this.#start : time;
  }
}
