import type { Recording } from "../../model/recording.ts";
import type { Time, TimeRange } from "../../model/values/time.ts";
import { UsageError } from "../run/failure.ts";
import { grouped } from "../run/terminal.ts";
import { parseDuration } from "./time.ts";

/** As many moments as `--points` may ask for. */
const MOST = 1e9;

/** Nanoseconds of an `--every`. Throws `UsageError` for what is no time above 0, and for one of too many moments. */
export async function intervalOf(text: string, range: TimeRange, recording: Recording): Promise<Time> {
  const interval = parseDuration(text);
  if (interval === null || interval <= 0)
    throw new UsageError(`--every takes a time such as 50ms or 1s, not ${JSON.stringify(text)}`);
  const { start, end } = await recording.timeline();
  const moments = Math.ceil((Math.min(range.end ?? end, end) - Math.max(range.start ?? start, start)) / interval);
  if (moments >= MOST)
    throw new UsageError(
      `--every ${text} would be ${grouped(moments)} moments of this range: fewer than ${grouped(MOST)} can be asked for`,
    );
  return interval;
}
