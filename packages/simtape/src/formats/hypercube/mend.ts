import { crc32 } from "../../bytes/crc32.ts";

/** Longer sections are not mended: more places to try make a wrong guess too likely. */
const MAX_BYTES = 4096;

/**
 * The bytes as they were, when one byte, or one bit in each of up to four neighbouring bytes, was changed, or the crc
 * itself; null when no such change explains it. CRC-32 is linear, so that the place of a change follows from the
 * difference. A wrong guess is as likely as `5000 × length / 2^32`.
 */
export function mended(bytes: Uint8Array, stored: number): Uint8Array | null {
  const difference = (crc32(bytes) ^ stored) >>> 0;
  if (difference === 0) return bytes;
  if (bytes.length > MAX_BYTES) return null;
  if (isSmall(difference)) return bytes;
  // what a changed bit of byte i does to the crc of all, and of the three bytes behind it; the last byte first
  let effects = new Uint32Array(8);
  for (let bit = 0; bit < 8; bit++) effects[bit] = TABLE[1 << bit]!;
  let [second, third, fourth] = [NOTHING, NOTHING, NOTHING];
  for (let i = bytes.length - 1; i >= 0; i--) {
    const found = oneByte(effects, difference) ?? neighbours(effects, second, third, fourth, difference);
    if (found !== null) {
      const copy = bytes.slice();
      found.forEach((change, k) => {
        copy[i + k] = copy[i + k]! ^ change;
      });
      return copy;
    }
    [second, third, fourth] = [effects, second, third];
    effects = effects.map(step);
  }
  return null;
}

const NOTHING = new Uint32Array(0);

/** Any change of one byte. */
function oneByte(effects: Uint32Array, difference: number): number[] | null {
  for (let change = 1; change < 256; change++) {
    let effect = 0;
    for (let bit = 0; bit < 8; bit++) if ((change & (1 << bit)) !== 0) effect ^= effects[bit]!;
    if (effect >>> 0 === difference) return [change];
  }
  return null;
}

/** One bit in each of two to four bytes; this runs some thousand times for each byte. */
function neighbours(
  first: Uint32Array,
  second: Uint32Array,
  third: Uint32Array,
  fourth: Uint32Array,
  difference: number,
): number[] | null {
  for (let a = 0; a < first.length; a++) {
    const one = difference ^ first[a]!;
    for (let b = 0; b < second.length; b++) {
      const two = one ^ second[b]!;
      if (two === 0) return [1 << a, 1 << b];
      for (let c = 0; c < third.length; c++) {
        const three = two ^ third[c]!;
        if (three === 0) return [1 << a, 1 << b, 1 << c];
        for (let d = 0; d < fourth.length; d++) if ((three ^ fourth[d]!) === 0) return [1 << a, 1 << b, 1 << c, 1 << d];
      }
    }
  }
  return null;
}

/** Whether the crc itself was changed like that. */
function isSmall(difference: number): boolean {
  let changed = 0;
  let most = 0;
  for (let shift = 0; shift < 32; shift += 8) {
    const byte = (difference >>> shift) & 0xff;
    if (byte === 0) continue;
    changed++;
    if ((byte & (byte - 1)) !== 0) most++;
  }
  return changed === 1 || most === 0;
}

const TABLE = new Uint32Array(256);
for (let n = 0; n < 256; n++) {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  TABLE[n] = c >>> 0;
}

function step(crc: number): number {
  return ((crc >>> 8) ^ TABLE[crc & 0xff]!) >>> 0;
}
