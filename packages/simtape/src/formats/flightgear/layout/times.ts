import type { TimeDomain } from "../../../model/values/time.ts";

/** Seconds that are believed as a frame's time: session time, or Unix time (spec §7). */
const MAX_TIME = 1e11;
/** Unix time at time 0 is below this: the year 2286. */
const MAX_EPOCH = 1e10;
/** A time that is not 0 and smaller than this is no time but other bytes. */
const MIN_TIME = 1e-9;
/** Frames that are searched for lie this close in time to the last good one, seconds. */
export const NEAR = 1e5;
/** Frames of one recording are hardly further apart than this, seconds; odd tapes go back a little. */
export const JUMP = 600;
const BACK = 10;

/** Whether this can be the time of a frame. */
export function isTime(native: number): boolean {
  return native === 0 || (Math.abs(native) <= MAX_TIME && Math.abs(native) >= MIN_TIME);
}

/** Whether these seconds since 1970 can be said by the frames of a tape. */
export function isEpoch(seconds: number): boolean {
  return seconds >= 0 && seconds <= MAX_EPOCH;
}

/** Whether a frame of `native` may follow one of `last`, as frames of one recording do. */
export function goesWith(native: number, last: number): boolean {
  return native >= last - BACK && native <= last + JUMP;
}

/** Whether it also is later. */
export function isSoonAfter(native: number, last: number): boolean {
  return native > last && native <= last + JUMP;
}

/**
 * Seconds of the session or of Unix time as f64 (spec §7), of which those up to `MAX_TIME` are believed: less the Unix
 * time at time 0, and 2^-16 s apart at the end. A tape begins with its first frame, which is time 0; one not long before
 * it goes out of order.
 */
export const TIMES: TimeDomain = { first: -NEAR * 1e9, last: (MAX_TIME - MAX_EPOCH) * 1e9, step: 1e9 / 2 ** 16 };
