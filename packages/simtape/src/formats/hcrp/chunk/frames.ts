import { ByteBuilder } from "../../../bytes/builder.ts";
import { Spares } from "../../../bytes/spares.ts";
import { readZstdFrameHeader, ZSTD_MAGIC, type Zstd } from "../../../codec/zstd.ts";
import { LIMITS } from "../layout/framing.ts";

/** zstd levels: recording at 3, compaction at 19; others are allowed, nothing depends on them (spec §7.2). */
const LEVELS = { fast: 1, small: 19 } as const;
const RECORDING_LEVEL = 3;
/**
 * Of small chunks as things happen: moves are 6 % smaller than at 3 for three times the time, which is 2 ms at this
 * size. Larger ones would keep a tick waiting.
 */
const SMALL_LIVE_LEVEL = 6;
const SMALL = 64 << 10;
/** A raw block holds at most this (RFC 8878 §3.1.1.2). */
const BLOCK = 1 << 17;

/** Chunks whose memory is kept for the next ones, and the largest that is. */
const SPARES = 12;
const SPARE = 2 << 20;

/** How hard to compress: in words, or a level of zstd. */
export type Compression = "store" | "fast" | "small" | "live" | number;

/** Makes the one zstd frame of each chunk (spec §7.1). */
export class Framer {
  readonly #zstd: Zstd;
  readonly #compression: Compression | undefined;
  readonly #dictionary: Uint8Array | null;
  readonly #contents = new Spares(SPARES, SPARE);
  /** Apart from contents, which are larger: frames may wait for long. */
  readonly #frames = new Spares(SPARES, SPARE);

  constructor(zstd: Zstd, compression: Compression | undefined, dictionary: Uint8Array | null) {
    this.#zstd = zstd;
    this.#compression = compression;
    this.#dictionary = dictionary;
  }

  frame(raw: Uint8Array): Uint8Array<ArrayBuffer> {
    if (this.#compression === "store") return storedFrame(raw, this.#zstd, this.#memory);
    const level = levelOf(this.#compression ?? RECORDING_LEVEL, raw.length);
    const dictionary = this.#dictionary;
    const options = { level, memory: this.#memory };
    const frame = this.#zstd.compress(raw, dictionary === null ? options : { ...options, dictionary });
    return withinRatio(frame, raw.length);
  }

  /** Memory for the content of a chunk of `size` bytes, see `Spares`. */
  memory(size: number): ArrayBuffer | number {
    return this.#contents.memory(size);
  }

  /** The content of a chunk that is framed is no longer read. */
  framed(content: Uint8Array<ArrayBuffer>): void {
    this.#contents.give(content);
  }

  /** A frame made here is no longer read. */
  written(frame: Uint8Array<ArrayBuffer>): void {
    this.#frames.give(frame);
  }

  readonly #memory = (size: number): ArrayBuffer | number => this.#frames.memory(size);

  /** The content of a frame made here. */
  inflated(frame: Uint8Array): Uint8Array {
    const size = Number(readZstdFrameHeader(frame).contentSize ?? 0);
    const dictionary = this.#dictionary;
    return this.#zstd.decompress(frame, dictionary === null ? { size } : { size, dictionary });
  }
}

/** A frame of raw blocks, with content size and checksum. */
export function storedFrame(
  raw: Uint8Array,
  zstd: Zstd,
  memory: (size: number) => ArrayBuffer | number = (size) => size,
): Uint8Array<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(raw.length / BLOCK));
  const size = 10 + 3 * blocks + raw.length + 4;
  const builder = new ByteBuilder(memory(size));
  // content size in 4 bytes, checksum; a window of one block: 128 KiB (RFC 8878 §3.1.1.1)
  builder.u32le(ZSTD_MAGIC).u8(0x84).u8(56).u32le(raw.length);
  let at = 0;
  do {
    const length = Math.min(BLOCK, raw.length - at);
    const head = (length << 3) | (at + length === raw.length ? 1 : 0);
    builder
      .u16le(head & 0xffff)
      .u8(head >> 16)
      .raw(raw.subarray(at, at + length));
    at += length;
  } while (at < raw.length);
  return builder.u32le(zstd.checksum(raw)).take();
}

/**
 * Readers refuse a chunk that inflates to more than a thousand times its length (spec §7.4). One that compresses so
 * well is filled up with empty blocks.
 */
function withinRatio(frame: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
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
