/**
 * What all who watch together share: a position that moves. Small, so that it can be sent at every change; everything
 * else follows from it and from the time.
 */
export interface Clock {
  /** Seconds of the recording at `wall`. */
  readonly anchor: number;
  /** Server's time, Unix milliseconds. */
  readonly wall: number;
  /** Recorded seconds a second; 0: it rests; negative: backwards. */
  readonly rate: number;
  /** The rate that playing goes on with. */
  readonly speed: number;
  /** Seconds `[start, end)` that are played again and again. */
  readonly loop: Range | null;
  /** What there is to play; an end of null: it grows. */
  readonly span: { readonly start: number; readonly end: number | null };
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a leader does. */
export type Move =
  | { readonly move: "play" }
  | { readonly move: "pause" }
  /** Recorded seconds a second, from -64 to 64 and not 0. */
  | { readonly move: "rate"; readonly rate: number }
  /** Seconds of the recording. */
  | { readonly move: "seek"; readonly time: number }
  | { readonly move: "loop"; readonly range: Range | null };

export const FASTEST = 64;

/** A clock that rests at the beginning. */
export function newClock(span: Clock["span"], wall: number): Clock {
  return { anchor: span.start, wall, rate: 0, speed: 1, loop: null, span };
}

/** Seconds of the recording at `wall`. */
export function positionAt({ anchor, wall: since, rate, loop, span }: Clock, wall: number): number {
  const free = anchor + ((wall - since) / 1000) * rate;
  // outside of a loop it plays until it comes to it
  if (loop !== null && rate !== 0) return looped(anchor, free, rate, loop);
  return Math.max(span.start, Math.min(span.end ?? Number.POSITIVE_INFINITY, free));
}

/** The clock behind a move that is made at `wall`. Throws `RangeError` for one that has no meaning. */
export function moved(clock: Clock, move: Move, wall: number): Clock {
  const anchor = positionAt(clock, wall);
  const { span, speed, loop } = clock;
  const here: Clock = { ...clock, anchor, wall };
  switch (move.move) {
    case "play": {
      // from the end it plays once more
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

/** Seconds of a loop at least. */
const SHORTEST = 0.1;

function looped(anchor: number, free: number, rate: number, { start, end }: Range): number {
  const length = end - start;
  // where it enters the loop, and how far it went from there
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
