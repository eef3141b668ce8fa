import type { Budget } from "../../../bytes/budget.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type ByteSource, SourceError } from "../../../io/source/source.ts";
import { decompress } from "../../../codec/any.ts";
import { BAG_OP, type BagFields, type BagRecord, LONGEST_HEADER, numberOf, recordAt, textOf } from "./layout.ts";

/** Takes what a walk finds, in the order of the file. */
export interface BagSight {
  connection(fields: BagFields, data: Uint8Array): void;
  message(fields: BagFields, data: Uint8Array): void;
  /** Messages of each connection that the index says a chunk has: pairs of 4 bytes, the connection and the count. */
  chunkInfo(data: Uint8Array): void;
  /** A chunk begins: how it is compressed. */
  chunk(compression: string): void;
  /** Bytes `[from, to)` of the file that are no record, or hold none that can be read. */
  lost(from: number, to: number, why: string): void;
  /** Settles when more may be given; null while there is room. */
  readonly ready: Promise<void> | null;
}

/** Bytes that are read at once. */
const WINDOW = 1 << 20;
/** The longest compressed chunk, and the longest when it is unpacked: recorders make chunks of 768 KiB. */
const MOST = 256 << 20;
const RATIO = 1 << 16;

/**
 * Goes through all records of a bag from `from` on, those inside of chunks too. Chunks without compression are walked
 * as the records that they are, so that a cut one is read up to the cut. Memory holds one window, or one chunk.
 */
export async function walkBag(
  source: ByteSource,
  from: number,
  size: number,
  sight: BagSight,
  budget: Budget,
  options: { readonly signal?: AbortSignal | undefined; readonly onProgress?: ((bytes: number) => void) | undefined },
): Promise<void> {
  const window = new Window(source, size, options.signal);
  for (let at = from; at < size; ) {
    options.onProgress?.(at);
    if (sight.ready !== null) await sight.ready;
    const bytes = await window.at(at, LONGEST_HEADER + 8);
    const begin = window.inside(at);
    const done = wholeRecords(bytes, begin, sight);
    at += done - begin;
    if (done > begin) continue;
    const record = recordAt(bytes, begin);
    if (record === null) {
      const next = await resume(window, at + 1, size);
      sight.lost(at, next, next < size ? "bytes that are no record" : "the end is no whole record");
      at = next;
      continue;
    }
    const start = at + record.start - begin;
    const end = start + record.length;
    if (end > size) {
      // a length that is damaged says so, too: what follows may be whole
      const next = await resume(window, at + 1, size);
      sight.lost(at, next, "a record that is longer than the file");
      at = next;
      continue;
    }
    if (record.op === BAG_OP.chunk) await unpacked(source, record, at, start, end, sight, budget, options.signal);
    else {
      budget.fit("a record of a bag", record.length);
      give(record, await window.slice(start, record.length), sight);
    }
    at = end;
  }
}

/** Gives records that are wholly in `bytes`, compressed chunks left out; gives where it ends. */
function wholeRecords(bytes: Uint8Array, from: number, sight: BagSight): number {
  let at = from;
  while (sight.ready === null) {
    const record = recordAt(bytes, at);
    if (record === null) break;
    if (record.op !== BAG_OP.chunk) {
      if (record.start + record.length > bytes.length) break;
      give(record, bytes.subarray(record.start, record.start + record.length), sight);
      at = record.start + record.length;
    } else if (textOf(record.fields, "compression") === "none") {
      sight.chunk("none");
      at = record.start;
    } else break;
  }
  return at;
}

function give({ op, fields }: BagRecord, data: Uint8Array, sight: BagSight): void {
  if (op === BAG_OP.message) sight.message(fields, data);
  else if (op === BAG_OP.connection) sight.connection(fields, data);
  else if (op === BAG_OP.chunkInfo) sight.chunkInfo(data);
}

/** A compressed chunk: its records, or nothing where it does not unpack. */
async function unpacked(
  source: ByteSource,
  { fields }: BagRecord,
  at: number,
  start: number,
  end: number,
  sight: BagSight,
  budget: Budget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const compression = textOf(fields, "compression");
  const size = numberOf(fields, "size");
  const length = end - start;
  sight.chunk(compression);
  const kind = compression === "bz2" ? "bzip2" : compression === "lz4" ? "lz4" : null;
  if (kind === null) {
    sight.lost(at, end, `a chunk whose compression ${JSON.stringify(compression.slice(0, 20))} is not known`);
    return;
  }
  if (length === 0 && size === 0) {
    // the recorder states sizes when it closes a chunk
    sight.lost(at, start, `a chunk in ${compression} that was not closed`);
    return;
  }
  if (length > MOST || size > MOST || size > length * RATIO) {
    sight.lost(at, end, `a chunk of ${length} bytes that states ${size} when it is unpacked`);
    return;
  }
  budget.fit("a chunk, unpacked,", length + size * 2);
  const stored = await exactly(source, start, length, signal);
  let bytes: Uint8Array;
  try {
    bytes = await decompress(kind, stored, size);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    sight.lost(at, end, `a chunk that cannot be unpacked: ${error.message}`);
    return;
  }
  for (let place = 0; place < bytes.length; ) {
    if (sight.ready !== null) await sight.ready;
    const record = recordAt(bytes, place);
    const next = record === null ? 0 : record.start + record.length;
    if (record !== null && next <= bytes.length) {
      give(record, bytes.subarray(record.start, next), sight);
      place = next;
      continue;
    }
    let found = place + 1;
    while (found < bytes.length && !isWholeAt(bytes, found)) found++;
    sight.lost(at, end, `${found - place} bytes inside of a chunk that are no record`);
    place = found;
  }
}

function isWholeAt(bytes: Uint8Array, at: number): boolean {
  const record = recordAt(bytes, at);
  return record !== null && record.start + record.length <= bytes.length;
}

/** The first place from `from` on where a record begins that fits into the file; `size` where there is none. */
async function resume(window: Window, from: number, size: number): Promise<number> {
  for (let at = from; at < size; ) {
    const bytes = await window.at(at, LONGEST_HEADER + 8);
    const begin = window.inside(at);
    const last = Math.max(begin + 1, Math.min(bytes.length, begin + WINDOW / 2));
    for (let i = begin; i < last; i++) {
      const record = recordAt(bytes, i);
      if (record === null) continue;
      const end = at + (i - begin) + (record.start - i) + record.length;
      if (end <= size || record.op === BAG_OP.chunk) return at + (i - begin);
    }
    at += last - begin;
  }
  return size;
}

async function exactly(
  source: ByteSource,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = await source.read(offset, length, signal);
  if (bytes.length === length) return bytes;
  throw new SourceError("changed", `${length} bytes at ${offset} are not there any more: ${source.name}`);
}

/** A part of the file that moves forward. */
class Window {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #signal: AbortSignal | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(source: ByteSource, size: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#size = size;
    this.#signal = signal;
  }

  /** Bytes that have those from `at` on, `length` of them or all that the file has. */
  async at(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.#size, at + length);
    if (at < this.#offset || end > this.#offset + this.#bytes.length) {
      const wanted = Math.min(this.#size - at, Math.max(length, WINDOW));
      this.#bytes = await exactly(this.#source, at, wanted, this.#signal);
      this.#offset = at;
    }
    return this.#bytes;
  }

  /** Where `at` is in the bytes that `at()` gave. */
  inside(at: number): number {
    return at - this.#offset;
  }

  async slice(at: number, length: number): Promise<Uint8Array> {
    const bytes = await this.at(at, length);
    return bytes.subarray(at - this.#offset, at - this.#offset + length);
  }
}
