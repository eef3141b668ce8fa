/** Most keys of a window: those that came first are forgotten. */
const MOST = 100_000;

/** Counts by a key, such as an account, whichever session or token is used; in fixed windows, on this node. */
export class Quota {
  readonly #milliseconds: number;
  readonly #counts = new Map<string, number>();
  #until = 0;

  /** Milliseconds of a window. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * Counts one more; null: the count is within `most`. Otherwise returns the seconds until the next window, and does
   * not count.
   */
  take(key: string, most: number, now: number = performance.now()): number | null {
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + this.#milliseconds;
    }
    const count = this.#counts.get(key) ?? 0;
    if (count >= most) return Math.ceil((this.#until - now) / 1000);
    this.#counts.set(key, count + 1);
    if (this.#counts.size > MOST) this.#counts.delete(this.#counts.keys().next().value!);
    return null;
  }

  /** Counts one less of those that were counted in this window. */
  giveBack(key: string): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 0) this.#counts.set(key, count - 1);
  }
}
