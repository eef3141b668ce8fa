import type { Time } from "../model/values/time.ts";
import { Cursor, type Shown } from "./cursor.ts";
import type { Want } from "./library.ts";
import type { Reel, Wanted } from "./reel.ts";
import type { Stretch } from "./stretch.ts";

/** Where a recording lies on the player's time: `own` of its time at `at` of the player's, from there at `rate`. */
export interface Placement {
  readonly at: Time;
  readonly own: Time;
  readonly rate: number;
}

/** One of the recordings that play on one clock. Before its start it waits there, behind its end it stays. */
export class Track {
  readonly reel: Reel;
  readonly #cursor: Cursor;
  #placement: Placement = { at: 0, own: 0, rate: 1 };

  constructor(reel: Reel, isInterpolating: boolean, speeds: readonly string[]) {
    this.reel = reel;
    this.#cursor = new Cursor(reel, isInterpolating, speeds);
  }

  place(placement: Placement): void {
    this.#placement = placement;
  }

  reach(time: Time): boolean {
    return this.#cursor.reach(this.#own(time));
  }

  at(time: Time): Shown {
    return this.#cursor.at(this.#own(time));
  }

  /** What must be there to look at `time`; null: it is. */
  needed(time: Time): Wanted | null {
    const own = this.#own(time);
    return this.#cursor.reach(own) ? null : { kind: "at", time: own };
  }

  /** What must be there to play on from `time`; null: it is. */
  starved(time: Time, isForward: boolean): Wanted | null {
    const own = this.#own(time);
    return this.#cursor.reach(own) ? null : this.#cursor.missing(own, isForward);
  }

  /** Makes ready what comes next, and tells the first piece missing, when no more than `memory` bytes lie before it. */
  lookAhead(from: Time, to: Time, memory: number): Want | null {
    const wanted = this.#cursor.lookAhead(this.#own(from), this.#own(to), memory);
    return wanted === null ? null : { reel: this.reel, wanted };
  }

  enter(stretch: Stretch): void {
    this.#cursor.enter(stretch);
  }

  #own(time: Time): Time {
    const { at, own, rate } = this.#placement;
    const { start, end } = this.reel.timeline;
    return Math.min(end, Math.max(start, own + Math.round((time - at) * rate)));
  }
}
