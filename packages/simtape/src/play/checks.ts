import type { Time, TimeRange } from "../model/values/time.ts";
import type { Bounds } from "./passage.ts";

/** Fastest, either way. */
export const MAX_RATE = 64;

/** Throws `RangeError` for what is no rate. */
export function checkedRate(rate: number): number {
  if (Number.isFinite(rate) && rate !== 0 && Math.abs(rate) <= MAX_RATE) return rate;
  throw new RangeError(`a rate is from -${MAX_RATE} to ${MAX_RATE} and not 0, not ${rate}`);
}

/** Throws `RangeError` for what is no time. */
export function checkedTime(time: Time): Time {
  if (Number.isFinite(time)) return time;
  throw new RangeError(`a time is a number of nanoseconds, not ${time}`);
}

/** Throws `RangeError` for what is no number of steps. */
export function checkedCount(count: number): number {
  if (Number.isSafeInteger(count)) return count;
  throw new RangeError(`steps are a whole number, not ${count}`);
}

/** An absent bound is infinite. Throws `RangeError` for a range without length. */
export function checkedLoop(range: TimeRange | null): Bounds | null {
  if (range === null) return null;
  const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = range;
  if (typeof start === "number" && typeof end === "number" && start < end) return { start, end };
  throw new RangeError(`a loop ends after its start, not from ${start} to ${end}`);
}
