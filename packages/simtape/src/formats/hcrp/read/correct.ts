import { crc32 } from "../../../bytes/crc32.ts";

/** Longer sections are not corrected: more places to try make a wrong guess too likely. */
const MAX_BYTES = 4096;

/**
 * The bytes as they were, when one byte, or one bit in each of up to four neighbouring bytes, was changed, or the crc
 * itself; null when no such change explains it. CRC-32 is linear and can be run backwards: for each four neighbouring
 * bytes exactly one change explains the difference, and it is believed when it is small. A wrong guess is as likely as
 * `5000 × length / 2^32`.
 */
export function corrected(bytes: Uint8Array, stored: number): Uint8Array | null {
  const difference = (crc32(bytes) ^ stored) >>> 0;
  if (difference === 0) return bytes;
  if (bytes.length > MAX_BYTES) return null;
  if (isSmall(difference)) return bytes;
  // the change of bytes i to i + 3, the first in the low byte
  let change = difference;
  for (let i = bytes.length - 1; i >= 0; i--) {
    change = stepBack(change);
    const inside = bytes.length - i;
    if ((inside < 4 && change >>> (8 * inside) !== 0) || !isSmall(change)) continue;
    const copy = bytes.slice();
    for (let k = 0; k < 4 && i + k < bytes.length; k++) copy[i + k] = copy[i + k]! ^ ((change >>> (8 * k)) & 0xff);
    return copy;
  }
  return null;
}

/** Whether one byte was changed, or at most one bit of each. */
function isSmall(change: number): boolean {
  let changed = 0;
  let isOneBitEach = true;
  for (let shift = 0; shift < 32; shift += 8) {
    const byte = (change >>> shift) & 0xff;
    if (byte === 0) continue;
    changed++;
    isOneBitEach &&= (byte & (byte - 1)) === 0;
  }
  return changed === 1 || isOneBitEach;
}

const TABLE = new Uint32Array(256);
/** Which entry of the table has a top byte: they all differ. */
const BY_TOP = new Uint8Array(256);
for (let n = 0; n < 256; n++) {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  TABLE[n] = c >>> 0;
  BY_TOP[c >>> 24] = n;
}

/** The register one byte of zeros before `crc`. */
function stepBack(crc: number): number {
  const low = BY_TOP[crc >>> 24]!;
  return (((crc ^ TABLE[low]!) << 8) | low) >>> 0;
}
