/** Sixteen tables of 256: the one at `256 * k` is for a byte with `k` bytes behind it. */
export const TABLES: Int32Array = new Int32Array(16 * 256);
for (let n = 0; n < 256; n++) {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  TABLES[n] = c;
}
for (let n = 256; n < TABLES.length; n++) {
  const c = TABLES[n - 256]!;
  TABLES[n] = (c >>> 8) ^ TABLES[c & 0xff]!;
}

/** Takes `bytes[from, to)` one by one into a CRC whose bits are inverted, as they are while it is computed. */
export function crcOfEach(bytes: Uint8Array, from: number, to: number, inverted: number): number {
  let crc = inverted;
  for (let i = from; i < to; i++) crc = (crc >>> 8) ^ TABLES[(crc ^ bytes[i]!) & 0xff]!;
  return crc;
}
