import type { ChunkBytes } from "../chunk/content.ts";
import type { Dialect } from "../chunk/context.ts";
import type { Framer } from "../chunk/frames.ts";
import { LIMITS } from "../layout/framing.ts";
import { type ChunkOrigin, OpenChunk } from "./open-chunk.ts";
import type { ChunkOutput } from "./output.ts";
import type { FinishedChunk } from "./segment-chunk.ts";
import { settled } from "./settle.ts";
import type { WriterChannels } from "./channels.ts";
import type { WriterEpochs } from "./epochs.ts";

/** Ticks of a chunk, and of one that holds no event (spec §8.1). */
const CHUNK_TICKS = 200;
const EMPTY_TICKS = 12_000;
/** A stretch without events is cut into so many chunks at most: 34 days are, and a damaged count of ticks may say 3 years. */
const MOST_EMPTY = 4096;
/** Inflated bytes of a chunk (spec §7.4). */
const CHUNK_BYTES = 1 << 20;
/** Of one that may grow: a tick that begins in it still finds room. */
const MOST_CHUNK_BYTES = 8 << 20;

/** Knows the state that chunks begin with. */
export interface SnapshotSource {
  /**
   * Called when a chunk is opened because one is needed: gives its snapshot, or null for none. `isWanted`: the chunks
   * before it are not to be read for the state in this one.
   */
  snapshot(tick: number, isWanted: boolean): Uint8Array | null;
}

/** The open chunk, as far as some tick, which is not part of it. */
export interface PartialChunk {
  readonly startTick: number;
  readonly hasSnapshot: boolean;
  /** Inflated bytes. */
  readonly length: number;
  /** A copy of them, from `offset` on. */
  readonly bytes: (offset: number) => Uint8Array;
  readonly dataVersion: number;
  readonly schemaVersion: number;
  readonly epoch: number;
}

/** The chunks of a recording, each beginning where the one before it ends; the last one may be open. */
export class ChunkSeries {
  readonly #dialect: Dialect;
  readonly #channels: WriterChannels;
  readonly #epochs: WriterEpochs;
  readonly #framer: Framer;
  readonly #output: ChunkOutput;
  readonly #snapshots: SnapshotSource;
  #end: number;
  #open: OpenChunk | null = null;
  /**
   * The tick inside which a chunk was ended, until a later one comes: its remaining events are stored one tick later.
   */
  #split = -1;
  /** The next chunk begins with a snapshot. */
  #isSnapshotWanted = false;
  /** The tick that was gone to last. */
  #settled = -1;
  /** Inflated bytes that the next chunk will have, about. */
  #capacity = 4096;
  #failure: { readonly error: unknown } | null = null;

  /** `end`: the tick behind what `output` has already. */
  constructor(
    dialect: Dialect,
    end: number,
    channels: WriterChannels,
    epochs: WriterEpochs,
    framer: Framer,
    output: ChunkOutput,
    snapshots: SnapshotSource,
  ) {
    this.#dialect = dialect;
    this.#end = end;
    this.#channels = channels;
    this.#epochs = epochs;
    this.#framer = framer;
    this.#output = output;
    this.#snapshots = snapshots;
  }

  /** Chunks that are finished. */
  get count(): number {
    return this.#output.count;
  }

  /** The tick behind the last finished chunk. */
  get end(): number {
    return this.#end;
  }

  /** The chunk that is being written; null: none. */
  get open(): OpenChunk | null {
    return this.#open;
  }

  /** Nothing of this tick was written yet, and the next chunk may begin at it. */
  get tick(): number {
    return this.#lastTick + 1;
  }

  /** Times the usual length of chunks: longer ones keep room in the index. */
  get growth(): number {
    const use = this.#output.indexUse;
    return use < 0.5 ? 1 : use < 0.75 ? 4 : use < 0.9 ? 10 : 14;
  }

  /** Room in the open chunk for events of its last tick. */
  get room(): number {
    return this.#open?.room ?? LIMITS.uncompressed;
  }

  /** The open chunk before `tick`, which is its last one or behind it; null: none is open, or it holds nothing yet. */
  peek(tick: number): PartialChunk | null {
    const open = this.#open;
    if (open === null || !open.hasEvents || tick <= open.startTick) return null;
    const { startTick, hasSnapshot, dataVersion } = open;
    const { number: epoch, schemaVersion } = this.#epochs.holding;
    const length = open.lengthBefore(tick);
    const bytes = (offset: number): Uint8Array => open.copy(offset, length);
    return { startTick, hasSnapshot, length, bytes, dataVersion, schemaVersion, epoch };
  }

  /** The next chunk that is opened because one is needed begins with a snapshot. */
  wantSnapshot(): void {
    this.#isSnapshotWanted = true;
  }

  /** Throws what a chunk was lost by, if one was. */
  checkWhole(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  // ── beginning ─────────────────────────────────────────────────────────

  /** Opens a chunk where the last one ends, or later; null: one that is paced. None may be open. */
  begin(tick: number, origin: ChunkOrigin | null): OpenChunk {
    const dataVersion = origin?.dataVersion ?? this.#epochs.holding.dataVersion;
    this.#channels.beginChunk(this.#output.count);
    const open = new OpenChunk(this.#dialect, this.#channels, tick, dataVersion, origin, this.#framer, this.#capacity);
    this.#open = open;
    return open;
  }

  /** Goes to a tick before its events are made: however large they are, they stay in the chunk that is open then. */
  goTo(tick: number): void {
    this.advance(tick, 0);
    this.#settled = tick;
  }

  /** Sees to it that a chunk is open in which an event at `tick` has its place; `bytes` are about to come. */
  advance(tick: number, bytes: number): void {
    const open = this.#open;
    const last = this.#lastTick;
    if (tick > this.#split) this.#split = -1;
    if (tick <= last) {
      const isSplit = open !== null && tick === this.#split && tick === open.startTick - 1;
      if (!isSplit && (tick < last || (open !== null && tick < open.startTick))) throw isWritten(tick, last);
    } else if (open !== null && tick !== this.#settled && this.#isFull(open, tick, bytes)) this.endBefore(tick);
    if (this.#open !== null) return;
    // a chunk may have been ended inside the tick, which goes on in the next one
    const target = Math.max(tick, this.#end);
    if (target - this.#end >= EMPTY_TICKS) this.fill(target - ((target - this.#end) % EMPTY_TICKS));
    this.#beginPaced(this.#end, null, false);
  }

  /** Begins a chunk with a snapshot at a tick of which nothing may be written yet. */
  beginWith(tick: number, snapshot: Uint8Array): void {
    const open = this.#open;
    // the chunk begun there may still be empty
    if (open !== null && open.startTick === tick && !open.hasEvents) {
      open.restart(snapshot);
      this.#isSnapshotWanted = false;
      return;
    }
    if (tick < this.tick) throw new RangeError(`a snapshot at tick ${tick} behind events of tick ${this.tick - 1}`);
    this.endBefore(tick);
    this.fill(tick);
    this.#beginPaced(tick, snapshot, false);
  }

  /** Ends the open chunk and begins one with the next tick, which is given. */
  beginNext(): number {
    if (this.#open !== null) this.finish(this.#open.least);
    const tick = this.#end;
    this.#beginPaced(tick, null, true);
    return tick;
  }

  #beginPaced(tick: number, snapshot: Uint8Array | null, isWanted: boolean): void {
    const open = this.begin(tick, null);
    const wanted = isWanted || this.#isSnapshotWanted;
    this.#isSnapshotWanted = false;
    const own = snapshot ?? this.#snapshots.snapshot(tick, wanted) ?? (this.#output.count === 0 ? NOTHING : null);
    if (own !== null) open.putSnapshot(own);
  }

  /** An event in the open chunk, which `advance` has seen to. */
  put(channel: number, tick: number, payload: Uint8Array): void {
    this.#open!.put(channel, tick, payload);
  }

  // ── ending ────────────────────────────────────────────────────────────

  /** Ends the open chunk at `until`, or behind its last event if that is later. */
  finish(until: number): void {
    const open = this.#open!;
    const end = Math.max(until, open.least);
    const raw = this.#tidy(open, open.raw(end));
    const { length } = raw.bytes;
    this.#capacity = Math.max(256, Math.min(CHUNK_BYTES + (CHUNK_BYTES >> 3), length + (length >> 3)));
    const { number, schemaVersion } = this.#epochs.holding;
    try {
      this.#output.add(open.finished(end, raw, number, schemaVersion));
    } catch (error) {
      // a chunk is missing now: the recording cannot be finished
      this.#failure = { error };
      throw error;
    }
    this.#open = null;
    this.#end = end;
  }

  /** What is taken over from elsewhere keeps nothing that it does not refer to. */
  #tidy({ origin, hasSnapshot }: OpenChunk, raw: ChunkBytes): ChunkBytes {
    if (origin === null || this.#dialect !== 1) return raw;
    const { subjects } = origin;
    const bytes = settled(raw.bytes, { hasSnapshot, events: this.#channels.hostEvents, subjects });
    return bytes === raw.bytes ? raw : { bytes, isOwn: false };
  }

  /** Ends the open chunk, if any, when what comes next is at `tick`. */
  endBefore(tick: number): void {
    const open = this.#open;
    if (open === null) return;
    const pace = open.hasEvents ? CHUNK_TICKS : EMPTY_TICKS;
    this.finish(Math.min(open.origin?.end ?? open.startTick + pace, tick));
  }

  /** Ends the open chunk before `tick`, which is behind all its events; one that holds nothing is begun again later. */
  endAt(tick: number): void {
    const open = this.#open;
    if (open === null) return;
    if (open.hasEvents || (open.hasSnapshot && tick > open.startTick)) {
      this.finish(tick);
      return;
    }
    this.#isSnapshotWanted ||= open.hasSnapshot;
    this.#open = null;
  }

  /** Ends the open chunk, if it holds events, inside the tick of the last one; a tick is split once at most. */
  split(): void {
    const open = this.#open;
    if (open === null || !open.hasEvents || this.#split >= 0) return;
    this.#split = open.lastTick;
    this.finish(open.lastTick);
  }

  /** Ends the open chunk, if any, which is paced, as the last one of a recording that lasts to `until`. */
  endLast(until: number): void {
    if (this.#open !== null) this.finish(Math.min(until, this.#open.startTick + CHUNK_TICKS));
  }

  /**
   * Ends the open chunk for one to begin at `start` whose first message is at `first`. Gives the tick that it can begin
   * at, which may be later. Throws `RangeError` when what is written goes further than that.
   */
  makeWay(start: number, first: number): number {
    const open = this.#open;
    let at = start;
    if (open !== null && at < open.least) {
      if (first < open.lastTick) throw isWritten(first, open.lastTick);
      at = open.least;
    }
    this.endBefore(at);
    if (first < this.#end - 1) throw isWritten(first, this.#end - 1);
    return Math.max(at, this.#end);
  }

  /** Drops the open chunk: what it begins with is written again. */
  giveUp(): void {
    this.#open = null;
  }

  /** Empty chunks from the end of the last one to `until`, of `step` ticks at most; none may be open. */
  fill(until: number, step: number = Math.max(EMPTY_TICKS, Math.ceil(until / MOST_EMPTY))): void {
    while (this.#end < until) {
      const end = Math.min(this.#end + step, until);
      const open = this.begin(this.#end, null);
      if (this.#output.count === 0) open.putSnapshot(NOTHING);
      this.finish(end);
    }
  }

  /** A chunk that was finished elsewhere, as the next one; it begins where the last one ends. */
  adopt(chunk: FinishedChunk): void {
    if (this.#open !== null || chunk.startTick !== this.#end)
      throw new RangeError(`a chunk at tick ${chunk.startTick}, the recording ends at ${this.#end}`);
    this.#output.add(chunk);
    this.#end = chunk.startTick + chunk.tickCount;
  }

  /** Of the last event; the last one of the finished chunks when there is none behind them. */
  get #lastTick(): number {
    return this.#open?.lastTick ?? this.#end - 1;
  }

  #isFull(open: OpenChunk, tick: number, bytes: number): boolean {
    const planned = open.origin?.end ?? null;
    if (planned !== null) return tick >= planned;
    const ticks = tick - open.startTick;
    if (!open.hasEvents) return ticks >= EMPTY_TICKS;
    const { growth } = this;
    return ticks >= CHUNK_TICKS * growth || open.length + bytes > Math.min(MOST_CHUNK_BYTES, CHUNK_BYTES * growth);
  }
}

/** For a tick that can no longer be written. */
export function isWritten(tick: number, last: number): RangeError {
  return new RangeError(`tick ${tick} is before tick ${last}, which is written`);
}

/** What the first chunk has for a snapshot, as it must have one (spec §5). */
export const NOTHING: Uint8Array = new Uint8Array(0);
