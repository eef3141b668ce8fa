import type { Time } from "../../../model/values/time.ts";
import { MICROSECOND } from "../layout/layout.ts";
import type { IndexEntry } from "../layout/index.ts";

/** The furthest that messages are looked for from where the index says they are: bytes may have come in or gone. */
const REACH = 1 << 16;
/** Messages in a row that must not fit any more before the index is taken to be shifted. */
const NEXT = 4;

/** Numbers that become more and more. */
class Numbers {
  length = 0;
  data: Float64Array = new Float64Array(1024);

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
  }
}

/** Entries of a damaged index, by their place in the messages; 24 bytes each. */
export class EntryList {
  readonly #offset = new Numbers();
  readonly #length = new Numbers();
  readonly #time = new Numbers();
  /** Rows by offset; made when first asked for. */
  #order: Uint32Array | null = null;

  get size(): number {
    return this.#offset.length;
  }

  add(entry: IndexEntry): void {
    const time = entry.timestamp === null ? Number.NaN : Math.round(entry.timestamp * MICROSECOND) + 0;
    if (!Number.isSafeInteger(time)) return;
    this.#offset.push(entry.offset);
    this.#length.push(entry.length);
    this.#time.push(time);
    this.#order = null;
  }

  offset(i: number): number {
    return this.#offset.data[this.#row(i)]!;
  }

  length(i: number): number {
    return this.#length.data[this.#row(i)]!;
  }

  time(i: number): Time {
    return this.#time.data[this.#row(i)]!;
  }

  /** The first entry at or behind `offset`. */
  lowerBound(offset: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offset(middle) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** An entry for `length` bytes at `offset`, -1 when there is none. */
  find(offset: number, length: number): number {
    for (let i = this.lowerBound(offset); i < this.size && this.offset(i) === offset; i++) {
      if (this.length(i) === length) return i;
    }
    return -1;
  }

  #row(i: number): number {
    if (this.#order === null) {
      const { data } = this.#offset;
      this.#order = Uint32Array.from({ length: this.size }, (_, row) => row);
      this.#order.sort((a, b) => data[a]! - data[b]! || a - b);
    }
    return this.#order[i]!;
  }
}

/** Messages that were found by reading them one after another; 24 bytes each with their times. */
export class MessageList {
  readonly #offset = new Numbers();
  readonly #end = new Numbers();
  #time: Float64Array = new Float64Array(0);
  /** Messages whose time is not in the index. */
  timeless = 0;
  /** Messages from which on no time is known any more. */
  #known = 0;

  get size(): number {
    return this.#offset.length;
  }

  add(offset: number, end: number): void {
    this.#offset.push(offset);
    this.#end.push(end);
  }

  /** Place behind the last message whose time is known, and that time; null when there is none. */
  get covered(): { readonly end: number; readonly time: Time } | null {
    return this.#known === 0 ? null : { end: this.#end.data[this.#known - 1]!, time: this.#time[this.#known - 1]! };
  }

  /**
   * Time of the message at `offset`: NaN when there is none, infinite when no entry tells, behind the last that does.
   */
  timeAt(offset: number): Time {
    const { data, length } = this.#offset;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (data[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low < length && data[low] === offset ? this.#time[low]! : Number.NaN;
  }

  /**
   * Takes times from the entries, `base` being where offset 0 of the index is. Entries that are damaged fit no message;
   * where bytes have come in or gone, all entries behind are shifted. An entry is of one message only, and the next
   * message takes a later one. Messages whose entry is lost get times between those around. A message that the index
   * says is of another length, and that nothing follows, is none.
   */
  realign(entries: EntryList, base: number): void {
    const count = this.size;
    const found = new Float64Array(count).fill(Number.NaN);
    const offset = this.#offset.data;
    const end = this.#end.data;
    let taken = -1;
    const fits = (i: number, shift: number): number => {
      const entry = i < count ? entries.find(offset[i]! - base - shift, end[i]! - offset[i]!) : -1;
      return entry > taken ? entry : -1;
    };
    let shift = 0;
    for (let i = 0; i < count; i++) {
      let entry = fits(i, shift);
      if (entry < 0 && !this.#goesOn(i, shift, fits)) {
        const moved = this.#shiftAt(i, shift, entries, base, taken, fits);
        if (moved !== null) {
          shift = moved;
          entry = fits(i, shift);
        }
      }
      if (entry >= 0) {
        found[i] = entries.time(entry);
        taken = entry;
      } else if (this.#isBroken(i, shift, entries, base)) found[i] = Number.NEGATIVE_INFINITY;
    }
    this.#fill(found);
  }

  #goesOn(i: number, shift: number, fits: (i: number, shift: number) => number): boolean {
    for (let k = 1; k <= NEXT; k++) if (fits(i + k, shift) >= 0) return true;
    return false;
  }

  /**
   * By how much entries are shifted from message `i` on: the nearest behind `taken` that fits this message and one of the
   * next.
   */
  #shiftAt(
    i: number,
    shift: number,
    entries: EntryList,
    base: number,
    taken: number,
    fits: (i: number, shift: number) => number,
  ): number | null {
    const at = this.#offset.data[i]! - base - shift;
    const length = this.#end.data[i]! - this.#offset.data[i]!;
    let best: number | null = null;
    for (
      let e = Math.max(taken + 1, entries.lowerBound(at - REACH));
      e < entries.size && entries.offset(e) <= at + REACH;
      e++
    ) {
      if (entries.length(e) !== length) continue;
      const moved = this.#offset.data[i]! - base - entries.offset(e);
      if (best !== null && Math.abs(moved - shift) >= Math.abs(best - shift)) continue;
      if (i + 1 >= this.size || this.#goesOn(i, moved, fits)) best = moved;
    }
    return best;
  }

  /** The index says that the message is of another length, and what follows is no message. */
  #isBroken(i: number, shift: number, entries: EntryList, base: number): boolean {
    const at = this.#offset.data[i]! - base - shift;
    const e = entries.lowerBound(at);
    if (e >= entries.size || entries.offset(e) !== at) return false;
    return i + 1 < this.size && this.#offset.data[i + 1] !== this.#end.data[i];
  }

  /** Messages that are none leave; the others get times between those that are known. */
  #fill(found: Float64Array): void {
    let kept = 0;
    for (let i = 0; i < found.length; i++) {
      if (found[i] === Number.NEGATIVE_INFINITY) continue;
      this.#offset.data[kept] = this.#offset.data[i]!;
      this.#end.data[kept] = this.#end.data[i]!;
      found[kept++] = found[i]!;
    }
    this.#offset.length = kept;
    this.#end.length = kept;
    this.#time = found.subarray(0, kept);
    let last = -1;
    for (let i = 0; i < kept; i++) {
      if (Number.isNaN(found[i])) {
        this.timeless++;
        continue;
      }
      const from = last < 0 ? found[i]! : found[last]!;
      const step = (found[i]! - from) / (i - last);
      for (let k = last + 1; k < i; k++) found[k] = Math.round(from + step * (k - last));
      last = i;
    }
    this.#known = last + 1;
    found.fill(Number.POSITIVE_INFINITY, last + 1, kept);
  }
}
