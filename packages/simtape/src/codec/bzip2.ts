import { LayoutError } from "../bytes/error.ts";

/**
 * Decompresses all bzip2 streams that fill `bytes`, block and stream checksums verified; the result is the caller's own.
 * Throws `LayoutError` when they are damaged, cut, followed by other bytes, or hold more than `limit` bytes.
 * Memory beside the result: 4 bytes per byte of the block size the stream states, at most 3.6 MB.
 */
export function decompressBzip2(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
  const reader = new BitReader(bytes);
  const output = new Output(limit);
  do readStream(reader, output);
  while (reader.bytesLeft > 0);
  return output.bytes.slice(0, output.length);
}

const BLOCK = 0x314159265359;
const END = 0x177245385090;

function readStream(reader: BitReader, output: Output): void {
  const level = reader.take(16) === 0x425a && reader.take(8) === 0x68 ? reader.take(8) - 0x30 : 0;
  if (level < 1 || level > 9) reader.fail("not a bzip2 stream");
  const words = new Uint32Array(level * 100_000);
  let combined = 0;
  for (;;) {
    const magic = reader.take(24) * 0x1000000 + reader.take(24);
    const crc = (reader.take(16) * 0x10000 + reader.take(16)) >>> 0;
    if (magic === END) {
      if (crc !== combined >>> 0) reader.fail("bzip2 stream checksum does not match");
      reader.align();
      return;
    }
    if (magic !== BLOCK) reader.fail("bzip2 block without its mark");
    const found = readBlock(reader, words, output);
    if (found !== crc) reader.fail("bzip2 block checksum does not match");
    combined = ((combined << 1) | (combined >>> 31)) ^ crc;
  }
}

/** Decodes one block into `output` and gives the CRC of what came out. */
function readBlock(reader: BitReader, words: Uint32Array, output: Output): number {
  if (reader.take(1) !== 0) reader.fail("bzip2 block of the old randomised kind");
  const origin = reader.take(24);
  const { count, used } = readSymbols(reader, words);
  if (origin >= count) reader.fail("bzip2 block starts outside itself");
  // Inverse Burrows-Wheeler transform: the low 8 bits stay the byte, the upper 24 become the next place.
  let sum = 0;
  for (let i = 0; i < 256; i++) {
    const here = used[i]!;
    used[i] = sum;
    sum += here;
  }
  for (let i = 0; i < count; i++) words[used[words[i]! & 0xff]!++]! |= i << 8;
  // Undo the first run-length coding: four equal bytes are followed by a count of more.
  let place = words[origin]! >>> 8;
  let previous = -1;
  let run = 0;
  let crc = 0xffffffff;
  for (let i = 0; i < count; i++) {
    const word = words[place]!;
    place = word >>> 8;
    const byte = word & 0xff;
    if (run === 4) {
      output.add(previous, byte, reader);
      for (let k = 0; k < byte; k++) crc = (crc << 8) ^ CRC[(crc >>> 24) ^ previous]!;
      run = 0;
      previous = -1;
      continue;
    }
    run = byte === previous ? run + 1 : 1;
    previous = byte;
    output.add(byte, 1, reader);
    crc = (crc << 8) ^ CRC[(crc >>> 24) ^ byte]!;
  }
  return ~crc >>> 0;
}

/** Reads the coding tables and the move-to-front symbols; bytes land in the low 8 bits of `words`. */
function readSymbols(reader: BitReader, words: Uint32Array): { count: number; used: Uint32Array } {
  const alphabet = readAlphabet(reader);
  const size = alphabet.length + 2;
  const groups = reader.take(3);
  if (groups < 2 || groups > 6) reader.fail(`bzip2 block with ${groups} tables`);
  const selectors = readSelectors(reader, groups);
  const tables: Table[] = [];
  for (let group = 0; group < groups; group++) tables.push(readTable(reader, size));
  const used = new Uint32Array(256);
  let count = 0;
  let run = 0;
  let runBit = 1;
  let table = tables[0]!;
  for (let at = 0; ; at++) {
    if (at % 50 === 0) {
      const selector = selectors[at / 50];
      if (selector === undefined) reader.fail("bzip2 block longer than its selectors");
      table = tables[selector]!;
    }
    const symbol = readCode(reader, table);
    if (symbol < 2) {
      // digits of a run length, base 2 with digits 1 and 2
      run += runBit << symbol;
      runBit <<= 1;
      if (run > words.length) reader.fail("bzip2 run longer than the block");
      continue;
    }
    if (run > 0) {
      if (count + run > words.length) reader.fail("bzip2 block longer than stated");
      const byte = alphabet[0]!;
      words.fill(byte, count, count + run);
      used[byte]! += run;
      count += run;
      run = 0;
      runBit = 1;
    }
    if (symbol === size - 1) return { count, used };
    if (count === words.length) reader.fail("bzip2 block longer than stated");
    const byte = alphabet[symbol - 1]!;
    alphabet.copyWithin(1, 0, symbol - 1);
    alphabet[0] = byte;
    words[count++] = byte;
    used[byte]!++;
  }
}

function readAlphabet(reader: BitReader): Uint8Array {
  const map = reader.take(16);
  const bytes: number[] = [];
  for (let i = 0; i < 16; i++) {
    if (((map >> (15 - i)) & 1) === 0) continue;
    const part = reader.take(16);
    for (let k = 0; k < 16; k++) if (((part >> (15 - k)) & 1) === 1) bytes.push(i * 16 + k);
  }
  if (bytes.length === 0) reader.fail("bzip2 block without bytes");
  return Uint8Array.from(bytes);
}

function readSelectors(reader: BitReader, groups: number): Uint8Array {
  const count = reader.take(15);
  if (count === 0) reader.fail("bzip2 block without selectors");
  const order = Uint8Array.of(0, 1, 2, 3, 4, 5);
  const selectors = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let rank = 0;
    while (reader.take(1) === 1) if (++rank >= groups) reader.fail("bzip2 selector of a table that is not there");
    const selector = order[rank]!;
    order.copyWithin(1, 0, rank);
    order[0] = selector;
    selectors[i] = selector;
  }
  return selectors;
}

/** A canonical code: per length how many codes there are, and the symbols by code. */
interface Table {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

function readTable(reader: BitReader, size: number): Table {
  const lengths = new Uint8Array(size);
  const counts = new Uint16Array(21);
  let length = reader.take(5);
  for (let i = 0; i < size; i++) {
    while (length < 1 || length > 20 || reader.take(1) === 1) {
      if (length < 1 || length > 20) reader.fail("bzip2 code length out of range");
      length += reader.take(1) === 0 ? 1 : -1;
    }
    lengths[i] = length;
    counts[length]!++;
  }
  const symbols = new Uint16Array(size);
  let at = 0;
  for (let bits = 1; bits <= 20; bits++) {
    for (let i = 0; i < size; i++) if (lengths[i] === bits) symbols[at++] = i;
  }
  return { counts, symbols };
}

function readCode(reader: BitReader, table: Table): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let bits = 1; bits <= 20; bits++) {
    code |= reader.take(1);
    const count = table.counts[bits]!;
    if (code - first < count) {
      const symbol = table.symbols[index + code - first];
      if (symbol !== undefined) return symbol;
    }
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return reader.fail("bzip2 code that does not exist");
}

/** CRC-32 as bzip2 counts it: most significant bit first. */
const CRC = new Uint32Array(256).map((_, n) => {
  let c = n << 24;
  for (let k = 0; k < 8; k++) c = c < 0 ? (c << 1) ^ 0x04c11db7 : c << 1;
  return c;
});

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #hold = 0;
  #bits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get bytesLeft(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next `count` bits, at most 24, first one highest. */
  take(count: number): number {
    while (this.#bits < count) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new LayoutError("truncated", "bzip2 stream ends early", this.#bytes.length);
      this.#hold = ((this.#hold << 8) | byte) >>> 0;
      this.#bits += 8;
    }
    this.#bits -= count;
    const value = this.#hold >>> this.#bits;
    this.#hold &= (1 << this.#bits) - 1;
    return value;
  }

  align(): void {
    this.#hold = 0;
    this.#bits = 0;
  }

  fail(message: string): never {
    throw new LayoutError("malformed", message, this.#at);
  }
}

class Output {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.bytes = new Uint8Array(Math.min(limit, 4096));
  }

  add(byte: number, count: number, reader: BitReader): void {
    const need = this.length + count;
    if (need > this.bytes.length) {
      if (need > this.#limit) reader.fail(`bzip2 stream holds more than ${this.#limit} bytes`);
      const grown = new Uint8Array(Math.min(this.#limit, Math.max(need, this.bytes.length * 2)));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    if (count === 1) this.bytes[this.length] = byte;
    else this.bytes.fill(byte, this.length, need);
    this.length = need;
  }
}
