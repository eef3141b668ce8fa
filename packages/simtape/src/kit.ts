/**
 * What formats are made with: simtape's own, and those of other packages. A format module takes all of it as the argument
 * of its default export (`FormatModule`), so that it runs wherever simtape does and needs no copy of its own.
 * What two or more of the formats in `formats/` use is here.
 */
import type * as kit from "./kit.ts";

// Bytes and their fields.
export { Budget } from "./bytes/budget.ts";
export { ByteBuilder } from "./bytes/builder.ts";
export { crc32 } from "./bytes/crc32.ts";
export { Sha256 } from "./bytes/sha256.ts";
export { ByteCursor } from "./bytes/cursor.ts";
export { hex, LayoutError } from "./bytes/error.ts";
export * as parts from "./bytes/field-parts.ts";
export type { NumberKind, Part } from "./bytes/field-parts.ts";
export { type Field, type FieldRole, Fields, fieldsIn, MORE_FIELDS, NOT_UNDERSTOOD } from "./bytes/fields.ts";
export { isGzip } from "./bytes/gzip.ts";
export { type Inflated, inflateStream } from "./bytes/inflate-stream.ts";
export { isSameBytes } from "./bytes/same-bytes.ts";
export { readVarint, readVarintBig, readZigzag, writeVarint, writeZigzag } from "./bytes/varint.ts";

// Codecs.
export { type Compression, decompress } from "./codec/any.ts";
export { type DeflateLevel, deflateRaw, deflateZlib, gzip } from "./codec/deflate.ts";
export {
  decodeMessagePack,
  encodeMessagePack,
  MessagePackExtension,
  MessagePackFloat,
  type MessagePackValue,
} from "./codec/messagepack.ts";
export {
  expectWire,
  readBool,
  readLength,
  readString,
  readTag,
  readUint32,
  skipField,
  WIRE,
} from "./codec/protobuf.ts";
export { messagePackField, type MessagePackHints } from "./codec/messagepack-fields.ts";
export {
  NBT,
  type NbtCompound,
  type NbtDocument,
  type NbtList,
  type NbtOptions,
  type NbtTag,
  type NbtText,
  nbtCompound,
  nbtEntry,
  nbtLength,
  nbtText,
  readNbt,
  writeNbt,
} from "./codec/nbt.ts";
export { loadZstd, type Zstd, type ZstdCompressOptions, type ZstdDecompressOptions } from "./codec/zstd.ts";

// Where bytes come from and go.
export { WriteBehind } from "./io/sink/behind.ts";
export { type GzipDamage, inflated, type InflatedOptions, type InflatedSource } from "./io/zip/inflated.ts";
export { memory } from "./io/source/memory.ts";
export { type ByteSink, MemoryFiles, type SinkBundle } from "./io/sink/sink.ts";
export { type ByteSource, type SourceBundle, SourceError } from "./io/source/source.ts";
export type { Spool, SpoolFactory } from "./io/source/spool.ts";
export { openZip, type Zip, zipContent, type ZipDamage, type ZipMember } from "./io/zip/zip.ts";

// Messages.
export { ColumnBuilder, Columns, KEYFRAME, type MessageBatch } from "./model/messages/batch.ts";
export { boundsOf, findKeyframe, readChunks, StatisticsCounter, summarize } from "./model/chunks.ts";
export type { Chunk, DecodeChunk } from "./model/messages/chunk.ts";
export {
  type Finding,
  type FindingCode,
  RecordingError,
  type RecordingErrorCode,
  type Reporter,
} from "./model/error.ts";
export { FlatFile, type FlatLayout, type ScanOptions, Walk } from "./model/flat.ts";
export type { Scans } from "./model/kept/scans.ts";
export { listOf, membersOf, numbersOf, wholeOf } from "./model/kept/shapes.ts";
export {
  after,
  milliseconds,
  seconds,
  type Tick,
  type Time,
  type TimeDomain,
  type Timeline,
  type TimeRange,
} from "./model/values/time.ts";
export {
  type Channel,
  type ChannelInfo,
  type ChannelStatistics,
  RAW,
  type Schema,
  untyped,
  type Value,
} from "./model/values/value.ts";

// State.
export type {
  Column,
  ColumnData,
  ColumnKind,
  ColumnSpec,
  Interpolation,
  MutableColumn,
} from "./model/state/column.ts";
export { firstNamed } from "./model/first-named.ts";
export { Fold } from "./model/fold.ts";
export { Late, type Make } from "./model/state/late.ts";
export { transformOf } from "./model/axes/axes-transform.ts";
export type { Angles, Axes, Direction, OwnAxes } from "./model/axes/axes.ts";
export { fromEarth, type Origin, originAt, TangentPlane, toEarth, unsetOrigin } from "./model/axes/geodesy.ts";
export { type Place, placesOf } from "./model/poses/place.ts";
export { isSameValue } from "./model/values/same-value.ts";
export { metresPer, radiansPer } from "./model/values/units.ts";
export {
  areSameSets,
  type EntitySet,
  type MutableEntitySet,
  MutableState,
  type State,
} from "./model/state/state.ts";

// What a format implements.
export type { Contents, Dissection, DissectOptions, Dissector } from "./model/dissector.ts";
export type { FileNames } from "./model/format-files.ts";
export type { NeededFile, Reader } from "./model/reader.ts";
export type { Format, FormatOption, OpenOptions, SniffHint } from "./model/format.ts";
export type { ColumnReader, RowRun, WantedNumber } from "./model/state/column-reader.ts";
export { BatchView, LastRead } from "./model/state/last-read.ts";
export type { StateModel } from "./model/state/state-model.ts";
export type { Keyframe } from "./model/messages/keyframe.ts";
export type { Query } from "./model/messages/batch-query.ts";
export type { NativeRecord } from "./model/native-record.ts";
export type { RecordingInfo } from "./model/recording-info.ts";
export { calledBy, eventOf } from "./model/query/events.ts";
export type { EventReader, Participant, RecordingEvent } from "./model/query/event.ts";
export type { CellPath, SeriesItem, SeriesPath, ValuePath } from "./model/state/path.ts";
export { textOf } from "./model/query/value-text.ts";
export type { Recording } from "./model/recording.ts";
export type { Original } from "./model/original.ts";
export { cellPath, type Hands, HERO, type Showing, valuePath } from "./model/showing.ts";
export type { Recorded, Traits, Word, Words } from "./model/traits.ts";
export { roomAt, type TextRoom } from "./model/values/text-room.ts";
export {
  type Account,
  type ChannelSpec,
  type CreateOptions,
  type Lost,
  type MadeMessage,
  type RepairNote,
  type Sift,
  type StateEncoder,
  thingKey,
  type Witness,
  type Writer,
  type WritingFormat,
} from "./model/writer.ts";

/** All values of `simtape/kit`, as one object. */
export type Kit = typeof kit;
