/**
 * Nanoseconds since the start of the recording. Exact to 2^53 (104 days); within 64 ns for 20 years. May be negative.
 * Those of messages are whole numbers; a time that is asked for may lie between them.
 */
export type Time = number;

/** `start` inclusive, `end` exclusive; an absent bound is open. */
export interface TimeRange {
  readonly start?: Time | undefined;
  readonly end?: Time | undefined;
}

/** The times that messages of a format can have: what its files can say, and its readers believe. */
export interface TimeDomain {
  /** The smallest, and the largest. */
  readonly first: Time;
  readonly last: Time;
  /** Nanoseconds: every time within is kept to less than this, as far as a double tells it. */
  readonly step: Time;
}

/** When a recording begins and ends. */
export interface Timeline {
  /** Time of the earliest message; 0 when there is none. */
  readonly start: Time;
  /** Time of the latest message. */
  readonly end: Time;
  /** Unix nanoseconds at time 0, when the file tells. */
  readonly epoch: bigint | null;
  /** The format's own step, when it has one; `duration` is null where steps vary. */
  readonly tick: Tick | null;
}

/** A format's own step: how many there are, and how long each is. */
export interface Tick {
  readonly name: "tick" | "frame";
  readonly count: number;
  readonly duration: Time | null;
}

/** That many seconds, to the nanosecond. */
export function seconds(value: number): Time {
  return Math.round(value * 1e9);
}

/** That many milliseconds, to the nanosecond. */
export function milliseconds(value: number): Time {
  return Math.round(value * 1e6);
}

/** The first time later than `time` that a message can have: the end of a range that includes `time`. */
export function after(time: Time): Time {
  const next = Math.floor(time) + 1;
  if (next > time) return next;
  // Beyond 2^53 not every whole number is a double; half an epsilon gives the next one, but at powers of two.
  const near = time + Math.abs(time) * (Number.EPSILON / 2);
  return near > time ? near : time + Math.abs(time) * Number.EPSILON;
}
