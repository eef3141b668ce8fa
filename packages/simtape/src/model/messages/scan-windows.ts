import { type ByteSource, SourceError } from "../../io/source/source.ts";

/** Windows that are read at once, as each read costs something beside its bytes. */
const WINDOWS = 4;
/** Bytes that are read at once at most, where that is more than one window. */
const MOST = 8 << 20;
/** Bytes read twice where two blocks meet, at first. */
const LEAST_OVERLAP = 4 << 10;

interface Block {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Memory that may be used again when the block is done with; null: it is not ours. */
  readonly memory: ArrayBuffer | null;
}

/** Exactly `length` bytes of a source that had `end` when it was opened. */
export async function readAll(
  source: ByteSource,
  offset: number,
  length: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  return whole(await source.read(offset, length, signal), length, source, offset, end);
}

function whole(bytes: Uint8Array, length: number, source: ByteSource, offset: number, end: number): Uint8Array {
  if (bytes.length === length) return bytes;
  const found = offset + bytes.length;
  throw new SourceError("changed", `ends at ${found}, ${end} bytes were announced: ${source.name}`);
}

/**
 * The windows of a scan, one after the other. A block of them is read while the one before is walked. Where a window
 * begins is known only when the one before it was walked, within one record: blocks overlap, more once that was too
 * little. Where the source can read into memory that is there, two blocks take turns.
 */
export class ScanWindows {
  readonly #source: ByteSource;
  readonly #end: number;
  readonly #signal: AbortSignal | undefined;
  #overlap = LEAST_OVERLAP;
  #block: Block = { offset: 0, bytes: new Uint8Array(0), memory: null };
  #next: { readonly offset: number; readonly block: Promise<Block> } | null = null;
  /** Memory of blocks that are done with. */
  readonly #free: ArrayBuffer[] = [];

  /** `end`: that of the last window. */
  constructor(source: ByteSource, end: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#end = end;
    this.#signal = signal;
  }

  /** Bytes `[offset, offset + length)`, until the next call. */
  async take(offset: number, length: number): Promise<Uint8Array> {
    if (!this.#has(offset, length)) {
      const next = this.#next;
      this.#next = null;
      const isMissed = next !== null && offset < next.offset;
      if (isMissed) this.#overlap = 2 * (next.offset + this.#overlap - offset);
      if (next !== null && !isMissed) this.#goTo(await next.block);
      if (!this.#has(offset, length)) this.#goTo(await this.#readAll(offset, length));
      this.#begin(length);
    }
    return this.#block.bytes.subarray(offset - this.#block.offset, offset - this.#block.offset + length);
  }

  #has(offset: number, length: number): boolean {
    const from = this.#block.offset;
    return offset >= from && offset + length <= from + this.#block.bytes.length;
  }

  #goTo(block: Block): void {
    if (this.#block.memory !== null) this.#free.push(this.#block.memory);
    this.#block = block;
  }

  /** Begins to read what follows, but for a quarter of a window at most that is there already. */
  #begin(window: number): void {
    const until = this.#block.offset + this.#block.bytes.length;
    if (until >= this.#end) return;
    const overlap = Math.min(this.#overlap, window >> 2);
    const offset = until - overlap;
    const wanted = Math.max(window, Math.min(MOST, WINDOWS * window)) + overlap;
    const block = this.#read(offset, Math.min(this.#end - offset, wanted));
    // One that is not taken may fail without a word.
    block.catch(() => undefined);
    this.#next = { offset, block };
  }

  async #readAll(offset: number, length: number): Promise<Block> {
    const bytes = await readAll(this.#source, offset, length, this.#end, this.#signal);
    return { offset, bytes, memory: null };
  }

  async #read(offset: number, length: number): Promise<Block> {
    const source = this.#source;
    if (source.readInto === undefined) return this.#readAll(offset, length);
    const spare = this.#free.pop();
    const memory = spare !== undefined && spare.byteLength >= length ? spare : new ArrayBuffer(length);
    const got = await source.readInto(new Uint8Array(memory, 0, length), offset, this.#signal);
    return { offset, bytes: whole(new Uint8Array(memory, 0, got), length, source, offset, this.#end), memory };
  }
}
