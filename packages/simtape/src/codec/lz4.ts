import { LayoutError } from "../bytes/error.ts";
import { loadXxh32 } from "./xxhash.ts";

/**
 * Decompresses all LZ4 frames that fill `bytes`, skippable frames skipped, checksums verified; the result is the
 * caller's own. Rejects with `LayoutError` when they are damaged, cut, followed by other bytes, need a dictionary, or
 * hold more than `limit` bytes.
 */
export async function decompressLz4(bytes: Uint8Array, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const decoder = new Lz4Decoder(bytes, limit, await loadXxh32());
  while (decoder.at < bytes.length) decoder.frame();
  return decoder.output.slice(0, decoder.length);
}

const MAGIC = 0x184d2204;
/** Runs up to this length are copied byte by byte: a call takes longer. */
const SHORT = 32;
/** Bytes that are copied in one step of a loop; those beyond the run are overwritten by what follows. */
const STEP = 4;

class Lz4Decoder {
  output: Uint8Array<ArrayBuffer>;
  length = 0;
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #limit: number;
  readonly #xxh32: (bytes: Uint8Array) => number;

  constructor(bytes: Uint8Array, limit: number, xxh32: (bytes: Uint8Array) => number) {
    this.#bytes = bytes;
    this.#xxh32 = xxh32;
    this.#limit = limit;
    this.output = new Uint8Array(Math.min(limit, bytes.length * 4));
  }

  frame(): void {
    const start = this.at;
    const magic = this.#u32();
    if (magic >>> 4 === 0x184d2a5) {
      this.#skip(this.#u32());
      return;
    }
    if (magic !== MAGIC) this.#fail("not an LZ4 frame", start);
    const flags = this.#u8();
    if (flags >> 6 !== 1 || (flags & 2) !== 0) this.#fail("LZ4 frame of an unknown version", start + 4);
    this.#u8();
    const sizeAt = this.at;
    if ((flags & 0x08) !== 0) this.#skip(8);
    if ((flags & 0x01) !== 0) this.#fail("LZ4 frame needs a dictionary", this.at);
    const check = (this.#xxh32(this.#bytes.subarray(start + 4, this.at)) >>> 8) & 0xff;
    if (this.#u8() !== check) this.#fail("LZ4 header checksum does not match", this.at - 1);
    const frameStart = this.length;
    for (;;) {
      const word = this.#u32();
      if (word === 0) break;
      const size = word & 0x7fffffff;
      const from = this.at;
      this.#skip(size);
      if (word >>> 31 === 1) this.#copy(from, size);
      else this.#block(from, this.at, (flags & 0x20) !== 0 ? this.length : frameStart);
      if ((flags & 0x10) !== 0 && this.#u32() !== this.#xxh32(this.#bytes.subarray(from, from + size))) {
        this.#fail("LZ4 block checksum does not match", from);
      }
    }
    const content = this.output.subarray(frameStart, this.length);
    if ((flags & 0x08) !== 0) {
      const at = this.at;
      this.at = sizeAt;
      const size = this.#u32() + this.#u32() * 0x1_0000_0000;
      this.at = at;
      if (size !== content.length) this.#fail(`LZ4 frame states ${size} bytes and holds ${content.length}`, sizeAt);
    }
    if ((flags & 0x04) !== 0 && this.#u32() !== this.#xxh32(content)) {
      this.#fail("LZ4 content checksum does not match", this.at - 4);
    }
  }

  /** One compressed block; matches may reach back to `floor` in the output. */
  #block(from: number, end: number, floor: number): void {
    const bytes = this.#bytes;
    let { output, length } = this;
    let at = from;
    while (at < end) {
      const token = bytes[at++]!;
      let literals = token >> 4;
      if (literals === 15) {
        for (let more = 255; more === 255; literals += more) {
          if (at >= end) this.#fail("LZ4 block ends inside a length", at);
          more = bytes[at++]!;
        }
      }
      if (literals > end - at) this.#fail("LZ4 block ends inside literals", at);
      if (length + literals > output.length) output = this.#grown(length, literals);
      if (literals > SHORT) output.set(bytes.subarray(at, at + literals), length);
      else if (length + literals + STEP <= output.length && at + literals + STEP <= end) {
        for (let i = 0; i < literals; i += STEP) {
          output[length + i] = bytes[at + i]!;
          output[length + i + 1] = bytes[at + i + 1]!;
          output[length + i + 2] = bytes[at + i + 2]!;
          output[length + i + 3] = bytes[at + i + 3]!;
        }
      } else for (let i = 0; i < literals; i++) output[length + i] = bytes[at + i]!;
      at += literals;
      length += literals;
      if (at === end) {
        this.length = length;
        return;
      }
      if (at + 2 > end) this.#fail("LZ4 block ends inside a distance", at);
      const distance = bytes[at]! | (bytes[at + 1]! << 8);
      at += 2;
      if (distance === 0 || distance > length - floor) this.#fail("LZ4 distance before the first byte", at - 2);
      let count = (token & 15) + 4;
      if (count === 19) {
        for (let more = 255; more === 255; count += more) {
          if (at >= end) this.#fail("LZ4 block ends inside a length", at);
          more = bytes[at++]!;
        }
      }
      if (length + count > output.length) output = this.#grown(length, count);
      const source = length - distance;
      if (count > SHORT && distance >= count) output.copyWithin(length, source, source + count);
      else if (length + count + STEP <= output.length) {
        for (let i = 0; i < count; i += STEP) {
          output[length + i] = output[source + i]!;
          output[length + i + 1] = output[source + i + 1]!;
          output[length + i + 2] = output[source + i + 2]!;
          output[length + i + 3] = output[source + i + 3]!;
        }
      } else for (let i = 0; i < count; i++) output[length + i] = output[source + i]!;
      length += count;
    }
    this.#fail("LZ4 block ends without literals", at);
  }

  #copy(from: number, count: number): void {
    if (this.length + count > this.output.length) this.#grown(this.length, count);
    this.output.set(this.#bytes.subarray(from, from + count), this.length);
    this.length += count;
  }

  /** The output, with room for `count` bytes behind `length`. */
  #grown(length: number, count: number): Uint8Array<ArrayBuffer> {
    const need = length + count;
    if (need > this.#limit) this.#fail(`LZ4 frames hold more than ${this.#limit} bytes`, this.at);
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(need, this.output.length * 2)));
    grown.set(this.output.subarray(0, length));
    this.output = grown;
    return grown;
  }

  #u8(): number {
    this.#skip(1);
    return this.#bytes[this.at - 1]!;
  }

  #u32(): number {
    this.#skip(4);
    const [bytes, at] = [this.#bytes, this.at - 4];
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }

  #skip(count: number): void {
    if (count > this.#bytes.length - this.at) {
      throw new LayoutError("truncated", "LZ4 frame ends early", this.#bytes.length);
    }
    this.at += count;
  }

  #fail(message: string, at: number): never {
    throw new LayoutError("malformed", message, at);
  }
}
