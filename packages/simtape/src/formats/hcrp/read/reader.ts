import { Budget } from "../../../bytes/budget.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { NBT, type NbtCompound, nbtEntry, nbtToValue } from "../../../codec/nbt.ts";
import { readZstdFrameHeader, type Zstd } from "../../../codec/zstd.ts";
import type { SourceBundle } from "../../../io/source/source.ts";
import { type Columns, KEYFRAME } from "../../../model/messages/batch.ts";
import { countUntil, readChunks, StatisticsCounter } from "../../../model/chunks.ts";
import type { Dissector } from "../../../model/dissector.ts";
import type { Finding, Reporter, FindingCode } from "../../../model/error.ts";
import type { NeededFile, Reader } from "../../../model/reader.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import { after, type Time, type Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics, Value } from "../../../model/values/value.ts";
import { Channels } from "../chunk/channels.ts";
import type { ChunkSource } from "../chunk/context.ts";
import { ChunkCache, ChunkFetch, type FileSet, type Missing } from "../chunk/fetch.ts";
import type { HcrpChunk } from "../chunk/plan.ts";
import { ChunkRecordCheck } from "../chunk/record-check.ts";
import { decodeChunk, type DecodedChunk, emptyChunk, type OpenedChunk } from "../chunk/decode.ts";
import { dictionaryFile, type DictionaryLookup } from "../chunk/dictionary.ts";
import { Displaced } from "./displaced.ts";
import { FORMAT_ID, FLAG_CLIP, FLAG_FINISHED, hexText, LIMITS, TICK } from "../layout/framing.ts";
import { epochOf } from "../layout/metadata.ts";
import { isResume, ORIGINAL_EVENT, PRIVATE_EVENT, RESUME_EVENT, SET_EVENT, VALUE_EVENT } from "../layout/own.ts";
import { OWN_KEY, RESERVED_KEY, withEntry } from "../layout/metadata-writing.ts";
import { VERSION_4_DATA } from "../layout/production.ts";
import { NameFix, type NameFixer } from "../chunk/names.ts";
import { type Opened, openFiles } from "./opening.ts";
import type { Preamble } from "./preamble.ts";
import { fileRecords } from "./records.ts";
import { type OwnChannels, WorldState } from "../meaning/state.ts";
import { ProductionState } from "../meaning/production-state.ts";

/** Version of the built-in event schema that this reader knows (spec §9). */
const SCHEMA_VERSION = 1;

/** Of a chunk that is nowhere in its segment. */
const GONE: Missing = {
  code: "damaged-chunk",
  severity: "loss",
  left: 0,
  message: "its frame is nowhere in the segment",
};

/** What there is of one chunk. */
export interface ChunkContent {
  readonly columns: Columns;
  readonly problem: string | null;
  /** Null when its frame is not there or does not inflate. */
  readonly raw: Uint8Array | null;
  /** Not a byte of it is in the files. */
  readonly isGone: boolean;
  /** Nothing is wrong with it, but it was written by a schema that is not known here. */
  readonly isNewer: boolean;
}

/** Reads HCRP recordings: one file, or a metadata file with its segments beside it. */
export class HcrpReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: StateModel;
  readonly budget: Budget;
  readonly siblings: readonly string[];
  readonly #preamble: Preamble;
  readonly #source: ChunkSource;
  readonly #faults: readonly Finding[];
  readonly #files: FileSet;
  readonly #chunks: readonly HcrpChunk[];
  readonly #endTick: number;
  readonly #map: Channels;
  readonly #zstd: Zstd;
  readonly #dictionary: Uint8Array | null;
  readonly #report: Reporter;
  readonly #cache = new ChunkCache();
  /** Null where chunks have no records: in one file, and in the production dialect. */
  readonly #records: ChunkRecordCheck | null;
  /** Null in one file: what is moved there is found when it is opened. */
  readonly #displaced: Displaced | null;
  /** Chunks whose problems were reported. */
  readonly #reported = new Set<number>();
  /** Chunks whose frames do not state the length of their content. */
  readonly #unstated = new Set<number>();
  readonly #fixer: NameFixer | null;
  /** The newest data version of any chunk. */
  readonly #newest: number;
  /** By data version. */
  readonly #fixes = new Map<number, NameFix>();
  /** Places of bytes that the index does not name, as far as they were reported. */
  readonly #strayPlaces = new Set<string>();
  #statistics: readonly ChannelStatistics[] | null = null;
  #hasReportedResume = false;
  /** Chunks with a snapshot, once they were asked for. */
  #keyframes: readonly HcrpChunk[] | null = null;

  private constructor(opened: Opened, report: Reporter, fixer: NameFixer | null, budget: Budget) {
    this.budget = budget;
    const { preamble, files, plan } = opened;
    const { chunks, endTick } = plan;
    const { head, reserved } = preamble;
    this.#preamble = preamble;
    const { epochs, events, subjects } = reserved;
    this.#source = { entries: preamble.entries, epochs, events, subjects, isSegmented: files.isSegmented };
    const segments = new Set(chunks.flatMap(({ segment }) => (segment === null ? [] : [segment])));
    this.siblings = [...segments].map((segment) => files.nameOf(segment));
    this.#files = files;
    this.#chunks = chunks;
    this.#endTick = endTick;
    this.#map = new Channels(head.dialect, reserved.events);
    this.#zstd = opened.zstd;
    this.#dictionary = opened.dictionary;
    this.#faults = opened.faults;
    this.#report = report;
    const recordingId = head.extension?.recordingId ?? null;
    const hasRecords = files.isSegmented && head.dialect === 1;
    this.#records = hasRecords ? new ChunkRecordCheck(recordingId, report) : null;
    const { zstd, dictionary } = opened;
    const isSound = (chunk: HcrpChunk, frame: Uint8Array): boolean => this.#isSound(chunk, frame);
    const search = { zstd, dictionary, dialect: head.dialect, recordingId, isSound };
    this.#displaced = files.isSegmented ? new Displaced(files, chunks, search, report) : null;
    this.channels = this.#map.list;
    this.state =
      head.dialect === 1
        ? new WorldState(ownChannels(this.#map, this.channels), reserved.subjects)
        : new ProductionState(this.#map.snapshot);
    this.#fixer = fixer;
    this.#newest = newestVersion(preamble);
    this.info = infoOf(preamble, files, chunks);
  }

  /** Throws `RecordingError`, see `openFiles`. */
  static async open(
    bundle: SourceBundle,
    report: Reporter,
    options: OpenOptions,
    dictionaries: DictionaryLookup | null,
    fixer: NameFixer | null = null,
  ): Promise<HcrpReader> {
    const budget = Budget.of(options.budget);
    const opened = await openFiles(bundle, report, { ...options, budget }, dictionaries);
    return new HcrpReader(opened, report, fixer, budget);
  }

  /** Header, metadata and index, for writing after them. */
  get preamble(): Preamble {
    return this.#preamble;
  }

  /** What the contexts of its batches have as `source`. */
  get source(): ChunkSource {
    return this.#source;
  }

  /** The chunks that can be read at, ascending by tick. */
  get chunks(): readonly HcrpChunk[] {
    return this.#chunks;
  }

  /** What was found wrong with header, metadata and index, and where chunks are, as far as their segments were read. */
  get faults(): readonly Finding[] {
    return [...this.#faults, ...(this.#displaced?.findings ?? [])];
  }

  /** One chunk decoded, and what is wrong with it. */
  async contentOf(chunk: HcrpChunk): Promise<ChunkContent> {
    const at = countUntil(this.#chunks, ({ index }) => index < chunk.index);
    const fetch = this.#fetch(at, at + 1, false);
    const { dialect } = this.#preamble.head;
    const raw = await this.#rawOf(chunk, fetch);
    if (!(raw instanceof Uint8Array)) {
      return {
        columns: emptyChunk(chunk, dialect),
        problem: raw.message,
        raw: null,
        isGone: raw.left === 0,
        isNewer: false,
      };
    }
    const { columns, problem } = this.#decodeRaw(chunk, raw);
    const isNewer = problem?.code === "unsupported-schema";
    return { columns, problem: problem?.message ?? null, raw, isGone: false, isNewer };
  }

  /** The zstd dictionary it was compressed with; null when none was. */
  get dictionary(): Uint8Array | null {
    return this.#dictionary;
  }

  get needs(): readonly NeededFile[] {
    return this.#dictionary === null ? [] : [dictionaryFile(this.#dictionary)];
  }

  /** Decompresses its frames to chunks, also where they hold columns (spec §7.5). */
  get zstd(): Zstd {
    return this.#zstd;
  }

  /** Host events of version 1 may be called otherwise, but for simtape's own; all else goes by number. */
  stateOf(channels: readonly Channel[]): StateModel {
    const { dialect } = this.#preamble.head;
    const isFixed = ({ id, name }: Channel): boolean =>
      dialect !== 1 || id <= this.#map.extension || name === VALUE_EVENT || name === SET_EVENT;
    const changed = this.channels.find((channel) => isFixed(channel) && channels[channel.id]?.name !== channel.name);
    if (changed !== undefined) throw new RangeError(`the channel ${changed.name} of HCRP cannot be renamed`);
    if (dialect !== 1) return this.state;
    return new WorldState(ownChannels(this.#map, channels), this.#preamble.reserved.subjects);
  }

  /** From the header and the index alone: position 0 to position `tickCount`. */
  async timeline(): Promise<Timeline> {
    const { startedAt } = this.#preamble.head;
    return {
      start: 0,
      end: this.#endTick * TICK,
      epoch: startedAt * 1_000_000n,
      tick: { name: "tick", count: this.#endTick, duration: TICK },
    };
  }

  async statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]> {
    if (this.#statistics !== null) return this.#statistics;
    const counter = new StatisticsCounter();
    for await (const batch of this.batches({ signal })) counter.add(batch);
    this.#statistics = counter.result(this.channels.length);
    return this.#statistics;
  }

  batches(query: Query): AsyncGenerator<Columns> {
    const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = query;
    const fetch = query.reverse === true ? this.#fetchBack(start, end, query.signal) : this.#fetchFrom(start, end);
    const decode = (chunk: HcrpChunk, signal?: AbortSignal): Promise<Columns> => this.#decode(chunk, fetch, signal);
    return readChunks(this.#chunks, decode, query, undefined, true);
  }

  #fetchFrom(start: Time, end: Time): ChunkFetch {
    const from = countUntil(this.#chunks, (chunk) => chunk.last < start);
    return this.#fetch(from, Math.max(from, this.#countBefore(end)), false);
  }

  /**
   * Who looks back from a time wants to know the state there, too: what it follows from comes along, and what follows
   * when that begins another chunk. Where the answer is known, nothing comes along: no caller would wait for it.
   */
  #fetchBack(start: Time, end: Time, signal: AbortSignal | undefined): ChunkFetch {
    const chunks = this.#chunks;
    let from = countUntil(chunks, (chunk) => chunk.last < start);
    const to = Math.max(from, this.#countBefore(end));
    const latest = to > from ? chunks[to - 1]! : null;
    const isNextWanted = latest !== null && latest.last < end && !this.#isKnown(latest);
    const next = isNextWanted ? chunks[to] : undefined;
    while (from > 0 && chunks[from]?.hasKeyframe === false) from--;
    const fetch = this.#fetch(from, next === undefined ? to : to + 1, true);
    // kept when it is decoded; a caller that needs it gets the error
    if (next !== undefined) this.#decode(next, fetch, signal).catch(() => undefined);
    return fetch;
  }

  /**
   * The start of the last chunk with a snapshot, not after `time`, that can be decoded. Reads that chunk and those up
   * to `time` with one request and keeps them, so that folding from there reads nothing more.
   */
  async keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null> {
    const last = this.#countBefore(after(time)) - 1;
    for (let at = last; at >= 0; at--) {
      const chunk = this.#chunks[at]!;
      if (!chunk.hasKeyframe) continue;
      const wanted = this.#chunks.slice(at, last + 1);
      const fetch = this.#fetch(at, last + 1, false);
      const isKept = this.#cache.fits(wanted);
      const [anchor] = await Promise.all(
        (isKept ? wanted : [chunk]).map((member) => this.#decode(member, fetch, signal)),
      );
      if (anchor!.length > 0 && (anchor!.flags[0]! & KEYFRAME) !== 0) {
        return { time: chunk.first, sequence: chunk.sequence, channels: null };
      }
    }
    return null;
  }

  /** Chunks stand in the order of their times, and none overlaps another: how many begin before `time`. */
  #countBefore(time: Time): number {
    return countUntil(this.#chunks, (chunk) => chunk.first < time);
  }

  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    const isSound = (chunk: HcrpChunk, frame: Uint8Array): boolean => this.#isSound(chunk, frame);
    const stray = (segment: number | null, offset: number, length: number): void => {
      const place = `${segment ?? ""}:${offset}`;
      if (this.#strayPlaces.has(place)) return;
      this.#strayPlaces.add(place);
      const file = segment === null ? "" : ` of ${this.#files.nameOf(segment)}`;
      const message = `${length} bytes at ${offset}${file}: the index names no chunk there`;
      this.#report.report({ code: "stray-bytes", severity: "warning", message, offset, length });
    };
    const judge = { isSound, stray, records: this.#records, displaced: this.#displaced };
    yield* fileRecords(this.#files, this.#preamble.head, this.#chunks, judge, signal);
    // another may have been read in the place of one that is gone
    for (const chunk of this.#chunks)
      if (this.#placeOf(chunk) === null) this.#tell(chunk, GONE.code, GONE.message, GONE.severity);
  }

  /**
   * The chunk whose frame stands at `offset` of its file, inflated and decoded; null when there is none that inflates.
   * Of several segments that have one there, it is that which decodes without a fault.
   */
  opened(offset: number, frame: Uint8Array): OpenedChunk | null {
    let found: OpenedChunk | null = null;
    for (const chunk of this.#chunks) {
      const place = this.#placeOf(chunk);
      if (place === null || place.offset !== offset || place.length !== frame.length) continue;
      if (!this.#isSound(chunk, frame)) continue;
      const raw = this.#inflate(chunk, frame);
      const { columns, problem } = this.#decodeRaw(chunk, raw);
      if (problem === null) return { chunk, raw, columns };
      found ??= { chunk, raw, columns };
    }
    return found;
  }

  /** Name of the channel of a sized event in a chunk; null when it has none of its own. */
  hostEvent(type: number, chunk: number): string | null {
    const channel = this.#map.sized(type, chunk);
    return channel === null ? null : this.channels[channel]!.name;
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).HcrpDissector(this);
  }

  async close(): Promise<void> {
    this.#cache.clear();
    await this.#files.close();
  }

  /** Asks for the chunk's bytes before anything is awaited, so that neighbours share one read. */
  async #decode(chunk: HcrpChunk, fetch: ChunkFetch, signal?: AbortSignal): Promise<Columns> {
    const place = this.#placeOf(chunk);
    const known = place === null ? null : this.#cache.get(place);
    if (known !== null) return known;
    const { dialect } = this.#preamble.head;
    const raw = await this.#rawOf(chunk, fetch, signal);
    if (!(raw instanceof Uint8Array)) {
      this.#tell(chunk, raw.code, raw.message, raw.severity);
      return this.#keep(chunk, emptyChunk(chunk, dialect));
    }
    const { columns, problem } = this.#decodeRaw(chunk, raw);
    if (problem !== null) this.#tell(chunk, problem.code, problem.message + this.#epochNote(chunk, problem.code));
    if (!this.#hasReportedResume) this.#reportResume(chunk, columns);
    return this.#keep(chunk, columns);
  }

  /** Other programs pass over the event that cuts had before; what follows it counts from what it says. */
  #reportResume(chunk: HcrpChunk, { channel, start, end, bytes, time }: Columns): void {
    for (let i = channel.indexOf(this.#map.extension); i >= 0; i = channel.indexOf(this.#map.extension, i + 1)) {
      if (!isResume(bytes.subarray(start[i]!, end[i]!))) continue;
      this.#hasReportedResume = true;
      const message = `${chunk.title}: event ${RESUME_EVENT}, which only simtape knows, says how far things are on their way; other readers see them elsewhere until the next snapshot. copy --rewrite, repair and compact remove it`;
      this.#report.report({ code: PRIVATE_EVENT, severity: "warning", message, time: time[i] });
      return;
    }
  }

  /** Brings the chunks `[from, to)`. */
  #fetch(from: number, to: number, isReverse: boolean): ChunkFetch {
    const isKnown = (place: HcrpChunk): boolean => this.#cache.has(place);
    return new ChunkFetch(this.#files, this.#chunks, { from, to }, isReverse, isKnown, (chunk) => this.#placeOf(chunk));
  }

  #isKnown(chunk: HcrpChunk): boolean {
    const place = this.#placeOf(chunk);
    return place !== null && this.#cache.has(place);
  }

  #placeOf(chunk: HcrpChunk): HcrpChunk | null {
    return this.#displaced === null ? chunk : this.#displaced.placeOf(chunk);
  }

  /** A chunk inflated. One that is not at its place in a segment is looked for there. */
  async #rawOf(chunk: HcrpChunk, fetch: ChunkFetch, signal?: AbortSignal): Promise<Uint8Array | Missing> {
    const place = this.#placeOf(chunk);
    const raw = await this.#rawAt(place, fetch, signal);
    if (raw instanceof Uint8Array || raw.code === "missing-segment" || this.#displaced === null) return raw;
    await this.#displaced.search(chunk.segment!);
    const now = this.#placeOf(chunk);
    return now === place || now === null ? raw : this.#rawAt(now, fetch, signal);
  }

  /** The place is asked for before anything is awaited, so that neighbours share one read. */
  async #rawAt(place: HcrpChunk | null, fetch: ChunkFetch, signal?: AbortSignal): Promise<Uint8Array | Missing> {
    if (place === null) return GONE;
    try {
      return await fetch.take(place, (frame) => this.#inflate(place, frame), signal);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return { code: "damaged-chunk", severity: "damage", left: place.length, message: error.message };
    }
  }

  #decodeRaw(chunk: HcrpChunk, raw: Uint8Array): DecodedChunk {
    const { dialect } = this.#preamble.head;
    const message = this.#schemaProblem(chunk);
    if (message !== null)
      return { columns: emptyChunk(chunk, dialect), problem: { code: "unsupported-schema", message } };
    const dataVersion = this.#dataVersion(chunk);
    return decodeChunk(raw, chunk, dialect, dataVersion, this.#map, this.#source, this.#fixOf(dataVersion));
  }

  /**
   * Spec §6.4: what a later schema means is not known. Without a crc over the metadata the version is not relied on:
   * core events are frozen, and one that is not known refuses the chunk anyway.
   */
  #schemaProblem(chunk: HcrpChunk): string | null {
    if (this.#preamble.head.dialect !== 1 || !this.#preamble.isMetadataSure) return null;
    const epoch = epochOf(this.#preamble.reserved.epochs, chunk.index);
    if (epoch === null || epoch.schemaVersion <= SCHEMA_VERSION) return null;
    const { schema, schemaVersion } = epoch;
    return `schema ${schema}: expected at most version ${SCHEMA_VERSION}, found ${schemaVersion}; the chunk is refused`;
  }

  /** Null where names stay as they are. */
  #fixOf(dataVersion: number): NameFix | null {
    if (this.#fixer === null || dataVersion === 0 || dataVersion === this.#newest) return null;
    const known = this.#fixes.get(dataVersion);
    if (known !== undefined) return known;
    const fix = new NameFix(this.#fixer, dataVersion, this.#report);
    this.#fixes.set(dataVersion, fix);
    return fix;
  }

  #keep(chunk: HcrpChunk, columns: Columns): Columns {
    const place = this.#placeOf(chunk);
    if (place !== null) this.#cache.put(place, columns);
    return columns;
  }

  /** What the frame says of its content, where an index without a crc says something else: the frame has a checksum. */
  #sizeOf(chunk: HcrpChunk, frame: Uint8Array): number {
    const size = chunk.entry.uncompressedLength;
    if (this.#preamble.isIndexSure) return size;
    const stated = readZstdFrameHeader(frame).contentSize;
    if (stated === null && this.#preamble.head.dialect === 1) {
      const message = `${chunk.title}: its frame does not state how long its content is; the index says ${size} bytes`;
      this.#reportOnce(chunk, { code: "unstated-length", severity: "warning", message }, this.#unstated);
    }
    if (stated === null || stated === size || stated > LIMITS.uncompressed) return size;
    if (stated > LIMITS.freeUncompressed && stated > frame.length * LIMITS.ratio) return size;
    const message = `index entry ${chunk.index}, uncompressed length: expected ${stated} as the frame says, found ${size}`;
    this.#reportOnce(chunk, { code: "index-uncompressed-length", severity: "damage", message }, this.#reported);
    return stated;
  }

  /** Of each chunk it is reported once, however often it is looked at. */
  #reportOnce(chunk: HcrpChunk, finding: Finding, done: Set<number>): void {
    if (done.has(chunk.index)) return;
    done.add(chunk.index);
    const { offset, length, first: time } = chunk;
    this.#report.report({ ...finding, offset, length, time });
  }

  #isSound(chunk: HcrpChunk, frame: Uint8Array): boolean {
    try {
      this.#inflate(chunk, frame);
      return true;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return false;
    }
  }

  /** Spec §7.1: one frame, as long as the index says, of the length the index says. Throws `LayoutError`. */
  #inflate(chunk: HcrpChunk, frame: Uint8Array): Uint8Array {
    const size = this.#sizeOf(chunk, frame);
    // only writers of the extended profile are bound to state the size in the frame
    const allowUnknownSize = this.#preamble.head.extension === null;
    const dictionary = this.#dictionary;
    return this.#zstd.decompress(
      frame,
      dictionary === null ? { size, allowUnknownSize } : { size, allowUnknownSize, dictionary },
    );
  }

  #dataVersion(chunk: HcrpChunk): number {
    const { head, reserved } = this.#preamble;
    if (head.dialect === 4) return VERSION_4_DATA;
    return chunk.entry.dataVersion ?? epochOf(reserved.epochs, chunk.index)?.dataVersion ?? head.dataVersion;
  }

  /** Spec §6.4: what an unknown core event is of, and what is known. */
  #epochNote(chunk: HcrpChunk, code: string): string {
    if (code !== "unsupported-event" || this.#preamble.head.dialect !== 1) return "";
    const epoch = epochOf(this.#preamble.reserved.epochs, chunk.index);
    const found =
      epoch === null ? "no epoch tells its schema" : `schema ${epoch.schema} of version ${epoch.schemaVersion}`;
    return ` (${found}, version ${SCHEMA_VERSION} is known); the chunk is refused`;
  }

  /** The next chunk that has a snapshot, as its index entry says. */
  #keyframeBehind(chunk: HcrpChunk): HcrpChunk | undefined {
    if (this.#keyframes === null) this.#keyframes = this.#chunks.filter(({ hasKeyframe }) => hasKeyframe);
    const keyframes = this.#keyframes;
    return keyframes[countUntil(keyframes, ({ index }) => index <= chunk.index)];
  }

  #tell(chunk: HcrpChunk, code: FindingCode, what: string, severity: "damage" | "loss" = "damage"): void {
    if (this.#reported.has(chunk.index)) return;
    this.#reported.add(chunk.index);
    const next = this.#keyframeBehind(chunk);
    const until = next === undefined ? "the end" : `tick ${next.entry.startTick}`;
    const file = chunk.segment === null ? "" : ` in ${this.#files.nameOf(chunk.segment)}`;
    const message = `${chunk.title}${file}: ${what}; state is in doubt until ${until}`;
    const { offset, length, first: time } = chunk;
    this.#report.report({ code, severity, message, offset, length, time });
  }
}

function newestVersion({ head, reserved, entries }: Preamble): number {
  let newest = head.dialect === 4 ? VERSION_4_DATA : head.dataVersion;
  for (const { dataVersion } of reserved.epochs) newest = Math.max(newest, dataVersion);
  for (const { dataVersion } of entries) newest = Math.max(newest, dataVersion ?? 0);
  return newest;
}

function ownChannels({ snapshot, extension }: Channels, channels: readonly Channel[]): OwnChannels {
  const named = (wanted: string): number | null => channels.find(({ name }) => name === wanted)?.id ?? null;
  return { snapshot, extension, value: named(VALUE_EVENT), set: named(SET_EVENT), original: named(ORIGINAL_EVENT) };
}

function infoOf(preamble: Preamble, files: FileSet, chunks: readonly HcrpChunk[]): RecordingInfo {
  const { head, metadata } = preamble;
  const { dialect, extension, flags } = head;
  const profile = extension !== null ? "" : " (plain)";
  const values: Record<string, Value> = {
    worldId: head.worldId,
    worldVersion: hexText(head.worldVersion),
    startedAt: safe(head.startedAt),
    representation: files.isSegmented ? "segmented" : "compacted",
    chunks: head.chunkCount,
    ticks: head.tickCount,
    flags,
  };
  if (head.dictionaryId !== 0) values["dictionaryId"] = head.dictionaryId;
  if (head.dataVersion !== 0) values["dataVersion"] = head.dataVersion;
  if (dialect === 1) {
    values["finished"] = (flags & FLAG_FINISHED) !== 0;
    values["clip"] = (flags & FLAG_CLIP) !== 0;
  }
  if (extension !== null) {
    values["recordingId"] = extension.recordingId;
    values["generation"] = extension.generation;
    values["finishedAt"] = safe(extension.finishedAt);
  }
  values["metadata"] = plainMetadata(withoutReserve(metadata.root));
  return {
    format: FORMAT_ID,
    version: dialect === 1 ? `1${profile}` : `${dialect} (production)`,
    bytes: files.bytesWith(chunks),
    seekIndex: "stored",
    metadata: values,
  };
}

/** Plain values of long lists take many times their bytes: each is made when it is asked for first. */
function plainMetadata(root: NbtCompound): Value {
  const object = Object.create(null) as Record<string, Value>;
  for (const { name, tag } of root.entries) {
    let plain: Value | undefined;
    const get = (): Value => (plain ??= nbtToValue(tag) as Value);
    Object.defineProperty(object, name.value, { enumerable: true, configurable: true, get });
  }
  return object;
}

/** What only fills room up is nothing to show. */
function withoutReserve(root: NbtCompound): NbtCompound {
  const own = nbtEntry(root, OWN_KEY);
  if (own?.type !== NBT.compound || nbtEntry(own, RESERVED_KEY) === undefined) return root;
  const kept = withEntry(own, RESERVED_KEY, null);
  return withEntry(root, OWN_KEY, kept.entries.length === 0 ? null : kept);
}

function safe(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
