import type { Time } from "../model/values/time.ts";

/** Which rows and columns of a table are read. Reading more than that is allowed. */
export interface Wanted {
  /** Names in lower case; null: all columns. */
  readonly columns: ReadonlySet<string> | null;
  /** Only rows whose time is in one of these; null: all. */
  readonly spans: readonly Span[] | null;
  /** Only these things of a set; null: all. */
  readonly ids: readonly WantedId[] | null;
  /** Only these kinds of event; null: all. */
  readonly kinds: readonly string[] | null;
  /** Whether the columns of a channel are learned from all its messages; by default from some, and from those that are read. */
  readonly isLearnedWhole?: boolean | undefined;
  /** Whether columns are settled before the range is read: reading fails where they do not hold (`LateColumnError`). */
  readonly isEarly?: boolean | undefined;
  /** With `isEarly`: the rows can be taken back, so that all columns are compared where one that is named was not met. */
  readonly isTried?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An id as the statement has it: a whole number, or a text. */
export interface WantedId {
  readonly id: string;
  readonly isText: boolean;
}

/** Bounds of what one mention of a table needs, both inclusive; infinite: open. */
export interface Span {
  /** Seconds since the start of the recording. */
  readonly from: number;
  readonly until: number;
  /** Microseconds since 1970. */
  readonly fromUtc: number;
  readonly untilUtc: number;
}

/** What is read for one table of a statement. */
export interface TablePlan {
  /** As the statement has it. */
  readonly name: string;
  /** Where: UTF-16 units from the start of the statement; null: not known. */
  readonly at: number | null;
  /** Names of the recordings that are opened for it. */
  readonly recordings: ReadonlySet<string>;
  readonly wanted: Wanted;
  /** Whether the statement may mean a table of its own (WITH). */
  readonly isOwn: boolean;
  /** Whether all rows of all recordings are read. */
  readonly isWhole: boolean;
  /** The same for plans that read the same. */
  readonly key: string;
}

export const EVERYTHING: Wanted = { columns: null, spans: null, ids: null, kinds: null };

export const OPEN: Span = {
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  fromUtc: Number.NEGATIVE_INFINITY,
  untilUtc: Number.POSITIVE_INFINITY,
};

const SECOND = 1e9;

/**
 * The smallest range that has all times within the spans, with room for rounding. `epoch`: microseconds since 1970 at time
 * 0; null: not known, and then bounds in UTC are not used.
 */
export function rangeOf({ spans }: Wanted, epoch: number | null): { start?: Time; end?: Time } {
  if (spans === null || spans.length === 0) return {};
  const starts = spans.map(({ from, fromUtc }) =>
    Math.max(from * SECOND, epoch === null ? -Infinity : (fromUtc - epoch) * 1e3),
  );
  const ends = spans.map(({ until, untilUtc }) =>
    Math.min(until * SECOND, epoch === null ? Infinity : (untilUtc - epoch) * 1e3),
  );
  const start = Math.min(...starts);
  const end = Math.max(...ends);
  // a microsecond of UTC, and what a double rounds
  const slack = (time: number): number => 2000 + Math.abs(time) * 1e-12;
  return {
    ...(start === -Infinity ? {} : { start: Math.floor(start - slack(start)) }),
    ...(end === Infinity ? {} : { end: Math.ceil(end + slack(end)) }),
  };
}

export function wants({ columns }: Wanted, name: string): boolean {
  return columns === null || columns.has(name.toLowerCase());
}
