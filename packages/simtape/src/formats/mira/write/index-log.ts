import { ByteCursor } from "../../../bytes/cursor.ts";

/** Bytes of a piece of a log. */
const PIECE = 64 << 10;
/** Bytes of a piece at first, and of the longest entry: most channels of some tapes have few messages. */
const LEAST_PIECE = 64;
const ENTRY = 40;
/** Bits of an entry's first number, below the step inside the block. */
const NEW_BLOCK = 1;
const EXACT = 2;
/** Longest time between two messages that a varint holds. */
const MAX_STEP = 2 ** 51;

/**
 * Places and times of a channel's messages until its index table is written, in about six bytes for each: tables come
 * last in a tape.
 */
export class IndexLog {
  count = 0;
  /** Times never went back. */
  isAscending = true;
  #bytes: Uint8Array = new Uint8Array(LEAST_PIECE);
  #at = 0;
  readonly #full: Uint8Array[] = [];
  #block = 0;
  #inside = 0;
  #time = 0;
  /** Time of the last entry, where it was exact. */
  #exact: bigint | null = null;

  /** Offsets of the block and, counted from it, of the message; `exact`: the time where a number does not hold it. */
  add(block: number, inside: number, time: number, exact: bigint | null): void {
    if (this.#at + ENTRY > this.#bytes.length) this.#makeRoom();
    const isNew = block !== this.#block || this.count === 0;
    const step = isNew ? inside : inside - this.#inside;
    const passed = time - this.#time;
    const isFar = exact !== null || passed > MAX_STEP || passed < -MAX_STEP;
    this.#varint(step * 4 + (isNew ? NEW_BLOCK : 0) + (isFar ? EXACT : 0));
    if (isNew) this.#varint(block - this.#block);
    if (isFar) this.#addExact(exact ?? BigInt(time));
    else {
      this.#varint(passed < 0 ? -2 * passed - 1 : 2 * passed);
      if (this.count > 0 && (this.#exact === null ? passed < 0 : BigInt(time) < this.#exact)) this.isAscending = false;
      this.#time = time;
      this.#exact = null;
    }
    this.#block = block;
    this.#inside = inside;
    this.count++;
  }

  /** A longer piece while it is short; a new one then. */
  #makeRoom(): void {
    const { length } = this.#bytes;
    if (length < PIECE) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.#bytes);
      this.#bytes = grown;
      return;
    }
    this.#full.push(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(PIECE);
    this.#at = 0;
  }

  /** Of a number that is not negative; there is room for it. In doubles as far as 32 bits do not suffice. */
  #varint(value: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let rest = value;
    while (rest > 0x7fff_ffff) {
      const next = Math.floor(rest / 128);
      bytes[at++] = rest - next * 128 + 128;
      rest = next;
    }
    while (rest > 0x7f) {
      bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#at = at;
  }

  #addExact(exact: bigint): void {
    new DataView(this.#bytes.buffer).setBigInt64(this.#at, exact, true);
    this.#at += 8;
    if (this.count > 0 && exact < (this.#exact ?? BigInt(this.#time))) this.isAscending = false;
    this.#exact = exact;
  }

  /** Gives the entries back, in the order added. */
  read(): IndexEntries {
    const last = this.#bytes.subarray(0, this.#at);
    return new LogCursor(last.length === 0 ? this.#full : [...this.#full, last]);
  }

  /** The entries ascending by time, those of one time in the order added; takes 40 bytes of memory for each. */
  readSorted(): IndexEntries {
    const cursor = this.read();
    const all: Entry[] = [];
    while (cursor.next())
      all.push({ block: cursor.block, inside: cursor.inside, time: cursor.time, exact: cursor.exact });
    return new SortedEntries(all.sort(byTime));
  }
}

/** One entry after the other. */
export interface IndexEntries {
  readonly block: number;
  readonly inside: number;
  /** Where `exact` is null. */
  readonly time: number;
  readonly exact: bigint | null;
  /** Goes on to the next; false behind the last. */
  next(): boolean;
}

type Entry = Omit<IndexEntries, "next">;

function byTime(a: Entry, b: Entry): number {
  if (a.exact === null && b.exact === null) return a.time - b.time;
  const difference = (a.exact ?? BigInt(a.time)) - (b.exact ?? BigInt(b.time));
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

class SortedEntries implements IndexEntries {
  readonly #all: readonly Entry[];
  #at = -1;

  constructor(all: readonly Entry[]) {
    this.#all = all;
  }

  get block(): number {
    return this.#all[this.#at]!.block;
  }

  get inside(): number {
    return this.#all[this.#at]!.inside;
  }

  get time(): number {
    return this.#all[this.#at]!.time;
  }

  get exact(): bigint | null {
    return this.#all[this.#at]!.exact;
  }

  next(): boolean {
    return ++this.#at < this.#all.length;
  }
}

class LogCursor implements IndexEntries {
  block = 0;
  inside = 0;
  time = 0;
  exact: bigint | null = null;
  readonly #pieces: readonly Uint8Array[];
  #next = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  next(): boolean {
    if (this.#at === this.#bytes.length) {
      const piece = this.#pieces[this.#next++];
      if (piece === undefined) return false;
      this.#bytes = piece;
      this.#at = 0;
    }
    const head = this.#varint();
    const flags = head & (NEW_BLOCK | EXACT);
    const step = (head - flags) / 4;
    if ((flags & NEW_BLOCK) !== 0) {
      this.block += this.#varint();
      this.inside = step;
    } else this.inside += step;
    if ((flags & EXACT) === 0) {
      const coded = this.#varint();
      const sign = coded & 1;
      this.time += sign === 0 ? coded / 2 : -(coded + 1) / 2;
      this.exact = null;
    } else {
      this.exact = new ByteCursor(this.#bytes.subarray(this.#at)).bigI64le();
      this.#at += 8;
    }
    return true;
  }

  /** One that was written above: nothing is checked, as there is one for every message of a tape. */
  #varint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at++]!;
    let low = byte & 0x7f;
    // as far as 28 bits reach, without doubles
    for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
      byte = bytes[at++]!;
      low |= (byte & 0x7f) << shift;
    }
    let value = low;
    for (let scale = 2 ** 28; byte >= 0x80; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
    }
    this.#at = at;
    return value;
  }
}
