import { bytesOf, type MessageBatch } from "./messages/batch.ts";
import { Growth } from "./state/growth.ts";
import type { Reader } from "./reader.ts";
import type { Keyframe } from "./messages/keyframe.ts";
import { type Scope, wholeScope } from "./scope.ts";
import { MutableState } from "./state/state.ts";
import { after, type Time } from "./values/time.ts";
import type { ChannelInfo, ChannelStatistics } from "./values/value.ts";

/** Payload bytes folded between two checkpoints. */
const CHECKPOINT_EVERY = 16 << 20;
/** Bytes of state that checkpoints may hold together. */
const CHECKPOINT_BYTES = 64 << 20;

/** States that were kept of an earlier reading, from which a fold may begin: those of a side-car. */
export interface StatesAtHand {
  /** Time of the latest at or before `time`; null: there is none. */
  before(time: Time): Time | null;
  /** Time of the first in `[start, end)`; null likewise. */
  first(start: Time, end: Time): Time | null;
  /** The state kept for exactly `time`, the caller's own; null: it cannot be read. */
  at(time: Time, signal?: AbortSignal): Promise<MutableState | null>;
}

/** Narrowed folds that are kept with their checkpoints, and bytes that those of each may hold. */
const NARROWED = 8;
const NARROWED_BYTES = 8 << 20;

/** Before a message: all of earlier times, and of this time those with a smaller sequence, lie before it. */
type Position = Pick<Keyframe, "time" | "sequence">;

/** Rows of a batch that lie before a place. */
function countBefore({ time, sequence }: MessageBatch, place: Position): number {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isBefore = time[middle]! < place.time || (time[middle] === place.time && sequence[middle]! < place.sequence);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Found {
  readonly batch: MessageBatch;
  readonly row: number;
  readonly time: Time;
  readonly sequence: number;
}

/** Finds state at any time of a recording: from keyframes of the file, and from checkpoints it lays on its way. */
export class Fold {
  readonly scope: Scope;
  readonly #reader: Reader;
  readonly #firstEvery: number;
  #checkpointEvery: number;
  readonly #checkpointBytes: number;
  /** Payload bytes folded by those who go through the recording, since they offered a checkpoint that was laid. */
  #offered = 0;
  /** By key, the one asked for last at the end. */
  readonly #narrowed = new Map<string, Fold>();
  /** Ascending by time; each holds everything at or before its time but what channels say whose last message is enough. */
  readonly #checkpoints: MutableState[] = [];
  #statistics: readonly ChannelStatistics[] | null = null;
  /** States that a side-car has: of all of it, which is more than a narrowed fold needs. */
  readonly #kept: StatesAtHand | null;

  /** Lays a checkpoint every so many payload bytes at first, and keeps about so many bytes of them. */
  constructor(
    reader: Reader,
    checkpointEvery: number = CHECKPOINT_EVERY,
    checkpointBytes: number = CHECKPOINT_BYTES,
    scope: Scope = wholeScope(reader),
    kept: StatesAtHand | null = null,
  ) {
    this.#kept = kept;
    this.scope = scope;
    this.#reader = reader;
    this.#firstEvery = checkpointEvery;
    this.#checkpointEvery = checkpointEvery;
    this.#checkpointBytes = checkpointBytes;
  }

  /** State of everything at or before `time`; the caller's own. */
  async at(time: Time, signal?: AbortSignal): Promise<MutableState> {
    const { channels, model } = this.scope;
    const folded = channels.filter((channel) => !model.replacesState(channel.id));
    const keyframe = await this.#reader.keyframe(time, signal);
    const covers = (channel: ChannelInfo): boolean =>
      keyframe !== null && (keyframe.channels === null || keyframe.channels.includes(channel.id));
    const checkpoint = await this.#checkpointBefore(time, keyframe, signal);
    const end: Position = { time, sequence: Number.POSITIVE_INFINITY };
    let from: Position | null = checkpoint === null ? null : { ...end, time: checkpoint.time };
    let state: MutableState;
    if (keyframe === null || (checkpoint !== null && checkpoint.time >= keyframe.time)) {
      state = checkpoint?.clone() ?? this.begin();
    } else {
      const isAll = keyframe.channels === null;
      state = isAll ? this.begin() : (checkpoint?.clone() ?? this.begin());
      const others = folded.filter((channel) => !covers(channel));
      await this.#fold(state, others, from, keyframe, false, signal);
      from = keyframe;
    }
    await this.#fold(state, folded, from, end, true, signal);
    const whole = channels.filter((channel) => model.replacesState(channel.id));
    const uncovered = whole.filter((channel) => !covers(channel));
    const latest = [
      ...(await this.#latest(uncovered, null, time, signal)),
      ...(await this.#latest(whole.filter(covers), keyframe, time, signal)),
    ];
    latest.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
    for (const { batch, row } of latest) model.apply(state, batch, row);
    state.time = time;
    return state;
  }

  /** What holds before the first message. */
  begin(): MutableState {
    const state = new MutableState();
    this.scope.model.begin?.(state);
    return state;
  }

  /** A fold of as much as a scope has, with checkpoints of its own; those of the last few scopes are kept. */
  narrowed(scope: Scope): Fold {
    const known = this.#narrowed.get(scope.key);
    const fold = known ?? new Fold(this.#reader, this.#firstEvery, NARROWED_BYTES, scope, this.#kept);
    this.#narrowed.delete(scope.key);
    this.#narrowed.set(scope.key, fold);
    for (const key of this.#narrowed.keys()) {
      if (this.#narrowed.size <= NARROWED) break;
      this.#narrowed.delete(key);
    }
    return fold;
  }

  /**
   * Lays a checkpoint now and then, of what another caller folded: a state that holds everything at or before `time`, in
   * which `bytes` of payload came since it was offered last.
   */
  offer(state: MutableState, time: Time, bytes: number): void {
    this.#offered += bytes;
    if (this.#offered < this.#checkpointEvery) return;
    this.#offered = 0;
    const copy = state.clone();
    copy.time = time;
    this.#lay(copy);
  }

  /**
   * Folds messages of `channels` from one place up to another, which is not included. `mayLay`: the state holds
   * everything that is not whole, so that checkpoints may be made of it.
   */
  async #fold(
    state: MutableState,
    channels: readonly ChannelInfo[],
    from: Position | null,
    to: Position,
    mayLay: boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (channels.length === 0) return;
    const { model } = this.scope;
    const growth = new Growth(this.#reader.budget);
    let since = 0;
    let last: Time = Number.NEGATIVE_INFINITY;
    const isAll = channels.length === this.#reader.channels.length;
    const query = { start: from?.time, end: after(to.time), channels: isAll ? undefined : channels, signal };
    for await (const batch of this.#reader.batches(query)) {
      if (mayLay && since >= this.#checkpointEvery && batch.length > 0 && batch.time[0]! > last) {
        state.time = last;
        this.#lay(state.clone());
        since = 0;
      }
      const first = from === null ? 0 : countBefore(batch, from);
      const end = countBefore(batch, to);
      growth.apply(model, state, batch, first, end);
      since += bytesOf(batch, first, end);
      if (batch.length > 0) last = batch.time[batch.length - 1]!;
    }
  }

  /** The last message of each channel from a place up to and including `time`; reads backwards until all are found. */
  async #latest(
    channels: readonly ChannelInfo[],
    from: Position | null,
    time: Time,
    signal: AbortSignal | undefined,
  ): Promise<Found[]> {
    if (channels.length === 0) return [];
    this.#statistics ??= await this.#reader.statistics(signal);
    const missing = new Set<number>();
    for (const { id } of channels) {
      const { first, last } = this.#statistics[id] ?? { first: null, last: null };
      if (first === null || last === null) continue;
      if (first <= time && (from === null || last >= from.time)) missing.add(id);
    }
    if (missing.size === 0) return [];
    const found: Found[] = [];
    const wanted = channels.filter(({ id }) => missing.has(id));
    const query = { start: from?.time, end: after(time), channels: wanted, reverse: true, signal };
    for await (const batch of this.#reader.batches(query)) {
      for (let row = batch.length - 1; row >= 0 && missing.size > 0; row--) {
        const at = batch.time[row]!;
        const sequence = batch.sequence[row]!;
        if (from !== null && at === from.time && sequence < from.sequence) continue;
        if (missing.delete(batch.channel[row]!)) found.push({ batch, row, time: at, sequence });
      }
      if (missing.size === 0) break;
    }
    return found;
  }

  /** Time of the first checkpoint in `[start, end)`: state there costs little. */
  checkpoint(start: Time, end: Time): Time | null {
    const found = this.#checkpoints.find(({ time }) => time >= start)?.time ?? Number.POSITIVE_INFINITY;
    const kept = this.#kept?.first(start, end) ?? Number.POSITIVE_INFINITY;
    const first = Math.min(found, kept);
    return first < end ? first : null;
  }

  /** The nearest checkpoint; one that a side-car has is laid first, where nothing later is at hand. */
  async #checkpointBefore(
    time: Time,
    keyframe: Keyframe | null,
    signal: AbortSignal | undefined,
  ): Promise<MutableState | null> {
    const nearest = this.#nearest(time);
    const kept = this.#kept?.before(time) ?? null;
    const whole = keyframe?.channels === null ? keyframe.time : Number.NEGATIVE_INFINITY;
    if (kept === null || kept <= Math.max(nearest?.time ?? Number.NEGATIVE_INFINITY, whole)) return nearest;
    const state = await this.#kept!.at(kept, signal);
    if (state === null) return nearest;
    this.#lay(state);
    return state;
  }

  #nearest(time: Time): MutableState | null {
    let best: MutableState | null = null;
    for (const checkpoint of this.#checkpoints) {
      if (checkpoint.time > time) break;
      best = checkpoint;
    }
    return best;
  }

  /**
   * Keeps a checkpoint. Over the limit every second one goes, and from then on they are laid half as often, so that
   * what is kept covers the whole recording evenly.
   */
  #lay(state: MutableState): void {
    const at = this.#checkpoints.findIndex((checkpoint) => checkpoint.time >= state.time);
    if (at >= 0 && this.#checkpoints[at]!.time === state.time) return;
    if (at < 0) this.#checkpoints.push(state);
    else this.#checkpoints.splice(at, 0, state);
    let bytes = 0;
    for (const checkpoint of this.#checkpoints) bytes += checkpoint.byteLength;
    if (bytes <= this.#checkpointBytes) return;
    const kept = this.#checkpoints.filter((_, i) => i % 2 === 1);
    this.#checkpoints.splice(0, this.#checkpoints.length, ...kept);
    this.#checkpointEvery *= 2;
  }
}
