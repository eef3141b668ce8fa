import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { readZigzag, writeZigzag } from "../../bytes/varint.ts";
import type { Palettes } from "../../formats/hcrp/chunk/context.ts";
import {
  PALETTE,
  readEntities,
  readEventId,
  readSections,
  readTickHead,
  SECTION,
} from "../../formats/hcrp/layout/chunk.ts";
import { readRemove } from "../../formats/hcrp/layout/entity-events.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";
import { Move, readMove, writeMove } from "../../formats/hcrp/layout/motion.ts";
import { readPaletteAdd } from "../../formats/hcrp/layout/world-events.ts";
import { readVarInt, writeVarInt } from "../../formats/hcrp/layout/framing.ts";
import { Bodies } from "./bodies.ts";
import { FrameBuilder, type RawFrame } from "./frame.ts";
import { type IndexMap, renumber } from "../../formats/hcrp/write/renumber.ts";

/** Inflated bytes of a frame, unless asked otherwise (HCRP spec §10, step 3). */
export const FRAME_BYTES = 262_144;
/** Ticks between its first and its last event, and all that it may cover. */
const FRAME_TICKS = 1200;
const EMPTY_TICKS = 12_000;
/** Left free for names and numbers that come out longer than they were. */
const MARGIN = 1024;
/** Bytes of a palette addition beside its entry, at most. */
const ADDITION_BYTES = 5;

/** A sound chunk of the source. */
export interface SourceChunk {
  /** Its place in the index. */
  readonly index: number;
  readonly startTick: number;
  readonly tickCount: number;
  readonly hasSnapshot: boolean;
  readonly raw: Uint8Array;
  readonly palettes: Palettes;
  /** Ticks of its first and last event; -1: none. */
  readonly first: number;
  readonly last: number;
  /** It cannot go on in the frame of the chunk before it. */
  readonly isBegin: boolean;
  /** Nothing can go on in its frame, and it is not split. */
  readonly isAlone: boolean;
  /** Body of a world event that says what its snapshot, if it is dropped, says of time and weather. */
  readonly world: Uint8Array | null;
}

/**
 * Lays chunks into frames (HCRP spec §10, step 3). Events are the same and in the same order; what they count from
 * (ticks, palettes, displacements, the block before) is the frame's instead of the chunk's. A frame's first chunk is
 * copied byte for byte. Sized events are passed through untouched. Chunks without a snapshot wait for the next that has
 * one, so that frames begin with snapshots where the source has them often enough.
 */
export class Merger {
  readonly #emit: (frame: RawFrame) => void;
  readonly #placed: (chunk: number, frame: number) => void;
  readonly #frameBytes: number;
  #emitted = 0;
  /** A chunk with those behind it that have no snapshot: not in a frame yet. */
  #group: SourceChunk[] = [];
  #groupBytes = 0;
  readonly #bodies = new Bodies();
  readonly #move = new Move();
  readonly #scratch = new ByteBuilder();
  #frame: FrameBuilder | null = null;
  #isClosed = false;
  #dropped = 0;
  /** The tick behind all that was given. */
  #end = 0;

  // the chunk that is read
  #palettes: Palettes | null = null;
  /** By kind: index in the frame for each of the chunk; 0: not looked up. */
  #maps: Int32Array[] = [];
  readonly #mapped: IndexMap = (kind, index) => this.#map(kind, index);

  /** The block set last; where: in the chunk and in the frame that it was set in, elsewhere it is 0, 0, 0. */
  readonly #block = new Float64Array(3);
  #isBlockOfChunk = false;
  #isBlockOfFrame = false;

  /** `emit` is given each frame when it is whole; `placed` gets the frame in which each chunk begins. */
  constructor(emit: (frame: RawFrame) => void, placed: (chunk: number, frame: number) => void, frameBytes: number) {
    this.#frameBytes = frameBytes;
    this.#emit = (frame) => {
      this.#emitted++;
      emit(frame);
    };
    this.#placed = placed;
  }

  /** Snapshots that were left out. */
  get dropped(): number {
    return this.#dropped;
  }

  add(chunk: SourceChunk): void {
    const growth = growthOf(chunk);
    const ticks = chunk.startTick + chunk.tickCount - (this.#group[0]?.startTick ?? 0);
    if (chunk.hasSnapshot || chunk.isBegin || chunk.isAlone) this.#settle();
    else if (ticks > FRAME_TICKS || this.#groupBytes + growth > this.#frameBytes) this.#settle();
    this.#group.push(chunk);
    this.#groupBytes += growth;
    if (chunk.isAlone) this.#settle();
  }

  /** Lays the waiting chunks into the frame, or into another one when they do not fit. */
  #settle(): void {
    const group = this.#group;
    const bytes = this.#groupBytes;
    this.#group = [];
    this.#groupBytes = 0;
    for (const [i, chunk] of group.entries()) {
      // together they go into one frame, unless they are too many for any
      const last = i === 0 ? group.at(-1)! : chunk;
      this.#lay(chunk, this.#begins(chunk, last, i === 0 ? bytes : growthOf(chunk)));
    }
  }

  /** Whether the chunks from `chunk` to `last`, which add so many bytes, must begin a frame. */
  #begins(chunk: SourceChunk, last: SourceChunk, bytes: number): boolean {
    const frame = this.#frame;
    if (frame === null || this.#isClosed || chunk.isBegin || chunk.isAlone) return true;
    // a frame without a snapshot cannot be entered
    if (chunk.hasSnapshot && !frame.hasSnapshot) return true;
    if (last.startTick + last.tickCount - frame.startTick > EMPTY_TICKS) return true;
    if (last.last >= 0 && frame.first >= 0 && last.last - frame.first > FRAME_TICKS) return true;
    return frame.length + bytes + this.#bodies.size * 4 + MARGIN > this.#frameBytes;
  }

  #lay(chunk: SourceChunk, isNew: boolean): void {
    const { startTick, tickCount, hasSnapshot, raw, palettes } = chunk;
    this.#palettes = palettes;
    this.#isBlockOfChunk = false;
    this.#bodies.enterChunk(hasSnapshot);
    if (isNew) {
      this.#endFrame();
      this.#begin(startTick, hasSnapshot, Math.min(raw.length, this.#frameBytes) + 64);
      this.#isClosed = chunk.isAlone;
    } else {
      this.#maps = [];
      if (hasSnapshot) this.#dropped++;
    }
    this.#placed(chunk.index, this.#emitted);
    const cursor = new ByteCursor(raw);
    if (hasSnapshot) {
      const length = readVarInt(cursor);
      const start = cursor.position;
      cursor.skip(length);
      if (isNew) this.#meetAll(raw.subarray(start, start + length));
    }
    const frame = this.#frame!;
    if (isNew && (chunk.isAlone || raw.length <= this.#frameBytes)) {
      frame.raw(raw);
      frame.palettes = palettes;
      frame.first = chunk.first;
      frame.last = chunk.last;
      this.#walk(chunk, cursor, "copied");
    } else {
      if (isNew) frame.raw(raw.subarray(0, cursor.position));
      else if (chunk.world !== null) {
        frame.at(startTick);
        frame.event(EVENT.world, chunk.world);
      }
      this.#walk(chunk, cursor, isNew ? "same" : "other");
    }
    this.#end = startTick + tickCount;
    this.#frame!.end = this.#end;
  }

  /** Ticks of which nothing is known, up to `until`. */
  gap(until: number): void {
    this.finish();
    const startTick = this.#end;
    if (until <= startTick) return;
    // the first chunk must have a snapshot: an empty one
    const hasSnapshot = startTick === 0;
    this.#emit({ startTick, tickCount: until - startTick, hasSnapshot, raw: new Uint8Array(hasSnapshot ? 1 : 0) });
    this.#end = until;
  }

  /** Gives the last frame away. */
  finish(): void {
    this.#settle();
    this.#endFrame();
  }

  #endFrame(): void {
    if (this.#frame !== null) this.#emit(this.#frame.finish());
    this.#frame = null;
    this.#isClosed = false;
  }

  #begin(tick: number, hasSnapshot: boolean, capacity: number): void {
    this.#frame = new FrameBuilder(tick, hasSnapshot, capacity);
    this.#bodies.enterFrame(hasSnapshot);
    this.#isBlockOfFrame = false;
    this.#maps = [];
  }

  #meetAll(snapshot: Uint8Array): void {
    for (const { type, body } of readSections(new ByteCursor(snapshot))) {
      if (type !== SECTION.entities) continue;
      for (const { entity } of readEntities(body)) this.#bodies.put(entity);
    }
  }

  /**
   * Goes over a chunk's events. `copied`: they are in the frame already; `same`: they go in as they are, until the
   * frame is full and another begins in the middle; `other`: they go into a frame with events of other chunks.
   */
  #walk(chunk: SourceChunk, cursor: ByteCursor, how: "copied" | "same" | "other"): void {
    const { raw, startTick } = chunk;
    const isWritten = how !== "copied";
    let isSame = how !== "other";
    let frame = this.#frame!;
    let previous = -1;
    while (cursor.remaining > 0) {
      const at = cursor.position;
      const { tick, count } = readTickHead(cursor);
      if (isWritten && tick !== previous) {
        previous = tick;
        if (frame.length + raw.length - at + MARGIN > this.#frameBytes && startTick + tick > frame.startTick) {
          const tickBytes = this.#tickBytes(raw, at);
          if (frame.length + tickBytes + MARGIN > this.#frameBytes) {
            frame.end = startTick + tick;
            this.#emit(frame.finish());
            this.#begin(startTick + tick, false, this.#frameBytes);
            frame = this.#frame!;
            isSame = false;
          }
        }
      }
      if (count === 0) continue;
      if (isWritten) frame.at(startTick + tick);
      this.#record(cursor, count, isWritten ? frame : null, isSame);
    }
    if (isWritten && isSame) frame.palettes = chunk.palettes;
  }

  /** The events of one tick record; `frame` null: they are only looked at. */
  #record(cursor: ByteCursor, count: number, frame: FrameBuilder | null, isSame: boolean): void {
    const { bytes } = cursor;
    // events since the last that was written: they are copied together
    let run = cursor.position;
    let pending = 0;
    for (let i = 0; i < count; i++) {
      const at = cursor.position;
      const type = bytes[at]! < 0x80 ? cursor.u8() : readEventId(cursor);
      let isOther = false;
      if (type === EVENT.move) {
        isOther = this.#bodies.move(readMove(cursor, this.#move)) && !isSame;
      } else if (type >= FIRST_SIZED) {
        cursor.skip(readVarInt(cursor));
      } else if (type === EVENT.setBlock) {
        isOther = this.#passBlock(cursor) && !isSame;
      } else {
        this.#follow(type, cursor);
        isOther = !isSame && (REFERRING[type] === 1 || type === EVENT.paletteAdd);
      }
      if (frame === null) continue;
      if (!isOther) {
        pending++;
        if (pending < frame.room) continue;
        // the record is full
        frame.copied(bytes, run, cursor.position, pending);
        run = cursor.position;
        pending = 0;
        continue;
      }
      frame.copied(bytes, run, at, pending);
      pending = 0;
      run = cursor.position;
      if (type === EVENT.move) {
        frame.count();
        frame.builder.u8(type);
        writeMove(frame.builder, this.#move);
      } else if (type === EVENT.setBlock) {
        this.#putBlock(frame);
      } else if (type === EVENT.paletteAdd) {
        const { kind, entry } = readPaletteAdd(new ByteCursor(bytes, at + 1));
        if (kind >= PALETTE.dimension) frame.add(kind, entry);
      } else {
        renumber(type, new ByteCursor(bytes, at + 1, cursor.position), this.#scratch, this.#mapped);
        frame.event(type, this.#scratch.take());
      }
    }
    frame?.copied(bytes, run, cursor.position, pending);
  }

  // ── what events count from ────────────────────────────────────────────

  /** Moves behind an event that is neither a move, a block nor sized, and keeps in mind whom it concerns. */
  #follow(type: number, cursor: ByteCursor): void {
    const start = cursor.position;
    skipEvent(cursor, type);
    switch (type) {
      case EVENT.place:
      case EVENT.spawn:
      case EVENT.join:
      case EVENT.exactPlace:
      case EVENT.leave:
        break;
      case EVENT.remove:
        for (const entity of readRemove(new ByteCursor(cursor.bytes, start)).entities) this.#bodies.remove(entity);
        return;
      default:
        return;
    }
    const entity = readVarInt(new ByteCursor(cursor.bytes, start));
    if (type === EVENT.leave) this.#bodies.remove(entity);
    else if (type === EVENT.place || type === EVENT.spawn) this.#bodies.put(entity);
    else this.#bodies.meet(entity);
  }

  readonly #delta = new Float64Array(3);
  #blockIndex = 0;

  /** Reads event 7, and works out what it is in the frame; false: the same. */
  #passBlock(cursor: ByteCursor): boolean {
    const block = this.#block;
    const isShifted = this.#isBlockOfChunk !== this.#isBlockOfFrame;
    for (let k = 0; k < 3; k++) {
      const delta = readZigzag(cursor);
      const place = (this.#isBlockOfChunk ? block[k]! : 0) + delta;
      this.#delta[k] = place - (this.#isBlockOfFrame ? block[k]! : 0);
      block[k] = place;
    }
    this.#blockIndex = readVarInt(cursor);
    this.#isBlockOfChunk = true;
    this.#isBlockOfFrame = true;
    const index = this.#blockIndex;
    return isShifted || (index !== 0 && this.#maps[PALETTE.block]?.[index] !== index);
  }

  #putBlock(frame: FrameBuilder): void {
    const index = this.#blockIndex === 0 ? 0 : this.#map(PALETTE.block, this.#blockIndex);
    frame.count();
    frame.builder.u8(EVENT.setBlock);
    for (let k = 0; k < 3; k++) writeZigzag(frame.builder, this.#delta[k]!);
    writeVarInt(frame.builder, index);
  }

  /** Index in the frame of an entry of the chunk's palettes, which is added first if it is not there yet. */
  #map(kind: number, index: number): number {
    const palettes = this.#palettes!;
    while (this.#maps.length <= kind) this.#maps.push(new Int32Array(0));
    let map = this.#maps[kind]!;
    if (map.length === 0) {
      map = new Int32Array(palettes.entries(kind).length + 1);
      this.#maps[kind] = map;
    }
    const known = map[index]!;
    if (known !== 0) return known;
    const found = this.#frame!.indexOf(kind, palettes.bytes(kind, index)!);
    map[index] = found;
    return found;
  }

  /** Bytes of all records of the tick whose first one is at `at`. */
  #tickBytes(raw: Uint8Array, at: number): number {
    const cursor = new ByteCursor(raw, at);
    const first = readTickHead(cursor);
    for (let head = first; ; ) {
      for (let i = 0; i < head.count; i++) {
        const type = readEventId(cursor);
        if (type < FIRST_SIZED) skipEvent(cursor, type);
        else cursor.skip(readVarInt(cursor));
      }
      const end = cursor.position;
      if (cursor.remaining === 0) return end - at;
      head = readTickHead(cursor);
      if (head.tick !== first.tick) return end - at;
    }
  }
}

/** By type: 1 for events that refer to palettes, event 7 aside. */
const REFERRING = Uint8Array.from({ length: FIRST_SIZED }, (_, type) => {
  const events: readonly number[] = [
    EVENT.setItems,
    EVENT.setBlocks,
    EVENT.spawn,
    EVENT.join,
    EVENT.chat,
    EVENT.sound,
    EVENT.particles,
    EVENT.effect,
    EVENT.mark,
  ];
  return events.includes(type) ? 1 : 0;
});

/** Bytes that a chunk adds to a frame at most, about: its events, and all its names. */
function growthOf({ raw, palettes, hasSnapshot }: SourceChunk): number {
  let events = raw.length;
  if (hasSnapshot) {
    const cursor = new ByteCursor(raw);
    events -= readVarInt(cursor) + cursor.position;
  }
  let names = 0;
  for (let kind = 0; kind <= PALETTE.dimension; kind++) {
    for (const entry of palettes.entries(kind)) names += entry.length + ADDITION_BYTES;
  }
  return events + (events >> 4) + names;
}
