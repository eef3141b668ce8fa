import type { Budget } from "../../bytes/budget.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import type { NbtCompound, NbtTag } from "../../codec/nbt.ts";
import { NBT, nbtEntry } from "../../codec/nbt.ts";
import { loadZstd, zstdDictionaryId } from "../../codec/zstd.ts";
import type { ChunkContext } from "../../formats/hcrp/chunk/context.ts";
import type { HcrpChunk } from "../../formats/hcrp/chunk/plan.ts";
import type { DictionaryLookup } from "../../formats/hcrp/chunk/dictionary.ts";
import { Framer } from "../../formats/hcrp/chunk/frames.ts";
import { readSections, SECTION } from "../../formats/hcrp/layout/chunk.ts";
import { SET_EVENT, VALUE_EVENT } from "../../formats/hcrp/layout/own.ts";
import {
  DICTIONARY_IDS,
  FLAG_COLUMNS,
  FLAG_FINISHED,
  FORMAT_ID,
  LIMITS,
  TICK,
} from "../../formats/hcrp/layout/framing.ts";
import { compoundIn } from "../../formats/hcrp/layout/metadata-writing.ts";
import type { NameFixer } from "../../formats/hcrp/chunk/names.ts";
import type { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import { isReadable, type ReadableSink, type SinkBundle } from "../../io/sink/sink.ts";
import { SinkSource } from "../../io/sink/sink-source.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { Columns } from "../../model/messages/batch.ts";
import { Findings, RecordingError } from "../../model/error.ts";
import { CompactedFile } from "./file.ts";
import type { Mask } from "./mask.ts";
import { FRAME_BYTES, Merger, type SourceChunk } from "./merge.ts";
import { compactedPreamble, joinedEpochs } from "./preamble.ts";
import { openReader, type StrictOptions, StrictSource } from "./source.ts";
import { type SnapshotNews, Trail } from "./trail.ts";
import { type CompactionVisitor, markTag } from "./visitors.ts";

/** How to compact. */
export interface CompactOptions {
  /** zstd level, 1 to 22; default 19 (HCRP spec §7.2). */
  readonly level?: number | undefined;
  /** Inflated bytes of a frame at most, but for a single tick that is larger; default 262,144. */
  readonly frameBytes?: number | undefined;
  /**
   * Sorts the bytes of each frame into columns before they are compressed, which makes recordings of moving players
   * about a third smaller still (HCRP spec §7.5). Only readers that know it, as simtape does, open such a file; default
   * false.
   */
  readonly columns?: boolean | undefined;
  /** Trained zstd dictionary with an id of 32,768 to 65,535 (HCRP spec §7.3). */
  readonly dictionary?: Uint8Array | undefined;
  /** Dictionaries that the source needs. */
  readonly dictionaries?: DictionaryLookup | undefined;
  /** Brings names of older data versions up to date, so that epochs that differ in them become one (HCRP spec §9). */
  readonly fixer?: NameFixer | undefined;
  /** Takes recordings that were not finished or are damaged: what is sound is kept, and the outcome is "crashed". */
  readonly repair?: boolean | undefined;
  /** Analyses made in passing. */
  readonly visitors?: readonly CompactionVisitor[] | undefined;
  /** What is there already under the output's name: when it was made alike of the same generation, nothing is done. */
  readonly existing?: SourceBundle | null | undefined;
  /** What an open recording may take: bytes of memory. */
  readonly budget?: Budget | number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Chunks done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What came of it. */
export interface CompactReport {
  /**
   * `present`: there was a compacted file of this generation already, with columns if they are asked for, else without.
   */
  readonly status: "compacted" | "present";
  readonly recordingId: string;
  /** Generation of the source. */
  readonly generation: number;
  /** Stable name of this work: doing it again gives the same bytes (HCRP spec §10, step 8). */
  readonly idempotencyKey: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly ticks: number;
  /** Chunks of the source that were taken. */
  readonly chunks: number;
  readonly frames: number;
  readonly events: number;
  /** Snapshots of the source that said what was known anyway. */
  readonly snapshotsDropped: number;
  /** Only of a repaired recording: chunks left out, readable events in them, and ticks without any. */
  readonly chunksLost: number;
  readonly eventsLost: number;
  readonly ticksLost: number;
  /** Old chunk boundaries at which state and events were found the same in source and output. */
  readonly hashesCompared: number;
  /** Why chunks were left out. */
  readonly losses: readonly string[];
  /** Names that do not resolve any more: placeholders stand for them. */
  readonly unresolved: readonly string[];
}

/** Recompression of finished recordings (HCRP spec §7.2). */
const LEVEL = 19;
const SMALLEST_FRAME = 1024;
/** Reasons reported of one recording. */
const MAX_LOSSES = 100;

/**
 * Makes one compacted file of a segmented (or a compacted) recording: its chunks merged into frames of at most 256 KiB,
 * superfluous snapshots left out, compressed again (HCRP spec §10). One chunk of the source and one frame are in
 * memory. The output is read back and compared, state and events, before it appears under its name; the same source
 * gives the same bytes. Throws `RecordingError`: `unsupported` for a recording that is not finished or not of version
 * 1, `malformed` for one that is damaged (both only without `repair`), and for an output that would not be the same;
 * `RangeError` for a sink that cannot be read back, and for a dictionary that cannot be one.
 */
export async function compact(
  from: SourceBundle,
  to: SinkBundle,
  options: CompactOptions = {},
): Promise<CompactReport> {
  const source = await StrictSource.open(from, options);
  try {
    return await new Compaction(source, options).run(to);
  } finally {
    await source.close();
  }
}

/** As `compact`, with the names and UUIDs of `mask` laid over. */
export async function compactMasked(
  from: SourceBundle,
  to: SinkBundle,
  mask: Mask,
  options: CompactOptions,
): Promise<CompactReport> {
  const source = await StrictSource.open(from, { ...options, mask });
  try {
    return await new Compaction(source, options, mask).run(to);
  } finally {
    await source.close();
  }
}

/**
 * Whether `existing` was made by compacting `from` as it is now; with `columns` given, whether it has them or has not.
 */
export async function isCompactionOf(
  existing: SourceBundle,
  from: SourceBundle,
  dictionaries?: DictionaryLookup,
  columns?: boolean,
  budget?: Budget | number,
): Promise<boolean> {
  const source = await identityOf(from, { dictionaries, budget });
  const made = source === null ? null : await identityOf(existing, { dictionaries, budget });
  return source !== null && isMadeOf(made, source, columns);
}

interface Identity {
  readonly recordingId: string;
  readonly generation: number;
  /** Of a compacted file: the generation that it was made of; else null. */
  readonly madeOf: number | null;
  readonly isColumns: boolean;
}

function isMadeOf(
  made: Identity | null,
  { recordingId, generation }: Pick<Identity, "recordingId" | "generation">,
  columns?: boolean,
): boolean {
  if (made?.recordingId !== recordingId || made.madeOf !== generation) return false;
  return columns === undefined || made.isColumns === columns;
}

/** Null for what is no sound recording of the extended profile. */
async function identityOf(bundle: SourceBundle, options: StrictOptions): Promise<Identity | null> {
  let reader: HcrpReader;
  try {
    reader = await openReader(bundle, new Findings(), options);
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
    return null;
  }
  try {
    const { head, metadata } = reader.preamble;
    if (head.extension === null || reader.faults.length > 0) return null;
    const { recordingId, generation } = head.extension;
    const sourceEntry = nbtEntry(compoundIn(compoundIn(metadata.root, "hcrp"), "compaction"), "source_generation");
    const madeOf = sourceEntry?.type === NBT.int ? sourceEntry.value : null;
    return { recordingId, generation, madeOf, isColumns: (head.flags & FLAG_COLUMNS) !== 0 };
  } finally {
    await reader.close();
  }
}

class Compaction {
  readonly #source: StrictSource;
  readonly #options: CompactOptions;
  readonly #mask: Mask | null;
  readonly #visitors: readonly CompactionVisitor[];
  readonly #trail: Trail;
  readonly #alone: ReadonlySet<number>;
  readonly #losses: string[] = [];
  /** The frame that each chunk begins in. */
  readonly #places = new Map<number, number>();
  #chunks = 0;
  #chunksLost = 0;
  #eventsLost = 0;
  #ticksLost = 0;
  /** Behind a lost chunk: state is not known before the next snapshot. */
  #isInDoubt = false;

  constructor(source: StrictSource, options: CompactOptions, mask: Mask | null = null) {
    const { reader } = source;
    this.#source = source;
    this.#options = options;
    this.#mask = mask;
    this.#visitors = options.visitors ?? [];
    this.#trail = new Trail(reader);
    const alone = reader.channels.filter(({ name }) => name === VALUE_EVENT || name === SET_EVENT);
    this.#alone = new Set(alone.map(({ id }) => id));
  }

  async run(to: SinkBundle): Promise<CompactReport> {
    const { reader } = this.#source;
    const { head } = reader.preamble;
    this.#mayCompact();
    const { recordingId, generation } = head.extension!;
    const { existing = null, columns = false, budget } = this.#options;
    if (existing !== null) {
      const made = await identityOf(existing, { dictionaries: this.#lookup(), budget });
      if (isMadeOf(made, { recordingId, generation }, columns))
        return this.#report("present", (await sizeOf(existing)) ?? 0, 0, 0, 0);
    }
    const { level = LEVEL, frameBytes = FRAME_BYTES, dictionary = null } = this.#options;
    if (!(frameBytes >= SMALLEST_FRAME && frameBytes <= LIMITS.uncompressed))
      throw new RangeError(`frames of ${frameBytes} bytes, ${SMALLEST_FRAME} to ${LIMITS.uncompressed}`);
    checkDictionary(dictionary);
    const framer = new Framer(await loadZstd(), level, dictionary);
    const sink = await to.open();
    try {
      if (!isReadable(sink)) throw new RangeError(`cannot be read back before it is finished: ${sink.name}`);
      const file = new CompactedFile(sink, framer, columns);
      const merger = new Merger(
        (frame) => file.add(frame),
        (chunk, frame) => this.#places.set(chunk, frame),
        frameBytes,
      );
      await this.#merge(merger, file);
      await file.finish(await this.#preamble(file, level, frameBytes, dictionary));
      const compared = await this.#verify(sink);
      const bytes = sink.position;
      await sink.close();
      return this.#report("compacted", bytes, file.chunkCount, merger.dropped, compared);
    } catch (error) {
      await sink.abort();
      throw RecordingError.from(error, FORMAT_ID);
    }
  }

  #mayCompact(): void {
    const { reader } = this.#source;
    const { head } = reader.preamble;
    const { repair = false } = this.#options;
    if (head.dialect !== 1 || head.extension === null) {
      const what = head.dialect === 1 ? "the plain profile" : "the production dialect";
      throw refuse("unsupported", `recordings of ${what} say neither whose they are nor that they are finished`);
    }
    if (repair) return;
    if ((head.flags & FLAG_FINISHED) === 0)
      throw refuse("unsupported", "the recording is not finished; one that crashed can be repaired on the way");
    const fault = reader.faults[0];
    if (fault !== undefined) throw refuse("malformed", `the recording is damaged: ${fault.message}`, fault.offset);
  }

  async #merge(merger: Merger, file: CompactedFile): Promise<void> {
    const { reader } = this.#source;
    const { entries, head } = reader.preamble;
    const breaks = breaksOf(reader, this.#options.fixer !== undefined);
    for (const visitor of this.#visitors) visitor.begin?.(reader);
    let end = 0;
    let isBroken = false;
    let next = 0;
    for await (const { chunk, columns, problem } of this.#source.chunks()) {
      const { startTick, tickCount } = chunk.entry;
      for (; next <= chunk.index; next++) isBroken ||= breaks.has(next);
      const isLost = problem !== null || (this.#isInDoubt && !chunk.hasKeyframe);
      if (isLost) {
        this.#lose(chunk, columns, problem);
        continue;
      }
      // what the index lost is in doubt, too
      if (startTick > end && !this.#isInDoubt && !chunk.hasKeyframe) {
        this.#lose(chunk, columns, `${startTick - end} ticks before it are missing`);
        continue;
      }
      if (startTick > end) {
        this.#requireRepair(`ticks ${end} to ${startTick - 1} are missing`);
        merger.gap(startTick);
        this.#ticksLost += startTick - end;
      }
      this.#isInDoubt = false;
      this.#trail.want(startTick);
      const news = this.#trail.add(columns!, true);
      const part = this.#part(chunk, columns!, news, isBroken);
      isBroken = false;
      merger.add(part);
      for (const visitor of this.#visitors) visitor.chunk(columns!, columns!.context as ChunkContext);
      this.#chunks++;
      end = startTick + tickCount;
      await file.settle();
      this.#options.onProgress?.(chunk.index + 1, entries.length);
    }
    const last = Math.max(end, head.tickCount);
    if (last > end) {
      this.#requireRepair(`ticks ${end} to ${last - 1} are missing`);
      merger.gap(last);
      this.#ticksLost += last - end;
    }
    if (this.#chunks === 0 && entries.length > 0) throw refuse("malformed", "none of the recording's chunks is sound");
    merger.finish();
    this.#trail.end();
  }

  #part(chunk: HcrpChunk, columns: Columns, news: SnapshotNews | null, isBroken: boolean): SourceChunk {
    const { startTick, tickCount } = chunk.entry;
    const context = columns.context as ChunkContext;
    const first = chunk.hasKeyframe ? 1 : 0;
    const hasEvents = columns.length > first;
    const world = news?.isOtherWorld === true ? worldOf(columns.payload(0)) : null;
    return {
      index: chunk.index,
      startTick,
      tickCount,
      hasSnapshot: chunk.hasKeyframe,
      raw: columns.bytes,
      palettes: context.palettes,
      first: hasEvents ? columns.time[first]! / TICK : -1,
      last: hasEvents ? columns.time[columns.length - 1]! / TICK : -1,
      isBegin: isBroken || news?.isOther === true || (news?.isOtherWorld === true && world === null),
      isAlone: this.#isAlone(columns),
      world,
    };
  }

  /** Events of our own refer to palettes: their chunks stay as they are. */
  #isAlone(columns: Columns): boolean {
    const alone = this.#alone;
    return alone.size > 0 && columns.channel.some((channel) => alone.has(channel));
  }

  #lose(chunk: HcrpChunk, columns: Columns | null, problem: string | null): void {
    const why = problem ?? "it has no snapshot, and what was before it is lost";
    this.#requireRepair(`${chunk.title}: ${why}`);
    this.#isInDoubt = true;
    this.#chunksLost++;
    this.#eventsLost += columns?.length ?? 0;
    if (this.#losses.length < MAX_LOSSES) this.#losses.push(`${chunk.title}: ${why}`);
  }

  #requireRepair(what: string): void {
    if (this.#options.repair !== true) throw refuse("malformed", `the recording needs review: ${what}`);
  }

  async #preamble(
    file: CompactedFile,
    level: number,
    frameBytes: number,
    dictionary: Uint8Array | null,
  ): Promise<Uint8Array> {
    const { reader } = this.#source;
    const { head } = reader.preamble;
    const marks: NbtCompound[] = [];
    const analysis = new Map<string, NbtTag>();
    const entries = new Map<string, NbtTag>();
    for (const visitor of this.#visitors) {
      const result = visitor.finish();
      for (const mark of result.marks ?? []) marks.push(markTag(mark));
      if (result.analysis !== undefined) analysis.set(visitor.name, result.analysis);
      for (const [name, tag] of Object.entries(result.entries ?? {})) entries.set(name, tag);
    }
    const isCrashed = (head.flags & FLAG_FINISHED) === 0 || this.#chunksLost > 0 || this.#ticksLost > 0;
    const { metadata } = reader.preamble;
    const root = this.#mask?.tag(metadata.root) ?? metadata.root;
    return compactedPreamble({ ...reader.preamble, metadata: { ...metadata, root } }, file, {
      level,
      frameBytes,
      isColumns: this.#options.columns ?? false,
      dictionary,
      dictionarySha256: dictionary === null ? null : await sha256(dictionary),
      sourceBytes: reader.info.bytes ?? 0,
      places: this.#placesOf(reader.preamble.entries.length, file.chunkCount),
      epochs: this.#options.fixer === undefined ? null : joinedEpochs(reader.preamble.reserved.epochs),
      lost: isCrashed ? { chunks: this.#chunksLost, ticks: this.#ticksLost } : null,
      marks,
      analysis,
      entries,
    });
  }

  /** Place in the new index of each chunk, of a lost one that of the next, and of the end. */
  #placesOf(chunks: number, frames: number): number[] {
    const places = [frames];
    for (let chunk = chunks - 1; chunk >= 0; chunk--) places.push(this.#places.get(chunk) ?? places.at(-1)!);
    return places.reverse();
  }

  /** Reads the output again, and compares its trail with that of the source. Throws `RecordingError`. */
  async #verify(sink: ReadableSink): Promise<number> {
    const trail = this.#trail;
    const bundle: SourceBundle = {
      name: null,
      open: async (name) => (name === undefined ? new SinkSource(sink) : null),
    };
    const { signal, budget } = this.#options;
    const output = await StrictSource.open(bundle, { dictionaries: this.#lookup(), signal, budget });
    const mustBeSound = (): void => {
      const fault = output.reader.faults[0] ?? output.findings[0];
      if (fault !== undefined) throw refuse("malformed", `the compacted file is not sound: ${fault.message}`);
    };
    mustBeSound();
    const found = new Trail(output.reader, trail.wanted);
    for await (const { chunk, columns, problem } of output.chunks()) {
      if (problem !== null) throw refuse("malformed", `the compacted file is not sound: ${chunk.title}: ${problem}`);
      found.add(columns!, false);
    }
    found.end();
    mustBeSound();
    for (const [i, note] of trail.notes.entries()) {
      if (found.notes[i] === note) continue;
      const [events, scene] = note.split(" ");
      const [foundEvents, foundScene] = (found.notes[i] ?? "").split(" ");
      const what =
        events === foundEvents ? `state ${scene}, found ${foundScene}` : `events ${events}, found ${foundEvents}`;
      throw refuse("malformed", `the compacted file differs at tick ${trail.wanted[i]}: expected ${what}`);
    }
    if (found.digest !== trail.digest || found.events !== trail.events) {
      const counts = `${trail.events} events, found ${found.events}`;
      throw refuse("malformed", `the compacted file differs in its last chunk: expected ${counts}`);
    }
    return trail.notes.length;
  }

  /** Dictionaries for the output: the one it is made with. */
  #lookup(): DictionaryLookup {
    const { dictionary = null, dictionaries } = this.#options;
    return async (id, digest) => {
      if (dictionary !== null && zstdDictionaryId(dictionary) === id) return dictionary;
      return (await dictionaries?.(id, digest)) ?? null;
    };
  }

  #report(
    status: CompactReport["status"],
    bytesAfter: number,
    frames: number,
    snapshotsDropped: number,
    hashesCompared: number,
  ): CompactReport {
    const { reader } = this.#source;
    const { head } = reader.preamble;
    const { recordingId, generation } = head.extension!;
    return {
      status,
      recordingId,
      generation,
      idempotencyKey: `compact:${recordingId}:${generation}${this.#options.columns === true ? ":columns" : ""}`,
      bytesBefore: reader.info.bytes ?? 0,
      bytesAfter,
      ticks: head.tickCount,
      chunks: this.#chunks,
      frames,
      events: this.#trail.events,
      snapshotsDropped,
      chunksLost: this.#chunksLost,
      eventsLost: this.#eventsLost,
      ticksLost: this.#ticksLost,
      hashesCompared,
      losses: this.#losses,
      unresolved: this.#source.findings.filter(({ code }) => code === "unresolved-name").map(({ message }) => message),
    };
  }
}

/** Chunks at which versions change, or what host events are called: frames do not go over them (HCRP spec §9). */
function breaksOf({ source }: HcrpReader, isTranscoded: boolean): ReadonlySet<number> {
  const epochs = isTranscoded ? joinedEpochs(source.epochs) : source.epochs;
  return new Set([...epochs.map(({ chunk }) => chunk), ...source.events.map(({ sinceChunk }) => sinceChunk)]);
}

/** The world section of a snapshot: the body of a world event; null when there is none. */
function worldOf(snapshot: Uint8Array): Uint8Array | null {
  return readSections(new ByteCursor(snapshot)).findLast(({ type }) => type === SECTION.world)?.body ?? null;
}

function checkDictionary(dictionary: Uint8Array | null): void {
  if (dictionary === null) return;
  const id = zstdDictionaryId(dictionary);
  if (id >= DICTIONARY_IDS.first && id <= DICTIONARY_IDS.last) return;
  const range = `${DICTIONARY_IDS.first} to ${DICTIONARY_IDS.last}`;
  throw new RangeError(`zstd dictionary: expected an id of ${range}, found ${id === 0 ? "none" : id}`);
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

async function sizeOf(bundle: SourceBundle): Promise<number | null> {
  const source = await bundle.open();
  const size = (await source?.size()) ?? null;
  await source?.close();
  return size;
}

function refuse(code: "unsupported" | "malformed", message: string, offset?: number): RecordingError {
  return new RecordingError(code, message, { format: FORMAT_ID, offset });
}
