import type { Time, Timeline } from "../../model/values/time.ts";

/** What times count from where the recording does not say when it was: 2000-01-01T00:00:00Z, Unix seconds. */
const STATED = 946684800;
/** Years 0001 to 9999, which is what the texts of other programs can say; Unix seconds. */
const FIRST = -62135596800;
const LAST = 253402300799;

/** Times of a recording as UTC. */
export class UtcClock {
  /** The recording does not say when it was: times count from a stated date. */
  readonly isStated: boolean;
  /** Time 0: Unix seconds, and nanoseconds behind them. */
  readonly #seconds: number;
  readonly #nanoseconds: number;
  /** The second whose text was made last. */
  #second = Number.NaN;
  #text = "";

  constructor({ epoch, start, end }: Pick<Timeline, "epoch" | "start" | "end">) {
    const seconds = epoch === null ? STATED : Number(epoch / 1_000_000_000n);
    const fits = seconds + start / 1e9 > FIRST + 1 && seconds + end / 1e9 < LAST - 1;
    this.isStated = epoch === null || !fits;
    this.#seconds = this.isStated ? STATED : seconds;
    this.#nanoseconds = this.isStated ? 0 : Number(epoch! % 1_000_000_000n);
  }

  /** ISO 8601 in UTC, with milliseconds, or with microseconds where there are some; what is below them is cut off. */
  text(time: Time): string {
    const whole = Math.floor(time / 1e9);
    let rest = time - whole * 1e9 + this.#nanoseconds;
    const carried = Math.floor(rest / 1e9);
    rest -= carried * 1e9;
    const second = Math.max(FIRST, Math.min(LAST, this.#seconds + whole + carried));
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toISOString().slice(0, -5);
    }
    const micro = Math.floor(rest / 1000);
    const digits = micro % 1000 === 0 ? String(micro / 1000).padStart(3, "0") : String(micro).padStart(6, "0");
    return `${this.#text}.${digits}Z`;
  }

  /** The latest time at or before `time` that is a whole second of UTC. */
  secondBefore(time: Time): Time {
    const into = (time + this.#nanoseconds) % 1e9;
    return time - (into < 0 ? into + 1e9 : into);
  }

  /** A sentence for the report; null: the recording says when it was. */
  get note(): string | null {
    return this.isStated
      ? "the recording does not say when it was: its time 0 is written as 2000-01-01T00:00:00Z"
      : null;
  }
}
