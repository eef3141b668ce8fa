import type { Time } from "../model/values/time.ts";

/** Where a player takes time from. Whole nanoseconds that never go back; what they are counted from does not matter. */
export interface Clock {
  now(): Time;
  /** Calls `then` once, at `at` or soon behind it; what is given back calls it off. */
  wake(at: Time, then: () => void): () => void;
}

/** The time of the machine, by `performance.now` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => Math.round(performance.now() * 1e6),
  wake(at, then) {
    const timer = setTimeout(then, Math.max(0, at / 1e6 - performance.now()));
    return () => clearTimeout(timer);
  },
};
