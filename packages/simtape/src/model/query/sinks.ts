import type { MessageBatch } from "../batch.ts";
import type { Interpolation } from "../column.ts";
import type { MutableState } from "../state.ts";
import type { Time } from "../time.ts";
import { Bucket } from "./bucket.ts";
import { Line, Numbers, type Room } from "./line.ts";
import type { SeriesKind } from "./listing.ts";
import type { SeriesPath } from "./path.ts";
import type { Probe } from "./probe.ts";
import type { Stops } from "./walk.ts";

/** What a path was over time. The arrays are the caller's own; series of one call may have the same `time`. */
export interface Series {
  readonly path: SeriesPath;
  /** `vehicles/7/position.x` */
  readonly text: string;
  /** Null: nothing tells, or it was not there yet. */
  readonly unit: string | null;
  /** `"number"` as long as it was not there. */
  readonly kind: SeriesKind;
  /** How it moves from one recorded moment to the next; `"hold"`: it stays as it is until then. */
  readonly interpolation: Interpolation;
  /** Nanoseconds, ascending. */
  readonly time: Float64Array;
  /** One for each time. Truths are 0 and 1; of a text its place in `texts`. NaN where it is not there, or no number. */
  readonly value: Float64Array;
  /** One for each time: 1, or 0 where it is not there. What is there may be NaN all the same. */
  readonly valid: Uint8Array;
  /** The texts in it, each once; null where it is of another kind. */
  readonly texts: readonly string[] | null;
  /** Recorded moments of which it was made: more than there are times when some were left out. */
  readonly moments: number;
}

/** One path of those that are read together. */
interface Trace {
  readonly probe: Probe;
  readonly line: Line;
  readonly bucket: Bucket;
  moments: number;
}

/** Paths that are read at the same moments: when there is a message of one of some channels. */
export interface Group {
  readonly channels: readonly number[];
  readonly probes: readonly Probe[];
}

interface OpenGroup {
  readonly time: Numbers;
  readonly traces: readonly Trace[];
  /** One of the speeds is among them: these have to see the moments before. */
  readonly hasSpeeds: boolean;
  bucket: number;
  isDue: boolean;
}

/** Times that are looked at: from `start` on, every so often. */
export interface Steps {
  readonly start: Time;
  readonly end: Time;
  /** NaN in mode `"all"`. */
  readonly every: Time;
  /** So many at most. */
  readonly count: number;
}

/** Takes in what paths are while a recording is folded. */
export abstract class Sink implements Stops {
  protected readonly steps: Steps;
  protected readonly groups: readonly OpenGroup[];
  /** Those that have a moment since the state was held last. */
  protected readonly due: OpenGroup[] = [];
  /** Rows taken in since they were drained. */
  protected taken = 0;
  readonly #byChannel: OpenGroup[][] = [];
  readonly #order: readonly Probe[];
  readonly #most: number;

  /** `order`: that in which series are given out; `most`: rows after which it is full. */
  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, room: Room, most: number) {
    this.steps = steps;
    this.#most = most;
    this.#order = order;
    this.groups = groups.map(({ channels, probes }) => {
      const time = new Numbers(room);
      const lineOf = (): Line => (this.isShared ? new Line(room, time) : new Line(room));
      const traces = probes.map((probe) => ({ probe, line: lineOf(), bucket: new Bucket(), moments: 0 }));
      const hasSpeeds = probes.some(({ path }) => isSpeed(path));
      const group = { time, traces, hasSpeeds, bucket: -1, isDue: false };
      for (const channel of channels) {
        const others = this.#byChannel[channel] ?? [];
        this.#byChannel[channel] = [...others, group];
      }
      return group;
    });
  }

  /** Whether the lines of a group have their times in common. */
  protected abstract get isShared(): boolean;
  abstract until(next: Time): Time;
  /** To be called when the state is so from `from` until `next`. True: it is full, and has to be called again. */
  abstract hold(state: MutableState, from: Time, next: Time): boolean;
  /** Nothing comes any more. */
  finish(): void {}

  rows(batch: MessageBatch, from: number, to: number): void {
    const all = this.groups.length;
    for (let i = from; i < to && this.due.length < all; i++) {
      const groups = this.#byChannel[batch.channel[i]!];
      if (groups === undefined) continue;
      for (const group of groups) {
        if (group.isDue) continue;
        group.isDue = true;
        this.due.push(group);
      }
    }
  }

  get isFull(): boolean {
    return this.taken >= this.#most;
  }

  /** What was taken in since it was drained last. */
  drain(): Series[] {
    const found = new Map<Probe, Series>();
    this.taken = 0;
    for (const { time, traces } of this.groups) {
      const shared = time.drain();
      for (const trace of traces) {
        const { path, text, unit, kind, interpolation } = trace.probe;
        const { value, valid, texts } = trace.line.drain();
        const own = this.isShared ? shared : trace.line.time.drain();
        const series = { path, text, unit, kind, interpolation, time: own, value, valid, moments: trace.moments };
        found.set(trace.probe, { ...series, texts: kind === "text" ? texts : null });
        trace.moments = 0;
      }
    }
    return this.#order.map((probe) => found.get(probe)!);
  }
}

/** Every moment at which one of the channels has a message that can change a path. */
export class AllSink extends Sink {
  protected get isShared(): boolean {
    return true;
  }

  until(next: Time): Time {
    return next;
  }

  hold(state: MutableState, from: Time): boolean {
    for (const group of this.due) {
      group.isDue = false;
      if (from < this.steps.start) {
        warmUp(group, state, from);
        continue;
      }
      group.time.push(from);
      for (const trace of group.traces) {
        const { probe, line } = trace;
        probe.read(state, from);
        line.push(probe.isThere, probe.number, 0, probe.words);
        trace.moments++;
      }
      this.taken += group.traces.length;
    }
    this.due.length = 0;
    return false;
  }
}

/** Of the same moments those that show what there was in each step. */
export class MinmaxSink extends Sink {
  protected get isShared(): boolean {
    return false;
  }

  until(next: Time): Time {
    return next;
  }

  hold(state: MutableState, from: Time): boolean {
    const { start, every, count } = this.steps;
    for (const group of this.due) {
      group.isDue = false;
      if (from < start) {
        warmUp(group, state, from);
        continue;
      }
      const bucket = Math.min(count - 1, Math.floor((from - start) / every));
      const isNew = bucket !== group.bucket;
      group.bucket = bucket;
      for (const trace of group.traces) {
        const { probe } = trace;
        if (isNew) this.taken += trace.bucket.empty(trace.line);
        probe.read(state, from);
        trace.bucket.take(from, probe.isThere, probe.number, 0, probe.words);
        trace.moments++;
      }
    }
    this.due.length = 0;
    return false;
  }

  override finish(): void {
    for (const { traces } of this.groups) for (const { bucket, line } of traces) this.taken += bucket.empty(line);
  }
}

/** What holds at the beginning of each step. */
export class SampleSink extends Sink {
  #step = 0;
  readonly #hasSpeeds: boolean;

  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, room: Room, most: number) {
    super(groups, order, steps, room, most);
    this.#hasSpeeds = this.groups.some(({ hasSpeeds }) => hasSpeeds);
  }

  protected get isShared(): boolean {
    return true;
  }

  until(next: Time): Time {
    return this.#hasSpeeds ? next : this.#time;
  }

  get #time(): Time {
    const { start, end, every, count } = this.steps;
    const time = start + this.#step * every;
    return this.#step < count && time < end ? time : Number.POSITIVE_INFINITY;
  }

  hold(state: MutableState, from: Time, next: Time): boolean {
    for (const group of this.due) {
      group.isDue = false;
      warmUp(group, state, from);
    }
    this.due.length = 0;
    for (let time = this.#time; time < next; time = this.#time) {
      if (this.isFull) return true;
      this.#step++;
      for (const group of this.groups) {
        group.time.push(time);
        for (const trace of group.traces) {
          const { probe, line } = trace;
          if (!isSpeed(probe.path)) probe.read(state, from);
          line.push(probe.isThere, probe.number, 0, probe.words);
          trace.moments++;
        }
        this.taken += group.traces.length;
      }
    }
    return false;
  }
}

/** Shows speeds a moment that is not taken itself. */
function warmUp({ traces, hasSpeeds }: OpenGroup, state: MutableState, time: Time): void {
  if (!hasSpeeds) return;
  for (const { probe } of traces) if (isSpeed(probe.path)) probe.read(state, time);
}

export function isSpeed(path: SeriesPath): boolean {
  return "set" in path && path.item === "speed";
}
