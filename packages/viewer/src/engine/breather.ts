/** Longest time that a query keeps the worker to itself, milliseconds: the player ticks in the same thread. */
const LONGEST_TURN = 8;

/** What goes before: settles when it is done; null: there is nothing now. */
export interface Precedence {
  readonly loading: Promise<void> | null;
}

/** Lets others have the thread now and then, and stops a query that was called off. */
export class Breather {
  readonly #signal: AbortSignal;
  readonly #first: Precedence | null;
  #since = performance.now();

  /** With `first`, a query that goes through much waits while the player has nothing to show. */
  constructor(signal: AbortSignal, first: Precedence | null = null) {
    this.#signal = signal;
    this.#first = first;
  }

  /** Comes back at once when it is not time yet. Throws the signal's reason when it was aborted. */
  async breathe(): Promise<void> {
    this.#signal.throwIfAborted();
    while (this.#first?.loading) {
      await this.#first.loading;
      this.#signal.throwIfAborted();
    }
    if (performance.now() - this.#since < LONGEST_TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
