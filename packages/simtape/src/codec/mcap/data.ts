import { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteCursor } from "../../bytes/cursor.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { LayoutError } from "../../bytes/error.ts";
import { OP, PREFIX } from "./opcode.ts";
import { putPrefix, readText, readTexts, readTime, writeText, writeTexts, writeTime } from "./parts.ts";

/** The first record (MCAP spec §4.1). */
export interface Header {
  /** What the whole file keeps to, as `ros2`; empty: nothing in particular. */
  readonly profile: string;
  /** The program that wrote it. */
  readonly library: string;
}

/** What the payloads of channels mean (MCAP spec §4.3). */
export interface SchemaRecord {
  /** 1 to 65535. */
  readonly id: number;
  readonly name: string;
  /** The language of `data`, as `jsonschema`, `protobuf`, `ros2msg`; empty: there is no schema. */
  readonly encoding: string;
  readonly data: Uint8Array;
}

/** A stream of messages (MCAP spec §4.4). */
export interface ChannelRecord {
  /** 0 to 65535. */
  readonly id: number;
  /** 0: there is no schema. */
  readonly schema: number;
  readonly topic: string;
  /** How payloads are encoded, as `json`, `protobuf`, `cdr`. */
  readonly encoding: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** A message without its payload (MCAP spec §4.5). */
export interface MessageHead {
  readonly channel: number;
  readonly sequence: number;
  /** Unix nanoseconds. */
  readonly logTime: bigint;
  readonly publishTime: bigint;
}

/** Bytes of the content of a message before its payload. */
export const MESSAGE_HEAD: number = 2 + 4 + 8 + 8;

/** A chunk without its records (MCAP spec §4.6). */
export interface ChunkHead {
  readonly start: bigint;
  readonly end: bigint;
  /** Bytes of the records when they are not compressed. */
  readonly size: number;
  /** CRC-32 of the uncompressed records; 0: not known. */
  readonly crc: number;
  /** Empty, `zstd` or `lz4`. */
  readonly compression: string;
  /** Bytes of the records as they are stored. */
  readonly stored: number;
}

/** Where the messages of a channel lie in the uncompressed records of the chunk before it (MCAP spec §4.7). */
export interface MessageIndex {
  readonly channel: number;
  readonly times: readonly bigint[];
  readonly offsets: readonly number[];
}

/** A file inside the file, without its data (MCAP spec §4.9). */
export interface AttachmentHead {
  readonly logTime: bigint;
  readonly createTime: bigint;
  readonly name: string;
  readonly mediaType: string;
}

export interface Attachment extends AttachmentHead {
  readonly data: Uint8Array;
}

/** Named texts (MCAP spec §4.12). */
export interface MetadataRecord {
  readonly name: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Bytes of the content of a message index before its entries, and of an entry: time, then offset in the records. */
export const INDEX_HEAD: number = 2 + 4;
export const INDEX_ENTRY: number = 8 + 8;

/** Each function reads content without its prefix and throws `LayoutError`; fields behind the known ones are ignored. */
export function readHeader(cursor: ByteCursor): Header {
  return { profile: readText(cursor), library: readText(cursor) };
}

export function writeHeader(builder: ByteBuilder, { profile, library }: Header): void {
  writeText(builder, profile);
  writeText(builder, library);
}

export function readSchema(cursor: ByteCursor): SchemaRecord {
  const id = cursor.u16le();
  const name = readText(cursor);
  const encoding = readText(cursor);
  return { id, name, encoding, data: cursor.view(cursor.u32le()) };
}

export function writeSchema(builder: ByteBuilder, { id, name, encoding, data }: SchemaRecord): void {
  builder.u16le(id);
  writeText(builder, name);
  writeText(builder, encoding);
  builder.u32le(data.length).raw(data);
}

export function readChannel(cursor: ByteCursor): ChannelRecord {
  const id = cursor.u16le();
  const schema = cursor.u16le();
  const topic = readText(cursor);
  const encoding = readText(cursor);
  return { id, schema, topic, encoding, metadata: readTexts(cursor) };
}

export function writeChannel(builder: ByteBuilder, { id, schema, topic, encoding, metadata }: ChannelRecord): void {
  builder.u16le(id).u16le(schema);
  writeText(builder, topic);
  writeText(builder, encoding);
  writeTexts(builder, metadata);
}

/** The cursor then is at the payload, which reaches to the end of the record. */
export function readMessageHead(cursor: ByteCursor): MessageHead {
  const channel = cursor.u16le();
  const sequence = cursor.u32le();
  const logTime = readTime(cursor);
  return { channel, sequence, logTime, publishTime: readTime(cursor) };
}

/** Prefix, channel and sequence of a message at `at`, where its two times follow; of `sequence` the low 32 bits. */
export function putMessage(view: DataView, at: number, channel: number, sequence: number, payload: number): void {
  putPrefix(view, at, OP.message, MESSAGE_HEAD + payload);
  view.setUint16(at + PREFIX, channel, true);
  view.setUint32(at + PREFIX + 2, sequence, true);
}

export function writeMessageHead(builder: ByteBuilder, head: MessageHead): void {
  builder.u16le(head.channel).u32le(head.sequence);
  writeTime(builder, head.logTime);
  writeTime(builder, head.publishTime);
}

/** The cursor then is at the stored records, of which a cut chunk has fewer than `stored` says. */
export function readChunkHead(cursor: ByteCursor): ChunkHead {
  const start = readTime(cursor);
  const end = readTime(cursor);
  const size = cursor.u64le();
  const crc = cursor.u32le();
  const compression = readText(cursor);
  return { start, end, size, crc, compression, stored: cursor.u64le() };
}

export function writeChunkHead(builder: ByteBuilder, head: ChunkHead): void {
  writeTime(builder, head.start);
  writeTime(builder, head.end);
  builder.i64le(head.size).u32le(head.crc);
  writeText(builder, head.compression);
  builder.i64le(head.stored);
}

export function readMessageIndex(cursor: ByteCursor): MessageIndex {
  const channel = cursor.u16le();
  const length = cursor.u32le();
  if (length > cursor.remaining || length % INDEX_ENTRY !== 0) {
    throw new LayoutError("malformed", `an index of ${length} bytes, ${cursor.remaining} are left`, cursor.offset);
  }
  cursor.claim(length * 4);
  const times: bigint[] = [];
  const offsets: number[] = [];
  for (let left = length; left > 0; left -= INDEX_ENTRY) {
    times.push(readTime(cursor));
    offsets.push(cursor.u64le());
  }
  return { channel, times, offsets };
}

/** Prefix and head of a message index at `at`, where its entries follow. */
export function putMessageIndex(view: DataView, at: number, channel: number, entries: number): void {
  putPrefix(view, at, OP.messageIndex, INDEX_HEAD + INDEX_ENTRY * entries);
  view.setUint16(at + PREFIX, channel, true);
  view.setUint32(at + PREFIX + 2, INDEX_ENTRY * entries, true);
}

export function writeMessageIndex(builder: ByteBuilder, { channel, times, offsets }: MessageIndex): void {
  builder.u16le(channel).u32le(times.length * INDEX_ENTRY);
  for (const [i, time] of times.entries()) {
    writeTime(builder, time);
    builder.i64le(offsets[i]!);
  }
}

/** Name, times and type; the cursor then is at the u64 length of the data. */
export function readAttachmentHead(cursor: ByteCursor): AttachmentHead {
  const logTime = readTime(cursor);
  const createTime = readTime(cursor);
  const name = readText(cursor);
  return { logTime, createTime, name, mediaType: readText(cursor) };
}

/** Throws where the checksum does not match; a checksum of 0 is not compared. */
export function readAttachment(cursor: ByteCursor): Attachment {
  const from = cursor.position;
  const head = readAttachmentHead(cursor);
  const data = cursor.view(cursor.u64le());
  const until = cursor.position;
  const crc = cursor.u32le();
  if (crc !== 0 && crc !== crc32(cursor.bytes.subarray(from, until))) {
    throw new LayoutError(
      "malformed",
      `the checksum of the attachment ${JSON.stringify(head.name)} does not match`,
      cursor.offset - 4,
    );
  }
  return { ...head, data };
}

/** What stands before the data, with their length; behind them is the CRC-32 of this and of the data. */
export function writeAttachmentHead(builder: ByteBuilder, head: AttachmentHead, size: number): void {
  writeTime(builder, head.logTime);
  writeTime(builder, head.createTime);
  writeText(builder, head.name);
  writeText(builder, head.mediaType);
  builder.i64le(size);
}

export function writeAttachment(builder: ByteBuilder, { data, ...head }: Attachment): void {
  const before = new ByteBuilder();
  writeAttachmentHead(before, head, data.length);
  const bytes = before.take();
  builder
    .raw(bytes)
    .raw(data)
    .u32le(crc32(data, crc32(bytes)));
}

export function readMetadata(cursor: ByteCursor): MetadataRecord {
  return { name: readText(cursor), texts: readTexts(cursor) };
}

export function writeMetadata(builder: ByteBuilder, { name, texts }: MetadataRecord): void {
  writeText(builder, name);
  writeTexts(builder, texts);
}

/** CRC-32 of all bytes before the record that ends the data; 0: not known (MCAP spec §4.15). */
export function readDataEnd(cursor: ByteCursor): number {
  return cursor.u32le();
}

export function writeDataEnd(builder: ByteBuilder, crc: number): void {
  builder.u32le(crc);
}
