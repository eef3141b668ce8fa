import { ByteBuilder } from "../../bytes/builder.ts";
import type { Palettes } from "../../formats/hcrp/chunk/context.ts";
import { RECORD_EVENTS } from "../../formats/hcrp/layout/chunk.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import { writePaletteAdd } from "../../formats/hcrp/layout/world-events.ts";
import { writeVarInt } from "../../formats/hcrp/layout/framing.ts";

/** A frame's content, ready to be compressed. */
export interface RawFrame {
  readonly startTick: number;
  readonly tickCount: number;
  readonly hasSnapshot: boolean;
  readonly raw: Uint8Array;
}

/** A frame while it is built: tick records of events, and palettes that grow as names are used. */
export class FrameBuilder {
  readonly startTick: number;
  readonly hasSnapshot: boolean;
  /** The tick behind the last that it covers. */
  end: number;
  /** Ticks of its first and last event; -1: none. */
  first = -1;
  last = -1;
  readonly #builder: ByteBuilder;
  /** Palettes it began with; indices of entries by their bytes, made when first asked for. */
  #base: Palettes | null = null;
  readonly #indices: (Map<string, number> | undefined)[] = [];
  /** Entries of each kind whose indices were looked up. */
  readonly #sizes: number[] = [];
  #tick = -1;
  #countAt = -1;
  #count = 0;

  constructor(startTick: number, hasSnapshot: boolean, capacity: number) {
    this.startTick = startTick;
    this.hasSnapshot = hasSnapshot;
    this.end = startTick;
    this.#builder = new ByteBuilder(capacity);
  }

  get length(): number {
    return this.#builder.length;
  }

  /** The frame's palettes are those of the chunk that was copied into it as it is. */
  set palettes(palettes: Palettes) {
    this.#base = palettes;
  }

  raw(bytes: Uint8Array): void {
    this.#builder.raw(bytes);
  }

  /** Events that follow are of this tick of the recording. */
  at(tick: number): void {
    if (tick === this.#tick && this.#countAt >= 0) return;
    this.#open(tick);
  }

  /** Room for one more event in the tick's record: another one goes on where it is full (HCRP spec §6.3). */
  count(): void {
    if (this.#count === RECORD_EVENTS) this.#open(this.#tick);
    this.#count++;
  }

  /** How many more events the open record takes; 0: the next goes into another one. */
  get room(): number {
    return RECORD_EVENTS - this.#count;
  }

  /** One event; `body` writes what is behind the type. */
  event(type: number, body: Uint8Array): void {
    this.count();
    this.#builder.u8(type).raw(body);
  }

  /** The builder, for an event whose type and body the caller writes himself after `count()`. */
  get builder(): ByteBuilder {
    return this.#builder;
  }

  /** `count` events that stand framed in `bytes[start, end)`: as many as there is room for, or one. */
  copied(bytes: Uint8Array, start: number, end: number, count: number): void {
    if (count === 0) return;
    if (this.#count === RECORD_EVENTS) this.#open(this.#tick);
    this.#builder.raw(bytes.subarray(start, end));
    this.#count += count;
  }

  /** Index of an entry in the frame; stated with an event when it is new. */
  indexOf(kind: number, entry: Uint8Array): number {
    const indices = this.#of(kind);
    const key = keyOf(entry);
    const known = indices.get(key);
    if (known !== undefined) return known;
    this.count();
    this.#builder.u8(EVENT.paletteAdd);
    writePaletteAdd(this.#builder, { kind, entry });
    indices.set(key, this.#sizes[kind]! + 1);
    return ++this.#sizes[kind]!;
  }

  /** An addition that is stated in any case, as it means more than an index. */
  add(kind: number, entry: Uint8Array): void {
    this.#of(kind);
    this.#sizes[kind]!++;
    this.count();
    this.#builder.u8(EVENT.paletteAdd);
    writePaletteAdd(this.#builder, { kind, entry });
  }

  finish(): RawFrame {
    this.#close();
    const { startTick, hasSnapshot, end } = this;
    return { startTick, tickCount: end - startTick, hasSnapshot, raw: this.#builder.take() };
  }

  #of(kind: number): Map<string, number> {
    const known = this.#indices[kind];
    if (known !== undefined) return known;
    const indices = new Map<string, number>();
    const entries = this.#base?.entries(kind) ?? [];
    for (const [i, entry] of entries.entries()) {
      const key = keyOf(entry);
      if (!indices.has(key)) indices.set(key, i + 1);
    }
    this.#indices[kind] = indices;
    this.#sizes[kind] = entries.length;
    return indices;
  }

  #open(tick: number): void {
    this.#close();
    this.#tick = tick;
    if (this.first < 0) this.first = tick;
    this.last = tick;
    writeVarInt(this.#builder, tick - this.startTick);
    this.#countAt = this.#builder.reserve(2);
    this.#count = 0;
  }

  #close(): void {
    if (this.#countAt >= 0) this.#builder.patchU16be(this.#countAt, this.#count);
    this.#countAt = -1;
  }
}

const LATIN = new TextDecoder("latin1");

/** Bytes as a key: one character each. */
function keyOf(entry: Uint8Array): string {
  return LATIN.decode(entry);
}
