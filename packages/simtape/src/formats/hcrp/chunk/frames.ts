import { ByteBuilder } from "../../../bytes/builder.ts";
import { xxh64Low } from "../../../codec/xxh64.ts";
import { readZstdFrameHeader, ZSTD_MAGIC, type Zstd } from "../../../codec/zstd.ts";
import { LIMITS } from "../layout/framing.ts";

/** zstd levels: recording at 3, compaction at 19; others are allowed, nothing depends on them (spec §7.2). */
const LEVELS = { fast: 1, small: 19 } as const;
const RECORDING_LEVEL = 3;
/**
 * Of small chunks as things happen: moves are 6 % smaller than at 3 for three times the time, which is 2 ms at this size.
 * Larger ones would keep a tick waiting.
 */
const SMALL_LIVE_LEVEL = 6;
const SMALL = 64 << 10;
/** A raw block holds at most this (RFC 8878 §3.1.1.2). */
const BLOCK = 1 << 17;

/** How hard to compress: in words, or a level of zstd. */
export type Compression = "store" | "fast" | "small" | "live" | number;

/** Makes the one zstd frame of each chunk (spec §7.1). */
export class Framer {
  readonly #zstd: Zstd;
  readonly #compression: Compression | undefined;
  readonly #dictionary: Uint8Array | null;

  constructor(zstd: Zstd, compression: Compression | undefined, dictionary: Uint8Array | null) {
    this.#zstd = zstd;
    this.#compression = compression;
    this.#dictionary = dictionary;
  }

  frame(raw: Uint8Array): Uint8Array {
    if (this.#compression === "store") return storedFrame(raw);
    const level = levelOf(this.#compression ?? RECORDING_LEVEL, raw.length);
    const dictionary = this.#dictionary;
    const frame = this.#zstd.compress(raw, dictionary === null ? { level } : { level, dictionary });
    return withinRatio(frame, raw.length);
  }

  /** The content of a frame made here. */
  inflated(frame: Uint8Array): Uint8Array {
    const size = Number(readZstdFrameHeader(frame).contentSize ?? 0);
    const dictionary = this.#dictionary;
    return this.#zstd.decompress(frame, dictionary === null ? { size } : { size, dictionary });
  }
}

/** A frame of raw blocks, with content size and checksum. */
export function storedFrame(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(raw.length / BLOCK));
  const builder = new ByteBuilder(10 + 3 * blocks + raw.length + 4);
  // content size in 4 bytes, checksum; a window of one block: 128 KiB (RFC 8878 §3.1.1.1)
  builder.u32le(ZSTD_MAGIC).u8(0x84).u8(56).u32le(raw.length);
  let at = 0;
  do {
    const size = Math.min(BLOCK, raw.length - at);
    const head = (size << 3) | (at + size === raw.length ? 1 : 0);
    builder
      .u16le(head & 0xffff)
      .u8(head >> 16)
      .raw(raw.subarray(at, at + size));
    at += size;
  } while (at < raw.length);
  return builder.u32le(xxh64Low(raw)).take();
}

/**
 * Readers refuse a chunk that inflates to more than a thousand times its length (spec §7.4). One that compresses so
 * well is filled up with empty blocks.
 */
function withinRatio(frame: Uint8Array, size: number): Uint8Array {
  if (size <= LIMITS.freeUncompressed || size <= frame.length * LIMITS.ratio) return frame;
  const missing = Math.ceil(size / LIMITS.ratio) - frame.length;
  // a raw block of no bytes, not the last, is three zeros
  const filled = new Uint8Array(frame.length + Math.ceil(missing / 3) * 3);
  const { headerBytes } = readZstdFrameHeader(frame);
  filled.set(frame.subarray(0, headerBytes));
  filled.set(frame.subarray(headerBytes), filled.length - (frame.length - headerBytes));
  return filled;
}

function levelOf(compression: Exclude<Compression, "store">, length: number): number {
  if (typeof compression === "number") return compression;
  if (compression === "live") return length <= SMALL ? SMALL_LIVE_LEVEL : RECORDING_LEVEL;
  return LEVELS[compression];
}
