import { Gate, NO_BYTES } from "./gate.ts";
import { Shared } from "./shared.ts";
import type { ByteSource } from "./source.ts";
import type { Spool, SpoolFactory } from "./spool.ts";

/** Gives bytes once, from the first to the last. */
export interface Producer {
  /**
   * The next pieces, perhaps none; null at the end. Not called again before it has settled.
   * After a failure the next call goes on at the same place, or fails again.
   */
  next(): Promise<readonly Uint8Array[] | null>;
  /** Ends a `next` under way. */
  close(): Promise<void>;
}

/** Is asked before more bytes are kept; throws when they are too many. */
export type Meter = (more: number, total: number) => void;

/** Bytes after which other tasks get their turn, as pieces at hand come without one. */
const BREATH = 8 * 1024 * 1024;

/**
 * Ranged reads over what a producer gives: it runs as far as reads ask, once, into a spool.
 * `size()` runs it to its end. A waiter's abort does not stop it.
 */
export class ForwardSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  readonly #producer: Producer;
  readonly #spools: SpoolFactory;
  readonly #meter: Meter | null;
  #spool: Spool | null = null;
  #length = 0;
  #ended = false;
  /** What the spool refused with; nothing can follow what it did not take. */
  #broken: { readonly error: unknown } | null = null;
  #step: Shared<void> | null = null;
  #sinceBreath = 0;
  #closing: Promise<void> | null = null;

  constructor(name: string, producer: Producer, spools: SpoolFactory, meter: Meter | null = null) {
    this.#meter = meter;
    this.name = name;
    this.#gate = new Gate(name);
    this.#producer = producer;
    this.#spools = spools;
  }

  async size(): Promise<number> {
    this.#gate.refuse();
    if (!this.#ended) await this.#gate.run(undefined, (signal) => this.#reach(Number.POSITIVE_INFINITY, signal));
    return this.#length;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0) return NO_BYTES;
    return this.#gate.run(signal, async (inner) => {
      await this.#reach(offset + length, inner);
      const count = Math.min(length, this.#length - offset);
      return count <= 0 || this.#spool === null ? NO_BYTES : this.#spool.read(offset, count);
    });
  }

  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#producer.close();
    await this.#step?.join().catch(() => undefined);
    await this.#spool?.close();
    this.#spool = null;
  }

  async #reach(end: number, signal: AbortSignal): Promise<void> {
    while (this.#length < end && !this.#ended) {
      if (this.#broken !== null) throw this.#broken.error;
      // Steps take no signal: one that was begun serves the next caller.
      this.#step ??= new Shared(() => this.#advance());
      await this.#step.join(signal);
    }
  }

  async #advance(): Promise<void> {
    try {
      if (this.#sinceBreath >= BREATH) {
        this.#sinceBreath = 0;
        await new Promise<void>((resolve) => setTimeout(resolve, 0));
      }
      const pieces = await this.#producer.next();
      if (pieces === null) this.#ended = true;
      else await this.#store(pieces);
    } finally {
      this.#step = null;
    }
  }

  async #store(pieces: readonly Uint8Array[]): Promise<void> {
    try {
      for (const piece of pieces) {
        this.#gate.refuse();
        if (piece.length === 0) continue;
        this.#meter?.(piece.length, this.#length + piece.length);
        this.#spool ??= await this.#spools.create();
        await this.#spool.write(piece);
        this.#length += piece.length;
        this.#sinceBreath += piece.length;
      }
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
  }
}
