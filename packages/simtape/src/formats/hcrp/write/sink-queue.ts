import { rejected } from "../../../io/sink/rejected.ts";

/** Bytes under way from which on the writer asks its caller to wait, and to which they fall meanwhile. */
const HIGH_WATER = 4 << 20;
const LOW_WATER = 2 << 20;

/** Work on sinks, one after the other behind the caller's back; the first failure stops all that follows. */
export class SinkQueue {
  #tail: Promise<void> = Promise.resolve();
  #pending = 0;
  #failure: { readonly error: unknown } | null = null;
  /** Of who waits for room. */
  #room: { readonly promise: Promise<void>; readonly settle: () => void } | null = null;

  /** `bytes` are held until the work is done. */
  add(bytes: number, work: () => Promise<void>): void {
    this.#pending += bytes;
    this.#tail = this.#tail.then(async () => {
      try {
        if (this.#failure === null) await work();
      } catch (error) {
        this.#failure = { error };
      } finally {
        this.#pending -= bytes;
        if (this.#pending <= LOW_WATER || this.#failure !== null) {
          this.#room?.settle();
          this.#room = null;
        }
      }
    });
  }

  /** Null while there is room; rejects with the failure. A caller may look at it and not wait for it. */
  get ready(): Promise<void> | null {
    if (this.#failure !== null) return rejected(this.#failure.error);
    if (this.#pending <= HIGH_WATER) return null;
    if (this.#room === null) {
      let settle = (): void => undefined;
      const promise = new Promise<void>((resolve) => {
        settle = resolve;
      }).then(() => {
        if (this.#failure !== null) throw this.#failure.error;
      });
      promise.catch(() => undefined);
      this.#room = { promise, settle };
    }
    return this.#room.promise;
  }

  /** Resolves when everything added so far is done; rejects with the failure. */
  async settled(): Promise<void> {
    await this.#tail;
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** As `settled`, but never rejects. */
  async ended(): Promise<void> {
    await this.#tail;
  }
}
