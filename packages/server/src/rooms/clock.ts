/**
 * The clock that all users of a room share: a position that moves. It is small, so that every change can be sent; the
 * rest follows from it and from the time.
 */
export interface Clock {
  /** Seconds of the recording at `wall`. */
  readonly anchor: number;
  /** Server's time, Unix milliseconds. */
  readonly wall: number;
  /** Recorded seconds a second; 0: paused; negative: backwards. */
  readonly rate: number;
  /** The rate with which playing continues. */
  readonly speed: number;
  /** Seconds `[start, end)` that are repeated. */
  readonly loop: Range | null;
  /** The range that can be played; an end of null: the recording grows. */
  readonly span: { readonly start: number; readonly end: number | null };
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** An action of a leader. */
export type Move =
  | { readonly move: "play" }
  | { readonly move: "pause" }
  /** Recorded seconds a second, from -64 to 64 and not 0. */
  | { readonly move: "rate"; readonly rate: number }
  /** Seconds of the recording. */
  | { readonly move: "seek"; readonly time: number }
  | { readonly move: "loop"; readonly range: Range | null };

export const FASTEST = 64;

/** A clock that is paused at the beginning. */
export function newClock(span: Clock["span"], wall: number): Clock {
  return { anchor: span.start, wall, rate: 0, speed: 1, loop: null, span };
}

/** Seconds of the recording at `wall`. */
export function positionAt({ anchor, wall: since, rate, loop, span }: Clock, wall: number): number {
  const free = anchor + ((wall - since) / 1000) * rate;
  // outside of a loop it plays until it reaches the loop
  if (loop !== null && rate !== 0) return looped(anchor, free, rate, loop);
  return Math.max(span.start, Math.min(span.end ?? Number.POSITIVE_INFINITY, free));
}

/** The clock after an action at `wall`. Throws `RangeError` for an action that makes no sense. */
export function moved(clock: Clock, move: Move, wall: number): Clock {
  const anchor = positionAt(clock, wall);
  const { span, speed, loop } = clock;
  const here: Clock = { ...clock, anchor, wall };
  switch (move.move) {
    case "play": {
      // at the end, playing starts again at the beginning
      const isOver =
        loop === null && (speed > 0 ? anchor >= (span.end ?? Number.POSITIVE_INFINITY) : anchor <= span.start);
      const from = speed > 0 ? span.start : (span.end ?? anchor);
      return { ...here, anchor: isOver ? from : anchor, rate: speed };
    }
    case "pause":
      return { ...here, rate: 0 };
    case "rate": {
      const { rate } = move;
      if (!Number.isFinite(rate) || rate === 0 || Math.abs(rate) > FASTEST)
        throw new RangeError(`a rate from -${FASTEST} to ${FASTEST}, not 0, is expected`);
      return { ...here, speed: rate, rate: clock.rate === 0 ? 0 : rate };
    }
    case "seek": {
      if (!Number.isFinite(move.time)) throw new RangeError("a time in seconds is expected");
      return { ...here, anchor: Math.max(span.start, Math.min(span.end ?? move.time, move.time)) };
    }
    case "loop": {
      const { range } = move;
      if (range === null) return { ...here, loop: null };
      const start = Math.max(span.start, range.start);
      const end = Math.min(span.end ?? range.end, range.end);
      if (!Number.isFinite(start) || !(end - start >= SHORTEST))
        throw new RangeError("a loop of a tenth of a second at least is expected, within the recording");
      return { ...here, loop: { start, end } };
    }
  }
}

/** Least seconds of a loop. */
const SHORTEST = 0.1;

function looped(anchor: number, free: number, rate: number, { start, end }: Range): number {
  const length = end - start;
  // where it enters the loop, and how far it has moved since
  if (rate > 0) {
    if (free < end) return free;
    const from = anchor >= end ? anchor : start;
    return start + ((free - from) % length);
  }
  if (free >= start) return free;
  const from = anchor < start ? anchor : end;
  const back = (from - free) % length;
  return end - back;
}
