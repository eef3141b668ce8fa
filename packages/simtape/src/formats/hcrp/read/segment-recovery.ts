import { LayoutError } from "../../../bytes/error.ts";
import { nbtCompound, nbtText } from "../../../codec/nbt.ts";
import { loadZstd, readZstdFrameHeader } from "../../../codec/zstd.ts";
import type { ByteSource, SourceBundle } from "../../../io/source/source.ts";
import { type Finding, RecordingError } from "../../../model/error.ts";
import { type DictionaryLookup, findDictionary } from "../chunk/dictionary.ts";
import {
  CHUNK_RECORD_BYTES,
  type ChunkRecord,
  FIRST_READ,
  FLAG_EXTENDED,
  FLAG_FINISHED,
  FLAG_SEGMENTED,
  type IndexEntry,
  segmentName,
  TICK,
} from "../layout/framing.ts";
import { type Epoch, readReserved, writeReserved } from "../layout/metadata.ts";
import { compoundIn, withEntry } from "../layout/metadata-writing.ts";
import { aboveLimits, type Head, type Preamble, readHead, readPreamble } from "./preamble.ts";
import { placeFrames } from "./recover.ts";
import { findFrames, type FoundFrame } from "./resync.ts";
import { type SegmentItem, scanSegments } from "./segments.ts";

/** The metadata file of the generation before (spec §8.5). */
const BACKUP = "meta.hcrp.bak";
/** Segment numbers that may be missing one after the other. */
const MAY_MISS = 8;

export interface SegmentedFiles {
  readonly bundle: SourceBundle;
  readonly main: ByteSource;
  readonly signal: AbortSignal | undefined;
}

/** A metadata file that is damaged: what can be read of it, and what of that is right by its crcs. */
export interface DamagedPreamble {
  readonly preamble: Preamble;
  readonly isHeadSure: boolean;
  readonly isMetadataSure: boolean;
}

/** A segmented recording without its metadata file, or with what is left of it. */
export interface RecoveredSegments {
  readonly preamble: Preamble;
  readonly dictionary: Uint8Array | null;
  readonly findings: readonly Finding[];
}

/** Chunks that were written but not committed, as far as their ticks go on from the last commit (spec §8.5). */
export async function uncommittedChunks(
  { bundle, main, signal }: SegmentedFiles,
  { tickCount, extension }: Head,
): Promise<IndexEntry[]> {
  if (extension === null) return [];
  const { recordingId, nextSegment: from } = extension;
  const entries: IndexEntry[] = [];
  let end = tickCount;
  // one look costs one request where there is nothing
  for await (const item of scanSegments(bundle, main, { from, recordingId, mayMiss: 0, signal })) {
    if (item.kind === "hole" || item.record.startTick !== end) break;
    entries.push(entryOf(item));
    end += item.record.tickCount;
  }
  return entries;
}

/** The previous generation of a metadata file, when it is there, sound, and of that recording. */
export async function previousGeneration(
  { bundle, main, signal }: SegmentedFiles,
  recordingId: string | null,
): Promise<Preamble | null> {
  const source = await bundle.open(BACKUP).catch(() => null);
  if (source === null) return null;
  try {
    let isSound = true;
    const quiet = { report: ({ severity }: Finding) => (isSound &&= severity === "note" || severity === "warning") };
    const first = await source.read(0, FIRST_READ, signal);
    const { head, isSure } = readHead(first, quiet);
    if (!isSure || !isSound || aboveLimits(head) !== null || (head.flags & FLAG_SEGMENTED) === 0) return null;
    if (recordingId !== null && head.extension?.recordingId !== recordingId) return null;
    const isWhole = first.length >= head.preambleLength;
    const preamble = readPreamble(head, isWhole ? first : await source.read(0, head.preambleLength, signal), quiet);
    return isSound ? preamble : null;
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
    return null;
  } finally {
    if (source !== main) await source.close();
  }
}

/**
 * Makes the index of a segmented recording again (spec §8.5): from the generation before and the records of the
 * segments behind it, or from all records. Frames whose record is damaged are found by themselves. Ends at the first
 * tick that cannot be had. `damaged` null: nothing of the metadata file can be read. Null when there is no chunk.
 */
export async function recoverSegments(
  files: SegmentedFiles,
  damaged: DamagedPreamble | null,
  dictionaries: DictionaryLookup | null,
): Promise<RecoveredSegments | null> {
  const { bundle, main, signal } = files;
  const ownHead = damaged?.isHeadSure === true ? damaged.preamble.head : null;
  const items: SegmentItem[] = [];
  const backup = await previousGeneration(files, ownHead?.extension?.recordingId ?? null);
  const from = backup?.head.extension?.nextSegment ?? 0;
  const recordingId = (ownHead ?? backup?.head)?.extension?.recordingId ?? null;
  for await (const item of scanSegments(bundle, main, { from, recordingId, mayMiss: MAY_MISS, signal }))
    items.push(item);
  const dictionaryId = (ownHead ?? backup?.head)?.dictionaryId ?? (await dictionaryOf(files, items));
  const reserved = damaged?.isMetadataSure === true ? damaged.preamble.reserved : backup?.reserved;
  const dictionary = await findDictionary(dictionaryId, reserved?.dictionarySha256 ?? null, dictionaries, bundle);
  const rebuilt = new Rebuilt(backup?.entries ?? [], backup?.head.tickCount ?? 0);
  const zstd = await loadZstd();
  for (const item of items) {
    if (item.kind === "chunk") {
      if (!rebuilt.add(item)) break;
      continue;
    }
    const source = await bundle.open(segmentName(item.segment));
    if (source === null) continue;
    try {
      const options = { zstd, dictionary, dialect: 1, withTicks: true, signal } as const;
      rebuilt.hold(item.segment, await findFrames(source, item.offset, item.end, options));
    } finally {
      if (source !== main) await source.close();
    }
  }
  rebuilt.finish(ownHead?.tickCount ?? 0);
  if (rebuilt.entries.length === 0) return null;
  const last = items.findLast(({ kind }) => kind === "chunk");
  const until = last?.kind === "chunk" ? last.record.startTick + last.record.tickCount : 0;
  const lostUntil = Math.max(until, ownHead?.tickCount ?? 0);
  const preamble = preambleOf(rebuilt, damaged, backup, dictionaryId, lostUntil <= rebuilt.end);
  return { preamble, dictionary, findings: findingsOf(rebuilt, backup, lostUntil) };
}

/** The index while it is made again. */
class Rebuilt {
  readonly entries: IndexEntry[];
  /** Of each entry; null where the generation before tells, or the record is damaged. */
  readonly records: (ChunkRecord | null)[];
  /** The tick behind the last. */
  end: number;
  /** Chunks that were found without a record. */
  found = 0;
  /** Frames that wait for the next record to tell where they end. */
  #held: { readonly segment: number; readonly frame: FoundFrame }[] = [];

  constructor(entries: readonly IndexEntry[], end: number) {
    this.entries = [...entries];
    this.records = entries.map(() => null);
    this.end = end;
  }

  /** Takes the frames of a hole; the first may be that of the chunk before. */
  hold(segment: number, frames: readonly FoundFrame[]): void {
    const isBehind = this.entries.at(-1)?.offsetHigh === segment;
    const isKnown = isBehind && frames[0]?.crc === this.records.at(-1)?.frameCrc;
    for (const frame of isKnown ? frames.slice(1) : frames) this.#held.push({ segment, frame });
  }

  /** False when ticks are missing before the chunk. */
  add(item: SegmentItem & { readonly kind: "chunk" }): boolean {
    const { startTick } = item.record;
    if (startTick < this.end) return true;
    if (startTick - this.end >= this.#held.length) this.#place(startTick);
    this.#held = [];
    // what comes first may be any chunk: what was before it is reported as missing
    if (startTick > this.end && this.entries.length > 0) return false;
    this.#push(entryOf(item), item.record);
    return true;
  }

  /** `tickCount` is 0 when their number is unknown. */
  finish(tickCount: number): void {
    this.#place(tickCount);
  }

  #place(until: number): void {
    const held = this.#held;
    const frames = held.map(({ frame }) => frame);
    placeFrames(frames, this.end, until).forEach((entry, i) => {
      this.#push({ ...entry, offsetHigh: held[i]!.segment }, null);
      this.found++;
    });
    this.#held = [];
  }

  #push(entry: IndexEntry, record: ChunkRecord | null): void {
    const last = this.entries.at(-1);
    const begin = entry.offsetLow - (record === null ? 0 : CHUNK_RECORD_BYTES);
    // bytes of the frame before are missing: it ends where this chunk begins
    if (last?.offsetHigh === entry.offsetHigh && begin < last.offsetLow + last.compressedLength) {
      const compressedLength = Math.max(0, begin - last.offsetLow);
      this.entries[this.entries.length - 1] = { ...last, compressedLength };
    }
    this.entries.push(entry);
    this.records.push(record);
    this.end = entry.startTick + entry.tickCount;
  }
}

function findingsOf({ entries, end, found }: Rebuilt, backup: Preamble | null, lostUntil: number): Finding[] {
  const from = entries[0]!.startTick;
  const source = backup === null ? "" : `generation ${backup.head.extension?.generation} (${BACKUP}) and `;
  const alone = found === 0 ? "" : `, ${found} of them without a sound record`;
  const kept = `${entries.length} chunks${alone}: ticks ${from} to ${end - 1} are kept`;
  const message = `index: made again from ${source}the records of segments: ${kept}`;
  const findings: Finding[] = [{ code: "index-recovered", severity: "damage", message }];
  const lose = (first: number, behind: number): number =>
    findings.push({
      code: "lost-ticks",
      severity: "loss",
      message: `ticks ${first} to ${behind - 1} are lost`,
      time: first * TICK,
    });
  if (from > 0) lose(0, from);
  if (lostUntil > end) lose(end, lostUntil);
  return findings;
}

/** All that is known of the recording, the surest first. */
function preambleOf(
  rebuilt: Rebuilt,
  damaged: DamagedPreamble | null,
  backup: Preamble | null,
  dictionaryId: number,
  isComplete: boolean,
): Preamble {
  const { entries, records, end } = rebuilt;
  const isHeadSure = damaged?.isHeadSure === true;
  const known = (isHeadSure ? damaged.preamble : (backup ?? damaged?.preamble))?.head;
  const named = damaged?.isMetadataSure === true ? damaged.preamble : (backup ?? damaged?.preamble);
  const metadata = named?.metadata ?? { root: nbtCompound({}), name: null };
  let { root } = metadata;
  let hcrp = compoundIn(root, "hcrp");
  const epochs = named?.reserved.epochs.length ? null : epochsOf(records);
  if (epochs !== null) {
    for (const { name, tag } of writeReserved({ epochs }).entries) hcrp = withEntry(hcrp, name.value, tag);
  }
  const isFinished = isHeadSure && (damaged.preamble.head.flags & FLAG_FINISHED) !== 0;
  if (!isFinished || !isComplete) hcrp = withEntry(hcrp, "outcome", nbtText("crashed"));
  root = withEntry(root, "hcrp", hcrp);
  const first = records.find((record) => record !== null) ?? null;
  const base = known ?? blankHead(first);
  // the file is cut at its own lengths
  const { metadataLength, indexLength, preambleLength } = damaged?.preamble.head ?? blankHead(first);
  const head: Head = {
    ...base,
    dictionaryId,
    flags: base.flags | FLAG_EXTENDED | FLAG_SEGMENTED,
    metadataLength,
    indexLength,
    preambleLength,
    tickCount: end,
    chunkCount: entries.length,
    extension: {
      ...(base.extension ?? blankExtension(first)),
      dictionaryId,
      nextSegment: entries.at(-1)!.offsetHigh + 1,
    },
  };
  const document = { ...metadata, root };
  const isMetadataSure = damaged?.isMetadataSure === true || backup !== null;
  return { head, metadata: document, reserved: readReserved(document), entries, isIndexSure: true, isMetadataSure };
}

/** What a chunk record says of the recording; all else is not known. */
function blankHead(record: ChunkRecord | null): Head {
  return {
    dialect: 1,
    flags: 0,
    worldId: "00000000-0000-0000-0000-000000000000",
    worldVersion: new Uint8Array(16),
    startedAt: 0n,
    dictionaryId: 0,
    metadataLength: 0,
    indexLength: 0,
    tickCount: 0,
    chunkCount: 0,
    dataVersion: record?.dataVersion ?? 0,
    extension: null,
    padding: new Uint8Array(0),
    preambleLength: 0,
  };
}

function blankExtension(record: ChunkRecord | null): NonNullable<Head["extension"]> {
  return {
    version: 1,
    ticksPerSecond: 20,
    reserved: 0,
    dataVersion: record?.dataVersion ?? 0,
    dictionaryId: 0,
    totalLength: 0n,
    metadataCrc: 0,
    indexCrc: 0,
    recordingId: record?.recordingId ?? "00000000-0000-0000-0000-000000000000",
    generation: record?.generation ?? 0,
    nextSegment: 0,
    finishedAt: 0n,
    rest: new Uint8Array(127),
  };
}

function entryOf({ segment, offset, record }: SegmentItem & { readonly kind: "chunk" }): IndexEntry {
  const { startTick, tickCount, flags, compressedLength, uncompressedLength } = record;
  return {
    startTick,
    tickCount,
    flags,
    offsetHigh: segment,
    offsetLow: offset,
    compressedLength,
    uncompressedLength,
    formatVersion: null,
    dataVersion: null,
  };
}

/** A line of the epoch table wherever the versions change. */
function epochsOf(records: readonly (ChunkRecord | null)[]): Epoch[] {
  const epochs: Epoch[] = [];
  let before: ChunkRecord | null = null;
  for (const [chunk, record] of records.entries()) {
    if (record === null) continue;
    const { dataVersion, schemaVersion, epoch } = record;
    const isSame =
      before !== null &&
      before.dataVersion === dataVersion &&
      before.schemaVersion === schemaVersion &&
      before.epoch === epoch;
    before = record;
    if (isSame) continue;
    epochs.push({ chunk, dataVersion, protocol: 0, schema: "world", schemaVersion, server: "", started: 0n });
  }
  return epochs;
}

/** What the first frame names: 0 for none. */
async function dictionaryOf({ bundle, main, signal }: SegmentedFiles, items: readonly SegmentItem[]): Promise<number> {
  const first = items.find((item) => item.kind === "chunk");
  const source = first === undefined ? null : await bundle.open(segmentName(first.segment));
  if (first === undefined || source === null) return 0;
  try {
    return readZstdFrameHeader(await source.read(first.offset, 18, signal)).dictionaryId;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return 0;
  } finally {
    if (source !== main) await source.close();
  }
}
