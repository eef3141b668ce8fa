import type { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";

/** About the memory of one entry of a map, beside its text. */
const ENTRY_MEMORY = 96;

/** Where the content of a record lies: `[start, end)` in the bytes of the cursor. */
export interface Framed {
  readonly opcode: number;
  readonly start: number;
  readonly end: number;
}

/** Opcode and length of the record at the cursor; the cursor then is at the content. Throws where it is cut (MCAP spec §2). */
export function readPrefix(cursor: ByteCursor): Framed {
  const at = cursor.position;
  const opcode = cursor.u8();
  const length = cursor.u64le();
  const start = cursor.position;
  if (length > cursor.remaining) {
    cursor.seek(at);
    throw new LayoutError("truncated", `a record of ${length} bytes is cut`, cursor.offset);
  }
  return { opcode, start, end: start + length };
}

/** A record whose content `write` writes. */
export function writeRecord(builder: ByteBuilder, opcode: number, write: (builder: ByteBuilder) => void): void {
  builder.u8(opcode).i64le(0);
  const start = builder.length;
  write(builder);
  patchU64(builder, start - 8, builder.length - start);
}

/** Opcode and length, for a caller that writes the content. */
export function writePrefix(builder: ByteBuilder, opcode: number, length: number): void {
  builder.u8(opcode).i64le(length);
}

/** Opcode and length of less than 4 GiB at `at`, without a builder. */
export function putPrefix(view: DataView, at: number, opcode: number, length: number): void {
  view.setUint8(at, opcode);
  view.setUint32(at + 1, length, true);
  view.setUint32(at + 5, 0, true);
}

/** Overwrites a u64 that was written before. `value` is a safe integer. */
export function patchU64(builder: ByteBuilder, at: number, value: number): void {
  builder.patchU32le(at, value % 0x1_0000_0000);
  builder.patchU32le(at + 4, Math.floor(value / 0x1_0000_0000));
}

/** A text: u32 length, then UTF-8 (MCAP spec §3). */
export function readText(cursor: ByteCursor): string {
  return cursor.utf8(cursor.u32le());
}

export function writeText(builder: ByteBuilder, text: string): void {
  const at = builder.length;
  builder.u32le(0).utf8(text);
  builder.patchU32le(at, builder.length - at - 4);
}

/** A time: u64 nanoseconds, mostly since 1970 (MCAP spec §3). */
export function readTime(cursor: ByteCursor): bigint {
  return cursor.bigU64le();
}

export function writeTime(builder: ByteBuilder, time: bigint): void {
  builder.bigI64le(BigInt.asIntN(64, time));
}

/** A cursor over the entries of a map or array, whose u32 byte length stands before them (MCAP spec §3). */
export function* entriesOf(cursor: ByteCursor): Generator<void> {
  const length = cursor.u32le();
  const end = cursor.position + length;
  if (length > cursor.remaining) {
    throw new LayoutError(
      "truncated",
      `a list of ${length} bytes in a record that has ${cursor.remaining} more`,
      cursor.offset,
    );
  }
  while (cursor.position < end) {
    cursor.claim(ENTRY_MEMORY);
    yield;
  }
  if (cursor.position > end) throw new LayoutError("malformed", "an entry exceeds its list", cursor.offset);
}

/** A list whose entries `write` writes, with its byte length before it. */
export function writeEntries(builder: ByteBuilder, write: () => void): void {
  const at = builder.length;
  builder.u32le(0);
  write();
  builder.patchU32le(at, builder.length - at - 4);
}

/** Shared, as most channels have none and an empty map takes 230 bytes. */
const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** A map of texts. Throws `LayoutError` where a key occurs twice (MCAP spec §3). */
export function readTexts(cursor: ByteCursor): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const _ of entriesOf(cursor)) {
    const key = readText(cursor);
    if (texts.has(key))
      throw new LayoutError("malformed", `the key ${JSON.stringify(key)} occurs twice`, cursor.offset);
    texts.set(key, readText(cursor));
  }
  return texts.size === 0 ? NO_TEXTS : texts;
}

export function writeTexts(builder: ByteBuilder, texts: ReadonlyMap<string, string>): void {
  writeEntries(builder, () => {
    for (const [key, value] of texts) {
      writeText(builder, key);
      writeText(builder, value);
    }
  });
}

/** A map of numbers by channel id: u16 key, u64 value (MCAP spec §3). */
export function readNumbers(cursor: ByteCursor): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const _ of entriesOf(cursor)) {
    const key = cursor.u16le();
    if (numbers.has(key)) throw new LayoutError("malformed", `channel ${key} occurs twice`, cursor.offset);
    numbers.set(key, cursor.u64le());
  }
  return numbers;
}

export function writeNumbers(builder: ByteBuilder, numbers: ReadonlyMap<number, number>): void {
  writeEntries(builder, () => {
    for (const [key, value] of numbers) builder.u16le(key).i64le(value);
  });
}
