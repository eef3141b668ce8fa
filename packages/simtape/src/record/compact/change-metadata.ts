import type { Budget } from "../../bytes/budget.ts";
import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { NBT, type NbtCompound, nbtEntry, writeNbt } from "../../codec/nbt.ts";
import type { DictionaryLookup } from "../../formats/hcrp/chunk/dictionary.ts";
import {
  FLAG_FINISHED,
  FORMAT_ID,
  HEADER_BYTES,
  type IndexEntry,
  LIMITS,
  sealHeader,
  writeHeader,
  writeIndexEntry,
} from "../../formats/hcrp/layout/framing.ts";
import { compoundIn, merged, OWN_KEY, withEntry } from "../../formats/hcrp/layout/metadata-writing.ts";
import type { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../../io/source/source.ts";
import { type Finding, Findings, RecordingError } from "../../model/error.ts";
import type { Value } from "../../model/values/value.ts";
import { openReader } from "./source.ts";
import { markTag, type VisitorMark } from "./visitors.ts";

/** What to change in the metadata of a finished recording. */
export interface MetadataChange {
  /**
   * Laid over what is there: compounds into compounds, null takes away. Of `hcrp` only `outcome`, `duration_ms` and
   * `analysis`, and nothing of `simtape`: the rest is the recorder's.
   */
  readonly values?: Readonly<Record<string, Value>> | undefined;
  /** Added to `hcrp.marks`. */
  readonly marks?: readonly VisitorMark[] | undefined;
  readonly dictionaries?: DictionaryLookup | undefined;
  /** What an open recording may take: bytes of memory. */
  readonly budget?: Budget | number | undefined;
}

/** What came of it. */
export interface MetadataReport {
  readonly recordingId: string | null;
  /** Of the file that was written: one more than before; null in the plain profile. */
  readonly generation: number | null;
  /** All marks of the recording now. */
  readonly marks: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What a host may say of a recording that the recorder has said, too (HCRP spec §4). */
const CHANGEABLE: ReadonlySet<string> = new Set(["outcome", "duration_ms", "analysis"]);
/** Bytes moved at once. */
const PIECE = 1 << 20;

/**
 * Writes a finished recording's main file again with other metadata (HCRP spec §4): a compacted file with all its
 * chunks as they are, or the metadata file of a segmented one. `to` may be the same file where nothing takes its name
 * before it is closed. Throws `RecordingError`: `unsupported` for the production dialect and for a recording that goes
 * on, `malformed` for a damaged one; `RangeError` for metadata of others and for more than 16 MiB.
 */
export async function changeMetadata(
  from: SourceBundle,
  to: SinkBundle,
  change: MetadataChange,
): Promise<MetadataReport> {
  const findings = new Findings();
  const reader = await openReader(from, findings, { dictionaries: change.dictionaries, budget: change.budget });
  try {
    mayChange(reader, findings.list());
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "the main file is gone");
    try {
      return await rewritten(reader, source, to, change);
    } finally {
      await source.close();
    }
  } finally {
    await reader.close();
  }
}

function mayChange({ preamble, faults }: HcrpReader, findings: readonly Finding[]): void {
  const { dialect, extension, flags } = preamble.head;
  if (dialect !== 1) throw refuse("unsupported", "recordings of the production dialect are not changed");
  if (extension !== null && (flags & FLAG_FINISHED) === 0)
    throw refuse("unsupported", "the recording is not finished: its recorder writes the metadata");
  const fault = faults[0] ?? findings.find(({ severity }) => severity === "damage" || severity === "loss");
  if (fault !== undefined) throw refuse("malformed", `the recording is damaged: ${fault.message}`);
}

async function rewritten(
  reader: HcrpReader,
  source: ByteSource,
  to: SinkBundle,
  change: MetadataChange,
): Promise<MetadataReport> {
  const { head, metadata, entries } = reader.preamble;
  const root = changed(metadata.root, change);
  const written = writeNbt({ ...metadata, root });
  if (written.length > LIMITS.metadata)
    throw new RangeError(`metadata of ${written.length} bytes, at most ${LIMITS.metadata}`);
  const preambleLength = HEADER_BYTES + written.length + head.indexLength;
  const by = preambleLength - head.preambleLength;
  const index = indexOf(entries, reader.source.isSegmented ? 0 : by);
  const extension = head.extension && {
    ...head.extension,
    totalLength: head.extension.totalLength === 0n ? 0n : head.extension.totalLength + BigInt(by),
    metadataCrc: crc32(written),
    indexCrc: crc32(index),
    generation: head.extension.generation + 1,
  };
  const header = { ...head, metadataLength: written.length, extension, crc: 0 };
  const builder = new ByteBuilder(preambleLength);
  writeHeader(builder, sealHeader(header, new ByteBuilder(HEADER_BYTES)));
  const sink = await to.open();
  try {
    await sink.write(builder.raw(written).raw(index).take());
    for (let at = head.preambleLength; ; ) {
      const bytes = await source.read(at, PIECE);
      if (bytes.length === 0) break;
      await sink.write(bytes);
      at += bytes.length;
    }
    const bytesAfter = sink.position;
    await sink.close();
    return {
      recordingId: extension?.recordingId ?? null,
      generation: extension?.generation ?? null,
      marks: marksOf(root).length,
      bytesBefore: bytesAfter - by,
      bytesAfter,
    };
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** Places of a compacted file move with what stands before them. */
function indexOf(entries: readonly IndexEntry[], by: number): Uint8Array {
  const builder = new ByteBuilder(entries.length * 20);
  for (const entry of entries) {
    const offset = entry.offsetHigh * 2 ** 32 + entry.offsetLow + by;
    const moved =
      by === 0 ? entry : { ...entry, offsetHigh: Math.floor(offset / 2 ** 32), offsetLow: offset % 2 ** 32 };
    writeIndexEntry(builder, moved);
  }
  return builder.take();
}

function changed(root: NbtCompound, { values = {}, marks = [] }: MetadataChange): NbtCompound {
  const { hcrp = {}, ...others } = values;
  if (OWN_KEY in others) throw new RangeError(`metadata ${OWN_KEY} is not the host's`);
  if (typeof hcrp !== "object" || hcrp === null || Array.isArray(hcrp) || ArrayBuffer.isView(hcrp))
    throw new RangeError("metadata hcrp: expected a compound");
  for (const name of Object.keys(hcrp))
    if (!CHANGEABLE.has(name))
      throw new RangeError(`metadata hcrp.${name}: expected one of ${[...CHANGEABLE].join(", ")}`);
  const result = merged(root, values);
  if (marks.length === 0) return result;
  const items = [...marksOf(result), ...marks.map(markTag)];
  return withEntry(
    result,
    "hcrp",
    withEntry(compoundIn(result, "hcrp"), "marks", { type: NBT.list, itemType: NBT.compound, items }),
  );
}

function marksOf(root: NbtCompound): readonly NbtCompound[] {
  const list = nbtEntry(compoundIn(root, "hcrp"), "marks");
  return list?.type === NBT.list && list.itemType === NBT.compound ? (list.items as readonly NbtCompound[]) : [];
}

function refuse(code: "unsupported" | "malformed", message: string): RecordingError {
  return new RecordingError(code, message, { format: FORMAT_ID });
}
