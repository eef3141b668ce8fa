import { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  encodeMessagePack,
  MessagePackFloat,
  readMessagePack,
  skipMessagePack,
  writeMessagePack,
} from "../../../codec/messagepack.ts";
import { isNumber } from "./layout.ts";
import { readKey, readMapSize } from "./messagepack.ts";

/** Bytes of the longest array header. */
export const ARRAY_HEADER_BYTES = 5;

/** One entry of `index.msgpack`: where a message is, and what is said of it (spec §4). */
export interface IndexEntry {
  /** Inside messages.msgpack. */
  readonly offset: number;
  readonly length: number;
  /** Microseconds since the recorder started, whole or not; null when missing. */
  readonly timestamp: number | null;
  /** Top-level keys of the message; null: anything may be in it. */
  readonly types: readonly string[] | null;
  readonly frameIndex: number | null;
}

/** Number of entries of the array that begins at the cursor. */
export function readArraySize(cursor: ByteCursor): number {
  const at = cursor.offset;
  const byte = cursor.u8();
  if (byte >= 0x90 && byte < 0xa0) return byte & 0x0f;
  if (byte === 0xdc) return cursor.u16be();
  if (byte === 0xdd) return cursor.u32be();
  throw new LayoutError("malformed", "the index is no MessagePack array", at);
}

export function writeArraySize(builder: ByteBuilder, size: number): void {
  if (size < 16) builder.u8(0x90 + size);
  else if (size < 0x1_0000) builder.u8(0xdc).u16be(size);
  else builder.u8(0xdd).u32be(size);
}

/** Further keys are passed over (spec §4). Throws `LayoutError` when offset or length is no natural number. */
export function readIndexEntry(cursor: ByteCursor): IndexEntry {
  const at = cursor.offset;
  let offset = -1;
  let length = -1;
  let timestamp: number | null = null;
  let types: readonly string[] | null = null;
  let frameIndex: number | null = null;
  for (let left = readMapSize(cursor); left > 0; left--) {
    switch (readKey(cursor)) {
      case "offset":
        offset = readNatural(cursor);
        break;
      case "length":
        length = readNatural(cursor);
        break;
      case "metadata":
        for (let keys = readMapSize(cursor); keys > 0; keys--) {
          const key = readKey(cursor);
          if (key === "types") types = readTypes(cursor);
          else if (key === "timestamp") timestamp = readNumber(cursor);
          else if (key === "frame.index") frameIndex = readNumber(cursor);
          else skipMessagePack(cursor);
        }
        break;
      default:
        skipMessagePack(cursor);
    }
  }
  if (offset < 0 || length < 0) throw new LayoutError("malformed", "index entry without offset or length", at);
  return { offset, length, timestamp, types, frameIndex };
}

/** As NanoVer writes it: types, index of the frame, time, in this order (seen in samples/nanover). */
export function writeIndexEntry(builder: ByteBuilder, entry: IndexEntry): void {
  const { offset, length, timestamp, types, frameIndex } = entry;
  builder.u8(0x83);
  writeMessagePack(builder, "offset");
  writeMessagePack(builder, offset);
  writeMessagePack(builder, "length");
  writeMessagePack(builder, length);
  writeMessagePack(builder, "metadata");
  builder.u8(0x80 + [types, frameIndex, timestamp].filter((value) => value !== null).length);
  if (types !== null) {
    writeMessagePack(builder, "types");
    writeMessagePack(builder, types);
  }
  if (frameIndex !== null) {
    writeMessagePack(builder, "frame.index");
    writeMessagePack(builder, frameIndex);
  }
  if (timestamp !== null) {
    writeMessagePack(builder, "timestamp");
    writeMessagePack(builder, Number.isSafeInteger(timestamp) ? timestamp : new MessagePackFloat(timestamp));
  }
}

/** Writes many entries, a few of whose types are the same: what does not change is encoded once. */
export class IndexEntryWriter {
  /** What lies between length and frame index, or time when there is none, by types and by which of both. */
  readonly #middles = new Map<readonly string[], readonly [Uint8Array, Uint8Array]>();

  /** As `writeIndexEntry` does. `frameIndex` is NaN when there is none. */
  write(
    builder: ByteBuilder,
    offset: number,
    length: number,
    types: readonly string[],
    frameIndex: number,
    timestamp: number,
  ): void {
    const hasIndex = !Number.isNaN(frameIndex);
    builder.raw(TO_OFFSET);
    writeMessagePack(builder, offset);
    builder.raw(TO_LENGTH);
    writeMessagePack(builder, length);
    builder.raw(this.#middle(types)[hasIndex ? 1 : 0]);
    if (hasIndex) {
      writeMessagePack(builder, frameIndex);
      builder.raw(TO_TIME);
    }
    if (Number.isSafeInteger(timestamp)) writeMessagePack(builder, timestamp);
    else builder.u8(FLOAT64).f64be(timestamp);
  }

  #middle(types: readonly string[]): readonly [Uint8Array, Uint8Array] {
    const found = this.#middles.get(types);
    if (found !== undefined) return found;
    const made = [false, true].map((hasIndex) => {
      const builder = new ByteBuilder();
      writeMessagePack(builder, "metadata");
      builder.u8(hasIndex ? 0x83 : 0x82);
      writeMessagePack(builder, "types");
      writeMessagePack(builder, types);
      return builder.raw(hasIndex ? TO_INDEX : TO_TIME).take();
    });
    const both = [made[0]!, made[1]!] as const;
    this.#middles.set(types, both);
    return both;
  }
}

const FLOAT64 = 0xcb;
const TO_OFFSET: Uint8Array = Uint8Array.of(0x83, ...encodeMessagePack("offset"));
const TO_LENGTH: Uint8Array = encodeMessagePack("length");
const TO_INDEX: Uint8Array = encodeMessagePack("frame.index");
const TO_TIME: Uint8Array = encodeMessagePack("timestamp");

/**
 * Place of the next byte at which an entry seems to begin, -1 when there is none before `end`. `isFirst`: only the
 * entry of the message at 0 will do.
 */
export function findIndexEntry(bytes: Uint8Array, start: number, end: number, isFirst = false): number {
  for (let at = bytes.indexOf(OFFSET_KEY[0]!, start + 1); at >= 0 && at + OFFSET_KEY.length <= end; ) {
    const map = bytes[at - 1]!;
    const isEntry = map >= 0x81 && map < 0x90 && OFFSET_KEY.every((byte, i) => bytes[at + i] === byte);
    if (isEntry && (!isFirst || bytes[at + OFFSET_KEY.length] === 0)) return at - 1;
    at = bytes.indexOf(OFFSET_KEY[0]!, at + 1);
  }
  return -1;
}

/** The key "offset", first in every entry that NanoVer writes. */
const OFFSET_KEY: readonly number[] = [0xa6, 0x6f, 0x66, 0x66, 0x73, 0x65, 0x74];

function readNatural(cursor: ByteCursor): number {
  const at = cursor.offset;
  const value = readMessagePack(cursor);
  if (isNumber(value) && Number.isSafeInteger(value) && value >= 0) return value;
  throw new LayoutError("malformed", "index entry with an offset or length that is no natural number", at);
}

function readNumber(cursor: ByteCursor): number | null {
  const value = readMessagePack(cursor);
  return isNumber(value) && Number.isFinite(value) ? value : null;
}

function readTypes(cursor: ByteCursor): readonly string[] | null {
  const value = readMessagePack(cursor);
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? (value as readonly string[]) : null;
}
