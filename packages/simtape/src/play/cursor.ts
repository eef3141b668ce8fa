import type { Interpolation } from "../model/state/column.ts";
import { RecordingError } from "../model/error.ts";
import { interpolateStates } from "../model/state/interpolate.ts";
import type { State } from "../model/state/state.ts";
import { after, type Time } from "../model/values/time.ts";
import { GroundSpeeds, type MovingState } from "./ground-speeds.ts";
import type { Reel, Wanted } from "./reel.ts";
import { countUntil } from "./search.ts";
import { Span } from "./span.ts";
import { before, type Stretch } from "./stretch.ts";

/** Folded ahead in a tick: so little that no tick is long, so much that a stretch is ready in a few of them. */
const EFFORT = 512;

/** What a recording shows at a time. */
export interface Shown {
  /** With what moves between two moments of motion. */
  readonly state: MovingState;
  /** As it was recorded: the same object where nothing moves. */
  readonly recorded: State;
}

/** Where one recording stands. It goes wherever there is something in memory, at once; what else it needs it says. */
export class Cursor {
  readonly reel: Reel;
  readonly #isInterpolating: boolean;
  readonly #speeds: GroundSpeeds;
  #span: Span | null = null;
  /** A stretch that will be entered at its end, folded as far as there was time. */
  #ready: Span | null = null;
  /** One that cannot be made ready. */
  #unready: Stretch | null = null;
  /** The next moment of motion, as long as the cursor is before it. */
  #next: State | null = null;

  /** `speeds`: sets whose speeds are in what is shown. */
  constructor(reel: Reel, isInterpolating: boolean, speeds: readonly string[]) {
    this.reel = reel;
    this.#isInterpolating = isInterpolating;
    this.#speeds = new GroundSpeeds(speeds);
  }

  /** Goes to a time in memory; false, and nothing moves, when it is not. */
  reach(time: Time): boolean {
    const span = this.#span;
    if (span !== null && holds(span.stretch, time)) return true;
    const found = this.reel.find(time);
    if (found === null) return false;
    this.enter(found);
    return true;
  }

  enter(stretch: Stretch): void {
    if (this.#span?.stretch === stretch) return;
    this.#span = this.#ready?.stretch === stretch ? this.#ready : new Span(stretch, this.reel.recording.reader.state);
    this.#ready = null;
    this.#next = null;
  }

  /**
   * What is shown at a time that was reached. What moves is interpolated between two moments of motion, never beyond the
   * last.
   */
  at(time: Time): Shown {
    try {
      return this.#at(this.#span!, time);
    } catch (error) {
      this.#span = null;
      throw RecordingError.from(error, this.reel.recording.info.format);
    }
  }

  /**
   * Makes ready what comes next, a little with each call, and tells the first piece on the way that is not in memory;
   * null: all of it is, or more than `memory` bytes of it are.
   */
  lookAhead(from: Time, to: Time, memory: number): Wanted | null {
    const isForward = to >= from;
    const { start: first } = this.reel.timeline;
    let stretch = this.#span !== null && holds(this.#span.stretch, from) ? this.#span.stretch : this.reel.find(from);
    if (stretch === null) return this.missing(from, isForward);
    let bytes = stretch.byteLength;
    while (bytes <= memory && (isForward ? stretch.end <= to : stretch.start > Math.max(to, first))) {
      const edge: Time = isForward ? stretch.end : stretch.start;
      const next: Stretch | null = this.reel.find(isForward ? edge : before(edge));
      if (next === null) {
        // the first is needed at once
        const isMuch = stretch !== this.#span?.stretch;
        return isForward ? { kind: "from", time: edge } : { kind: "until", time: edge, isMuch };
      }
      if (!isForward && stretch === this.#span?.stretch) this.#makeReady(next);
      stretch = next;
      bytes += stretch.byteLength;
    }
    return null;
  }

  /** What to read where nothing is in memory, to play on from `time`. */
  missing(time: Time, isForward: boolean): Wanted {
    return isForward ? { kind: "from", time } : { kind: "until", time: after(time) };
  }

  /** What cannot be folded is met again, and reported, when it is needed. */
  #makeReady(stretch: Stretch): void {
    if (this.#unready === stretch) return;
    try {
      if (this.#ready?.stretch !== stretch) this.#ready = new Span(stretch, this.reel.recording.reader.state);
      this.#ready.foldAhead(EFFORT);
    } catch {
      this.#ready = null;
      this.#unready = stretch;
    }
  }

  #at(span: Span, time: Time): Shown {
    const { motions, before: earlier, beyond } = span.stretch;
    if (!this.#isInterpolating) return still(span.at(time));
    const behind = countUntil(motions, time);
    const from = behind === 0 ? earlier : motions[behind - 1]!;
    if (from === null || (from === time && !this.#speeds.concern(span.at(time)))) return still(span.at(time));
    const to = motions[behind];
    // in the order in which nothing is taken back that is folded again
    const early = to !== undefined && to > span.reached ? span.at(time) : null;
    if (to !== undefined && this.#next?.time !== to) this.#next = span.at(to);
    const next = to === undefined ? beyond : this.#next;
    const here = early ?? span.at(time);
    if (next === null) return still(here);
    const model = this.reel.recording.reader.state;
    const how = (path: string): Interpolation => model.interpolation?.(path) ?? "hold";
    const state = interpolateStates({ ...here, time: from }, next, time, how);
    if (!this.#speeds.concern(here)) return { state, recorded: here };
    return { state: { ...state, speeds: this.#speeds.between(here, next, next.time - from) }, recorded: here };
  }
}

function still(state: State): Shown {
  return { state, recorded: state };
}

function holds(stretch: Stretch, time: Time): boolean {
  return stretch.start <= time && time < stretch.end;
}
