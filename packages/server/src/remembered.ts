/** Answers that are asked for again and again, kept for a short while: `load` is called once for all who ask meanwhile. */
export class Remembered<T> {
  readonly #load: (key: string) => Promise<T>;
  readonly #milliseconds: number;
  readonly #most: number;
  readonly #kept = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();

  /** Keeps `most` answers at most, each for `milliseconds`. */
  constructor(milliseconds: number, most: number, load: (key: string) => Promise<T>) {
    this.#load = load;
    this.#milliseconds = milliseconds;
    this.#most = most;
  }

  get(key: string): Promise<T> {
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now) return kept.answer;
    const answer = this.#load(key);
    this.#kept.delete(key);
    this.#kept.set(key, { answer, until: now + this.#milliseconds });
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!);
    // what failed is asked again
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }

  forget(key?: string): void {
    if (key === undefined) this.#kept.clear();
    else this.#kept.delete(key);
  }
}
