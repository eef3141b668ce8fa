import type { Time } from "../model/values/time.ts";
import type { Divergence, PathDifference } from "./report.ts";

/** Parts of the range for which a curve has a number each. */
export const CURVE_POINTS = 120;

/** The range that is compared. */
export interface Span {
  readonly start: Time;
  readonly end: Time;
}

/**
 * How far a path is apart over time: the error that is put holds until another is. Kept are sums and one number for each
 * part of the range, so that it does not grow with the recordings.
 */
export class ErrorCurve {
  readonly path: string;
  readonly unit: string | null;
  readonly isNumber: boolean;
  first: Divergence | null = null;
  readonly #span: Span;
  readonly #parts = new Float64Array(CURVE_POINTS);
  #moments = 0;
  #last: Time | null = null;
  #max = -1;
  #maxTime: Time = 0;
  #maxPath = "";
  /** Squares by time, in nanoseconds. */
  #sum = 0;
  #since: Time;
  #mean = 0;
  #peak = 0;

  constructor(path: string, unit: string | null, isNumber: boolean, span: Span) {
    this.path = path;
    this.unit = unit;
    this.isNumber = isNumber;
    this.#span = span;
    this.#since = span.start;
  }

  /** Whether nothing is apart now. */
  get isLevel(): boolean {
    return this.#peak === 0;
  }

  /**
   * From `time` on: the mean square of the errors of all things, and the greatest of them, with the path of it. `isOver`:
   * at least one is beyond its tolerance.
   */
  put(time: Time, mean: number, peak: number, peakPath: () => string, isOver: boolean): void {
    this.#close(time);
    this.#mean = mean;
    this.#peak = peak;
    if (peak > this.#max) {
      this.#max = peak;
      this.#maxTime = time;
      this.#maxPath = peakPath();
    }
    if (isOver) {
      this.#moments++;
      this.#last = time;
    }
  }

  /** A moment at which what was put before still holds, beyond the tolerance. */
  hold(time: Time): void {
    this.#moments++;
    this.#last = time;
  }

  #close(time: Time): void {
    if (this.#peak > 0) {
      this.#sum += this.#mean * Math.max(0, time - this.#since);
      const { start, end } = this.#span;
      const scale = end > start ? CURVE_POINTS / (end - start) : 0;
      const from = partAt((this.#since - start) * scale);
      const to = partAt((time - start) * scale);
      const last = to > from && (time - start) * scale === to ? to - 1 : to;
      for (let i = from; i <= last; i++) if (this.#peak > this.#parts[i]!) this.#parts[i] = this.#peak;
    }
    this.#since = time;
  }

  /** At the end of the range. */
  end(): PathDifference {
    const { start, end } = this.#span;
    this.#close(end);
    const { path, unit, isNumber, first } = this;
    const rms = end > start ? Math.sqrt(this.#sum / (end - start)) : Math.max(0, this.#max);
    return {
      ...{ path, unit, differs: first !== null, first, last: this.#last, moments: this.#moments },
      max: { error: isNumber ? finite(this.#max) : null, time: this.#maxTime, path: this.#maxPath },
      rms: isNumber ? finite(rms) : null,
      curve: Array.from(this.#parts, finite),
    };
  }
}

function partAt(place: number): number {
  return Math.min(CURVE_POINTS - 1, Math.max(0, Math.floor(place)));
}

function finite(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : Number.MAX_VALUE;
}
