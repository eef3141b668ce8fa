import { RecordingError } from "../model/error.ts";
import { Fold } from "../model/fold.ts";
import type { Recording } from "../model/recording.ts";
import { after, type Time, type Timeline, type TimeRange } from "../model/values/time.ts";
import { parseAlignment, shiftOf } from "./align.ts";
import { areEqualStates, Differ } from "./differ.ts";
import { CompareError } from "./error.ts";
import { compareEvents, type EventsCompared } from "./events.ts";
import { Lockstep } from "./lockstep.ts";
import type { Alignment, ComparedSide, Comparison, Divergence, Match } from "./report.ts";
import { EXACT, Rules } from "./rules.ts";
import { Side } from "./side.ts";
import { hasMotion, Ticks } from "./ticks.ts";

/** How two recordings are compared. Everything is optional. `start` and `end` are times of A. */
export interface CompareOptions extends TimeRange {
  /** How times of B become times of A; absent: `start`. */
  readonly align?: Alignment | undefined;
  /** Which things are the same; absent: those with the same id. */
  readonly match?: Match | undefined;
  /** `vehicles/*` + `.position: 0.01 m`, each a text; the last one that fits a path counts. Absent: everything is exact. */
  readonly rules?: readonly string[] | undefined;
  /** Moments of the two that are at most so far apart are one; nanoseconds. Absent: 0. */
  readonly near?: Time | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with the time that was come to; a promise is waited for. */
  readonly onProgress?:
    | ((time: Time, range: { readonly start: Time; readonly end: Time }) => void | Promise<void>)
    | undefined;
}

/** What clocks of formats round to, nanoseconds. */
const MICROSECOND: Time = 1000;

/** Moments without a difference after which messages are compared by their bytes again, at first and at most. */
const QUIET = 8;
const MOST_QUIET = 4096;

/**
 * Goes through both recordings side by side, once, and says where they differ. As long as their messages are equal byte for
 * byte nothing is folded; else states are compared moment by moment, what was written to alone. Memory does not grow with
 * the recordings. What one has before or behind the other is a difference when they are aligned by start or tick.
 *
 * Recordings of different formats are compared in what both have by the same names, converted to the same units and axes,
 * within single precision. Throws `CompareError` for what does not fit the recordings, `PathError` for a path to correlate
 * by that does not exist.
 */
export async function compare(a: Recording, b: Recording, options: CompareOptions = {}): Promise<Comparison> {
  try {
    return await compared(a, b, options);
  } catch (error) {
    throw RecordingError.from(error, a.info.format);
  }
}

async function compared(a: Recording, b: Recording, options: CompareOptions): Promise<Comparison> {
  const { match = "id", signal } = options;
  const by = parseAlignment(options.align ?? "start");
  const rules = new Rules(options.rules ?? [], EXACT);
  const [one, other] = [await a.timeline(), await b.timeline()];
  const isStrict = a.info.format === b.info.format;
  const step = isStrict ? 0 : Math.max(one.tick?.duration ?? 0, other.tick?.duration ?? 0);
  const found = await shiftOf(a, b, by, signal);
  // a start that was rounded to a step is no shift
  const shift = by === "start" && Math.abs(found) <= step ? 0 : found;
  const anchor = step > 0 && other.tick?.duration === step ? shift : 0;
  const near = Math.max(options.near ?? 0, isStrict ? 0 : MICROSECOND);
  const span = spanOf(one, other, shift, by, options, Math.max(near, step));
  const { unitOf } = await a.traits();
  const differ = new Differ({ rules, match, isStrict, span: span.range, unitOf });
  const walk = new SideBySide(a, b, { ...span, shift, near, step, anchor, by, isStrict, options, differ });
  await walk.run();
  const isEqual = walk.moments === 0 && isStrict && by !== "tick";
  const events = await compareEvents(a, b, {
    // where one begins inside of the other, its first moment says again what holds, and that did not happen there
    start: span.isWhole ? span.range.start : after(span.range.start),
    end: span.end,
    shift,
    // the n-th tick of one may be at any time of the other: then only their order counts
    near: by === "tick" ? Number.POSITIVE_INFINITY : Math.max(near, step),
    listed: isEqual,
    signal,
  });
  const extent = isStrict ? (span.extent ?? walk.extent) : null;
  const paths = differ.paths();
  const first = earliest([differ.first, extent, isStrict ? eventDivergence(events) : null]);
  for (const rule of walk.moments > 0 ? rules.unused : [])
    differ.notes.add(`no path that was compared fits the rule '${rule}'`);
  if (!isStrict)
    differ.notes.add(`different formats: compared in what both have, within single precision; events do not count`);
  return {
    same: first === null,
    a: sideOf(a, one),
    b: sideOf(b, other),
    alignment: { by, shift },
    range: span.range,
    moments: walk.moments,
    first,
    paths,
    morePaths: differ.morePaths,
    onlyIn: { a: differ.onlyIn("a"), b: differ.onlyIn("b") },
    moreOnlyIn: { a: differ.only.a.more, b: differ.only.b.more },
    events,
    notes: [...differ.notes],
  };
}

interface ComparedSpan {
  /** Both included. */
  readonly range: { readonly start: Time; readonly end: Time };
  /** Exclusive: behind the last message that is read. */
  readonly end: Time;
  /** Both begin here. */
  readonly isWhole: boolean;
  readonly extent: Divergence | null;
}

/** What both have, in times of A. Throws `CompareError` where that is nothing. */
function spanOf(
  a: Timeline,
  b: Timeline,
  shift: Time,
  by: Alignment,
  { start, end }: CompareOptions,
  near: Time,
): ComparedSpan {
  if (by === "tick") {
    const range = { start: start ?? a.start, end: end === undefined ? a.end : -after(-end) };
    return { range, end: Number.POSITIVE_INFINITY, isWhole: true, extent: null };
  }
  const both = { start: Math.max(a.start, b.start + shift), end: Math.min(a.end, b.end + shift) };
  const from = Math.max(start ?? both.start, both.start);
  const isCut = end !== undefined && end <= both.end;
  const to = isCut ? -after(-end) : both.end;
  if (from > to) throw new CompareError("range", "the two recordings have no time in common, aligned so");
  const isWhole = from <= both.start && Math.abs(a.start - b.start - shift) <= near;
  const apart = a.end - b.end - shift;
  const isLonger = by === "start" && (end === undefined || end > both.end + near) && Math.abs(apart) > near;
  const extent: Divergence | null = isLonger ? extentOf(both.end, a.end, b.end + shift) : null;
  return { range: { start: from, end: to }, end: isCut ? end : after(both.end + near), isWhole, extent };
}

function extentOf(time: Time, a: Time, b: Time): Divergence {
  const where = { time, kind: "extent", path: "end", thing: null, a, b } as const;
  return { ...where, error: Math.abs(a - b) / 1e9, unit: "s", tolerance: null };
}

function eventDivergence({ differences }: EventsCompared): Divergence | null {
  const found = differences[0];
  if (found === undefined) return null;
  const { a, b } = found;
  const isTime = found.how === "time" && a !== null && b !== null;
  return {
    time: Math.min(a?.time ?? Number.POSITIVE_INFINITY, b?.time ?? Number.POSITIVE_INFINITY),
    kind: "event",
    path: (a ?? b)!.kind,
    thing: null,
    a: a?.text ?? null,
    b: b?.text ?? null,
    error: isTime ? Math.abs(a.time - b.time) / 1e9 : null,
    unit: isTime ? "s" : null,
    tolerance: null,
  };
}

/** Of those at the same time the first that is given. */
function earliest(all: readonly (Divergence | null)[]): Divergence | null {
  let best: Divergence | null = null;
  for (const one of all) if (one !== null && (best === null || one.time < best.time)) best = one;
  return best;
}

function sideOf({ info, findings }: Recording, { start, end, epoch }: Timeline): ComparedSide {
  return { format: info.format, start, end, epoch: epoch === null ? null : String(epoch), findings };
}

interface Walking extends ComparedSpan {
  readonly shift: Time;
  readonly near: Time;
  /** Moments are compared at steps of so many nanoseconds; 0: at each. */
  readonly step: Time;
  /** A time that is such a step. */
  readonly anchor: Time;
  readonly by: Alignment;
  readonly isStrict: boolean;
  readonly options: CompareOptions;
  readonly differ: Differ;
}

/** Both recordings, moment by moment. */
class SideBySide {
  moments = 0;
  /** One has more ticks than the other. */
  extent: Divergence | null = null;
  readonly #a: Side;
  readonly #b: Side;
  readonly #of: Walking;
  /** Moments without a difference, and how many there must be. */
  #quiet = 0;
  #needed = QUIET;

  constructor(a: Recording, b: Recording, of: Walking) {
    this.#of = of;
    this.#a = new Side(a, 0, of.end, of.options.signal);
    this.#b = new Side(b, of.by === "tick" ? 0 : of.shift, of.end, of.options.signal);
  }

  async run(): Promise<void> {
    const { by, range, isWhole, step, isStrict } = this.#of;
    const [a, b] = [this.#a, this.#b];
    try {
      if (by === "tick") {
        await this.#byTicks();
        return;
      }
      const isFit = isStrict && step === 0 && Lockstep.isFit(a, b);
      if (isWhole && isFit) {
        a.read(range.start);
        b.read(range.start);
        const apart = await new Lockstep(a, b).run((time) => this.#tell(time));
        if (apart === null) return;
        await this.#foldTo(apart);
      } else {
        await a.begin(range.start, isWhole);
        await b.begin(range.start, isWhole);
        this.#needed = isFit ? 1 : Number.POSITIVE_INFINITY;
      }
      if (!isFit) this.#needed = Number.POSITIVE_INFINITY;
      while (await this.#fold()) {
        const from = a.folded ?? range.start;
        const apart = await new Lockstep(a, b).run((time) => this.#tell(time));
        if (apart === null) return;
        await this.#catchUp(from, apart);
        this.#needed = Math.min(MOST_QUIET, Math.max(QUIET, this.#needed * 4));
      }
    } finally {
      await a.stop();
      await b.stop();
    }
  }

  /** The state of both right before `time`: up to there they are equal. */
  async #foldTo(time: Time): Promise<void> {
    const [a, b] = [this.#a, this.#b];
    await a.begin(time, time <= this.#of.range.start && this.#of.isWhole);
    b.state = a.state.clone();
    b.state.touch();
    b.read(time);
  }

  /** The same, of the state that A has after what is at `from`. */
  async #catchUp(from: Time, time: Time): Promise<void> {
    const [a, b] = [this.#a, this.#b];
    const { channels, state } = a.recording.reader;
    if (channels.every(({ id }) => state.replacesState(id))) {
      const fold = new Fold(a.recording.reader, undefined, undefined, undefined, a.recording.sideCar?.states);
      a.state = await fold.at(-after(-time), this.#of.options.signal);
    } else {
      a.read(after(from));
      while (!a.to(-after(-time))) if ((await a.more()) === null) break;
    }
    a.state.touch().forget();
    b.state = a.state.clone();
    b.state.touch();
    a.read(time);
    b.read(time);
  }

  /** Folds and compares; true: nothing differs any more, so that messages can be compared by their bytes again. */
  async #fold(): Promise<boolean> {
    const { near, step, anchor, differ, range } = this.#of;
    const [a, b] = [this.#a, this.#b];
    for (;;) {
      const [p, q] = [a.next ?? (await a.more()), b.next ?? (await b.more())];
      if (p === null && q === null) return false;
      const next = Math.min(p ?? Number.POSITIVE_INFINITY, q ?? Number.POSITIVE_INFINITY);
      let time = next;
      if (step > 0) {
        time = anchor + Math.ceil((next - anchor) / step) * step;
        while (!a.to(time)) if ((await a.more()) === null) break;
        while (!b.to(time)) if ((await b.more()) === null) break;
      } else {
        if (p !== null && p <= next + near) while (!a.to(p)) if ((await a.more()) === null) break;
        if (q !== null && q <= next + near) while (!b.to(q)) if ((await b.more()) === null) break;
      }
      differ.look(a.state, b.state, Math.min(time, Math.max(range.end, next)));
      this.moments++;
      if ((this.moments & 255) === 0) {
        const waiting = this.#tell(time);
        if (waiting !== undefined) await waiting;
      }
      this.#quiet = differ.isQuiet ? this.#quiet + 1 : 0;
      if (this.#quiet < this.#needed) continue;
      this.#quiet = 0;
      // only where both are between the same two moments
      const areEven = (a.next ?? (await a.more())) === (b.next ?? (await b.more()));
      if (areEven && differ.isLevel && areEqualStates(a.state, b.state)) return true;
      this.#needed = Math.min(MOST_QUIET, this.#needed * 4);
    }
  }

  /** The n-th tick of one beside the n-th of the other. */
  async #byTicks(): Promise<void> {
    const { range, differ, options } = this.#of;
    const [a, b] = [this.#a, this.#b];
    const { signal } = options;
    const isOfMotion = (await hasMotion(a.recording, signal)) && (await hasMotion(b.recording, signal));
    const ticks = [new Ticks(a.recording, isOfMotion, signal), new Ticks(b.recording, isOfMotion, signal)] as const;
    try {
      await a.begin(Number.NEGATIVE_INFINITY, true);
      await b.begin(Number.NEGATIVE_INFINITY, true);
      for (;;) {
        const [p, q] = [await ticks[0].next(), await ticks[1].next()];
        if (p === null || q === null) {
          if (p !== q) this.extent = extentOf(a.folded ?? range.start, ticks[0].count, ticks[1].count);
          return;
        }
        while (!a.to(p)) if ((await a.more()) === null) break;
        while (!b.to(q)) if ((await b.more()) === null) break;
        if (options.start !== undefined && p < options.start) continue;
        if (options.end !== undefined && p >= options.end) return;
        differ.look(a.state, b.state, p);
        this.moments++;
      }
    } finally {
      await ticks[0].stop();
      await ticks[1].stop();
    }
  }

  #tell(time: Time): void | Promise<void> {
    this.#of.options.signal?.throwIfAborted();
    return this.#of.options.onProgress?.(time, this.#of.range);
  }
}
