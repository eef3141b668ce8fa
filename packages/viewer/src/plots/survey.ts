import { type MessageBatch, MutableState, type Recording } from "simtape";
import { Breather } from "../engine/breather.ts";
import type { Series, SeriesPath } from "../protocol.ts";
import { type Buckets, condense, Envelope, isCoarse, Moments, type Range } from "./envelope.ts";
import { numberIn } from "./paths.ts";
import { unitOfCell, unitOfValue } from "./units.ts";

/** Bytes that the states laid on the way may hold together, and how many of them there are at most. */
const CHECKPOINT_BYTES = 32 << 20;
const CHECKPOINTS = 64;

/** Numbers of a column, by row. */
interface Cells {
  number(row: number, item: number): number;
}

/** A number that is sampled. */
export class Trace {
  readonly path: SeriesPath;
  readonly envelope: Envelope;
  unit: string | null;
  isHeld: boolean;
  /** Where it was when something moved last, and how fast it came there. */
  readonly #place = new Float64Array(3).fill(Number.NaN);
  #since = Number.NaN;
  #speed = Number.NaN;

  constructor(path: SeriesPath, recording: Recording, count: number) {
    this.path = path;
    this.envelope = new Envelope(count);
    this.unit = "value" in path ? unitOfValue(path.value) : null;
    const interpolation = "value" in path ? recording.reader.state.interpolation?.(path.value) : undefined;
    this.isHeld = (interpolation ?? "hold") === "hold";
  }

  /** The number in a state, of which the one asked for before was the last; NaN: there is none. */
  read(state: MutableState, isMotion: boolean): number {
    const { path } = this;
    if ("value" in path) return numberIn(state.value(path.value), path.keys);
    const set = state.sets.get(path.set);
    const row = set?.find(path.id) ?? -1;
    const column = set?.columns.get(path.column);
    if (row < 0 || column === undefined) return Number.NaN;
    this.unit = unitOfCell(column.spec.unit, column.spec.width, path.item);
    this.isHeld = (column.spec.interpolation ?? "hold") === "hold";
    if (path.item === "speed") return this.#speedAt(column, row, state.time, isMotion);
    if (path.item === "length") {
      return Math.hypot(...Array.from({ length: column.spec.width }, (_, k) => column.number(row, k)));
    }
    const cell: unknown = column.number(row, path.item ?? 0);
    return typeof cell === "number" ? cell : Number.NaN;
  }

  #speedAt(column: Cells, row: number, time: number, isMotion: boolean): number {
    if (!isMotion || time === this.#since) return this.#speed;
    let squares = 0;
    for (let k = 0; k < 3; k++) {
      const at = column.number(row, k);
      squares += (at - this.#place[k]!) ** 2;
      this.#place[k] = at;
    }
    this.#speed = (Math.sqrt(squares) / (time - this.#since)) * 1e9;
    this.#since = time;
    return this.#speed;
  }
}

/** How far a fold has come: everything up to this message is in the state. */
interface Reached {
  readonly state: MutableState;
  time: number;
  sequence: number;
  isMotion: boolean;
}

/**
 * States on the way through a recording, from which others are folded. They are laid by the code that goes through it, evenly
 * in time; when they become too many or too large, every other one is dropped.
 */
export class Checkpoints {
  #kept: Reached[] = [];
  #every: number;

  constructor(length: number) {
    this.#every = length / CHECKPOINTS;
  }

  nearest(time: number): Reached | null {
    const found = this.#kept.findLast((kept) => kept.time < time);
    return found === undefined ? null : { ...found, state: found.state.clone() };
  }

  offer({ state, ...place }: Reached): void {
    const last = this.#kept.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
    if (place.time < last + this.#every) return;
    this.#kept.push({ state: state.clone(), ...place });
    const bytes = this.#kept.reduce((sum, kept) => sum + kept.state.byteLength, 0);
    if (bytes <= CHECKPOINT_BYTES && this.#kept.length <= 2 * CHECKPOINTS) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }
}

/**
 * Called with the state as it is at a moment, that is when all messages of that time are in it, and whether one of them
 * carried motion; true: it is enough.
 */
export type Sample = (state: MutableState, time: number, isMotion: boolean) => boolean;

/** Goes through a recording, moment by moment. The state is always the same one. */
export class Walk {
  readonly #recording: Recording;
  readonly #checkpoints: Checkpoints;
  readonly #reached: Reached;
  #isBegun: boolean;

  /** From the beginning, or from a checkpoint before `start`. */
  constructor(recording: Recording, checkpoints: Checkpoints, start: number | null) {
    this.#recording = recording;
    this.#checkpoints = checkpoints;
    const from = start === null ? null : checkpoints.nearest(start);
    this.#isBegun = from !== null;
    this.#reached = from ?? {
      state: new MutableState(),
      time: Number.NEGATIVE_INFINITY,
      sequence: -1,
      isMotion: false,
    };
    if (from === null) recording.reader.state.begin?.(this.#reached.state);
  }

  /** On to the end, or until it is enough. Called off, it goes on from where it was when it is called again. */
  async go(sample: Sample, onBatch: (time: number) => void, signal: AbortSignal): Promise<void> {
    const breather = new Breather(signal);
    const start = this.#isBegun ? this.#reached.time : undefined;
    for await (const batch of this.#recording.batches({ start, signal })) {
      if (this.#take(batch, sample)) return;
      this.#checkpoints.offer(this.#reached);
      onBatch(this.#reached.time);
      await breather.breathe();
    }
    if (this.#isBegun) sample(this.#reached.state, this.#reached.time, this.#reached.isMotion);
  }

  #take(batch: MessageBatch, sample: Sample): boolean {
    const reached = this.#reached;
    const { state } = reached;
    const model = this.#recording.reader.state;
    for (let i = 0; i < batch.length; i++) {
      const time = batch.time[i]!;
      const sequence = batch.sequence[i]!;
      if (this.#isBegun && (time < reached.time || (time === reached.time && sequence <= reached.sequence))) continue;
      if (this.#isBegun && time > reached.time) {
        if (sample(state, reached.time, reached.isMotion)) return true;
        reached.isMotion = false;
      }
      state.time = time;
      model.apply(state, batch, i);
      if (model.motion === null || batch.channel[i] === model.motion) reached.isMotion = true;
      reached.time = time;
      reached.sequence = sequence;
      this.#isBegun = true;
    }
    return false;
  }
}

/** Numbers that are sampled together. What moves is so only where there is motion: between, it is not known to rest. */
export class Sampler {
  readonly traces: readonly Trace[];
  readonly #all: Moments;
  readonly #motions: Moments;

  constructor(recording: Recording, paths: readonly SeriesPath[], buckets: Buckets) {
    this.traces = paths.map((path) => new Trace(path, recording, buckets.count));
    this.#all = new Moments(buckets);
    this.#motions = new Moments(buckets);
  }

  read(state: MutableState, isMotion: boolean): number[] {
    return this.traces.map((trace) => trace.read(state, isMotion));
  }

  take(time: number, numbers: readonly number[], isMotion: boolean): void {
    const bucket = this.#all.take(time);
    if (isMotion) this.#motions.take(time);
    for (const [i, { isHeld, envelope }] of this.traces.entries()) {
      if (isHeld || isMotion) envelope.take(bucket, numbers[i]!);
    }
  }

  isCoarse(range: Range, columns: number): boolean {
    return isCoarse(this.#all, range, columns);
  }

  /** The traces wanted as lines. */
  lines(range: Range, columns: number, isWanted: (path: SeriesPath) => boolean = () => true): Series[] {
    const wanted = this.traces.filter(({ path }) => isWanted(path));
    return [true, false].flatMap((isHeld) => {
      const traces = wanted.filter((trace) => trace.isHeld === isHeld);
      const envelopes = traces.map(({ envelope }) => envelope);
      const { time, values } = condense(isHeld ? this.#all : this.#motions, envelopes, range, columns);
      return traces.map(({ path, unit }, i) => ({ path, unit, isHeld, time, value: values[i]! }));
    });
  }
}

/** Samples some numbers over a whole recording. May be called off and gone on with. */
export class Survey {
  readonly sampler: Sampler;
  readonly #walk: Walk;
  #running: Promise<void> | null = null;
  isDone = false;

  constructor(recording: Recording, paths: readonly SeriesPath[], buckets: Buckets, checkpoints: Checkpoints) {
    this.sampler = new Sampler(recording, paths, buckets);
    this.#walk = new Walk(recording, checkpoints, null);
  }

  /** Comes back when all is sampled; a caller that comes while another goes through it waits, and goes on if that one stops. */
  async complete(onBatch: (time: number) => void, signal: AbortSignal): Promise<void> {
    while (!this.isDone) {
      if (this.#running === null) {
        this.#running = this.#run(onBatch, signal).finally(() => {
          this.#running = null;
        });
        await this.#running;
      } else {
        await this.#running.catch(() => undefined);
        signal.throwIfAborted();
      }
    }
  }

  async #run(onBatch: (time: number) => void, signal: AbortSignal): Promise<void> {
    const { sampler } = this;
    const sample: Sample = (state, time, isMotion) => {
      sampler.take(time, sampler.read(state, isMotion), isMotion);
      return false;
    };
    await this.#walk.go(sample, onBatch, signal);
    this.isDone = true;
  }
}
