import type { Finding } from "../model/error.ts";
import type { Time } from "../model/values/time.ts";
import type { Value } from "../model/values/value.ts";

/** Which of the two recordings. */
export type Which = "a" | "b";

/**
 * How times of B become times of A. `start`: both begin at once. `utc`: by the wall clock. `tick`: the n-th moment of
 * motion of one is the n-th of the other. `mark:TEXT`, `event:KIND`: the first mark with this text, or event of this kind, is
 * at the same time. `correlate:PATH`: so that the values of the path fit best.
 */
export type Alignment = "start" | "utc" | "tick" | `mark:${string}` | `event:${string}` | `correlate:${string}`;

/** Which thing of B is a thing of A: that with the same id, or label, or the nearest one when both are there first. */
export type Match = "id" | "name" | "nearest";

/** What is different, where it was met first. */
export interface Divergence {
  /** Of A, nanoseconds. */
  readonly time: Time;
  /** `value`: a number or text; `thing`: in one alone; `event`; `extent`: one ends before the other. */
  readonly kind: "value" | "thing" | "event" | "extent";
  /** `vehicles/24/position.x`; of a thing `vehicles/24`; of an event its kind. */
  readonly path: string;
  /** The thing; null: it is of none. */
  readonly thing: { readonly set: string; readonly id: number | string } | null;
  /** What is there; null: nothing. */
  readonly a: Value;
  readonly b: Value;
  /** How far the numbers are apart, in `unit`; null: they are no numbers. */
  readonly error: number | null;
  readonly unit: string | null;
  /** How far they might be apart. */
  readonly tolerance: number | null;
}

/** How far apart a path of the two is, over all things of its set. */
export interface PathDifference {
  /** `vehicles/*` + `/position`: of a column all things together; of a list in a value all items. */
  readonly path: string;
  readonly unit: string | null;
  /** Whether it ever differed by more than the tolerance. */
  readonly differs: boolean;
  /** The first difference beyond the tolerance; null: there is none. */
  readonly first: Divergence | null;
  /** The last moment at which it differed beyond the tolerance; null likewise. */
  readonly last: Time | null;
  /** Moments at which it differed beyond the tolerance. */
  readonly moments: number;
  /** The greatest error, its time, and the path of it; error null: no numbers. */
  readonly max: { readonly error: number | null; readonly time: Time; readonly path: string };
  /** Square root of the mean square over the time compared and over things; null: no numbers. */
  readonly rms: number | null;
  /** The greatest error in each of as many equal parts of the range. Of what is no number 1: it differs, 0: it does not. */
  readonly curve: readonly number[];
}

/** What only one of the two has. */
export interface OnlyIn {
  /** `vehicles/24`, `vehicles/*` + `/gear`, `weather/rain`; of a whole set its name. */
  readonly path: string;
  readonly what: "set" | "thing" | "column" | "value";
  /** The first and the last moment at which the other one did not have it. */
  readonly first: Time;
  readonly last: Time;
}

/** An event as far as it is compared. Times are those of A. */
export interface ComparedEvent {
  readonly time: Time;
  readonly kind: string;
  readonly text: string;
}

/** Events that differ. `only`: in one alone; `time`, `order`, `kind`: both have it, but not alike. */
export interface EventDifference {
  readonly how: "only" | "time" | "order" | "kind";
  readonly a: ComparedEvent | null;
  readonly b: ComparedEvent | null;
}

/** One of the two. Times are its own. */
export interface ComparedSide {
  readonly format: string;
  readonly start: Time;
  readonly end: Time;
  /** Unix nanoseconds at time 0, as text; null: not known. */
  readonly epoch: string | null;
  readonly findings: readonly Finding[];
}

/** What `compare` found. All times are those of A, in nanoseconds since its start. */
export interface Comparison {
  /** Nothing differs beyond the tolerances. */
  readonly same: boolean;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** `shift` is added to times of B, nanoseconds; of `tick` at the first tick. */
  readonly alignment: { readonly by: string; readonly shift: Time };
  /** From the first to the last moment that were compared, both included. */
  readonly range: { readonly start: Time; readonly end: Time };
  /** Moments whose states were compared; the messages of all others are equal byte for byte. */
  readonly moments: number;
  readonly first: Divergence | null;
  /** Those that differ beyond the tolerance first, by when they did. */
  readonly paths: readonly PathDifference[];
  /** More paths than are listed. */
  readonly morePaths: number;
  readonly onlyIn: Readonly<Record<Which, readonly OnlyIn[]>>;
  readonly moreOnlyIn: Readonly<Record<Which, number>>;
  readonly events: {
    /** Events that both have alike. */
    readonly same: number;
    readonly differing: number;
    readonly differences: readonly EventDifference[];
  };
  /** One sentence each: what could not be compared, and what was left out. */
  readonly notes: readonly string[];
}
