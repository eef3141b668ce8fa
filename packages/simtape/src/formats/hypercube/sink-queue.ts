/** Bytes under way from which on the writer asks its caller to wait. */
const HIGH_WATER = 4 << 20;

/** Work on sinks, one after the other behind the caller's back; the first failure stops all that follows. */
export class SinkQueue {
  #tail: Promise<void> = Promise.resolve();
  #pending = 0;
  #failure: { readonly error: unknown } | null = null;

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
      }
    });
  }

  /** Null while there is room; rejects with the failure. */
  get ready(): Promise<void> | null {
    return this.#pending > HIGH_WATER || this.#failure !== null ? this.settled() : null;
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
