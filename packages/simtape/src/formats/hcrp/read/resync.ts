import type { Budget } from "../../../bytes/budget.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readZstdFrameHeader, type Zstd } from "../../../codec/zstd.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Dialect } from "../chunk/context.ts";
import { HcrpChunk } from "../chunk/plan.ts";
import { type ChannelMap, decodeChunk } from "../chunk/decode.ts";
import { ENTRY_SNAPSHOT, type IndexEntry, LIMITS, readVarInt, TICK } from "../layout/framing.ts";

/** A frame that inflates, found without the index. */
export interface FoundFrame {
  readonly offset: number;
  readonly length: number;
  /** Its content. */
  readonly size: number;
  /** CRC-32 of its bytes, as chunk records have it (spec §8.2). */
  readonly crc: number;
  /**
   * Of the first tick record: in the production dialect the chunk's start; null when there is none, or it was not asked
   * for.
   */
  readonly firstTick: number | null;
  /** Tick of the last event when it is read with and without a snapshot; null where that does not fit. */
  readonly lastTick: { readonly withSnapshot: number | null; readonly without: number | null };
}

export interface ResyncOptions {
  readonly zstd: Zstd;
  readonly dictionary: Uint8Array | null;
  readonly dialect: Dialect;
  /** Whether the content is to be looked at for ticks. */
  readonly withTicks: boolean;
  readonly signal: AbortSignal | undefined;
  readonly budget?: Budget | undefined;
}

/** Memory of a frame that was found. */
const FRAME_MEMORY = 256;
/** Bytes read at once. */
const STEP = 1 << 20;
/** Longest header of a frame with its magic number (RFC 8878 §3.1.1). */
const FRAME_HEADER = 18;
/** First byte of a frame's magic number. */
const FRAME_BEGIN = 0x28;
/** A block holds at most this (RFC 8878 §3.1.1.2.4). */
const BLOCK = 1 << 17;
/** Blocks of a chunk of 16 MiB, and of empty ones that fill a frame up. */
const MAX_BLOCKS = 8192;
/** Bytes inflated in vain before frames that fail are passed over whole, which keeps the search linear. */
const MAX_WASTE = 32 << 20;
const NO_TICKS: FoundFrame["lastTick"] = { withSnapshot: null, without: null };

/**
 * Every frame in bytes `[from, to)` of a file that inflates, wherever it lies. Reads them all, once but for overlaps.
 */
export async function findFrames(
  source: ByteSource,
  from: number,
  to: number,
  options: ResyncOptions,
): Promise<FoundFrame[]> {
  return new Resync(source, to, options).frames(from);
}

class Resync {
  readonly #source: ByteSource;
  readonly #end: number;
  readonly #options: ResyncOptions;
  #held: Uint8Array = new Uint8Array(0);
  #heldAt = 0;
  #wasted = 0;

  constructor(source: ByteSource, end: number, options: ResyncOptions) {
    this.#source = source;
    this.#end = end;
    this.#options = options;
  }

  async frames(from: number): Promise<FoundFrame[]> {
    const frames: FoundFrame[] = [];
    let at = from;
    for (;;) {
      const bytes = await this.#view(at, 4);
      if (bytes.length < 4) return frames;
      const begin = magicIn(bytes, 0);
      if (begin < 0) {
        at += bytes.length - 3;
        continue;
      }
      at += begin;
      const length = await this.#lengthAt(at);
      const found = length === null ? null : await this.#inflated(at, length);
      if (found !== null) {
        this.#options.budget?.fit("the list of frames", (frames.length + 1) * FRAME_MEMORY);
        frames.push(found);
      }
      at += found !== null || (length !== null && this.#wasted > MAX_WASTE) ? length! : 1;
    }
  }

  /** What is held from `at` on: `least` bytes or more, fewer at the end. */
  async #view(at: number, least: number): Promise<Uint8Array> {
    const heldEnd = this.#heldAt + this.#held.length;
    const wanted = Math.min(at + least, this.#end);
    if (at < this.#heldAt || wanted > heldEnd) {
      const length = Math.min(Math.max(STEP, least), Math.max(0, this.#end - at));
      this.#held = await this.#source.read(at, length, this.#options.signal);
      this.#heldAt = at;
    }
    return this.#held.subarray(at - this.#heldAt);
  }

  /** Length of the frame that would begin here, by its blocks; null when they are none. */
  async #lengthAt(offset: number): Promise<number | null> {
    const header = headerOf(await this.#view(offset, FRAME_HEADER));
    if (header === null) return null;
    let at = offset + header.headerBytes;
    for (let blocks = 0; blocks < MAX_BLOCKS; blocks++) {
      const head = await this.#view(at, 3);
      if (head.length < 3) return null;
      const word = head[0]! | (head[1]! << 8) | (head[2]! << 16);
      const kind = (word >> 1) & 3;
      const size = word >> 3;
      if (kind === 3 || size > BLOCK) return null;
      // a block that repeats one byte stores only that byte
      at += 3 + (kind === 1 ? 1 : size);
      const length = at - offset + (header.hasChecksum ? 4 : 0);
      if (length > LIMITS.compressed) return null;
      if ((word & 1) === 1) return offset + length <= this.#end ? length : null;
    }
    return null;
  }

  async #inflated(offset: number, length: number): Promise<FoundFrame | null> {
    const { zstd, dictionary, dialect, withTicks } = this.#options;
    const frame = (await this.#view(offset, length)).subarray(0, length);
    const size = headerOf(frame)?.contentSize ?? null;
    if (size === null || frame.length < length) return null;
    if (size > LIMITS.freeUncompressed && size > length * LIMITS.ratio) return null;
    try {
      const raw = zstd.decompress(frame, dictionary === null ? { size } : { size, dictionary });
      const crc = crc32(frame);
      if (!withTicks) return { offset, length, size, crc, firstTick: null, lastTick: NO_TICKS };
      return { offset, length, size, crc, firstTick: firstTick(raw), lastTick: lastTicks(raw, dialect) };
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.#wasted += size;
      return null;
    }
  }
}

/** Place of the next "28 B5 2F FD" from `from` on; -1 when there is none. */
export function magicIn(bytes: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(FRAME_BEGIN, from);
    at >= 0 && at + 4 <= bytes.length;
    at = bytes.indexOf(FRAME_BEGIN, at + 1)
  )
    // behind it a bit is reserved, and zero (RFC 8878 §3.1.1.1.1)
    if (bytes[at + 1] === 0xb5 && bytes[at + 2] === 0x2f && bytes[at + 3] === 0xfd && ((bytes[at + 4] ?? 0) & 8) === 0)
      return at;
  return -1;
}

/** Null when it is no frame of ours: those state what they hold, at most 16 MiB. */
function headerOf(bytes: Uint8Array): ReturnType<typeof readZstdFrameHeader> | null {
  try {
    const header = readZstdFrameHeader(bytes);
    const { kind, contentSize } = header;
    return kind === "data" && contentSize !== null && contentSize <= LIMITS.uncompressed ? header : null;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

function firstTick(raw: Uint8Array): number | null {
  try {
    return readVarInt(new ByteCursor(raw));
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** Takes all events alike. */
const ANY_CHANNEL: ChannelMap = { snapshot: 28, extension: 29, sized: () => 29 };

function lastTicks(raw: Uint8Array, dialect: Dialect): FoundFrame["lastTick"] {
  const lastWith = (flags: number): number | null => {
    const entry = entryOf({ startTick: 0, tickCount: 0x7fff_ffff, flags }, 0, raw.length, raw.length, dialect);
    const { columns, problem } = decodeChunk(raw, new HcrpChunk(0, entry, 0, null), dialect, 0, ANY_CHANNEL);
    if (problem !== null) return null;
    return columns.length === 0 ? 0 : columns.time[columns.length - 1]! / TICK;
  };
  // in the production dialect the bit says nothing of the content
  return { withSnapshot: lastWith(ENTRY_SNAPSHOT), without: lastWith(0) };
}

/** What an index entry says of time. */
export interface Ticks {
  readonly startTick: number;
  readonly tickCount: number;
  readonly flags: number;
}

/** An entry for a frame at `offset` of a compacted file. */
export function entryOf(ticks: Ticks, offset: number, length: number, size: number, dialect: Dialect): IndexEntry {
  return {
    ...ticks,
    offsetHigh: Math.floor(offset / 2 ** 32),
    offsetLow: offset % 2 ** 32,
    compressedLength: length,
    uncompressedLength: size,
    formatVersion: dialect === 5 ? 5 : null,
    dataVersion: null,
  };
}
