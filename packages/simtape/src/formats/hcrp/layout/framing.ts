import type { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readVarint, writeVarint } from "../../../bytes/varint.ts";

/** Id of the format in errors. */
export const FORMAT_ID = "hcrp";
/** "HCRP" (spec §3). */
export const MAGIC = 0x48435250;
/** Bytes of a header of any dialect (spec §3). */
export const HEADER_BYTES = 256;
/** Bytes read at opening; what of the preamble lies behind them costs one more read (spec §11). */
export const FIRST_READ = 262_144;
/** One tick, 1/20 s, in nanoseconds (spec, words). */
export const TICK = 50_000_000;

/** Low-byte flags are refused when unknown, high-byte flags ignored (spec §3.1). */
export const FLAG_EXTENDED = 1;
export const FLAG_SEGMENTED = 2;
export const FLAG_FINISHED = 4;
export const FLAG_COLUMNS = 8;
export const FLAG_CLIP = 256;
/** Flags of the low byte that are known here; COLUMNS is for compacted files only (spec §3.1, §7.5). */
export const KNOWN_LOW_FLAGS: number = FLAG_EXTENDED | FLAG_SEGMENTED | FLAG_FINISHED | FLAG_COLUMNS;
/** All flags that are known here. What others say of a recording is not known to hold of another that is made of it. */
export const KNOWN_FLAGS: number = KNOWN_LOW_FLAGS | FLAG_CLIP;

/** Bit 0 of an index entry's flags: the chunk begins with a snapshot (spec §5). */
export const ENTRY_SNAPSHOT = 1;

/** Ids that a zstd dictionary may have (spec §7.3). */
export const DICTIONARY_IDS = { first: 32_768, last: 65_535 } as const;

/** Refused before anything is allocated (spec §7.4, §12). */
export const LIMITS = {
  metadata: 16_777_216,
  index: 16_777_216,
  chunks: 1_048_576,
  compressed: 16_777_216,
  uncompressed: 16_777_216,
  ratio: 1000,
  /** Below this the ratio is free. */
  freeUncompressed: 65_536,
  /** Messages of one chunk: ours, so that their columns stay bounded. */
  events: 4_194_304,
} as const;

/** A VarInt: at most 5 bytes, at most 2^31 - 1 (spec §1). */
export function readVarInt(cursor: ByteCursor): number {
  const at = cursor.offset;
  const value = readVarint(cursor, 5);
  if (value > 0x7fff_ffff) throw new LayoutError("malformed", `VarInt ${value} is above 2^31 - 1`, at);
  return value;
}

/** The shortest form (spec §1). Throws `RangeError` above 2^31 - 1. */
export function writeVarInt(builder: ByteBuilder, value: number): void {
  if (value > 0x7fff_ffff) throw new RangeError(`VarInt of ${value}`);
  writeVarint(builder, value);
}

/** Bytes of a uuid. */
export const UUID = 16;

/** In text order (spec §1), as `0f5ba7a2-6a0e-4d3b-9c55-0123456789ab`. */
export function readUuid(cursor: ByteCursor): string {
  return uuidText(cursor.view(UUID));
}

/** Throws `RangeError` when `uuid` is not 32 hexadecimal digits, dashes aside. */
export function writeUuid(builder: ByteBuilder, uuid: string): void {
  builder.raw(uuidBytes(uuid));
}

/** Text of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const digits = hexText(bytes);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** Bytes of a UUID's text. Throws `RangeError` when it is none. */
export function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16);
  let digits = 0;
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === DASH) continue;
    const digit = digitOf(code);
    if (digit < 0 || digits === 32) throw new RangeError(`not a UUID: ${uuid}`);
    bytes[digits >> 1] = (bytes[digits >> 1]! << 4) | digit;
    digits++;
  }
  if (digits < 32) throw new RangeError(`not a UUID: ${uuid}`);
  return bytes;
}

const DASH = 0x2d;

/** Of a hexadecimal digit; -1 for any other character. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as lower-case hexadecimal digits. */
export function hexText(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i]!]!;
  return text;
}

/** VarInt byte length, then UTF-8 (spec §1). */
export function readString(cursor: ByteCursor): string {
  return cursor.utf8(readVarInt(cursor));
}

export function writeString(builder: ByteBuilder, text: string): void {
  const bytes = new TextEncoder().encode(text);
  writeVarInt(builder, bytes.length);
  builder.raw(bytes);
}

/** VarInt byte length, then bytes: how everything of unknown content is framed. The result is a view. */
export function readSized(cursor: ByteCursor): Uint8Array {
  return cursor.view(readVarInt(cursor));
}

export function writeSized(builder: ByteBuilder, bytes: Uint8Array): void {
  writeVarInt(builder, bytes.length);
  builder.raw(bytes);
}

/** The extension block, bytes 65 to 251 of a header with flag EXT (spec §3.2). */
export interface Extension {
  /** 1; of higher versions the fields below still hold. */
  readonly version: number;
  /** 20, for information only. */
  readonly ticksPerSecond: number;
  /** 0. */
  readonly reserved: number;
  /** Minecraft's data version at the start, 0 unknown. */
  readonly dataVersion: number;
  /** Must equal the header's `dictionaryId`. */
  readonly dictionaryId: number;
  /** Bytes of the compacted file; 0 in a metadata file. */
  readonly totalLength: bigint;
  readonly metadataCrc: number;
  readonly indexCrc: number;
  /** Binds segments, metadata and clips together. */
  readonly recordingId: string;
  /** One more with every rewrite of the metadata file. */
  readonly generation: number;
  /** Number of the segment to be written next; 0 when compacted. */
  readonly nextSegment: number;
  /** Unix milliseconds, 0 while not finished. */
  readonly finishedAt: bigint;
  /** Bytes 125 to 251, zero in version 1. */
  readonly rest: Uint8Array;
}

/** The header of version 1 (spec §3). */
export interface Header {
  readonly flags: number;
  readonly worldId: string;
  /** 16 bytes, only ever compared. */
  readonly worldVersion: Uint8Array;
  /** Unix milliseconds. */
  readonly startedAt: bigint;
  /** zstd's own dictionary id, 0 for none. */
  readonly dictionaryId: number;
  readonly metadataLength: number;
  readonly indexLength: number;
  readonly tickCount: number;
  readonly chunkCount: number;
  /** Null in the plain profile (flag EXT clear). */
  readonly extension: Extension | null;
  /** Bytes 65 to 251 of the plain profile; empty when there is an extension. */
  readonly padding: Uint8Array;
  /** CRC-32 of bytes 0 to 251 as stored; 0 in the plain profile. */
  readonly crc: number;
}

/** Reads 256 bytes whose magic and version were looked at before; contents are not judged. */
export function readHeader(cursor: ByteCursor): Header {
  const fields = new ByteCursor(cursor.view(HEADER_BYTES), 5, HEADER_BYTES, cursor.offset - HEADER_BYTES);
  const flags = fields.u16be();
  const isExtended = (flags & FLAG_EXTENDED) !== 0;
  return {
    flags,
    worldId: readUuid(fields),
    worldVersion: fields.view(16),
    startedAt: fields.bigI64be(),
    dictionaryId: fields.u16be(),
    metadataLength: fields.u32be(),
    indexLength: fields.u32be(),
    tickCount: fields.u32be(),
    chunkCount: fields.u32be(),
    extension: isExtended ? readExtension(fields) : null,
    padding: fields.view(252 - fields.position),
    crc: fields.u32be(),
  };
}

/** Writes the crc as it stands in `header`; `sealHeader` computes it. */
export function writeHeader(builder: ByteBuilder, header: Header): void {
  builder.u32be(MAGIC).u8(1).u16be(header.flags);
  writeUuid(builder, header.worldId);
  builder.raw(header.worldVersion).bigI64be(header.startedAt).u16be(header.dictionaryId);
  builder.u32be(header.metadataLength).u32be(header.indexLength).u32be(header.tickCount).u32be(header.chunkCount);
  if (header.extension !== null) writeExtension(builder, header.extension);
  builder.raw(header.padding).u32be(header.crc);
}

/** `header` with the crc of its own bytes, or 0 in the plain profile (spec §3). */
export function sealHeader(header: Header, builder: ByteBuilder): Header {
  if (header.extension === null) return { ...header, crc: 0 };
  writeHeader(builder, header);
  return { ...header, crc: headerCrc(builder.take()) };
}

/** What the crc of a header's 256 bytes must be (spec §3). */
export function headerCrc(bytes: Uint8Array): number {
  return crc32(bytes.subarray(0, 252));
}

function readExtension(cursor: ByteCursor): Extension {
  return {
    version: cursor.u8(),
    ticksPerSecond: cursor.u8(),
    reserved: cursor.u16be(),
    dataVersion: cursor.i32be(),
    dictionaryId: cursor.u32be(),
    totalLength: cursor.bigU64be(),
    metadataCrc: cursor.u32be(),
    indexCrc: cursor.u32be(),
    recordingId: readUuid(cursor),
    generation: cursor.u32be(),
    nextSegment: cursor.u32be(),
    finishedAt: cursor.bigI64be(),
    rest: cursor.view(127),
  };
}

function writeExtension(builder: ByteBuilder, extension: Extension): void {
  builder.u8(extension.version).u8(extension.ticksPerSecond).u16be(extension.reserved);
  builder.i32be(extension.dataVersion).u32be(extension.dictionaryId).bigI64be(BigInt.asIntN(64, extension.totalLength));
  builder.u32be(extension.metadataCrc).u32be(extension.indexCrc);
  writeUuid(builder, extension.recordingId);
  builder.u32be(extension.generation).u32be(extension.nextSegment).bigI64be(extension.finishedAt).raw(extension.rest);
}

/** One chunk's line in the index (spec §5; the last two fields only in production format 5, spec §14). */
export interface IndexEntry {
  readonly startTick: number;
  readonly tickCount: number;
  readonly flags: number;
  /** The byte offset, as two halves: in a segmented recording segment number and offset inside the segment. */
  readonly offsetHigh: number;
  readonly offsetLow: number;
  readonly compressedLength: number;
  readonly uncompressedLength: number;
  /** Null where the index does not have it. */
  readonly formatVersion: number | null;
  readonly dataVersion: number | null;
}

/** `isVersioned`: the entry ends with format version and data version (spec §14). */
export function readIndexEntry(cursor: ByteCursor, isVersioned: boolean): IndexEntry {
  return {
    startTick: readVarInt(cursor),
    tickCount: readVarInt(cursor),
    flags: cursor.u8(),
    offsetHigh: cursor.u32be(),
    offsetLow: cursor.u32be(),
    compressedLength: readVarInt(cursor),
    uncompressedLength: readVarInt(cursor),
    formatVersion: isVersioned ? readVarInt(cursor) : null,
    dataVersion: isVersioned ? readVarInt(cursor) : null,
  };
}

export function writeIndexEntry(builder: ByteBuilder, entry: IndexEntry): void {
  writeVarInt(builder, entry.startTick);
  writeVarInt(builder, entry.tickCount);
  builder.u8(entry.flags).u32be(entry.offsetHigh).u32be(entry.offsetLow);
  writeVarInt(builder, entry.compressedLength);
  writeVarInt(builder, entry.uncompressedLength);
  if (entry.formatVersion !== null) writeVarInt(builder, entry.formatVersion);
  if (entry.dataVersion !== null) writeVarInt(builder, entry.dataVersion);
}

/** Bytes of a chunk record with its frame header (spec §8.2). */
export const CHUNK_RECORD_BYTES = 72;
/** Magic of the skippable zstd frame that holds it, little-endian on disk (spec §8.2). */
export const CHUNK_RECORD_MAGIC = 0x184d2a5b;
/** "HCRC" (spec §8.2). */
const CHUNK_RECORD_NAME = 0x48435243;

/** What stands before each chunk's frame in a segment, so that the index can be made again without it (spec §8.2). */
export interface ChunkRecord {
  readonly version: number;
  /** Flags of the index entry. */
  readonly flags: number;
  readonly reserved: number;
  readonly recordingId: string;
  readonly startTick: number;
  readonly tickCount: number;
  readonly compressedLength: number;
  readonly uncompressedLength: number;
  readonly dataVersion: number;
  readonly schemaVersion: number;
  readonly epoch: number;
  /** CRC-32 of the zstd frame that follows. */
  readonly frameCrc: number;
  /** Generation of the metadata file it was committed with. */
  readonly generation: number;
  /** CRC-32 of the 60 bytes before it, as stored. */
  readonly crc: number;
}

/** Throws `LayoutError` when the bytes are no chunk record. */
export function readChunkRecord(cursor: ByteCursor): ChunkRecord {
  const at = cursor.offset;
  const magic = cursor.u32le();
  const length = cursor.u32le();
  const name = cursor.u32be();
  if (magic !== CHUNK_RECORD_MAGIC || length !== CHUNK_RECORD_BYTES - 8 || name !== CHUNK_RECORD_NAME) {
    throw new LayoutError("malformed", "not a chunk record", at);
  }
  return {
    version: cursor.u8(),
    flags: cursor.u8(),
    reserved: cursor.u16be(),
    recordingId: readUuid(cursor),
    startTick: cursor.u32be(),
    tickCount: cursor.u32be(),
    compressedLength: cursor.u32be(),
    uncompressedLength: cursor.u32be(),
    dataVersion: cursor.i32be(),
    schemaVersion: cursor.u32be(),
    epoch: cursor.u32be(),
    frameCrc: cursor.u32be(),
    generation: cursor.u32be(),
    crc: cursor.u32be(),
  };
}

/** Writes the crc as it stands in `record`; `chunkRecordCrc` tells what it must be. */
export function writeChunkRecord(builder: ByteBuilder, record: ChunkRecord): void {
  builder
    .u32le(CHUNK_RECORD_MAGIC)
    .u32le(CHUNK_RECORD_BYTES - 8)
    .u32be(CHUNK_RECORD_NAME);
  builder.u8(record.version).u8(record.flags).u16be(record.reserved);
  writeUuid(builder, record.recordingId);
  builder.u32be(record.startTick).u32be(record.tickCount);
  builder.u32be(record.compressedLength).u32be(record.uncompressedLength);
  builder.i32be(record.dataVersion).u32be(record.schemaVersion).u32be(record.epoch);
  builder.u32be(record.frameCrc).u32be(record.generation).u32be(record.crc);
}

/** What the crc in the 72 bytes of a chunk record must be (spec §8.2). */
export function chunkRecordCrc(bytes: Uint8Array): number {
  return crc32(bytes.subarray(8, 68));
}

/** File name of a segment beside `meta.hcrp` (spec §2). */
export function segmentName(segment: number): string {
  return `seg-${String(segment).padStart(8, "0")}.hcs`;
}
