import { Budget } from "../../bytes/budget.ts";

const LEAST = 64;
/** Room for more is given back when it is empty. */
const KEPT = 4096;
/** Memory of a text beside its characters. */
const TEXT = 48;

/** Memory of all lines that are made together: more than the budget has is over budget. */
export class Room {
  readonly #budget: Budget;
  #bytes = 0;

  /** The usual budget, when the reader has none of its own. */
  constructor(budget: Budget = new Budget()) {
    this.#budget = budget;
  }

  /** Throws `BudgetError` when so many more do not fit. */
  take(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.fit("the requested series (request less, or in batches)", this.#bytes);
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Bytes that still fit. */
  get left(): number {
    return this.#budget.left - this.#bytes;
  }
}

/** Numbers that become more. */
export class Numbers {
  length = 0;
  readonly #room: Room;
  #data = new Float64Array(LEAST);

  constructor(room: Room) {
    this.#room = room;
  }

  push(number: number): void {
    if (this.length === this.#data.length) this.#grow();
    this.#data[this.length++] = number;
  }

  /** The same with one that is in an array. */
  copy(numbers: Float64Array, k: number): void {
    if (this.length === this.#data.length) this.#grow();
    this.#data[this.length++] = numbers[k]!;
  }

  #grow(): void {
    // while they are copied both are there
    this.#room.take(16 * this.length);
    const grown = new Float64Array(2 * this.length);
    grown.set(this.#data);
    this.#data = grown;
    this.#room.give(8 * this.length);
  }

  /** What there is, which is the caller's from now on. */
  drain(): Float64Array {
    const { length } = this;
    const drained = this.#data.slice(0, length);
    this.length = 0;
    if (this.#data.length > KEPT) {
      this.#room.give(8 * (this.#data.length - LEAST));
      this.#data = new Float64Array(LEAST);
    }
    return drained;
  }
}

/** What a path was at some times: booleans and numbers as they are, texts by their places in a list. */
export class Line {
  readonly time: Numbers;
  readonly #value: Numbers;
  readonly #room: Room;
  readonly #texts = new Map<string, number>();
  #isThere = new Uint8Array(LEAST);

  /** `time`: where several lines have the same times, those. */
  constructor(room: Room, time: Numbers = new Numbers(room)) {
    this.time = time;
    this.#value = new Numbers(room);
    this.#room = room;
  }

  get length(): number {
    return this.#value.length;
  }

  /** Number `k` of `numbers`, or a text. The time is noted apart: of lines that share it once for all. */
  push(isThere: boolean, numbers: Float64Array, k: number, words: string | null): void {
    const at = this.#value.length;
    if (at === this.#isThere.length) {
      this.#room.take(2 * at);
      const grown = new Uint8Array(2 * at);
      grown.set(this.#isThere);
      this.#isThere = grown;
      this.#room.give(at);
    }
    this.#isThere[at] = isThere ? 1 : 0;
    if (words === null) this.#value.copy(numbers, k);
    else this.#value.push(this.#placeOf(words));
  }

  #placeOf(words: string): number {
    const known = this.#texts.get(words);
    if (known !== undefined) return known;
    this.#room.take(TEXT + 2 * words.length);
    const place = this.#texts.size;
    this.#texts.set(words, place);
    return place;
  }

  /** What there is, and its texts; times are drained by their owner. */
  drain(): { readonly value: Float64Array; readonly valid: Uint8Array; readonly texts: readonly string[] } {
    const texts = [...this.#texts.keys()];
    for (const words of texts) this.#room.give(TEXT + 2 * words.length);
    this.#texts.clear();
    const valid = this.#isThere.slice(0, this.length);
    if (this.#isThere.length > KEPT) {
      this.#room.give(this.#isThere.length - LEAST);
      this.#isThere = new Uint8Array(LEAST);
    }
    return { value: this.#value.drain(), valid, texts };
  }
}
