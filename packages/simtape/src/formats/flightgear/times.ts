/** Seconds that are believed as a frame's time: session time, or Unix time (spec §7). */
const MAX_TIME = 1e11;
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

/** Whether a frame of `native` may follow one of `last`, as frames of one recording do. */
export function goesWith(native: number, last: number): boolean {
  return native >= last - BACK && native <= last + JUMP;
}
