import type { TimeDomain } from "../../../model/values/time.ts";

/** Times are signed 64-bit nanoseconds (spec §2.5). A double tells the last 512 of them from none above: they read as 2^63. */
export const TIMES: TimeDomain = { first: -(2 ** 63), last: 2 ** 63, step: 1 };
/** What is stored where a double says 2^63. */
export const LAST_TIME: bigint = 2n ** 63n - 1n;
