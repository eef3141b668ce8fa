import { type ByteSink, isReadable, type ReadableSink, type SinkBundle } from "../../io/sink/sink.ts";
import { FIX_WIDTH } from "./fix.ts";

/** Fixes in a block of one thing: 16 KiB. */
const BLOCK = 256;
const BLOCK_NUMBERS = BLOCK * FIX_WIDTH;
const BLOCK_BYTES = 8 * BLOCK_NUMBERS;
/** Fixes of a thing that has few. */
const FEW = 2;
/** Full blocks kept in memory before a file is begun, and when there can be no file: 32 MiB, 256 MiB. */
const MEMORY_BLOCKS = 2048;
const MOST_BLOCKS = 16384;

/**
 * Fixes of many things, added in order of time and read thing by thing. Full blocks go to memory, then to a file beside
 * the result, which is thrown away at the end: memory is 32 MiB, a block for each thing, and a number for 256 fixes. Where
 * no file can be read back (standard output, a store), memory is 256 MiB at most.
 */
export class FixSpool {
  readonly #to: SinkBundle;
  readonly #memoryBlocks: number;
  readonly #mostBlocks: number;
  readonly #things: { readonly blocks: number[]; cells: Float64Array; count: number }[] = [];
  /** The first blocks of all; the others are in the file. */
  readonly #memory: Float64Array[] = [];
  #pending: Float64Array[] = [];
  #file: ReadableSink | null = null;
  #mayFile = true;
  #blocks = 0;

  constructor(to: SinkBundle, memoryBlocks: number = MEMORY_BLOCKS, mostBlocks: number = MOST_BLOCKS) {
    this.#to = to;
    this.#memoryBlocks = memoryBlocks;
    this.#mostBlocks = mostBlocks;
  }

  /** Adds `FIX_WIDTH` numbers from `at` on. Things are numbered from 0. True: `settle` is due. */
  add(thing: number, fixes: Float64Array, at: number): boolean {
    while (this.#things.length <= thing)
      this.#things.push({ blocks: [], cells: new Float64Array(FEW * FIX_WIDTH), count: 0 });
    const of = this.#things[thing]!;
    if (of.count * FIX_WIDTH === of.cells.length) {
      const grown = new Float64Array(Math.min(of.cells.length * 4, BLOCK_NUMBERS));
      grown.set(of.cells);
      of.cells = grown;
    }
    for (let k = 0; k < FIX_WIDTH; k++) of.cells[of.count * FIX_WIDTH + k] = fixes[at + k]!;
    if (++of.count < BLOCK) return this.#pending.length > 0;
    of.blocks.push(this.#blocks++);
    if (this.#blocks <= this.#memoryBlocks) this.#memory.push(of.cells);
    else this.#pending.push(of.cells);
    of.cells = new Float64Array(BLOCK_NUMBERS);
    of.count = 0;
    return this.#pending.length > 0;
  }

  /** Writes what memory has no room for. Throws `RangeError` when nothing has. */
  async settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const block of pending) {
      const file = await this.#opened();
      if (file !== null) await file.write(new Uint8Array(block.buffer));
      else if (this.#memory.push(block) > this.#mostBlocks)
        throw new RangeError(
          `more than ${this.#mostBlocks * BLOCK} fixes, and no temporary file can lie beside the result: write to a file, or every so often`,
        );
    }
  }

  /** How many fixes a thing has. */
  count(thing: number): number {
    const of = this.#things[thing];
    return of === undefined ? 0 : of.blocks.length * BLOCK + of.count;
  }

  /** Fixes `[from, to)` of a thing in order: `FIX_WIDTH` numbers each, in arrays. After the last `add` and `settle`. */
  async *read(thing: number, from: number, to: number): AsyncGenerator<Float64Array> {
    const { blocks, cells } = this.#things[thing]!;
    for (let at = from; at < to; ) {
      const k = Math.floor(at / BLOCK);
      const inside = at - k * BLOCK;
      const end = Math.min(to - k * BLOCK, BLOCK);
      const block = k < blocks.length ? await this.#block(blocks[k]!) : cells;
      yield block.subarray(inside * FIX_WIDTH, end * FIX_WIDTH);
      at = k * BLOCK + end;
    }
  }

  /** Throws the file away. Idempotent. */
  async close(): Promise<void> {
    await this.#file?.abort();
    this.#file = null;
  }

  async #block(index: number): Promise<Float64Array> {
    const kept = this.#memory[index];
    if (kept !== undefined) return kept;
    const bytes = await this.#file!.read((index - this.#memoryBlocks) * BLOCK_BYTES, BLOCK_BYTES);
    // a view needs bytes that begin at a multiple of eight
    const whole = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    return new Float64Array(whole.buffer, whole.byteOffset, BLOCK_NUMBERS);
  }

  async #opened(): Promise<ReadableSink | null> {
    if (this.#file !== null || !this.#mayFile) return this.#file;
    this.#mayFile = false;
    const sink: ByteSink = await this.#to.open(`${this.#to.name ?? "export"}.fixes`);
    if (isReadable(sink)) this.#file = sink;
    else await sink.abort();
    return this.#file;
  }
}
