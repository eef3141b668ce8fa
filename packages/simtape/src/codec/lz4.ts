import { LayoutError } from "../bytes/error.ts";

/**
 * Decompresses all LZ4 frames that fill `bytes`, skippable frames skipped, checksums verified; the result is the
 * caller's own. Throws `LayoutError` when they are damaged, cut, followed by other bytes, need a dictionary, or hold
 * more than `limit` bytes.
 */
export function decompressLz4(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
  const decoder = new Lz4Decoder(bytes, limit);
  while (decoder.at < bytes.length) decoder.frame();
  return decoder.output.slice(0, decoder.length);
}

const MAGIC = 0x184d2204;

class Lz4Decoder {
  output: Uint8Array<ArrayBuffer>;
  length = 0;
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #limit: number;

  constructor(bytes: Uint8Array, limit: number) {
    this.#bytes = bytes;
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
    const check = (xxh32(this.#bytes.subarray(start + 4, this.at)) >>> 8) & 0xff;
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
      if ((flags & 0x10) !== 0 && this.#u32() !== xxh32(this.#bytes.subarray(from, from + size))) {
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
    if ((flags & 0x04) !== 0 && this.#u32() !== xxh32(content)) {
      this.#fail("LZ4 content checksum does not match", this.at - 4);
    }
  }

  /** One compressed block; matches may reach back to `floor` in the output. */
  #block(from: number, end: number, floor: number): void {
    const bytes = this.#bytes;
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
      this.#copy(at, literals);
      at += literals;
      if (at === end) return;
      if (at + 2 > end) this.#fail("LZ4 block ends inside a distance", at);
      const distance = bytes[at]! | (bytes[at + 1]! << 8);
      at += 2;
      if (distance === 0 || distance > this.length - floor) this.#fail("LZ4 distance before the first byte", at - 2);
      let count = (token & 15) + 4;
      if (count === 19) {
        for (let more = 255; more === 255; count += more) {
          if (at >= end) this.#fail("LZ4 block ends inside a length", at);
          more = bytes[at++]!;
        }
      }
      this.#room(count);
      const output = this.output;
      let length = this.length;
      for (const stop = length + count; length < stop; length++) output[length] = output[length - distance]!;
      this.length = length;
    }
    this.#fail("LZ4 block ends without literals", at);
  }

  #copy(from: number, count: number): void {
    this.#room(count);
    this.output.set(this.#bytes.subarray(from, from + count), this.length);
    this.length += count;
  }

  #room(count: number): void {
    const need = this.length + count;
    if (need <= this.output.length) return;
    if (need > this.#limit) this.#fail(`LZ4 frames hold more than ${this.#limit} bytes`, this.at);
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(need, this.output.length * 2)));
    grown.set(this.output.subarray(0, this.length));
    this.output = grown;
  }

  #u8(): number {
    this.#skip(1);
    return this.#bytes[this.at - 1]!;
  }

  #u32(): number {
    this.#skip(4);
    return little(this.#bytes, this.at - 4);
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

function little(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;
const P4 = 0x27d4eb2f;
const P5 = 0x165667b1;

/** XXH32 with seed 0: every checksum of an LZ4 frame. */
export function xxh32(bytes: Uint8Array): number {
  const length = bytes.length;
  let at = 0;
  let hash: number;
  if (length >= 16) {
    let a = (P1 + P2) | 0;
    let b = P2 | 0;
    let c = 0;
    let d = -P1 | 0;
    for (; at + 16 <= length; at += 16) {
      a = Math.imul(rotate(a + Math.imul(little(bytes, at), P2), 13), P1);
      b = Math.imul(rotate(b + Math.imul(little(bytes, at + 4), P2), 13), P1);
      c = Math.imul(rotate(c + Math.imul(little(bytes, at + 8), P2), 13), P1);
      d = Math.imul(rotate(d + Math.imul(little(bytes, at + 12), P2), 13), P1);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  } else {
    hash = P5;
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) hash = Math.imul(rotate(hash + Math.imul(little(bytes, at), P3), 17), P4);
  for (; at < length; at++) hash = Math.imul(rotate(hash + Math.imul(bytes[at]!, P5), 11), P1);
  hash = Math.imul(hash ^ (hash >>> 15), P2);
  hash = Math.imul(hash ^ (hash >>> 13), P3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
