import type { ByteBuilder } from "./builder.ts";
import type { ByteCursor } from "./cursor.ts";
import { LayoutError } from "./error.ts";

/**
 * LEB128, least significant group first. Padded forms are read; more than `limit` bytes, or a value above 2^53 - 1,
 * is malformed. `limit` is 5 for 32-bit fields and 10 for 64-bit ones.
 */
export function readVarint(cursor: ByteCursor, limit = 10): number {
  const start = cursor.offset;
  const first = cursor.u8();
  if (first < 0x80) return first;
  let value = first & 0x7f;
  let scale = 128;
  for (let count = 2; ; count++) {
    if (count > limit) throw new LayoutError("malformed", `varint is longer than ${limit} bytes`, start);
    const byte = cursor.u8();
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
    scale *= 128;
  }
  if (value > Number.MAX_SAFE_INTEGER) throw new LayoutError("malformed", "varint does not fit 53 bits", start);
  return value;
}

/** The full 64 bits of a varint, unsigned; bits above 64 are malformed. */
export function readVarintBig(cursor: ByteCursor): bigint {
  const start = cursor.offset;
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = cursor.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
    if (shift === 63n) throw new LayoutError("malformed", "varint is longer than 10 bytes", start);
  }
  if (value > 0xffff_ffff_ffff_ffffn) throw new LayoutError("malformed", "varint does not fit 64 bits", start);
  return value;
}

/** Shortest form of a non-negative safe integer. */
export function writeVarint(builder: ByteBuilder, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`varint of ${value}`);
  let rest = value;
  // in doubles as far as 32 bits do not suffice
  while (rest > 0x7fff_ffff) {
    const next = Math.floor(rest / 128);
    builder.u8(rest - next * 128 + 128);
    rest = next;
  }
  while (rest > 0x7f) {
    builder.u8((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  builder.u8(rest);
}

/** Signed numbers with small magnitude in few bytes: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
export function readZigzag(cursor: ByteCursor, limit = 10): number {
  const coded = readVarint(cursor, limit);
  return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
}

/** As `readZigzag` reads it. Throws `RangeError` for what is no safe integer. */
export function writeZigzag(builder: ByteBuilder, value: number): void {
  writeVarint(builder, value < 0 ? -2 * value - 1 : 2 * value);
}
