import type { Fold } from "../fold.ts";
import type { Reader } from "../reader.ts";
import { after, type Time, type TimeRange } from "../values/time.ts";
import type { Traits } from "../traits.ts";
import type { Telling } from "./listing.ts";

/** What is asked: a recording from within. */
export interface QuerySource {
  readonly reader: Reader;
  /** Of all of it. */
  readonly fold: Fold;
  traits(): Promise<Traits>;
}

/** A range with both bounds, and the time of the first message of all. */
export interface Bounds {
  readonly start: Time;
  readonly end: Time;
  readonly first: Time;
}

/** Open bounds are those of the recording, its last message included. Throws `RangeError` for what is no time. */
export async function boundsOf({ reader }: QuerySource, range: TimeRange): Promise<Bounds> {
  const timeline = await reader.timeline();
  const bound = (name: string, time: Time | undefined, otherwise: Time): Time => {
    if (time === undefined || Math.abs(time) === Number.POSITIVE_INFINITY) return otherwise;
    if (!Number.isFinite(time)) throw new RangeError(`${name} is a time in nanoseconds, not ${time}`);
    return time;
  };
  const start = bound("start", range.start, timeline.start);
  return { start, end: bound("end", range.end, after(timeline.end)), first: timeline.start };
}

/** Throws `RangeError` unless it is a time after 0. */
export function checkEvery(every: Time | undefined): void {
  if (every !== undefined && !(every > 0 && Number.isFinite(every)))
    throw new RangeError(`every is a time in nanoseconds above 0, not ${every}`);
}

/** What the format tells of values by their names. */
export async function tellingOf({ reader, traits }: Pick<QuerySource, "reader" | "traits">): Promise<Telling> {
  const { unitOf } = await traits();
  return {
    unitOf: (value) => unitOf?.(value) ?? null,
    interpolation: (value) => reader.state.interpolation?.(value) ?? "hold",
  };
}
