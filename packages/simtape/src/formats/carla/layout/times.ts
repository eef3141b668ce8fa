import type { TimeDomain } from "../../../model/values/time.ts";

/** Seconds: a recording is shorter than this, or its time is damaged. */
export const LONGEST_ELAPSED = 9e6;
/** Seconds: a frame is shorter than this, or its duration is damaged. */
export const LONGEST_DURATION = 1e6;

/** Elapsed seconds as f64, counted from 0 (spec §4.0): the largest are 2^-29 s apart. */
export const TIMES: TimeDomain = { first: 0, last: LONGEST_ELAPSED * 1e9, step: 2 };
