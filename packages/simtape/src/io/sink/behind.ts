import { Spares } from "../../bytes/spares.ts";
import { rejected } from "./rejected.ts";
import type { ByteSink } from "./sink.ts";

/** Bytes that may wait for the sink before the caller is asked to. */
const LIMIT = 8 << 20;

/** Pieces whose memory is kept for the next, and the largest that is. */
const SPARES = 8;
const SPARE = 2 << 20;

interface Queued {
  readonly length: number;
  readonly write: () => Promise<void>;
  readonly own: Uint8Array<ArrayBuffer> | null;
}

/**
 * Hands writes to a sink one after the other, behind the back of a caller who does not wait for them. The first failure
 * is kept: later writes are dropped, and everything that waits rejects with it.
 */
export class WriteBehind {
  readonly #sink: ByteSink;
  readonly #limit: number;
  readonly #queued: Queued[] = [];
  /** Memory of pieces that the sink is done with. */
  readonly #spares = new Spares(SPARES, SPARE);
  /** Settles when nothing is queued any more; null then. Never rejects. */
  #running: Promise<void> | null = null;
  #waiting = 0;
  #position: number;
  #failure: { readonly cause: unknown } | null = null;
  #isDone = false;
  #ready: Promise<void> | null = null;
  #settle: (() => void) | null = null;

  constructor(sink: ByteSink, limit: number = LIMIT) {
    this.#sink = sink;
    this.#limit = limit;
    this.#position = sink.position;
  }

  /** Place of the next byte, counting those that wait. */
  get position(): number {
    return this.#position;
  }

  /** Settles when there is room again, null while there is; rejects with the sink's error once a write has failed. */
  get ready(): Promise<void> | null {
    if (this.#failure !== null) return rejected(this.#failure.cause);
    if (this.#waiting <= this.#limit) return null;
    this.#ready ??= new Promise<void>((resolve) => {
      this.#settle = resolve;
    }).then(() => {
      if (this.#failure !== null) throw this.#failure.cause;
    });
    this.#ready.catch(() => undefined);
    return this.#ready;
  }

  /** Appends. The bytes belong to the sink from now on. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#position += bytes.length;
    this.#queue(bytes.length, () => this.#sink.write(bytes));
  }

  /** As `write`, for bytes that have their memory to themselves: it is given back by `memory` when they are written. */
  writeOwn(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    this.#position += bytes.length;
    this.#queue(bytes.length, () => this.#sink.write(bytes), bytes);
  }

  /** Memory of a piece that is written, of `size` bytes at least, to write the next into; else how much to make. */
  memory(size: number): ArrayBuffer | number {
    return this.#spares.memory(size);
  }

  /** Overwrites bytes written earlier, also those that still wait. */
  writeAt(offset: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#queue(bytes.length, () => this.#sink.writeAt(offset, bytes));
  }

  /** Resolves when everything written so far survives a crash. */
  async flush(): Promise<void> {
    await this.#drained();
    await this.#sink.flush();
  }

  /** Finishes the file. Idempotent; when it fails, `abort()` still takes everything away. */
  async close(): Promise<void> {
    if (this.#isDone) return;
    await this.#drained();
    if (this.#isDone) return;
    await this.#sink.close();
    this.#isDone = true;
  }

  /** Takes everything away. Idempotent; without effect after `close()`. */
  async abort(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    await this.#running;
    await this.#sink.abort();
  }

  async #drained(): Promise<void> {
    await this.#running;
    if (this.#failure !== null) throw this.#failure.cause;
  }

  #queue(length: number, write: () => Promise<void>, own: Uint8Array<ArrayBuffer> | null = null): void {
    this.#waiting += length;
    this.#queued.push({ length, write, own });
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let next = this.#queued.shift(); next !== undefined; next = this.#queued.shift()) {
      try {
        const writing = this.#failure === null && !this.#isDone ? next.write() : null;
        // the sink is at work before a caller who waits goes on, and keeps the thread to itself
        this.#letGo();
        await writing;
        if (next.own !== null) this.#spares.give(next.own);
      } catch (cause) {
        this.#failure = { cause };
      }
      this.#waiting -= next.length;
    }
    this.#running = null;
    this.#letGo();
  }

  /** Lets who waits for room go on, when there is some. */
  #letGo(): void {
    if (this.#settle === null || (this.#waiting > this.#limit && this.#failure === null)) return;
    const settle = this.#settle;
    this.#settle = null;
    this.#ready = null;
    settle();
  }
}
