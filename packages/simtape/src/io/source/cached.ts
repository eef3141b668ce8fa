import { Gate, NO_BYTES } from "./gate.ts";
import { Shared } from "./shared.ts";
import { type ByteSource, SourceError } from "./source.ts";

/** How a cache divides its source, and how much it keeps. */
export interface CachedOptions {
  /**
   * Bytes per block; default 64 KiB. Reads of the source start and end at multiples of it, half of one too far, about.
   */
  readonly block?: number;
  /**
   * Bytes that come with the first of them, in one read: every format begins with a look at its head. Default 256 KiB,
   * or a block where `block` is given.
   */
  readonly head?: number;
  /**
   * Bytes kept at most; default 64 MiB. The blocks used longest ago go first, with those that came with them. A read
   * larger than this is not kept.
   */
  readonly limit?: number;
}

/**
 * Keeps aligned blocks of `source` in memory. Blocks that are missing come with one read when they are neighbours, or
 * have few others between them; a block on its way is shared by all who need it, and one waiter's abort does not harm
 * the others. Failures are never kept; when the source has changed, all blocks go. A last block that is short is
 * fetched again once the source has grown. Closing it closes `source`.
 */
export function cached(source: ByteSource, options: CachedOptions = {}): ByteSource {
  const { block = BLOCK, head = options.block ?? HEAD, limit = 64 * 1024 * 1024 } = options;
  if (!Number.isSafeInteger(block) || block < 1) throw new RangeError(`cache block of ${block} bytes`);
  return new CachedSource(source, block, Math.ceil(head / block), limit);
}

const BLOCK = 64 * 1024;
const HEAD = 256 * 1024;
/** Kept blocks between missing ones that are fetched again, at most, to save a read. */
const HOLE = 4;

/** A read of consecutive blocks from `first` on, under way. */
interface Run {
  readonly first: number;
  readonly bytes: Shared<Uint8Array>;
}

class CachedSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  readonly #source: ByteSource;
  readonly #block: number;
  /** Blocks of the head. */
  readonly #head: number;
  readonly #limit: number;
  /** Kept blocks by number, the one used longest ago first. */
  readonly #kept = new Map<number, Uint8Array>();
  readonly #coming = new Map<number, Run>();
  #bytes = 0;
  /** Where the source ended when a short block was seen. */
  #end: number | null = null;

  constructor(source: ByteSource, block: number, head: number, limit: number) {
    this.name = source.name;
    this.#gate = new Gate(source.name);
    this.#source = source;
    this.#block = block;
    this.#head = head;
    this.#limit = limit;
  }

  async size(): Promise<number | null> {
    this.#gate.refuse();
    return this.#source.size();
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0) return NO_BYTES;
    // A hit inside one block, the usual case for small reads, needs no waiting and none of its cost.
    const index = Math.floor(offset / this.#block);
    const block = this.#kept.get(index);
    const from = offset - index * this.#block;
    if (block !== undefined && from + length <= block.length) {
      this.#kept.delete(index);
      this.#kept.set(index, block);
      return block.slice(from, from + length);
    }
    return this.#gate.run(signal, (inner) => this.#read(offset, length, inner));
  }

  async close(): Promise<void> {
    if (this.#gate.close()) this.#clear();
    await this.#source.close();
  }

  async #read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    let stop = offset + length;
    if (this.#end !== null && stop > this.#end) {
      const end = this.#end;
      const size = await this.#source.size();
      if (size !== null && size <= end) stop = end;
      else if (this.#end === end) this.#forgetEnd(end);
      if (stop <= offset) return NO_BYTES;
    }
    const first = Math.floor(offset / this.#block);
    const last = Math.floor((stop - 1) / this.#block);
    if ((last - first + 1) * this.#block > this.#limit) return this.#source.read(offset, stop - offset, signal);
    const isHead = first === 0 && !this.#kept.has(0) && this.#head * this.#block <= this.#limit;
    return this.#assemble(
      offset,
      stop,
      await this.#gather(first, isHead ? Math.max(last, this.#head - 1) : last, signal),
    );
  }

  /** Blocks `first..last`, as kept or from the runs that bring them. */
  #gather(first: number, last: number, signal: AbortSignal): Promise<Uint8Array[]> {
    signal.throwIfAborted();
    const parts: (Uint8Array | Run)[] = [];
    for (let index = first; index <= last; index++) {
      const block = this.#kept.get(index);
      if (block !== undefined) {
        this.#kept.delete(index);
        this.#kept.set(index, block);
        parts.push(block);
        continue;
      }
      parts.push(this.#usable(index) ?? this.#start(index, last));
    }
    const runs = new Map<Run, Promise<Uint8Array>>();
    for (const part of parts) {
      if (!(part instanceof Uint8Array) && !runs.has(part)) runs.set(part, part.bytes.join(signal));
    }
    return Promise.all(
      parts.map(async (part, i) => {
        if (part instanceof Uint8Array) return part;
        const at = (first + i - part.first) * this.#block;
        return (await runs.get(part)!).subarray(at, at + this.#block);
      }),
    );
  }

  #usable(index: number): Run | null {
    const run = this.#coming.get(index);
    return run === undefined || run.bytes.abandoned ? null : run;
  }

  /** Starts a run at `first`, `last` at most: up to a block that is coming, or to more that are kept than a few. */
  #start(first: number, last: number): Run {
    let end = first + 1;
    for (let at = end; at <= last && at - end <= HOLE && this.#usable(at) === null; at++) {
      if (!this.#kept.has(at)) end = at + 1;
    }
    const fetch = async (signal: AbortSignal): Promise<Uint8Array> => {
      try {
        const length = (end - first) * this.#block;
        const bytes = await this.#source.read(first * this.#block, length, signal);
        if (!this.#gate.closed) this.#keep(first, bytes, length);
        return bytes;
      } catch (error) {
        if (error instanceof SourceError && error.reason === "changed") this.#clear();
        throw error;
      } finally {
        for (let index = first; index < end; index++) {
          if (this.#coming.get(index) === run) this.#coming.delete(index);
        }
      }
    };
    // The read starts one microtask later, when `run` is in place even if it fails at once.
    const run: Run = { first, bytes: new Shared((signal) => Promise.resolve().then(() => fetch(signal))) };
    for (let index = first; index < end; index++) this.#coming.set(index, run);
    return run;
  }

  #keep(first: number, read: Uint8Array, asked: number): void {
    // a view of more would keep alive more than is counted
    const bytes = read.length === read.buffer.byteLength ? read : read.slice();
    for (let at = 0, index = first; at < bytes.length; at += this.#block, index++) {
      const block = bytes.subarray(at, at + this.#block);
      this.#bytes += block.length - (this.#kept.get(index)?.length ?? 0);
      this.#kept.delete(index);
      this.#kept.set(index, block);
    }
    if (bytes.length > 0 && bytes.length < asked) this.#end = first * this.#block + bytes.length;
    for (const index of this.#kept.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#drop(index);
    }
  }

  /**
   * Lets go of a block, and of its neighbours that came with the same read: they are views, and keep all of it alive.
   */
  #drop(index: number): void {
    const block = this.#kept.get(index);
    if (block === undefined) return;
    const isOfIt = (other: number): boolean => this.#kept.get(other)?.buffer === block.buffer;
    let first = index;
    while (isOfIt(first - 1)) first--;
    for (let at = first; isOfIt(at); at++) {
      this.#bytes -= this.#kept.get(at)!.length;
      this.#kept.delete(at);
    }
  }

  #forgetEnd(end: number): void {
    this.#end = null;
    this.#drop(Math.floor(end / this.#block));
  }

  #assemble(offset: number, stop: number, blocks: readonly Uint8Array[]): Uint8Array {
    const origin = Math.floor(offset / this.#block) * this.#block;
    let end = origin;
    for (const block of blocks) {
      end += block.length;
      if (block.length < this.#block) break;
    }
    const result = new Uint8Array(Math.max(0, Math.min(stop, end) - offset));
    for (let i = 0, at = origin; at < offset + result.length; i++, at += this.#block) {
      const from = Math.max(0, offset - at);
      const part = blocks[i]!.subarray(from, Math.min(this.#block, offset + result.length - at));
      result.set(part, at + from - offset);
    }
    return result;
  }

  #clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
    this.#end = null;
  }
}
