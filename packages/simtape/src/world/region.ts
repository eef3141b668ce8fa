import { ByteBuilder } from "../bytes/builder.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import { REGION } from "./keys.ts";

/** "STWM". */
const MAGIC = 0x5354574d;
const VERSION = 1;
const HASH_BYTES = 32;

/** Which chunk is where in a region: SHA-256 of chunks, in hexadecimal digits, by place. */
export class Region {
  readonly #hashes: Map<number, string>;

  constructor(hashes: ReadonlyMap<number, string> = new Map()) {
    this.#hashes = new Map(hashes);
  }

  get size(): number {
    return this.#hashes.size;
  }

  /** Of the chunk of the world with these numbers, which is in this region. */
  get(x: number, z: number): string | undefined {
    return this.#hashes.get(placeOf(x, z));
  }

  set(x: number, z: number, hash: string): void {
    this.#hashes.set(placeOf(x, z), hash);
  }

  /** The places in the region, 0 to 31 each way, with their chunks. */
  *[Symbol.iterator](): Generator<{ readonly x: number; readonly z: number; readonly hash: string }> {
    for (const [place, hash] of this.#hashes) yield { x: place % REGION, z: Math.floor(place / REGION), hash };
  }

  /** Layout: "STWM", version 1, count (16 bits, little endian); each: x and 32 times z (16 bits), the hash (32 bytes). */
  encode(): Uint8Array {
    const builder = new ByteBuilder(8 + this.size * (2 + HASH_BYTES)).u32be(MAGIC).u8(VERSION).u16le(this.size);
    for (const [place, hash] of [...this.#hashes].sort(([a], [b]) => a - b)) {
      builder.u16le(place);
      for (let i = 0; i < 2 * HASH_BYTES; i += 2) builder.u8(Number.parseInt(hash.slice(i, i + 2), 16));
    }
    return builder.take();
  }

  /** Throws `LayoutError` for what `encode` does not make. */
  static decode(bytes: Uint8Array): Region {
    const cursor = new ByteCursor(bytes);
    if (cursor.u32be() !== MAGIC) throw new LayoutError("malformed", "not a region of a world", 0);
    const version = cursor.u8();
    if (version !== VERSION)
      throw new LayoutError("malformed", `a region of version ${version}, ${VERSION} is known`, 4);
    const count = cursor.u16le();
    const hashes = new Map<number, string>();
    let last = -1;
    for (let i = 0; i < count; i++) {
      const start = cursor.offset;
      const place = cursor.u16le();
      if (place <= last || place >= REGION * REGION)
        throw new LayoutError("malformed", `chunk ${place} of a region stands behind ${last}`, start);
      last = place;
      hashes.set(place, Array.from(cursor.view(HASH_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join(""));
    }
    if (cursor.remaining > 0)
      throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
    return new Region(hashes);
  }
}

function placeOf(x: number, z: number): number {
  return inRegion(x) + REGION * inRegion(z);
}

function inRegion(chunk: number): number {
  return chunk - REGION * Math.floor(chunk / REGION);
}
