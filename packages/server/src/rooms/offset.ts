/** One question for the time and its answer; milliseconds. */
interface Sample {
  readonly offset: number;
  readonly trip: number;
  readonly at: number;
}

/** Samples that count, and milliseconds after which one is too old. */
const KEPT = 8;
const OLD = 60_000;

/**
 * What a clock elsewhere is ahead of one's own, from questions and answers: that with the shortest way counts, as it can
 * be wrong by half of that way at most.
 */
export class Offset {
  #samples: Sample[] = [];

  /** An answer `there` to a question asked at `sent`, which came at `received`; milliseconds of either clock. */
  add(sent: number, there: number, received: number): void {
    const sample: Sample = { offset: there - (sent + received) / 2, trip: received - sent, at: received };
    this.#samples = [...this.#samples, sample].slice(-KEPT).filter(({ at }) => received - at < OLD);
  }

  /** Milliseconds to add to one's own time; 0 before the first sample. */
  get value(): number {
    let best: Sample | null = null;
    for (const sample of this.#samples) if (best === null || sample.trip <= best.trip) best = sample;
    return best?.offset ?? 0;
  }
}
