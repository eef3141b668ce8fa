/** For how long an answer may be used: `performance.now()`; 0 once it was forgotten. */
export interface Lease {
  readonly until: number;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  /** Undefined until it is there. */
  value: T | undefined;
  until: number;
}

/**
 * A cache of answers for repeated questions, with a short lifetime: `load` is called once for all callers that ask
 * meanwhile.
 */
export class Remembered<T> {
  readonly #load: (key: string) => Promise<T>;
  readonly #milliseconds: number;
  readonly #most: number;
  readonly #kept = new Map<string, Kept<T>>();

  /** Holds at most `most` answers, each for `milliseconds`. */
  constructor(milliseconds: number, most: number, load: (key: string) => Promise<T>) {
    this.#load = load;
    this.#milliseconds = milliseconds;
    this.#most = most;
  }

  get(key: string): Promise<T> {
    const now = performance.now();
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    const kept: Kept<T> = { answer: this.#load(key), value: undefined, until: now + this.#milliseconds };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!);
    kept.answer.then(
      (value) => {
        kept.value = value;
      },
      // a failed answer is not kept
      () => this.#kept.get(key) === kept && this.#kept.delete(key),
    );
    return kept.answer;
  }

  /** The lease of an answer; null: another one has taken its place, or none. */
  leaseOf(key: string, value: T): Lease | null {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.value === value ? kept : null;
  }

  forget(key?: string): void {
    if (key === undefined) for (const known of this.#kept.keys()) this.forget(known);
    else {
      const kept = this.#kept.get(key);
      if (kept !== undefined) kept.until = 0;
      this.#kept.delete(key);
    }
  }
}
