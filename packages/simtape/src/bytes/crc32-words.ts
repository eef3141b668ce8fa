import { crcOfEach, TABLES } from "./crc32-tables.ts";

/**
 * CRC-32 of many bytes, in JavaScript: 900 MB/s by words of 32 bits, sixteen bytes at a time; byte by byte 450 MB/s.
 * Only where numbers are stored with the low byte first, as in every browser.
 */
export function crc32Long(bytes: Uint8Array, seed: number): number {
  const { length } = bytes;
  if (length < 4) return ~crcOfEach(bytes, 0, length, ~seed) >>> 0;
  // words begin at multiples of four
  const begin = -bytes.byteOffset & 3;
  let crc = crcOfEach(bytes, 0, begin, ~seed);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + begin, ((length - begin) >>> 4) << 2);
  for (let i = 0; i < words.length; i += 4) {
    const a = words[i]! ^ crc;
    const b = words[i + 1]!;
    const c = words[i + 2]!;
    const d = words[i + 3]!;
    crc =
      TABLES[0xf00 | (a & 0xff)]! ^
      TABLES[0xe00 | ((a >>> 8) & 0xff)]! ^
      TABLES[0xd00 | ((a >>> 16) & 0xff)]! ^
      TABLES[0xc00 | (a >>> 24)]! ^
      TABLES[0xb00 | (b & 0xff)]! ^
      TABLES[0xa00 | ((b >>> 8) & 0xff)]! ^
      TABLES[0x900 | ((b >>> 16) & 0xff)]! ^
      TABLES[0x800 | (b >>> 24)]! ^
      TABLES[0x700 | (c & 0xff)]! ^
      TABLES[0x600 | ((c >>> 8) & 0xff)]! ^
      TABLES[0x500 | ((c >>> 16) & 0xff)]! ^
      TABLES[0x400 | (c >>> 24)]! ^
      TABLES[0x300 | (d & 0xff)]! ^
      TABLES[0x200 | ((d >>> 8) & 0xff)]! ^
      TABLES[0x100 | ((d >>> 16) & 0xff)]! ^
      TABLES[d >>> 24]!;
  }
  return ~crcOfEach(bytes, begin + 4 * words.length, length, crc) >>> 0;
}
