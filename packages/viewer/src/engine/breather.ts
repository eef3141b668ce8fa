/** Longest time that a query keeps the worker to itself, milliseconds: the player ticks in the same thread. */
const PATIENCE = 8;

/** Lets others have the thread now and then, and stops a query that was called off. */
export class Breather {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Comes back at once when it is not time yet. Throws the signal's reason when it was aborted. */
  async breathe(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#since < PATIENCE) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
