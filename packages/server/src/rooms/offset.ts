/** One question for the time and its answer, in milliseconds. */
interface Sample {
  readonly offset: number;
  readonly trip: number;
  readonly at: number;
}

/** Number of samples that count, and milliseconds after which a sample is too old. */
const KEPT = 8;
const OLD = 60_000;

/**
 * Measures how far a remote clock is ahead of the local one, from questions and answers: the pair with the shortest
 * round trip counts, because its error is at most half of that trip.
 */
export class Offset {
  #samples: Sample[] = [];
  #isOther = false;

  /**
   * Adds an answer `there` to a question that was sent at `sent` and answered at `received`; `sent` and `received` are
   * milliseconds of the local clock, `there` of the remote one.
   */
  add(sent: number, there: number, received: number): void {
    const sample: Sample = { offset: there - (sent + received) / 2, trip: received - sent, at: received };
    const before = this.#isOther ? [] : this.#samples;
    this.#isOther = false;
    this.#samples = [...before, sample].slice(-KEPT).filter(({ at }) => received - at < OLD);
  }

  /** Call this when the remote clock may have changed: the old samples count until the first answer. */
  doubt(): void {
    this.#isOther = true;
  }

  /** Milliseconds to add to the local time; 0 before the first sample. */
  get value(): number {
    return this.#best?.offset ?? 0;
  }

  /** Largest error in milliseconds; infinite before the first sample. */
  get error(): number {
    return this.#best === null || this.#isOther ? Number.POSITIVE_INFINITY : this.#best.trip / 2;
  }

  get isKnown(): boolean {
    return this.#samples.length > 0;
  }

  get #best(): Sample | null {
    let best: Sample | null = null;
    for (const sample of this.#samples) if (best === null || sample.trip <= best.trip) best = sample;
    return best;
  }
}
