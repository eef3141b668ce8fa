import { ByteBuilder } from "../../../bytes/builder.ts";
import { writeVarInt } from "../layout/framing.ts";
import { RECORD_EVENTS } from "../layout/chunk.ts";
import { FIRST_SIZED } from "../layout/events.ts";
import type { ProductionVersion } from "../layout/production.ts";

/** In place of an event's type: the payload brings type and length along. */
export const WHOLE = -2;
/** Events of a tick record in the production dialect (spec §14). */
const PRODUCTION_RECORD_EVENTS = 0x7fff;

/** What is inside a chunk that is whole, and whether its memory is used again when it is framed. */
export type ChunkBytes =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly isOwn: true }
  | { readonly bytes: Uint8Array; readonly isOwn: false };

/**
 * What is inside a chunk while it is written: a snapshot, and tick records whose counts are stated when they end (spec
 * §6).
 */
export class ChunkContent {
  readonly #version: 1 | ProductionVersion;
  readonly #start: number;
  readonly #recordEvents: number;
  #builder: ByteBuilder;
  /** In place of the builder: a whole chunk as it was in its source, and the tick of its last event. */
  #whole: Uint8Array | null = null;
  #recordAt = -1;
  #recordTick: number;
  #recordCount = 0;
  /** Where the records of the last tick begin. */
  #tickAt = 0;

  /** `memory`: to build it in, or how many bytes it will have, about. */
  constructor(version: 1 | ProductionVersion, start: number, memory: ArrayBuffer | number) {
    this.#version = version;
    this.#start = start;
    this.#recordEvents = version === 1 ? RECORD_EVENTS : PRODUCTION_RECORD_EVENTS;
    this.#builder = new ByteBuilder(memory);
    this.#recordTick = start - 1;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#whole?.length ?? this.#builder.length;
  }

  /** Before all events; the production dialect has none. */
  putSnapshot(snapshot: Uint8Array): void {
    if (this.#version !== 1) return;
    writeVarInt(this.#builder, snapshot.length);
    this.#builder.raw(snapshot);
  }

  /** A chunk as it stands, in place of everything so far; events may come behind those of its last tick. */
  putWhole(bytes: Uint8Array, lastTick: number): void {
    this.#whole = bytes;
    this.#recordTick = lastTick;
  }

  /** Throws `RangeError` for what the production dialect has no room for. */
  put(type: number, tick: number, payload: Uint8Array): void {
    if (tick !== this.#recordTick || this.#recordAt < 0 || this.#recordCount === this.#recordEvents)
      this.#openRecord(tick);
    const builder = this.#builder;
    if (type === WHOLE) builder.raw(payload);
    else {
      if (type < 0x80) builder.u8(type);
      else writeVarInt(builder, type);
      if (type >= FIRST_SIZED) {
        if (payload.length < 0x80) builder.u8(payload.length);
        else writeVarInt(builder, payload.length);
      }
      builder.raw(payload);
    }
    this.#recordCount++;
  }

  /** Bytes of the ticks before `tick`, which is the last one or behind it. */
  lengthBefore(tick: number): number {
    return tick > this.#recordTick ? this.length : this.#tickAt;
  }

  /** A copy of what is there, from `offset` to before `until`, where a tick ends. */
  copy(offset: number, until: number): Uint8Array {
    if (until > this.#tickAt) this.#closeRecord();
    return this.#builder.copy(offset, until);
  }

  /**
   * All of it; `end` is the tick behind the chunk. `isOwn`: it was built here, and nothing else has its memory.
   */
  finish(end: number): ChunkBytes {
    this.#closeRecord();
    if (this.#whole !== null) return { bytes: this.#whole, isOwn: false };
    if (this.#version !== 1) this.#emptyTicks(end);
    return { bytes: this.#builder.take(), isOwn: true };
  }

  #openRecord(tick: number): void {
    if (this.#version !== 1 && (this.#whole !== null || (tick === this.#recordTick && this.#recordAt >= 0))) {
      const what = this.#whole === null ? `more than ${this.#recordEvents} events` : "further events";
      throw new RangeError(`${what} in tick ${tick} of a production recording`);
    }
    this.#thaw();
    this.#closeRecord();
    const builder = this.#builder;
    if (this.#version !== 1) this.#emptyTicks(tick);
    if (tick !== this.#recordTick) this.#tickAt = builder.length;
    writeVarInt(builder, this.#version === 1 ? tick - this.#start : tick);
    this.#recordTick = tick;
    this.#recordCount = 0;
    this.#recordAt = builder.reserve(2);
  }

  #closeRecord(): void {
    if (this.#recordAt < 0) return;
    this.#builder.patchU16be(this.#recordAt, this.#recordCount);
    this.#recordAt = -1;
  }

  /** The production dialect has every tick, empty or not (spec §14). */
  #emptyTicks(until: number): void {
    for (let tick = this.#recordTick + 1; tick < until; tick++) {
      writeVarInt(this.#builder, tick);
      this.#builder.u16be(0);
      this.#recordTick = tick;
    }
  }

  /** Events behind those of a whole chunk: its bytes become the beginning of a builder's. */
  #thaw(): void {
    if (this.#whole === null) return;
    this.#builder = new ByteBuilder(this.#whole.length + 256);
    this.#builder.raw(this.#whole);
    this.#whole = null;
  }
}
