import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { writeVarint, writeZigzag } from "../../bytes/varint.ts";

/** Bytes of a piece of a log. */
const PIECE = 64 << 10;
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
  #out = new ByteBuilder(32);
  readonly #full: Uint8Array[] = [];
  #block = 0;
  #inside = 0;
  #time = 0;
  /** Time of the last entry, where it was exact. */
  #exact: bigint | null = null;

  /** Offsets of the block and, counted from it, of the message; `exact`: the time where a number does not hold it. */
  add(block: number, inside: number, time: number, exact: bigint | null): void {
    const out = this.#out;
    const isNew = block !== this.#block || this.count === 0;
    const step = isNew ? inside : inside - this.#inside;
    const passed = time - this.#time;
    const isFar = exact !== null || passed > MAX_STEP || passed < -MAX_STEP;
    writeVarint(out, step * 4 + (isNew ? NEW_BLOCK : 0) + (isFar ? EXACT : 0));
    if (isNew) writeVarint(out, block - this.#block);
    if (isFar) this.#addExact(exact ?? BigInt(time));
    else {
      writeZigzag(out, passed);
      if (this.count > 0 && (this.#exact === null ? passed < 0 : BigInt(time) < this.#exact)) this.isAscending = false;
      this.#time = time;
      this.#exact = null;
    }
    this.#block = block;
    this.#inside = inside;
    this.count++;
    if (out.length < PIECE - 40) return;
    this.#full.push(out.take());
    this.#out = new ByteBuilder(PIECE);
  }

  #addExact(exact: bigint): void {
    this.#out.bigI64le(exact);
    if (this.count > 0 && exact < (this.#exact ?? BigInt(this.#time))) this.isAscending = false;
    this.#exact = exact;
  }

  /** Gives the entries back, in the order added. */
  read(): IndexEntries {
    if (this.#out.length > 0) this.#full.push(this.#out.take());
    return new LogCursor(this.#full);
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
    const step = Math.floor(head / 4);
    if ((head & NEW_BLOCK) !== 0) {
      this.block += this.#varint();
      this.inside = step;
    } else this.inside += step;
    if ((head & EXACT) === 0) {
      const coded = this.#varint();
      this.time += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
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
    let byte = bytes[this.#at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 128;
    do {
      byte = bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return value;
  }
}
