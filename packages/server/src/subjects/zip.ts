import { crc32 } from "node:zlib";
import type { ByteSink } from "simtape";

interface Entry {
  readonly name: Buffer;
  readonly crc: number;
  readonly bytes: number;
  readonly at: number;
}

/** Larger sizes and offsets need the 64-bit fields. */
const LARGE = 0xffff_ffff;
/** Flags: names are UTF-8; sizes follow the content. */
const FLAGS = 0x0808;

/** A zip of files without compression: recordings are compressed already. */
export class Zip {
  readonly #sink: ByteSink;
  readonly #entries: Entry[] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async add(path: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const name = Buffer.from(path);
    const at = this.#sink.position;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x0403_4b50, 0);
    head.writeUInt16LE(45, 4);
    head.writeUInt16LE(FLAGS, 6);
    // 1 January 1980
    head.writeUInt16LE(0x21, 12);
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(20, 28);
    // the size of the 64-bit fields that follow
    await this.#sink.write(Buffer.concat([head, name, larger(0, 0)]));
    let crc = 0;
    let bytes = 0;
    for await (const piece of pieces) {
      crc = crc32(piece, crc);
      bytes += piece.length;
      await this.#sink.write(piece);
    }
    const tail = Buffer.alloc(24);
    tail.writeUInt32LE(0x0807_4b50, 0);
    tail.writeUInt32LE(crc, 4);
    tail.writeBigUInt64LE(BigInt(bytes), 8);
    tail.writeBigUInt64LE(BigInt(bytes), 16);
    await this.#sink.write(tail);
    this.#entries.push({ name, crc, bytes, at });
  }

  /** Writes the directory of files. The caller closes the sink. */
  async finish(): Promise<void> {
    const start = this.#sink.position;
    for (const entry of this.#entries) await this.#sink.write(listed(entry));
    const size = this.#sink.position - start;
    const count = BigInt(this.#entries.length);
    const end = Buffer.alloc(56 + 20 + 22);
    end.writeUInt32LE(0x0606_4b50, 0);
    end.writeBigUInt64LE(44n, 4);
    end.writeUInt16LE(45, 12);
    end.writeUInt16LE(45, 14);
    end.writeBigUInt64LE(count, 24);
    end.writeBigUInt64LE(count, 32);
    end.writeBigUInt64LE(BigInt(size), 40);
    end.writeBigUInt64LE(BigInt(start), 48);
    end.writeUInt32LE(0x0706_4b50, 56);
    end.writeBigUInt64LE(BigInt(start + size), 64);
    end.writeUInt32LE(1, 72);
    end.writeUInt32LE(0x0605_4b50, 76);
    end.writeUInt16LE(Math.min(this.#entries.length, 0xffff), 84);
    end.writeUInt16LE(Math.min(this.#entries.length, 0xffff), 86);
    end.writeUInt32LE(Math.min(size, LARGE), 88);
    end.writeUInt32LE(Math.min(start, LARGE), 92);
    await this.#sink.write(end);
  }
}

function listed({ name, crc, bytes, at }: Entry): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE(45, 4);
  head.writeUInt16LE(45, 6);
  head.writeUInt16LE(FLAGS, 8);
  head.writeUInt16LE(0x21, 14);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(LARGE, 20);
  head.writeUInt32LE(LARGE, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(28, 30);
  head.writeUInt32LE(LARGE, 42);
  const place = Buffer.alloc(8);
  place.writeBigUInt64LE(BigInt(at));
  const sizes = larger(bytes, bytes);
  sizes.writeUInt16LE(24, 2);
  return Buffer.concat([head, name, sizes, place]);
}

/** Extra field 1: sizes of 64 bits. */
function larger(bytes: number, stored: number): Buffer {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(BigInt(bytes), 4);
  field.writeBigUInt64LE(BigInt(stored), 12);
  return field;
}
