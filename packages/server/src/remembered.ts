/**
 * A cache of answers for repeated questions, with a short lifetime: `load` is called once for all callers that ask
 * meanwhile.
 */
export class Remembered<T> {
  readonly #load: (key: string) => Promise<T>;
  readonly #milliseconds: number;
  readonly #most: number;
  readonly #kept = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();

  /** Holds at most `most` answers, each for `milliseconds`. */
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
    // a failed answer is not kept
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }

  forget(key?: string): void {
    if (key === undefined) this.#kept.clear();
    else this.#kept.delete(key);
  }
}
