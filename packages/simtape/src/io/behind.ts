import type { ByteSink } from "./sink.ts";

/** Bytes that may wait for the sink before the caller is asked to. */
const LIMIT = 8 << 20;

/**
 * Hands writes to a sink one after the other, behind the back of a caller who does not wait for them. The first failure
 * is kept: later writes are dropped, and everything that waits rejects with it.
 */
export class WriteBehind {
  readonly #sink: ByteSink;
  readonly #limit: number;
  #tail: Promise<void> = Promise.resolve();
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
    await this.#tail;
    await this.#sink.abort();
  }

  async #drained(): Promise<void> {
    await this.#tail;
    if (this.#failure !== null) throw this.#failure.cause;
  }

  #queue(length: number, write: () => Promise<void>): void {
    this.#waiting += length;
    this.#tail = this.#tail.then(async () => {
      try {
        if (this.#failure === null && !this.#isDone) await write();
      } catch (cause) {
        this.#failure = { cause };
      }
      this.#waiting -= length;
      if (this.#settle === null || (this.#waiting > this.#limit / 2 && this.#failure === null)) return;
      const settle = this.#settle;
      this.#settle = null;
      this.#ready = null;
      settle();
    });
  }
}

function rejected(cause: unknown): Promise<void> {
  const promise = Promise.reject(cause);
  promise.catch(() => undefined);
  return promise;
}
