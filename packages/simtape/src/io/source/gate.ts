import { SourceError } from "./source.ts";

/** No bytes at all; shared, as there is nothing in it to change. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/**
 * What every source does around a read: checks arguments, honours the signal, refuses after `close()`.
 * Nothing passed through `run` settles later than an abort or `close()`.
 */
export class Gate {
  readonly #name: string;
  readonly #running = new Set<(reason: unknown) => void>();
  #closed = false;

  constructor(name: string) {
    this.#name = name;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Throws `RangeError` for a range that cannot be, `SourceError("closed")`, or the signal's reason. */
  enter(offset: number, length: number, signal: AbortSignal | undefined): void {
    if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`read at offset ${offset}: ${this.#name}`);
    if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`read of ${length} bytes: ${this.#name}`);
    this.refuse();
    signal?.throwIfAborted();
  }

  /** Throws `SourceError("closed")` after `close()`. */
  refuse(): void {
    if (this.#closed) throw this.#reason();
  }

  /** Runs `work` with a signal that aborts on the caller's abort and on `close()`; both reject at once. */
  run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(this.#reason());
    if (signal?.aborted) return Promise.reject(signal.reason);
    const controller = new AbortController();
    return this.race(signal, work(controller.signal), controller);
  }

  /** What `work` comes to, unless the caller aborts or `close()` is called first: both reject at once, and abort `stopping`. */
  race<T>(signal: AbortSignal | undefined, work: Promise<T>, stopping?: AbortController): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = (reason: unknown): void => {
        leave();
        reject(reason);
        stopping?.abort(reason);
      };
      const abort = (): void => stop(signal?.reason);
      const leave = (): void => {
        this.#running.delete(stop);
        signal?.removeEventListener("abort", abort);
      };
      this.#running.add(stop);
      signal?.addEventListener("abort", abort);
      work.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error: unknown) => {
          leave();
          reject(error);
        },
      );
    });
  }

  /** True the first time; everything running rejects with `SourceError("closed")`. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    for (const stop of this.#running) stop(this.#reason());
    return true;
  }

  #reason(): SourceError {
    return new SourceError("closed", `source is closed: ${this.#name}`);
  }
}
