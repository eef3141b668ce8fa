/** The library of simtape-core, without formats: `open` reads only the formats that it is given. */
import type { HttpOptions } from "./io/http/http.ts";
import { bundleAt, type Location } from "./location.ts";
import { openBundle } from "./model/open.ts";
import type { ChannelsOf, Format, OpenOptions } from "./model/format.ts";
import type { Recording } from "./model/recording.ts";

/** How to open: with which formats, and with which options for HTTP. */
export interface OpenWithOptions<F extends Format = Format> extends OpenOptions {
  readonly formats: readonly F[];
  readonly http?: HttpOptions | undefined;
}

/**
 * Opens a recording of one of the formats given, by its content. Files without an index are scanned once. Channels have
 * the types of the format; of several formats, those that all of them have.
 * Rejects with `TypeError` for a wrong location, and with `RecordingError` when no format recognises the file or it
 * cannot be read. Damage that leaves it readable is in `findings`.
 */
export async function open<F extends Format>(
  location: Location,
  options: OpenWithOptions<F>,
): Promise<Recording<ChannelsOf<F>, F["id"]>> {
  return openBundle(bundleAt(location, options.http), options.formats, options);
}

export { LayoutError } from "./bytes/error.ts";
export { provideZstd } from "./codec/zstd-provided.ts";
export { fieldText, numberText } from "./bytes/field-text.ts";
export { type Field, type FieldRole, MORE_FIELDS, NOT_UNDERSTOOD } from "./bytes/fields.ts";
export { type FormatModule, formatFrom } from "./format-module.ts";
export { blob } from "./io/source/blob.ts";
export { httpBundle } from "./io/http/http-bundle.ts";
export { bundleOf, filesBundle, withFiles } from "./io/source/bundle.ts";
export { cached, type CachedOptions } from "./io/source/cached.ts";
export { coalesced, type CoalescedOptions } from "./io/source/coalesced.ts";
export { counted, type CountedSource } from "./io/source/counted.ts";
export { http, type HttpOptions } from "./io/http/http.ts";
export { httpStore, type HttpStoreOptions } from "./io/http/http-store.ts";
export { memory } from "./io/source/memory.ts";
export { memoryStore, type QuotaOptions } from "./io/store/memory-store.ts";
export { s3Store } from "./io/s3/s3.ts";
export type { S3Clock, S3Credentials, S3Options } from "./io/s3/s3-client.ts";
export { type ByteSink, MemoryFiles, type SinkBundle } from "./io/sink/sink.ts";
export { type ByteSource, type SourceBundle, SourceError } from "./io/source/source.ts";
export {
  type Condition,
  type PutOptions,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreErrorCode,
} from "./io/store/store.ts";
export { type StoreBundle, type StoreBundleOptions, storeBundle } from "./io/store/store-bundle.ts";
export { bundleAt, type Location } from "./location.ts";
export { type AxesTransform, transformOf } from "./model/axes/axes-transform.ts";
export type { Angles, Axes, Compass, Direction, OwnAxes } from "./model/axes/axes.ts";
export { KEYFRAME, type MessageBatch } from "./model/messages/batch.ts";
export type { Contents, Dissection, DissectOptions, Dissector } from "./model/dissector.ts";
export { FINDING_CODES, type FindingMeaning, type KnownFindingCode } from "./model/finding-codes.ts";
export {
  type Finding,
  type FindingCode,
  RecordingError,
  type RecordingErrorCode,
  type Reporter,
} from "./model/error.ts";
export type { Extent } from "./model/query/extents.ts";
export { firstChart, type FirstChartOptions, firstChartOf } from "./model/query/first-chart.ts";
export { CHART_POINTS } from "./model/query/kept-chart.ts";
export {
  numericPaths,
  type PathInfo,
  parsePath,
  pathsIn,
  type SeriesKind,
  type Telling,
} from "./model/query/listing.ts";
export {
  type CellPath,
  PathError,
  pathText,
  type SeriesItem,
  type SeriesPath,
  type ValuePath,
} from "./model/state/path.ts";
export type { PathsOptions } from "./model/query/paths.ts";
export { numberAt, readPath } from "./model/query/probe.ts";
export type { SeriesBatchOptions, SeriesMode, SeriesOptions } from "./model/query/series.ts";
export type { Series } from "./model/query/sinks.ts";
export type { StatesOptions } from "./model/query/states.ts";
export type { ThingIds } from "./model/query/thing-ids.ts";
export type { ThingsOptions } from "./model/query/things.ts";
export { thinSeries } from "./model/query/thin.ts";
export type { OnProgress } from "./model/query/walk.ts";
export type { Reader } from "./model/reader.ts";
export type { ChannelsOf, Format, FormatOption, OpenOptions, SniffHint } from "./model/format.ts";
export type { StateModel } from "./model/state/state-model.ts";
export type { Keyframe } from "./model/messages/keyframe.ts";
export type { Query } from "./model/messages/batch-query.ts";
export type { NativeRecord } from "./model/native-record.ts";
export type { RecordingInfo } from "./model/recording-info.ts";
export type { EventQuery, EventReader, Participant, RecordingEvent } from "./model/query/event.ts";
export type { Table, TableOptions } from "./model/query/table.ts";
export type {
  ItemKind,
  TableBatch,
  TableCells,
  TableColumn,
  TableData,
  TableKind,
  TableList,
} from "./model/query/table-cells.ts";
export { folderMains, partnersOf } from "./model/file-names.ts";
export type { FileNames } from "./model/format-files.ts";
export { Message } from "./model/messages/message.ts";
export { Recording, type StateOptions } from "./model/recording.ts";
export type { Column, ColumnData, Interpolation } from "./model/state/column.ts";
export { fromEarth, type Origin, originAt, TangentPlane, toEarth, unsetOrigin } from "./model/axes/geodesy.ts";
export { type Place, placesOf } from "./model/poses/place.ts";
export { PoseColumns, posesOf } from "./model/poses/pose-columns.ts";
export type { Numbers } from "./model/axes/rotation.ts";
export { SIDE_CAR_ENDING } from "./model/side-car/ending.ts";
export type { SideCar } from "./model/side-car/side-car.ts";
export { areSameAxes, standardAxes } from "./model/axes/standard-axes.ts";
export { type EntitySet, MutableState, type State } from "./model/state/state.ts";
export { metresPer, metresPerSecond, radiansPer } from "./model/values/units.ts";
export type { Original } from "./model/original.ts";
export { type Hands, HERO, type Showing } from "./model/showing.ts";
export type { Traits } from "./model/traits.ts";
export type { TextRoom } from "./model/values/text-room.ts";
export {
  milliseconds,
  seconds,
  type Tick,
  type Time,
  type TimeDomain,
  type Timeline,
  type TimeRange,
} from "./model/values/time.ts";
export type { Channel, ChannelInfo, ChannelStatistics, Schema, Value } from "./model/values/value.ts";
export type {
  Account,
  ChannelSpec,
  CreateOptions,
  Lost,
  MadeMessage,
  RepairNote,
  Sift,
  StateEncoder,
  Witness,
  Writer,
  WritingFormat,
} from "./model/writer.ts";
export { type CheckOptions, type CheckReport, check } from "./ops/check.ts";
export {
  type Carried,
  type ConversionCheck,
  type ConversionReport,
  type ConvertOptions,
  convert,
} from "./ops/convert.ts";
export { type CopyReport, copy, type RewriteReport, rewrite } from "./ops/copy.ts";
export { type Corruption, corrupt, plan as planCorruption } from "./ops/corrupt.ts";
export type { Annotation } from "./model/annotation.ts";
export { applyEdits, type EditContext, type Edited } from "./ops/edit/apply.ts";
export { EditError, type EditList, type Operation, parseEditList } from "./ops/edit/list.ts";
export { writeEdited } from "./ops/edit/write.ts";
export { type ChannelAccount, type RepairReport, repair } from "./ops/repair.ts";
export { makeSideCar, type SideCarOptions, type SideCarReport } from "./ops/side-car.ts";
export { MAX_RATE } from "./play/checks.ts";
export { type Clock, systemClock } from "./play/clock.ts";
export type { Frame, FrameListener } from "./play/frame.ts";
export type { MovingState } from "./play/ground-speeds.ts";
export { type EventSearch, findEvent } from "./play/moments.ts";
export type { Bounds } from "./play/passage.ts";
export type { StatePatch } from "./play/patch.ts";
export { type GhostOptions, type Player, type PlayerStatus, play, type PlayOptions } from "./play/player.ts";
export type { PlayerCommand, PlayerMessage, Port } from "./play/protocol.ts";
export { connectPlayer, type RemotePlayer } from "./play/remote.ts";
export { servePlayer } from "./play/serve.ts";
export type { Phase } from "./play/stages.ts";
export type { Cause, StepUnit } from "./play/transport.ts";
