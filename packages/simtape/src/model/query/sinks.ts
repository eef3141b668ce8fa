import type { MessageBatch } from "../messages/batch.ts";
import type { Interpolation } from "../state/column.ts";
import type { MutableState } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import { Bucket } from "./bucket.ts";
import { Line, type Room } from "./line.ts";
import type { SeriesKind } from "./listing.ts";
import type { SeriesPath } from "../state/path.ts";
import { isCounted, type Probe } from "./probe.ts";
import { type DrainedLine, type OpenRows, Rows } from "./rows.ts";
import type { Stops } from "./walk.ts";

/**
 * What a path was over time. The arrays are the caller's own; series of one call may have the same `time`, and the same
 * `valid`.
 */
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
  /** One for each time. Booleans are 0 and 1; of a text its place in `texts`. NaN where it is not there, or no number. */
  readonly value: Float64Array;
  /** One for each time: 1, or 0 where it is not there. What is there may be NaN all the same. */
  readonly valid: Uint8Array;
  /** The texts in it, each once; null where it is of another kind. */
  readonly texts: readonly string[] | null;
  /** Recorded moments of which it was made: more than there are times when some were left out. */
  readonly moments: number;
}

/** Moments of which there is room to be put into columns before they go into buckets. */
const OPEN = 1024;

/** The state that paths are looked at in. */
export interface Now {
  readonly state: MutableState;
  /** It is so from here on, until `next`. Times are fields because a time that is handed over takes memory. */
  readonly from: Time;
  readonly next: Time;
  /** Brings the state up to what was read ahead of it. */
  settle(): void;
  /** From now on everything is folded: what is read ahead cannot tell what a probe needs. */
  giveUp(): void;
}

/** Paths that are read at the same moments: when there is a message of one of some channels. */
export interface Group {
  readonly channels: readonly number[];
  /** Each of these channels can change all of the paths, and no other one any of them. */
  readonly isEven: boolean;
  /** Their places are one behind the other. */
  readonly probes: readonly Probe[];
}

/** A group while a recording is gone through. */
export interface OpenGroup {
  /** Its place among the groups. */
  readonly index: number;
  readonly isEven: boolean;
  readonly probes: readonly Probe[];
  readonly speeds: readonly Probe[];
  /** Those whose numbers a column reader puts to their places; of these, what is counted from other numbers. */
  read: readonly Probe[];
  counted: readonly Probe[];
  /** Those that look at the state each time. */
  folded: readonly Probe[];
  /** Something was folded that may have changed what is read. */
  isStale: boolean;
  isDue: boolean;
  moments: number;
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

/** Takes in what paths are while a recording is gone through. */
export abstract class Sink implements Stops {
  protected readonly steps: Steps;
  protected readonly groups: readonly OpenGroup[];
  /** Those that have a moment since the state was held last. */
  protected readonly due: OpenGroup[];
  protected dues = 0;
  /** Rows taken in since they were drained. */
  protected taken = 0;
  readonly #byChannel: OpenGroup[][] = [];
  readonly #order: readonly Probe[];
  readonly #most: number;

  /** `order`: that in which series are given out; `most`: rows after which it is full. */
  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, most: number) {
    this.steps = steps;
    this.#most = most;
    this.#order = order;
    this.groups = groups.map(({ channels, isEven, probes }, index) => {
      const group: OpenGroup = {
        ...{ index, isEven, probes },
        speeds: probes.filter(({ path }) => isSpeed(path)),
        ...{ read: [], counted: [], folded: probes, isStale: false, isDue: false, moments: 0 },
      };
      for (const channel of channels) {
        const others = this.#byChannel[channel] ?? [];
        this.#byChannel[channel] = [...others, group];
      }
      return group;
    });
    this.due = [...this.groups];
  }

  /** From when on moments are taken. */
  get start(): Time {
    return this.steps.start;
  }

  /** Whether `until` is the next time itself, always. */
  abstract readonly isAtMoments: boolean;
  abstract until(next: Time): Time;
  /** To be called when it has become so. True: it is full, and has to be called again. */
  abstract hold(now: Now): boolean;
  /** What there is of a group, line by line, with the times of each. */
  protected abstract drainGroup(group: number): readonly (DrainedLine & { readonly time: Float64Array })[];
  /**
   * Columns for the moments of a group from `time` on, to be filled from outside at once: see `columnsOf`. Null: another
   * moment has to be looked at before.
   */
  abstract open(group: OpenGroup, time: Time): OpenRows | null;
  /** So many moments are in the open columns. */
  abstract filled(group: OpenGroup, count: number): void;
  /** Nothing comes any more. */
  finish(): void {}

  /** The group of which a row of a channel is a moment, if many can be put into its columns at once; else null. */
  columnsOf(channel: number): OpenGroup | null {
    const groups = this.#byChannel[channel];
    const group = groups?.length === 1 ? groups[0]! : null;
    const isRead = group?.isEven === true && group.folded.length === 0 && group.counted.length === 0;
    return isRead && this.isAtMoments ? group : null;
  }

  /** From now on these probes have their numbers from a column reader, and the others look at the state. */
  readBy(isRead: (probe: Probe) => boolean): void {
    for (const group of this.groups) {
      group.read = group.probes.filter(isRead);
      group.counted = group.read.filter(({ path }) => isCounted(path));
      group.folded = group.probes.filter((probe) => !isRead(probe));
      for (const probe of group.probes) probe.forget();
    }
    this.spoil();
  }

  /** Something was folded that may have changed what is read. */
  spoil(): void {
    for (const group of this.groups) group.isStale = true;
  }

  rows({ channel }: MessageBatch, from: number, to: number): void {
    const all = this.groups.length;
    for (let i = from; i < to && this.dues < all; i++) {
      const groups = this.#byChannel[channel[i]!];
      if (groups === undefined) continue;
      for (let n = 0; n < groups.length; n++) {
        const group = groups[n]!;
        if (group.isDue) continue;
        group.isDue = true;
        this.due[this.dues++] = group;
      }
    }
  }

  get isFull(): boolean {
    return this.taken >= this.#most;
  }

  /** Rows that it has room for before it is full. */
  get left(): number {
    return this.#most - this.taken;
  }

  /** What was taken in since it was drained last. */
  drain(): Series[] {
    const found = new Map<Probe, Series>();
    this.taken = 0;
    for (const [n, group] of this.groups.entries()) {
      for (const [k, { time, value, valid, texts }] of this.drainGroup(n).entries()) {
        const probe = group.probes[k]!;
        const { path, text, unit, kind, interpolation } = probe;
        const series = { path, text, unit, kind, interpolation, time, value, valid, moments: group.moments };
        found.set(probe, { ...series, texts: kind === "text" ? texts : null });
      }
      group.moments = 0;
    }
    return this.#order.map((probe) => found.get(probe)!);
  }

  /** Whether it is the same paths that are there, and the same texts, as when the group was looked at last. */
  protected look(group: OpenGroup, now: Now): boolean {
    const { isStale } = group;
    if (isStale) {
      group.isStale = false;
      now.settle();
      for (const probe of group.read) {
        probe.forget();
        probe.read(now.state, now.from);
        if (probe.isMixed) now.giveUp();
      }
    } else if (group.counted.length > 0) for (const probe of group.counted) probe.count(now.from);
    if (group.folded.length > 0) for (const probe of group.folded) probe.read(now.state, now.from);
    return !isStale && group.folded.length === 0;
  }

  /** Shows speeds a moment that is not taken itself. */
  protected warmUp({ speeds }: OpenGroup, now: Now): void {
    if (speeds.length === 0) return;
    now.settle();
    for (const probe of speeds) probe.read(now.state, now.from);
  }
}

/** A sink whose paths have their times in common, group by group. */
abstract class RowSink extends Sink {
  protected readonly tables: readonly Rows[];

  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, room: Room, most: number) {
    super(groups, order, steps, most);
    this.tables = groups.map(({ probes }) => new Rows(room, probes, steps, most));
  }

  open({ index }: OpenGroup, time: Time): OpenRows | null {
    const rows = this.tables[index]!;
    return rows.isBlank ? null : rows.open(time);
  }

  filled(group: OpenGroup, count: number): void {
    this.tables[group.index]!.filled(count);
    group.moments += count;
    this.taken += count * group.probes.length;
  }

  protected take(group: OpenGroup, rows: Rows, isSame: boolean, time: Time): void {
    if (!isSame || rows.isBlank) rows.note();
    rows.push(time);
    group.moments++;
    this.taken += group.probes.length;
  }

  protected drainGroup(group: number): readonly (DrainedLine & { readonly time: Float64Array })[] {
    const { time, lines } = this.tables[group]!.drain();
    return lines.map((line) => ({ ...line, time }));
  }
}

/** Every moment at which one of the channels has a message that can change a path. */
export class AllSink extends RowSink {
  readonly isAtMoments = true;

  until(next: Time): Time {
    return next;
  }

  hold(now: Now): boolean {
    const { due, dues } = this;
    for (let n = 0; n < dues; n++) {
      const group = due[n]!;
      group.isDue = false;
      if (now.from < this.steps.start) this.warmUp(group, now);
      else this.take(group, this.tables[group.index]!, this.look(group, now), now.from);
    }
    this.dues = 0;
    return false;
  }
}

/** Of the same moments those that show what there was in each step. */
export class MinmaxSink extends Sink {
  readonly #lines: readonly (readonly { readonly line: Line; readonly bucket: Bucket }[])[];
  /** By group. */
  readonly #bucket: number[];
  readonly #open: (OpenRows | null)[] = [];

  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, room: Room, most: number) {
    super(groups, order, steps, most);
    this.#lines = groups.map(({ probes }) => probes.map(() => ({ line: new Line(room), bucket: new Bucket() })));
    this.#bucket = groups.map(() => -1);
  }

  readonly isAtMoments = true;

  until(next: Time): Time {
    return next;
  }

  hold(now: Now): boolean {
    const { due, dues } = this;
    const { from } = now;
    for (let n = 0; n < dues; n++) {
      const group = due[n]!;
      group.isDue = false;
      if (from < this.steps.start) {
        this.warmUp(group, now);
        continue;
      }
      this.look(group, now);
      this.#take(group, this.#stepAt(from), 1);
      const lines = this.#lines[group.index]!;
      for (let k = 0; k < lines.length; k++) {
        const { isThere, numbers, place, words } = group.probes[k]!;
        lines[k]!.bucket.take(from, isThere, numbers, place, words);
      }
    }
    this.dues = 0;
    return false;
  }

  override columnsOf(channel: number): OpenGroup | null {
    // how many rows come of moments is only known when they are taken
    return this.left === Number.POSITIVE_INFINITY ? super.columnsOf(channel) : null;
  }

  open({ index, probes }: OpenGroup): OpenRows {
    this.#open[index] ??= {
      time: new Float64Array(OPEN),
      columns: probes.map(() => new Float64Array(OPEN)),
      from: 0,
    };
    return this.#open[index];
  }

  filled(group: OpenGroup, count: number): void {
    const { time, columns } = this.#open[group.index]!;
    const lines = this.#lines[group.index]!;
    for (let from = 0; from < count; ) {
      const step = this.#stepAt(time[from]!);
      let to = from + 1;
      while (to < count && this.#stepAt(time[to]!) === step) to++;
      this.#take(group, step, to - from);
      for (let k = 0; k < lines.length; k++) {
        const { isThere, words } = group.probes[k]!;
        const { bucket } = lines[k]!;
        bucket.takeAll(time, isThere, columns[k]!, from, to, words);
      }
      from = to;
    }
  }

  #stepAt(time: Time): number {
    const { start, every, count } = this.steps;
    return Math.min(count - 1, Math.floor((time - start) / every));
  }

  /** So many moments come, all in one step. */
  #take(group: OpenGroup, step: number, count: number): void {
    group.moments += count;
    if (step === this.#bucket[group.index]) return;
    this.#bucket[group.index] = step;
    for (const { line, bucket } of this.#lines[group.index]!) this.taken += bucket.empty(line);
  }

  override finish(): void {
    for (const lines of this.#lines) for (const { bucket, line } of lines) this.taken += bucket.empty(line);
  }

  protected drainGroup(group: number): readonly (DrainedLine & { readonly time: Float64Array })[] {
    return this.#lines[group]!.map(({ line }) => ({ time: line.time.drain(), ...line.drain() }));
  }
}

/** What holds at the beginning of each step. */
export class SampleSink extends RowSink {
  readonly isAtMoments: boolean = false;
  #step = 0;
  readonly #hasSpeeds: boolean;

  constructor(groups: readonly Group[], order: readonly Probe[], steps: Steps, room: Room, most: number) {
    super(groups, order, steps, room, most);
    this.#hasSpeeds = this.groups.some(({ speeds }) => speeds.length > 0);
  }

  until(next: Time): Time {
    return this.#hasSpeeds ? next : this.#time;
  }

  get #time(): Time {
    const { start, end, every, count } = this.steps;
    const time = start + this.#step * every;
    return this.#step < count && time < end ? time : Number.POSITIVE_INFINITY;
  }

  hold(now: Now): boolean {
    // only speeds have moments here, and are alone in their groups
    for (let n = 0; n < this.dues; n++) {
      const group = this.due[n]!;
      group.isDue = false;
      this.look(group, now);
    }
    this.dues = 0;
    const { next } = now;
    for (let time = this.#time; time < next; time = this.#time) {
      if (this.isFull) return true;
      this.#step++;
      for (const group of this.groups) {
        const isSame = group.speeds.length === 0 && this.look(group, now);
        this.take(group, this.tables[group.index]!, isSame, time);
      }
    }
    return false;
  }
}

export function isSpeed(path: SeriesPath): boolean {
  return "set" in path && path.item === "speed";
}
