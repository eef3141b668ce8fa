import type { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteCursor } from "../../bytes/cursor.ts";
import { MAGIC, PREFIX } from "./opcode.ts";
import { readNumbers, readText, readTime, writeNumbers, writeText, writeTime } from "./parts.ts";

/** The last record (MCAP spec §4.2). */
export interface Footer {
  /** File offset of the first record of the summary; 0: there is none. */
  readonly summary: number;
  /** File offset of the first summary offset; 0: there is none. */
  readonly summaryOffsets: number;
  /** CRC-32 from the beginning of the summary to before this field; 0: not known. */
  readonly crc: number;
}

/** Bytes of the content of a footer: it is never extended. */
export const FOOTER_CONTENT: number = 8 + 8 + 4;
/** The footer as a record, and the magic behind it. */
export const TAIL: number = PREFIX + FOOTER_CONTENT + MAGIC.length;

/** Where a chunk lies (MCAP spec §4.8). */
export interface ChunkIndex {
  readonly start: bigint;
  readonly end: bigint;
  /** File offset of the record, and its bytes with the prefix. */
  readonly offset: number;
  readonly length: number;
  /** File offset of each message index behind the chunk, by channel id. */
  readonly indexes: ReadonlyMap<number, number>;
  /** Bytes of all message indexes behind it. */
  readonly indexLength: number;
  readonly compression: string;
  /** Bytes of its records, as stored and uncompressed. */
  readonly stored: number;
  readonly size: number;
}

/** Where an attachment lies (MCAP spec §4.10). */
export interface AttachmentIndex {
  readonly offset: number;
  readonly length: number;
  readonly logTime: bigint;
  readonly createTime: bigint;
  /** Bytes of its data. */
  readonly size: number;
  readonly name: string;
  readonly mediaType: string;
}

/** Where a metadata record lies (MCAP spec §4.13). */
export interface MetadataIndex {
  readonly offset: number;
  readonly length: number;
  readonly name: string;
}

/** Counts of the whole file (MCAP spec §4.11). */
export interface Statistics {
  readonly messages: number;
  readonly schemas: number;
  readonly channels: number;
  readonly attachments: number;
  readonly metadata: number;
  readonly chunks: number;
  /** Of all messages; both 0 where there is none. */
  readonly start: bigint;
  readonly end: bigint;
  /** Messages by channel id; empty: not known. */
  readonly byChannel: ReadonlyMap<number, number>;
}

/** Where the records of one opcode lie in the summary (MCAP spec §4.14). */
export interface SummaryOffset {
  readonly opcode: number;
  readonly offset: number;
  readonly length: number;
}

export function readFooter(cursor: ByteCursor): Footer {
  return { summary: cursor.u64le(), summaryOffsets: cursor.u64le(), crc: cursor.u32le() };
}

export function writeFooter(builder: ByteBuilder, { summary, summaryOffsets, crc }: Footer): void {
  builder.i64le(summary).i64le(summaryOffsets).u32le(crc);
}

export function readChunkIndex(cursor: ByteCursor): ChunkIndex {
  const start = readTime(cursor);
  const end = readTime(cursor);
  const offset = cursor.u64le();
  const length = cursor.u64le();
  const indexes = readNumbers(cursor);
  const indexLength = cursor.u64le();
  const compression = readText(cursor);
  const stored = cursor.u64le();
  return { start, end, offset, length, indexes, indexLength, compression, stored, size: cursor.u64le() };
}

export function writeChunkIndex(builder: ByteBuilder, index: ChunkIndex): void {
  writeTime(builder, index.start);
  writeTime(builder, index.end);
  builder.i64le(index.offset).i64le(index.length);
  writeNumbers(builder, index.indexes);
  builder.i64le(index.indexLength);
  writeText(builder, index.compression);
  builder.i64le(index.stored).i64le(index.size);
}

export function readAttachmentIndex(cursor: ByteCursor): AttachmentIndex {
  const offset = cursor.u64le();
  const length = cursor.u64le();
  const logTime = readTime(cursor);
  const createTime = readTime(cursor);
  const size = cursor.u64le();
  const name = readText(cursor);
  return { offset, length, logTime, createTime, size, name, mediaType: readText(cursor) };
}

export function writeAttachmentIndex(builder: ByteBuilder, index: AttachmentIndex): void {
  builder.i64le(index.offset).i64le(index.length);
  writeTime(builder, index.logTime);
  writeTime(builder, index.createTime);
  builder.i64le(index.size);
  writeText(builder, index.name);
  writeText(builder, index.mediaType);
}

export function readMetadataIndex(cursor: ByteCursor): MetadataIndex {
  return { offset: cursor.u64le(), length: cursor.u64le(), name: readText(cursor) };
}

export function writeMetadataIndex(builder: ByteBuilder, { offset, length, name }: MetadataIndex): void {
  builder.i64le(offset).i64le(length);
  writeText(builder, name);
}

export function readStatistics(cursor: ByteCursor): Statistics {
  const messages = cursor.u64le();
  const schemas = cursor.u16le();
  const channels = cursor.u32le();
  const attachments = cursor.u32le();
  const metadata = cursor.u32le();
  const chunks = cursor.u32le();
  const start = readTime(cursor);
  const end = readTime(cursor);
  return { messages, schemas, channels, attachments, metadata, chunks, start, end, byChannel: readNumbers(cursor) };
}

export function writeStatistics(builder: ByteBuilder, of: Statistics): void {
  builder.i64le(of.messages).u16le(of.schemas).u32le(of.channels);
  builder.u32le(of.attachments).u32le(of.metadata).u32le(of.chunks);
  writeTime(builder, of.start);
  writeTime(builder, of.end);
  writeNumbers(builder, of.byChannel);
}

export function readSummaryOffset(cursor: ByteCursor): SummaryOffset {
  return { opcode: cursor.u8(), offset: cursor.u64le(), length: cursor.u64le() };
}

export function writeSummaryOffset(builder: ByteBuilder, { opcode, offset, length }: SummaryOffset): void {
  builder.u8(opcode).i64le(offset).i64le(length);
}
