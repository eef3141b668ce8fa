import { KEYFRAME, type MessageBatch } from "../model/messages/batch.ts";
import type { Fold } from "../model/fold.ts";
import type { Query } from "../model/messages/batch-query.ts";
import type { Recording } from "../model/recording.ts";
import type { MutableState, State } from "../model/state/state.ts";
import { after, type Time } from "../model/values/time.ts";
import { countBefore } from "./search.ts";

/** How long a stretch is: about so many messages or payload bytes, in whole moments; twice as many where nothing moves. */
export interface Limits {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * A piece of a recording in memory, from which state at any time in `[start, end)` follows without waiting. Immutable.
 * It begins and ends with a message of motion where it can, and looks ahead to the one at its end, so that what lies
 * between two of them can be interpolated.
 */
export interface Stretch {
  readonly start: Time;
  /** Infinity: nothing comes behind it. */
  readonly end: Time;
  /** Every message of `[start, end)`, and those at `end` when that is a moment of motion. There may be more around them. */
  readonly batches: readonly MessageBatch[];
  /** State before the first message. Clone it. */
  readonly base: MutableState;
  /** Moments of motion in the batches, ascending. */
  readonly motions: readonly Time[];
  /** The last moment of motion before `start`, when there is none at it. */
  readonly before: Time | null;
  /** State at the first moment of motion at or behind `end`, when the batches do not hold it. */
  readonly beyond: State | null;
  /** Memory kept, about. */
  readonly byteLength: number;
}

/** What is read of a stretch before its state is known. */
export interface Rows {
  readonly start: Time;
  readonly end: Time;
  /** Whether the batches hold all messages at `end`. */
  readonly isEndWhole: boolean;
  readonly batches: readonly MessageBatch[];
}

/** The last time before `time` that a message can have. */
export function before(time: Time): Time {
  return -after(-time);
}

/** Reads on from `start`, which is where the rows begin. */
export async function readForward(
  recording: Recording,
  start: Time,
  limits: Limits,
  signal: AbortSignal,
): Promise<Rows> {
  const motion = recording.motion?.id ?? null;
  const batches: MessageBatch[] = [];
  const size = new Size(limits);
  let end = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  reading: for await (const batch of recording.batches({ start, signal })) {
    batches.push(batch);
    for (let i = 0; i < batch.length; i++) {
      const time = batch.time[i]!;
      if (time > end) break reading;
      if (end === Number.POSITIVE_INFINITY && size.isEnough && time > start) {
        const isNew = time > last;
        if (isNew && (motion === null || size.isTooMuch)) {
          return { start, end: time, isEndWhole: false, batches };
        }
        if (batch.channel[i] === motion) end = time;
      }
      size.add(batch, i);
      last = time;
    }
  }
  return { start, end, isEndWhole: true, batches };
}

/**
 * Reads from `start` on as little as will do to show `time`: to the last moment of motion that came with one behind
 * `time`, or for as long as `readForward` does where there is none.
 */
export async function readMoment(
  recording: Recording,
  start: Time,
  time: Time,
  limits: Limits,
  signal: AbortSignal,
): Promise<Rows> {
  const motion = recording.motion?.id ?? null;
  const batches: MessageBatch[] = [];
  const size = new Size(limits);
  for await (const batch of recording.batches({ start, signal })) {
    batches.push(batch);
    const last = batch.time[batch.length - 1]!;
    const end = motion === null ? last : lastMotion(batch, motion);
    if (end !== null && end > time) {
      const isEndWhole = motion !== null && (end < last || !(await hasMore(recording, batch, signal)));
      return { start, end, isEndWhole, batches };
    }
    for (let i = 0; i < batch.length; i++) size.add(batch, i);
    if (size.isTooMuch && last > time) return { start, end: last, isEndWhole: false, batches };
  }
  return { start, end: Number.POSITIVE_INFINITY, isEndWhole: true, batches };
}

function lastMotion(batch: MessageBatch, motion: number): Time | null {
  for (let i = batch.length - 1; i >= 0; i--) if (batch.channel[i] === motion) return batch.time[i]!;
  return null;
}

/** Whether messages behind those of `batch` are of its last moment. */
async function hasMore(recording: Recording, batch: MessageBatch, signal: AbortSignal): Promise<boolean> {
  const time = batch.time[batch.length - 1]!;
  const sequence = batch.sequence[batch.length - 1]!;
  for await (const more of recording.batches({ start: time, end: after(time), signal })) {
    if (more.sequence[more.length - 1]! > sequence) return true;
  }
  return false;
}

/** Reads back from `end`, which is where the rows end; `first` is the time of the first message of all. */
export async function readBackward(
  recording: Recording,
  end: Time,
  first: Time,
  limits: Limits,
  signal: AbortSignal,
): Promise<Rows> {
  const motion = recording.motion?.id ?? null;
  const batches: MessageBatch[] = [];
  const size = new Size(limits);
  /** Where the rows may start: the earliest moment of motion seen, or of anything when there is none for long. */
  let start: Time | null = null;
  const until = motion === null ? end : after(end);
  for await (const batch of recording.batches({ end: until, reverse: true, signal })) {
    batches.unshift(batch);
    for (let i = batch.length - 1; i >= 0; i--) {
      const time = batch.time[i]!;
      if (time >= end) continue;
      if (start !== null && time < start && size.isEnough) {
        return { start, end, isEndWhole: true, batches };
      }
      if (motion === null || batch.channel[i] === motion || (start === null && size.isTooMuch)) start = time;
      size.add(batch, i);
    }
  }
  return { start: Math.min(first, start ?? end), end, isEndWhole: true, batches };
}

/** Cuts rows into pieces of about `limits` each, ascending, at moments of motion or, where nothing moves, at any. */
export function pieces(rows: Rows, motion: number | null, limits: Limits): Rows[] {
  const cut: Rows[] = [];
  const size = new Size(limits);
  let { start } = rows;
  /** Batches of the piece, and of the moment, begin here. */
  let [first, begun] = [0, 0];
  let last = Number.NEGATIVE_INFINITY;
  let isDue = false;
  for (const [n, batch] of rows.batches.entries()) {
    for (let i = countBefore(batch.time, rows.start); i < batch.length && batch.time[i]! < rows.end; i++) {
      const time = batch.time[i]!;
      const isMotion = batch.channel[i] === motion;
      if (time > last) {
        last = time;
        begun = n;
        isDue = size.isEnough;
      }
      if (isDue && (isMotion || motion === null || size.isTooMuch)) {
        // a moment of motion at the end belongs to both
        const to = countBatches(rows.batches, time);
        cut.push({ start, end: time, isEndWhole: isMotion, batches: rows.batches.slice(first, to) });
        start = time;
        first = begun;
        isDue = false;
        size.clear();
      }
      size.add(batch, i);
    }
  }
  cut.push({ ...rows, start, batches: rows.batches.slice(first) });
  return cut;
}

/** How many of `batches` begin at or before `time`. */
function countBatches(batches: readonly MessageBatch[], time: Time): number {
  const behind = batches.findIndex((batch) => batch.length > 0 && batch.time[0]! > time);
  return behind < 0 ? batches.length : behind;
}

/** Time of the first keyframe at or behind `start`, which there must be. */
export function firstKeyframe(batches: readonly MessageBatch[], start: Time): Time {
  for (const { length, time, flags } of batches) {
    for (let i = countBefore(time, start); i < length; i++) if ((flags[i]! & KEYFRAME) !== 0) return time[i]!;
  }
  throw new RangeError("there is no keyframe");
}

/** Time of the first message behind `time`. */
export function firstBehind(batches: readonly MessageBatch[], time: Time): Time | null {
  for (const batch of batches) {
    const i = countBefore(batch.time, after(time));
    if (i < batch.length) return batch.time[i]!;
  }
  return null;
}

/** A stretch of rows that begin with `base`. */
export async function stretchOf(
  recording: Recording,
  fold: Fold,
  rows: Rows,
  base: MutableState,
  signal: AbortSignal,
): Promise<Stretch> {
  const { motion } = recording;
  const { start, end, batches } = rows;
  const motions = motion === null ? [] : motionsOf(rows, motion.id);
  let bytes = base.byteLength;
  for (const batch of batches) bytes += batch.bytes.byteLength + 32 * batch.length;
  let previous: Time | null = null;
  let beyond: State | null = null;
  if (motion !== null) {
    if (motions[0] !== start) previous = await motionBefore(recording, start, signal);
    if (end !== Number.POSITIVE_INFINITY && (motions.at(-1) ?? start) < end) {
      const next = await motionAfter(recording, end, signal);
      beyond = next === null ? null : (await fold.at(next, signal)).freeze();
    }
  }
  return { start, end, batches, base, motions, before: previous, beyond, byteLength: bytes };
}

/** The last moment of motion before `time`. */
export async function motionBefore(recording: Recording, time: Time, signal: AbortSignal): Promise<Time | null> {
  for (const window of WINDOWS) {
    const start = window === null ? undefined : time - window;
    const batch = await firstMotions(recording, { start, end: time, reverse: true }, signal);
    if (batch !== null) return batch.time[batch.length - 1]!;
  }
  return null;
}

async function motionAfter(recording: Recording, start: Time, signal: AbortSignal): Promise<Time | null> {
  for (const window of WINDOWS) {
    const batch = await firstMotions(recording, { start, end: window === null ? undefined : start + window }, signal);
    if (batch !== null) return batch.time[0]!;
  }
  return null;
}

/** Where to look for motion first: hardly ever is it longer ago, and of a whole chunk much would be copied. */
const WINDOWS = [1e9, null] as const;

/** The first batch of motion; what is read beyond it is left off. */
async function firstMotions(recording: Recording, query: Query, signal: AbortSignal): Promise<MessageBatch | null> {
  const { motion } = recording;
  if (motion === null) return null;
  const beyond = new AbortController();
  const either = AbortSignal.any([signal, beyond.signal]);
  try {
    for await (const batch of recording.batches({ ...query, channels: [motion], signal: either })) return batch;
    return null;
  } finally {
    beyond.abort();
  }
}

function motionsOf({ start, end, isEndWhole, batches }: Rows, motion: number): Time[] {
  const motions: Time[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const batch of batches) {
    for (let i = 0; i < batch.length; i++) {
      const time = batch.time[i]!;
      if (time < start || time === last || batch.channel[i] !== motion) continue;
      if (isEndWhole ? time > end : time >= end) return motions;
      motions.push(time);
      last = time;
    }
  }
  return motions;
}

/** How much was taken so far. */
class Size {
  readonly #limits: Limits;
  #rows = 0;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(batch: MessageBatch, i: number): void {
    this.#rows++;
    this.#bytes += batch.end[i]! - batch.start[i]!;
  }

  clear(): void {
    this.#rows = 0;
    this.#bytes = 0;
  }

  get isEnough(): boolean {
    return this.#rows >= this.#limits.rows || this.#bytes >= this.#limits.bytes;
  }

  get isTooMuch(): boolean {
    return this.#rows >= 2 * this.#limits.rows || this.#bytes >= 2 * this.#limits.bytes;
  }
}
