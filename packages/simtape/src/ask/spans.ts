import type { Time } from "../model/values/time.ts";

/** Intervals `[from[i], until[i])`, ascending, that do not touch; or instants, of which `from` and `until` are the same. */
export interface Spans {
  readonly isInstant: boolean;
  readonly from: Float64Array;
  readonly until: Float64Array;
}

/** Collects spans that come in order. */
export class SpanList {
  readonly #isInstant: boolean;
  readonly #from: Time[] = [];
  readonly #until: Time[] = [];

  constructor(isInstant: boolean) {
    this.#isInstant = isInstant;
  }

  get length(): number {
    return this.#from.length;
  }

  push(from: Time, until: Time): void {
    this.#from.push(from);
    this.#until.push(until);
  }

  take(): Spans {
    return { isInstant: this.#isInstant, from: Float64Array.from(this.#from), until: Float64Array.from(this.#until) };
  }
}

/** Those that last at least so long. Nanoseconds. */
export function lasting({ isInstant, from, until }: Spans, least: number): Spans {
  const kept = [...from.keys()].filter((i) => until[i]! - from[i]! >= least);
  return {
    isInstant,
    from: Float64Array.from(kept, (i) => from[i]!),
    until: Float64Array.from(kept, (i) => until[i]!),
  };
}

/** Intervals that begin `ahead` earlier and end `behind` later; those that then touch are one. */
export function widened({ from, until }: Spans, ahead: number, behind: number): Spans {
  const list = new SpanList(false);
  let open = Number.NaN;
  let end = Number.NaN;
  for (let i = 0; i < from.length; i++) {
    const begin = from[i]! - ahead;
    const close = until[i]! + behind;
    if (close <= begin) continue;
    if (begin <= end) {
      end = Math.max(end, close);
      continue;
    }
    if (open < end) list.push(open, end);
    open = begin;
    end = close;
  }
  if (open < end) list.push(open, end);
  return list.take();
}

/** Instants at these times, which ascend; each time once. */
export function instantsAt(times: readonly Time[]): Spans {
  const once = Float64Array.from(new Set(times));
  return { isInstant: true, from: once, until: once };
}

/** Writes, for times that ascend, whether spans hold there: 1 or 0. `at` is where the spans before `times` end; gives the next. */
export function fillSpans(spans: Spans, times: Float64Array, length: number, into: Float64Array, at: number): number {
  const { isInstant, from, until } = spans;
  let k = at;
  for (let i = 0; i < length; i++) {
    const time = times[i]!;
    while (k < from.length && (isInstant ? from[k]! < time : until[k]! <= time)) k++;
    into[i] = k < from.length && (isInstant ? from[k] === time : from[k]! <= time) ? 1 : 0;
  }
  return k;
}
