import { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { encodeText, readText, writeText } from "./text.ts";

/** Type bytes of the four chunks, spec §1. */
export const BLOCK = 0x0a;
export const CHANNEL_INFO = 0x0b;
export const MESSAGE = 0x0c;
export const INDEX = 0x0d;

/** Type byte and size, spec §2.2. */
export const CHUNK_HEADER_BYTES = 5;
/** Payload of a block chunk, spec §2.3. */
export const BLOCK_BYTES = 24;
/** Payload of a channel info without its name, type and meta data, spec §2.4. */
export const CHANNEL_INFO_BYTES = 56;
/** Payload of an uncompressed message without its name, frame id and data, spec §2.5. */
export const MESSAGE_BYTES = 25;
/** One entry of an index table, spec §2.6. */
export const INDEX_ENTRY_BYTES = 24;
/** Header of a tape with all known fields, spec §2.1. */
export const HEADER_BYTES = 32;

/** How the bytes of one tape are laid out: the points that the published format leaves open, as far as walking needs them. */
export interface Dialect {
  /** Spec §3: numbers of the container; the payloads' order is another question. */
  readonly isLittle: boolean;
  /** Spec §9, A3: sizes of chunks count their own five header bytes. */
  readonly sizeIncludesHeader: boolean;
  /** Spec §8: the size of a block chunk spans the chunks that follow it. */
  readonly blockSpans: boolean;
  /** Length of the file header, spec §8. */
  readonly headerBytes: number;
}

/** Start of the file, spec §2.1; shorter and longer ones keep the first fields and the last two, spec §8. */
export interface FileHeader {
  readonly version: number;
  /** Nanoseconds since 1970 (UTC); null when the header is too short to hold it. */
  readonly start: bigint | null;
  /** Nanoseconds that the recording machine's zone is off UTC; null when the header is too short to hold it. */
  readonly zoneOffset: bigint | null;
  /** Bytes between the known fields, kept as they are. */
  readonly unknown: Uint8Array;
  readonly blocks: number;
  /** Offset of the first channel info; 0 when there is none. */
  readonly firstChannel: bigint;
}

/** Reads `dialect.headerBytes` bytes. */
export function readFileHeader(cursor: ByteCursor, dialect: Dialect): FileHeader {
  const { isLittle, headerBytes } = dialect;
  const version = readU32(cursor, isLittle);
  let left = headerBytes - 16;
  let start: bigint | null = null;
  let zoneOffset: bigint | null = null;
  if (left >= 8) {
    start = readI64(cursor, isLittle);
    left -= 8;
  }
  if (left >= 8) {
    zoneOffset = readI64(cursor, isLittle);
    left -= 8;
  }
  const unknown = cursor.view(left);
  return {
    version,
    start,
    zoneOffset,
    unknown,
    blocks: readU32(cursor, isLittle),
    firstChannel: readU64(cursor, isLittle),
  };
}

/** Writes what `readFileHeader` read; the length follows from the fields that are there. */
export function writeFileHeader(builder: ByteBuilder, header: FileHeader, dialect: Dialect): void {
  const { isLittle } = dialect;
  writeU32(builder, header.version, isLittle);
  if (header.start !== null) writeI64(builder, header.start, isLittle);
  if (header.zoneOffset !== null) writeI64(builder, header.zoneOffset, isLittle);
  builder.raw(header.unknown);
  writeU32(builder, header.blocks, isLittle);
  writeI64(builder, header.firstChannel, isLittle);
}

/** What precedes the payload of a chunk, spec §2.2. */
export interface ChunkHeader {
  readonly type: number;
  /** Bytes of payload; for a block that spans its contents, these too. */
  readonly size: number;
}

export function readChunkHeader(cursor: ByteCursor, dialect: Dialect): ChunkHeader {
  const type = cursor.u8();
  const stored = readU32(cursor, dialect.isLittle);
  const size = dialect.sizeIncludesHeader ? stored - CHUNK_HEADER_BYTES : stored;
  if (size < 0) throw new LayoutError("malformed", `chunk size ${stored} is less than its header`, cursor.offset - 4);
  return { type, size };
}

export function writeChunkHeader(builder: ByteBuilder, chunk: ChunkHeader, dialect: Dialect): void {
  startChunk(builder, chunk.type, chunk.size, dialect);
}

function startChunk(builder: ByteBuilder, type: number, size: number, dialect: Dialect): void {
  builder.u8(type);
  writeU32(builder, dialect.sizeIncludesHeader ? size + CHUNK_HEADER_BYTES : size, dialect.isLittle);
}

/** Bookkeeping of the chunks that follow, spec §2.3. */
export interface Block {
  readonly messages: number;
  /** Of the messages and channel infos in it; what is counted differs, spec §9, A5. */
  readonly size: number;
  /** Times of its first and last message, ns since the start of the recording. */
  readonly first: bigint;
  readonly last: bigint;
}

export function readBlock(cursor: ByteCursor, dialect: Dialect): Block {
  const { isLittle } = dialect;
  return {
    messages: readU32(cursor, isLittle),
    size: readU32(cursor, isLittle),
    first: readI64(cursor, isLittle),
    last: readI64(cursor, isLittle),
  };
}

export function writeBlock(builder: ByteBuilder, block: Block, dialect: Dialect): void {
  const { isLittle } = dialect;
  writeU32(builder, block.messages, isLittle);
  writeU32(builder, block.size, isLittle);
  writeI64(builder, block.first, isLittle);
  writeI64(builder, block.last, isLittle);
}

/** Spec §2.4. */
export interface TapeChannelInfo {
  /** Offset of the next channel info; 0: the last. */
  readonly next: bigint;
  readonly first: bigint;
  readonly last: bigint;
  readonly name: string;
  readonly type: string;
  /** Opaque, spec §9, A18. A view. */
  readonly meta: Uint8Array;
  /** Accumulated size of the channel's data; stored or uncompressed, spec §9, A10. */
  readonly dataSize: bigint;
  /** Offset of the index table; 0: none. */
  readonly index: bigint;
}

export function readChannelInfo(cursor: ByteCursor, dialect: Dialect): TapeChannelInfo {
  const { isLittle } = dialect;
  const next = readU64(cursor, isLittle);
  const first = readI64(cursor, isLittle);
  const last = readI64(cursor, isLittle);
  const name = readText(cursor, readU32(cursor, isLittle));
  const type = readText(cursor, readU32(cursor, isLittle));
  const metaLength = isLittle ? cursor.u64le() : cursor.u64be(); // eight bytes, unlike those of strings, spec §2.4
  const meta = cursor.view(metaLength);
  return { next, first, last, name, type, meta, dataSize: readU64(cursor, isLittle), index: readU64(cursor, isLittle) };
}

export function writeChannelInfo(builder: ByteBuilder, info: TapeChannelInfo, dialect: Dialect): void {
  const { isLittle } = dialect;
  writeI64(builder, info.next, isLittle);
  writeI64(builder, info.first, isLittle);
  writeI64(builder, info.last, isLittle);
  writeText(builder, info.name, isLittle);
  writeText(builder, info.type, isLittle);
  writeI64(builder, BigInt(info.meta.length), isLittle);
  builder.raw(info.meta);
  writeI64(builder, info.dataSize, isLittle);
  writeI64(builder, info.index, isLittle);
}

/** Spec §2.5. */
export interface TapeMessage {
  /** Nanoseconds since the start of the recording. */
  readonly time: bigint;
  readonly channel: string;
  readonly frameId: string;
  readonly sequenceId: number;
  /** Null when the data is not compressed. */
  readonly uncompressedSize: number | null;
  /** As stored. A view. */
  readonly data: Uint8Array;
}

export function readMessage(cursor: ByteCursor, dialect: Dialect): TapeMessage {
  const { isLittle } = dialect;
  const time = readI64(cursor, isLittle);
  const channel = readText(cursor, readU32(cursor, isLittle));
  const frameId = readText(cursor, readU32(cursor, isLittle));
  const sequenceId = readU32(cursor, isLittle);
  const stored = readU32(cursor, isLittle);
  const flag = cursor.u8();
  if (flag > 1) throw new LayoutError("malformed", `compression flag ${flag}`, cursor.offset - 1);
  const uncompressedSize = flag === 1 ? readU32(cursor, isLittle) : null; // spec §2.5: only behind a set flag
  return { time, channel, frameId, sequenceId, uncompressedSize, data: cursor.view(stored) };
}

export function writeMessage(builder: ByteBuilder, message: TapeMessage, dialect: Dialect): void {
  const { isLittle } = dialect;
  writeI64(builder, message.time, isLittle);
  writeText(builder, message.channel, isLittle);
  writeText(builder, message.frameId, isLittle);
  writeU32(builder, message.sequenceId, isLittle);
  writeU32(builder, message.data.length, isLittle);
  builder.u8(message.uncompressedSize === null ? 0 : 1);
  if (message.uncompressedSize !== null) writeU32(builder, message.uncompressedSize, isLittle);
  builder.raw(message.data);
}

/**
 * Everything of a message chunk before its data: what `writeChunkHeader` and `writeMessage` write, without an object
 * and a bigint for each message. `name` is the channel's name, and `frame` the frame id, as `encodeText` gives them;
 * `uncompressedSize` -1: not compressed.
 */
export function startMessage(
  builder: ByteBuilder,
  time: number,
  name: Uint8Array,
  frame: Uint8Array,
  sequenceId: number,
  stored: number,
  uncompressedSize: number,
  dialect: Dialect,
): void {
  const { isLittle } = dialect;
  const isCompressed = uncompressedSize >= 0;
  const size = MESSAGE_BYTES + name.length + frame.length + (isCompressed ? 4 : 0) + stored;
  startChunk(builder, MESSAGE, size, dialect);
  if (isLittle) builder.i64le(time);
  else builder.i64be(time);
  writeU32(builder, name.length, isLittle);
  builder.raw(name);
  writeU32(builder, frame.length, isLittle);
  if (frame.length > 0) builder.raw(frame);
  writeU32(builder, sequenceId, isLittle);
  writeU32(builder, stored, isLittle);
  builder.u8(isCompressed ? 1 : 0);
  if (isCompressed) writeU32(builder, uncompressedSize, isLittle);
}

/** `startMessage` for the messages of one channel that are not compressed: made once, only its numbers change. */
export class MessageHead {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isLittle: boolean;
  /** Of a message without data. */
  readonly #size: number;

  constructor(name: Uint8Array, frame: Uint8Array, dialect: Dialect) {
    const builder = new ByteBuilder();
    startMessage(builder, 0, name, frame, 0, 0, -1, dialect);
    this.#bytes = builder.take();
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    this.#isLittle = dialect.isLittle;
    this.#size = this.#view.getUint32(1, dialect.isLittle);
  }

  write(builder: ByteBuilder, time: number, sequenceId: number, stored: number): void {
    const view = this.#view;
    const isLittle = this.#isLittle;
    const high = Math.floor(time / 0x1_0000_0000);
    const end = this.#bytes.length;
    view.setUint32(1, this.#size + stored, isLittle);
    view.setUint32(isLittle ? 5 : 9, time - high * 0x1_0000_0000, isLittle);
    view.setInt32(isLittle ? 9 : 5, high, isLittle);
    view.setUint32(end - 9, sequenceId, isLittle);
    view.setUint32(end - 5, stored, isLittle);
    builder.raw(this.#bytes);
  }
}

const TWO32 = 2 ** 32;
/** Entries that are put together before they are copied. */
const ENTRIES = 1024;

/** One entry after the other of index tables, put together in the same memory. */
export class IndexEntryWriter {
  readonly #bytes = new Uint8Array(ENTRIES * INDEX_ENTRY_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #isLittle: boolean;
  #length = 0;
  /** Of the time that came last. */
  #upper = 0;

  constructor(dialect: Dialect) {
    this.#isLittle = dialect.isLittle;
  }

  /** There is no room for another one before `flush`. */
  get isFull(): boolean {
    return this.#length === this.#bytes.length;
  }

  /** `exact`: the time where a number does not hold it. */
  add(block: number, inside: number, time: number, exact: bigint | null): void {
    const at = this.#length;
    this.#i64(at, block);
    this.#i64(at + 8, inside);
    if (exact === null) this.#time(at + 16, time);
    else this.#view.setBigInt64(at + 16, exact, this.#isLittle);
    this.#length = at + INDEX_ENTRY_BYTES;
  }

  /** Hands over what was added since. */
  flush(builder: ByteBuilder): void {
    builder.raw(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }

  #i64(at: number, value: number): void {
    // most offsets have 32 bits
    const low = value >>> 0;
    this.#words(at, low, low === value ? 0 : Math.floor(value / TWO32));
  }

  /** Times that follow one another mostly have the same upper half. */
  #time(at: number, time: number): void {
    let low = time - this.#upper * TWO32;
    if (!(low >= 0 && low < TWO32)) {
      this.#upper = Math.floor(time / TWO32);
      low = time - this.#upper * TWO32;
    }
    this.#words(at, low >>> 0, this.#upper);
  }

  #words(at: number, low: number, high: number): void {
    const isLittle = this.#isLittle;
    this.#view.setUint32(isLittle ? at : at + 4, low, isLittle);
    this.#view.setInt32(isLittle ? at + 4 : at, high, isLittle);
  }
}

/** Where a message is, spec §2.6; what the two offsets count from and aim at differs, spec §9, A11 and A12. */
export interface IndexEntry {
  readonly block: bigint;
  readonly inside: bigint;
  readonly time: bigint;
}

export function readIndexEntry(cursor: ByteCursor, dialect: Dialect): IndexEntry {
  const { isLittle } = dialect;
  return { block: readU64(cursor, isLittle), inside: readU64(cursor, isLittle), time: readI64(cursor, isLittle) };
}

export function writeIndexEntry(builder: ByteBuilder, entry: IndexEntry, dialect: Dialect): void {
  const { isLittle } = dialect;
  writeI64(builder, entry.block, isLittle);
  writeI64(builder, entry.inside, isLittle);
  writeI64(builder, entry.time, isLittle);
}

/** Reads a whole index table; its count is checked against what is left. */
export function readIndex(cursor: ByteCursor, dialect: Dialect): IndexEntry[] {
  const count = readU32(cursor, dialect.isLittle);
  if (count * INDEX_ENTRY_BYTES > cursor.remaining)
    throw new LayoutError("truncated", `${count} index entries, ${cursor.remaining} bytes are left`, cursor.offset);
  return Array.from({ length: count }, () => readIndexEntry(cursor, dialect));
}

export function writeIndex(builder: ByteBuilder, entries: readonly IndexEntry[], dialect: Dialect): void {
  writeU32(builder, entries.length, dialect.isLittle);
  for (const entry of entries) writeIndexEntry(builder, entry, dialect);
}

/** Payload bytes that `writeChannelInfo` will write. */
export function channelInfoBytes(info: TapeChannelInfo): number {
  return CHANNEL_INFO_BYTES + encodeText(info.name).length + encodeText(info.type).length + info.meta.length;
}

/** Payload bytes that `writeMessage` will write. */
export function messageBytes(message: TapeMessage): number {
  const names = encodeText(message.channel).length + encodeText(message.frameId).length;
  return MESSAGE_BYTES + names + (message.uncompressedSize === null ? 0 : 4) + message.data.length;
}

function readU32(cursor: ByteCursor, isLittle: boolean): number {
  return isLittle ? cursor.u32le() : cursor.u32be();
}

function readU64(cursor: ByteCursor, isLittle: boolean): bigint {
  return isLittle ? cursor.bigU64le() : cursor.bigU64be();
}

function readI64(cursor: ByteCursor, isLittle: boolean): bigint {
  return isLittle ? cursor.bigI64le() : cursor.bigI64be();
}

function writeU32(builder: ByteBuilder, value: number, isLittle: boolean): void {
  if (isLittle) builder.u32le(value);
  else builder.u32be(value);
}

function writeI64(builder: ByteBuilder, value: bigint, isLittle: boolean): void {
  if (isLittle) builder.bigI64le(value);
  else builder.bigI64be(value);
}
