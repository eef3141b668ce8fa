/** Milliseconds between two runs at least. */
const LEAST = 300;
/** A run may take one part in so many of the time. */
const SHARE = 6;

/** Does something again and again, but never so often that little time is left for others; the last time always. */
export class Paced {
  readonly #run: () => void;
  readonly #least: number;
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `least`: milliseconds between the ends of two runs. */
  constructor(run: () => void, least: number = LEAST) {
    this.#run = run;
    this.#least = least;
  }

  /** Runs now, or when it may; whether it has run. */
  request(): boolean {
    const wait = this.#next - performance.now();
    if (wait <= 0) {
      this.now();
      return true;
    }
    this.#timer ??= setTimeout(() => this.now(), wait);
    return false;
  }

  /** Runs now. */
  now(): void {
    this.dispose();
    const start = performance.now();
    this.#run();
    const end = performance.now();
    this.#next = end + Math.max(this.#least, SHARE * (end - start));
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
