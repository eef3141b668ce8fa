import { type ChunkBytes, ChunkContent } from "../chunk/content.ts";
import type { Dialect } from "../chunk/context.ts";
import type { Subject } from "../layout/metadata.ts";
import { ENTRY_SNAPSHOT, LIMITS } from "../layout/framing.ts";
import type { Framer } from "../chunk/frames.ts";
import type { FinishedChunk } from "./segment-chunk.ts";
import type { WriterChannels } from "./channels.ts";

/** What a chunk has from the one that it is copied from. */
export interface ChunkOrigin {
  /** The tick that it ends at there; null: it is not stated. */
  readonly end: number | null;
  readonly dataVersion: number;
  readonly dialect: Dialect;
  /** See `FinishedChunk`. */
  readonly segment: number | null;
  /** Players of the recording that it is of. */
  readonly subjects: readonly Subject[];
}

/** Events that find a place behind the last one that is let in. */
const SPARE_EVENTS = 1 << 16;

/** For events behind a snapshot. */
const SNAPSHOT_ROOM = 4096;

/** The one chunk that is being written. */
export class OpenChunk {
  readonly startTick: number;
  /** Null: its end is that of its pace. */
  readonly origin: ChunkOrigin | null;
  readonly dataVersion: number;
  readonly #dialect: Dialect;
  readonly #channels: WriterChannels;
  readonly #framer: Framer;
  #content: ChunkContent;
  #hasSnapshot = false;
  #events = 0;
  #lastTick: number;

  /** `dialect` and `channels` are those of the recording; `capacity`: inflated bytes that it will have, about. */
  constructor(
    dialect: Dialect,
    channels: WriterChannels,
    startTick: number,
    dataVersion: number,
    origin: ChunkOrigin | null,
    framer: Framer,
    capacity: number,
  ) {
    this.startTick = startTick;
    this.origin = origin;
    this.dataVersion = dataVersion;
    this.#dialect = dialect;
    this.#channels = channels;
    this.#framer = framer;
    this.#content = new ChunkContent(dialect, startTick, framer.memory(capacity));
    this.#lastTick = startTick - 1;
  }

  get hasSnapshot(): boolean {
    return this.#hasSnapshot;
  }

  get hasEvents(): boolean {
    return this.#events > 0;
  }

  /** Of the last event; the start less one when there is none. */
  get lastTick(): number {
    return this.#lastTick;
  }

  /** Where it can end at the earliest. */
  get least(): number {
    return Math.max(this.#lastTick, this.startTick) + 1;
  }

  /** Inflated bytes up to now. */
  get length(): number {
    return this.#content.length;
  }

  /** Those of the ticks before `tick`, which is the last one or behind it. */
  lengthBefore(tick: number): number {
    return this.#content.lengthBefore(tick);
  }

  /** A copy of them, from `offset` to before `until`, where a tick ends. */
  copy(offset: number, until: number): Uint8Array {
    return this.#content.copy(offset, until);
  }

  /** Inflated bytes that events may still take. */
  get room(): number {
    return this.#events >= LIMITS.events - SPARE_EVENTS ? 0 : LIMITS.uncompressed - this.length;
  }

  /** An event, not before the last one; of a tick before the chunk, it is written at its first. */
  put(channel: number, tick: number, payload: Uint8Array): void {
    const at = Math.max(tick, this.startTick);
    const content = this.#content;
    if (content.length + payload.length + 32 > LIMITS.uncompressed || this.#events >= LIMITS.events)
      throw new RangeError(`tick ${at} holds more than a chunk can: ${LIMITS.uncompressed} bytes`);
    content.put(this.#channels.typeOf(channel), at, payload);
    this.#events++;
    this.#lastTick = at;
  }

  /** Before all events. */
  putSnapshot(snapshot: Uint8Array): void {
    this.#hasSnapshot = true;
    this.#content.putSnapshot(snapshot);
  }

  /** In place of all that it begins with; there may be no events yet. */
  restart(snapshot: Uint8Array): void {
    this.#content = new ChunkContent(this.#dialect, this.startTick, snapshot.length + SNAPSHOT_ROOM);
    this.putSnapshot(snapshot);
  }

  /** All of it, inflated, as it was elsewhere; `lastTick` is that of its last event, if it has any. */
  putWhole(raw: Uint8Array, hasSnapshot: boolean, events: number, lastTick: number): void {
    this.#hasSnapshot = hasSnapshot;
    this.#events = events;
    if (events > 0) this.#lastTick = lastTick;
    this.#content.putWhole(raw, this.#lastTick);
  }

  /** What there is to compress; `end` is the tick behind the chunk. */
  raw(end: number): ChunkBytes {
    return this.#content.finish(end);
  }

  /** What goes into the file, with `raw`; its frame is made when it is first looked at. */
  finished(end: number, raw: ChunkBytes, epoch: number, schemaVersion: number): FinishedChunk {
    const framer = this.#framer;
    let frame: Uint8Array<ArrayBuffer> | null = null;
    let content: ChunkBytes | null = raw;
    let isDone = false;
    const dialect = this.origin?.dialect ?? this.#dialect;
    return {
      startTick: this.startTick,
      tickCount: end - this.startTick,
      flags: this.#hasSnapshot ? ENTRY_SNAPSHOT : 0,
      get frame() {
        if (content !== null) {
          frame = framer.frame(content.bytes);
          if (content.isOwn) framer.framed(content.bytes);
          content = null;
        }
        return frame!;
      },
      done: () => {
        if (frame !== null && !isDone) framer.written(frame);
        isDone = true;
      },
      uncompressedLength: raw.bytes.length,
      // a VarInt in the index of production; negative only where it was damaged
      dataVersion: Math.max(0, this.dataVersion),
      schemaVersion,
      epoch,
      formatVersion: dialect === 1 ? null : dialect,
      segment: this.origin?.segment ?? null,
    };
  }
}
