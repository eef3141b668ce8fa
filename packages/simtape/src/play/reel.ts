import { Shared } from "../io/source/shared.ts";
import { RecordingError } from "../model/error.ts";
import { Fold } from "../model/fold.ts";
import type { Recording } from "../model/recording.ts";
import type { MutableState } from "../model/state/state.ts";
import { after, type Time, type Timeline } from "../model/values/time.ts";
import { foldRows } from "./span.ts";
import {
  before,
  firstBehind,
  firstKeyframe,
  type Limits,
  motionBefore,
  pieces,
  readBackward,
  readForward,
  readMoment,
  type Rows,
  type Stretch,
  stretchOf,
} from "./stretch.ts";

/** Payload bytes between the checkpoints from which playing backwards sets out, and bytes of them kept. */
const CHECKPOINT_EVERY = 1 << 20;
const CHECKPOINT_BYTES = 32 << 20;

/** Times a stretch that is read at once for playing backwards: a place from which to fold lies in so much of it. */
const PIECES = 4;

/** Which piece is wanted: the little that shows a time, as soon as can be; what is from a time on; or before a time. */
export interface Wanted {
  readonly kind: "at" | "from" | "until";
  readonly time: Time;
  /** Several pieces at once, of those before a time: folding goes forward, and over all of them it costs least. */
  readonly isMuch?: boolean | undefined;
}

/** A recording as the stretches of it that are in memory. All cursors of the same recording share them. */
export class Reel {
  readonly recording: Recording;
  readonly #limits: Limits;
  readonly #fold: Fold;
  readonly #loads = new Map<string, Shared<Stretch>>();
  /** The one used longest ago first. */
  #kept: Stretch[] = [];
  #timeline: Timeline | null = null;

  constructor(recording: Recording, limits: Limits) {
    this.recording = recording;
    this.#limits = limits;
    this.#fold = new Fold(recording.reader, CHECKPOINT_EVERY, CHECKPOINT_BYTES, undefined, recording.sideCar?.states);
  }

  /** Must have been called, and have come back, before anything else is. */
  async open(): Promise<Timeline> {
    this.#timeline ??= await this.recording.timeline();
    return this.#timeline;
  }

  get timeline(): Timeline {
    return this.#timeline!;
  }

  /** The stretch in memory that holds `time`. */
  find(time: Time): Stretch | null {
    const at = this.#kept.findLastIndex(({ start, end }) => start <= time && time < end);
    if (at < 0) return null;
    const [found] = this.#kept.splice(at, 1);
    this.#kept.push(found!);
    return found!;
  }

  get isLoading(): boolean {
    return this.#loads.size > 0;
  }

  /** Reads a stretch, or joins those who wait for it. The reading is aborted when all of them have left. */
  load(wanted: Wanted, signal: AbortSignal): Promise<Stretch> {
    const key = `${wanted.kind} ${wanted.time}`;
    const coming = this.#loads.get(key);
    if (coming !== undefined && !coming.abandoned) return coming.join(signal);
    const load = new Shared(async (inner) => {
      try {
        const stretches = await this.#read(wanted, inner);
        this.#kept.push(...stretches);
        return stretches.at(-1)!;
      } catch (error) {
        throw RecordingError.from(error, this.recording.info.format);
      } finally {
        if (this.#loads.get(key) === load) this.#loads.delete(key);
      }
    });
    this.#loads.set(key, load);
    return load.join(signal);
  }

  get byteLength(): number {
    return this.#kept.reduce((sum, stretch) => sum + stretch.byteLength, 0);
  }

  /** Lets go of the stretch used longest ago; false when it is the only one. */
  dropOldest(): boolean {
    if (this.#kept.length < 2) return false;
    this.#kept.shift();
    return true;
  }

  /** Ascending; the last is the one that is wanted. */
  async #read(wanted: Wanted, signal: AbortSignal): Promise<Stretch[]> {
    const { recording } = this;
    if (wanted.kind === "until") return this.#readBefore(wanted.time, wanted.isMuch === true ? PIECES : 1, signal);
    const rows = await this.#rows(wanted, signal);
    const base = await this.#stateBefore(rows.start, signal);
    const stretch = await stretchOf(recording, this.#fold, rows, base, signal);
    signal.throwIfAborted();
    return [stretch];
  }

  /**
   * From the moment of motion on, so that what moves has a beginning; when that is too long ago, from the time itself.
   */
  async #rows({ kind, time }: Wanted, signal: AbortSignal): Promise<Rows> {
    const { recording } = this;
    const limits = this.#limits;
    const enough = new AbortController();
    const read = (start: Time): Promise<Rows> =>
      kind === "at"
        ? readMoment(recording, start, time, limits, AbortSignal.any([signal, enough.signal]))
        : readForward(recording, start, limits, apart(signal));
    try {
      const motion = await motionBefore(recording, after(time), signal);
      const rows = await read(motion ?? time);
      return rows.end > time ? rows : await read(time);
    } finally {
      enough.abort();
    }
  }

  /** Several at once, as folding goes forward: from a place where the state is known, over all of them. */
  async #readBefore(end: Time, count: number, signal: AbortSignal): Promise<Stretch[]> {
    const { recording } = this;
    const { rows, bytes } = this.#limits;
    const limits = { rows: count * rows, bytes: count * bytes };
    const back = await readBackward(recording, end, this.timeline.start, limits, apart(signal));
    const begin = await this.#beginning(back, signal);
    const made: Stretch[] = [];
    let { base } = begin;
    for (const piece of pieces({ ...back, start: begin.start }, recording.motion?.id ?? null, this.#limits)) {
      const previous = made.at(-1);
      if (previous !== undefined) base = this.#stateBehind(previous);
      made.push(await stretchOf(recording, this.#fold, piece, base, signal));
      signal.throwIfAborted();
    }
    return made;
  }

  /**
   * The first place in `rows` where the state is known without folding: a keyframe or a checkpoint; else their start.
   */
  async #beginning(rows: Rows, signal: AbortSignal): Promise<{ readonly start: Time; readonly base: MutableState }> {
    const { start, end, batches } = rows;
    if (start > this.timeline.start) {
      const keyframe = await this.recording.keyframe(before(end), apart(signal));
      if (keyframe !== null && keyframe.channels === null && keyframe.time >= start)
        return { start: firstKeyframe(batches, start), base: this.#fold.begin() };
      const checkpoint = this.#fold.checkpoint(start, end);
      const next = checkpoint === null ? null : firstBehind(batches, checkpoint);
      if (next !== null && next < end) return { start: next, base: await this.#fold.at(before(next), apart(signal)) };
    }
    return { start, base: await this.#fold.at(before(start), apart(signal)) };
  }

  /** For a stretch that follows one in memory, this folds that one; for others it begins at a keyframe or checkpoint. */
  async #stateBefore(start: Time, signal: AbortSignal): Promise<MutableState> {
    const previous = this.#kept.find(({ end }) => end === start);
    return previous === undefined ? this.#fold.at(before(start), apart(signal)) : this.#stateBehind(previous);
  }

  #stateBehind({ base, batches, start, end }: Stretch): MutableState {
    const state = base.clone();
    foldRows(state, this.recording.reader.state, batches, start, end);
    return state;
  }
}

/**
 * Reading ahead outlives the query that began it: with a signal for each, none gathers more listeners than Node puts up
 * with.
 */
function apart(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal]);
}
