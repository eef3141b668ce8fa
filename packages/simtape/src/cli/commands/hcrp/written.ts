import type { Time } from "../../../model/values/time.ts";

interface Last {
  time: Time;
  /** Messages at that time that were met, and how many of them in the present pass. */
  count: number;
  seen: number;
}

/**
 * What was met of each channel, so that a recording that has grown goes on from there, wherever its messages lie in the
 * files by then. The times of a channel ascend.
 */
export class Written {
  readonly #last = new Map<string, Last>();

  /** Before a pass over the recording, from `from` on. */
  begin(): void {
    for (const last of this.#last.values()) last.seen = 0;
  }

  /** Where a pass begins that meets everything new. */
  get from(): Time {
    let from = Number.POSITIVE_INFINITY;
    for (const { time } of this.#last.values()) from = Math.min(from, time);
    return this.#last.size === 0 ? Number.NEGATIVE_INFINITY : from;
  }

  /** Whether the next message of a channel is new; it is not from then on. */
  meet(channel: string, time: Time): boolean {
    const last = this.#last.get(channel);
    if (last === undefined) {
      this.#last.set(channel, { time, count: 1, seen: 1 });
      return true;
    }
    if (time < last.time) return false;
    if (time > last.time) Object.assign(last, { time, count: 0, seen: 0 });
    last.seen++;
    if (last.seen <= last.count) return false;
    last.count++;
    return true;
  }
}
