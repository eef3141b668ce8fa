import type { Time } from "../model/values/time.ts";

/** Wall time that one tick may cover: what is longer was a pause of the machine, and is not caught up with. */
const LONGEST_TICK: Time = 300e6;

/** A stretch of recording time, both ends shown. */
export interface Bounds {
  readonly start: Time;
  readonly end: Time;
}

/** How recording time passes: at `rate` from where it was `anchor.time` when the clock said `anchor.clock`. */
export interface Passage {
  /** Null until the recording is known. */
  readonly bounds: Bounds | null;
  readonly anchor: { readonly clock: Time; readonly time: Time };
  /** Shown last, when the clock said `shownAt`. */
  readonly time: Time;
  readonly shownAt: Time;
  /** Recording time per wall time; not 0. */
  readonly rate: number;
  /** Played over and over; null: none. */
  readonly loop: Bounds | null;
  /** Whether the whole recording is, where there is no loop or it was left behind. */
  readonly isRepeating: boolean;
}

/** Where a tick goes. */
export interface Position {
  readonly time: Time;
  /** It is the far edge. */
  readonly isEdge: boolean;
  /** Wall time that is forgone because the machine slept. */
  readonly lost: Time;
}

const NOWHERE: Bounds = { start: 0, end: 0 };

/** Where playing turns or ends. A loop counts until its far end is passed. */
export function farEdge(passage: Passage): Time {
  const { bounds, rate, time } = passage;
  const range = loopAt(passage, time) ?? bounds ?? NOWHERE;
  return rate > 0 ? range.end : range.start;
}

/** Where playing goes on from the far edge. */
export function nearEdge(passage: Passage): Time {
  const range = loopAt(passage, passage.time) ?? passage.bounds ?? NOWHERE;
  return passage.rate > 0 ? range.start : range.end;
}

export function isAtEdge(passage: Passage): boolean {
  return passage.time === farEdge(passage) && wrapLength(passage) === 0;
}

/** Computed from the anchor, never added up: rounded once, however long it plays. */
export function positionAt(passage: Passage, now: Time): Position {
  const { rate, shownAt } = passage;
  const edge = farEdge(passage);
  const lost = Math.max(0, now - shownAt - LONGEST_TICK);
  const time = clockedAt(passage, now - lost);
  const isEdge = rate > 0 ? time >= edge : time <= edge;
  return { time: isEdge ? edge : time, isEdge, lost };
}

/** The anchor behind the far edge: as many whole rounds back as have passed, so that rounds never drift. Null at the end. */
export function wrapped(passage: Passage, now: Time): Passage["anchor"] | null {
  const { anchor, rate } = passage;
  const length = wrapLength(passage);
  if (length === 0) return null;
  const near = nearEdge(passage);
  const beyond = Math.abs(clockedAt(passage, now) - near);
  const rounds = Math.floor(beyond / length) * Math.sign(rate);
  return { clock: anchor.clock, time: anchor.time - rounds * length };
}

/** The ways that will be gone until `now`: one, or with a turn at the edge two. */
export function waysUntil(passage: Passage, now: Time): { readonly from: Time; readonly to: Time }[] {
  const { time, rate } = passage;
  const edge = farEdge(passage);
  const clocked = clockedAt(passage, now);
  const rest = rate > 0 ? clocked - edge : edge - clocked;
  if (rest < 0) return [{ from: time, to: clocked }];
  const ways = [{ from: time, to: edge }];
  const length = wrapLength(passage);
  const near = nearEdge(passage);
  if (length > 0) ways.push({ from: near, to: near + Math.sign(rate) * Math.min(rest, length) });
  return ways;
}

function clockedAt({ anchor, rate }: Passage, now: Time): Time {
  return anchor.time + Math.round((now - anchor.clock) * rate);
}

/** The loop, as far as it lies in the recording; null when there is none or `time` has passed it. */
function loopAt({ loop, bounds, rate }: Passage, time: Time): Bounds | null {
  if (loop === null || bounds === null) return null;
  const start = Math.max(loop.start, bounds.start);
  const end = Math.min(loop.end, bounds.end);
  const isPassed = rate > 0 ? time > end : time < start;
  return isPassed || end <= start ? null : { start, end };
}

/** Length of a round; 0: playing ends at the edge. */
function wrapLength(passage: Passage): Time {
  const range = loopAt(passage, passage.time) ?? (passage.isRepeating ? passage.bounds : null);
  return range === null ? 0 : range.end - range.start;
}
