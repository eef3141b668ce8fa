import { Shared } from "../io/shared.ts";
import { RecordingError } from "../model/error.ts";
import { Fold } from "../model/fold.ts";
import type { Recording } from "../model/recording.ts";
import type { MutableState } from "../model/state.ts";
import { after, type Time, type Timeline } from "../model/time.ts";
import { foldRows } from "./span.ts";
import {
  before,
  type Limits,
  motionBefore,
  readBackward,
  readForward,
  type Rows,
  type Stretch,
  stretchOf,
} from "./stretch.ts";

/** Payload bytes between the checkpoints from which playing backwards sets out, and bytes of them kept. */
const CHECKPOINT_EVERY = 1 << 20;
const CHECKPOINT_BYTES = 32 << 20;

/** Which piece is wanted: the one that holds a time, or the one before a time. */
export interface Wanted {
  readonly kind: "around" | "until";
  readonly time: Time;
  /** Of `around`: whether playing goes on from there to later times. */
  readonly isForward: boolean;
}

/** A recording as the stretches of it that are in memory. Whoever plays the same recording shares them. */
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
    this.#fold = new Fold(recording.reader, CHECKPOINT_EVERY, CHECKPOINT_BYTES);
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
    const key = `${wanted.kind} ${wanted.isForward} ${wanted.time}`;
    const coming = this.#loads.get(key);
    if (coming !== undefined && !coming.abandoned) return coming.join(signal);
    const load = new Shared(async (inner) => {
      try {
        const stretch = await this.#read(wanted, inner);
        this.#kept.push(stretch);
        return stretch;
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

  async #read(wanted: Wanted, signal: AbortSignal): Promise<Stretch> {
    const rows = await this.#rows(wanted, signal);
    const base = await this.#stateBefore(rows.start, signal);
    const stretch = await stretchOf(this.recording, this.#fold, rows, base, signal);
    signal.throwIfAborted();
    return stretch;
  }

  async #rows({ kind, time, isForward }: Wanted, signal: AbortSignal): Promise<Rows> {
    const { recording } = this;
    const limits = this.#limits;
    const first = this.timeline.start;
    if (kind === "until") return readBackward(recording, time, first, limits, apart(signal));
    if (!isForward) return readBackward(recording, after(time), first, limits, apart(signal));
    // From the moment of motion on, so that what moves at `time` has a beginning; when that is too long ago, from `time`.
    const motion = await motionBefore(recording, after(time), signal);
    const rows = await readForward(recording, motion ?? time, limits, apart(signal));
    return rows.end > time ? rows : readForward(recording, time, limits, apart(signal));
  }

  /** Of a stretch that follows one in memory it is had by folding that; of others from keyframes and checkpoints. */
  async #stateBefore(start: Time, signal: AbortSignal): Promise<MutableState> {
    const previous = this.#kept.find(({ end }) => end === start);
    if (previous === undefined) return this.#fold.at(before(start), apart(signal));
    const state = previous.base.clone();
    foldRows(state, this.recording.reader.state, previous.batches, previous.start, start);
    return state;
  }
}

/** Reading ahead outlives the query that began it: with a signal for each, none gathers more listeners than Node puts up with. */
function apart(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal]);
}
