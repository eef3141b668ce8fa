import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { NBT, type NbtCompound, type NbtTag, nbtCompound, nbtEntry, nbtText, writeNbt } from "../../codec/nbt.ts";
import { zstdDictionaryId } from "../../codec/zstd.ts";
import { type Epoch, writeReserved } from "../../formats/hcrp/layout/metadata.ts";
import { compoundIn, OWN_KEY, RESERVED_KEY, withEntry } from "../../formats/hcrp/layout/metadata-writing.ts";
import type { Preamble } from "../../formats/hcrp/read/preamble.ts";
import {
  FLAG_COLUMNS,
  FLAG_FINISHED,
  FLAG_SEGMENTED,
  KNOWN_FLAGS,
  HEADER_BYTES,
  sealHeader,
  writeHeader,
} from "../../formats/hcrp/layout/framing.ts";
import type { CompactedLayout } from "./file.ts";

/** Milliseconds of a tick. */
const TICK_MS = 50;

/** What compaction adds to the preamble of its source. */
export interface CompactionFacts {
  readonly level: number;
  readonly frameBytes: number;
  /** Frames hold chunks in columns (HCRP spec §7.5). */
  readonly isColumns: boolean;
  readonly dictionary: Uint8Array | null;
  readonly dictionarySha256: Uint8Array | null;
  readonly sourceBytes: number;
  /** Place in the new index of each chunk of the old one, and of the end. */
  readonly places: readonly number[];
  /** In place of the source's; null: those, as they are. */
  readonly epochs: readonly Epoch[] | null;
  /** Of a recording that crashed: chunks and ticks that were given up. */
  readonly lost: { readonly chunks: number; readonly ticks: number } | null;
  /** Entries of `hcrp.marks` and `hcrp.analysis` from visitors, and others of `hcrp`. */
  readonly marks: readonly NbtCompound[];
  readonly analysis: ReadonlyMap<string, NbtTag>;
  readonly entries: ReadonlyMap<string, NbtTag>;
}

/**
 * Header, metadata and index of the compacted file (HCRP spec §3 to §5). No clock is asked: the same source, the same
 * bytes.
 */
export function compactedPreamble(
  { head, metadata }: Preamble,
  layout: CompactedLayout,
  facts: CompactionFacts,
): Uint8Array {
  const extension = head.extension!;
  const isOpen = extension.finishedAt === 0n && head.startedAt > 0n;
  const finishedAt = isOpen ? head.startedAt + BigInt(layout.tickCount * TICK_MS) : extension.finishedAt;
  const root = compactedMetadata(metadata.root, facts, extension.generation, finishedAt);
  const written = writeNbt({ ...metadata, root });
  const indexLength = layout.index(0).length;
  const start = HEADER_BYTES + written.length + indexLength;
  const index = layout.index(start);
  const dictionaryId = facts.dictionary === null ? 0 : zstdDictionaryId(facts.dictionary);
  const header = {
    flags:
      (head.flags & KNOWN_FLAGS & ~FLAG_SEGMENTED & ~FLAG_COLUMNS) |
      FLAG_FINISHED |
      (facts.isColumns ? FLAG_COLUMNS : 0),
    worldId: head.worldId,
    worldVersion: head.worldVersion,
    startedAt: head.startedAt,
    dictionaryId,
    metadataLength: written.length,
    indexLength,
    tickCount: layout.tickCount,
    chunkCount: layout.chunkCount,
    extension: {
      ...extension,
      dictionaryId,
      totalLength: BigInt(start + layout.chunkBytes),
      metadataCrc: crc32(written),
      indexCrc: crc32(index),
      generation: extension.generation + 1,
      nextSegment: 0,
      finishedAt,
    },
    padding: new Uint8Array(0),
    crc: 0,
  };
  const builder = new ByteBuilder(start);
  writeHeader(builder, sealHeader(header, new ByteBuilder(HEADER_BYTES)));
  return builder.raw(written).raw(index).take();
}

function compactedMetadata(source: NbtCompound, facts: CompactionFacts, generation: number, at: bigint): NbtCompound {
  let root = source;
  let hcrp = compoundIn(root, "hcrp");
  const epochs = facts.epochs === null ? undefined : nbtEntry(writeReserved({ epochs: facts.epochs }), "epochs");
  if (epochs !== undefined) hcrp = withEntry(hcrp, "epochs", epochs);
  hcrp = moved(hcrp, "epochs", "chunk", facts.places);
  hcrp = moved(hcrp, "events", "since_chunk", facts.places);
  const { dictionarySha256, lost, marks, analysis } = facts;
  hcrp = withEntry(hcrp, "dict_sha256", dictionarySha256 && { type: NBT.byteArray, value: dictionarySha256 });
  if (marks.length > 0) {
    const list = nbtEntry(hcrp, "marks");
    const known = list?.type === NBT.list && list.itemType === NBT.compound ? list.items : [];
    const items = [...(known as readonly NbtCompound[]), ...marks];
    hcrp = withEntry(hcrp, "marks", { type: NBT.list, itemType: NBT.compound, items });
  }
  if (analysis.size > 0) {
    let compound = compoundIn(hcrp, "analysis");
    for (const [name, tag] of analysis) compound = withEntry(compound, name, tag);
    hcrp = withEntry(hcrp, "analysis", compound);
  }
  for (const [name, tag] of facts.entries) hcrp = withEntry(hcrp, name, tag);
  if (lost !== null) hcrp = withEntry(hcrp, "outcome", nbtText("crashed"));
  const compaction: Record<string, NbtTag> = {
    level: { type: NBT.int, value: facts.level },
    at: { type: NBT.long, value: at },
    tool: nbtText("simtape"),
    source_generation: { type: NBT.int, value: generation },
    source_bytes: { type: NBT.long, value: BigInt(facts.sourceBytes) },
    frame_bytes: { type: NBT.int, value: facts.frameBytes },
  };
  if (facts.isColumns) compaction["columns"] = { type: NBT.byte, value: 1 };
  if (lost !== null && lost.chunks > 0) {
    compaction["lost_chunks"] = { type: NBT.int, value: lost.chunks };
    compaction["lost_ticks"] = { type: NBT.int, value: lost.ticks };
  }
  hcrp = withEntry(hcrp, "compaction", nbtCompound(compaction));
  root = withEntry(root, "hcrp", hcrp);
  // room that was kept for a preamble is of no more use
  const own = compoundIn(root, OWN_KEY);
  const kept = withEntry(own, RESERVED_KEY, null);
  return kept === own ? root : withEntry(root, OWN_KEY, kept.entries.length === 0 ? null : kept);
}

/** Epochs whose chunks were brought to one data version: of those with the same schema the newest holds for all. */
export function joinedEpochs(epochs: readonly Epoch[]): readonly Epoch[] {
  const joined: Epoch[] = [];
  for (const epoch of epochs) {
    const last = joined.at(-1);
    const isSame =
      last !== undefined &&
      last.schema === epoch.schema &&
      last.schemaVersion === epoch.schemaVersion &&
      (last.dataVersion === 0) === (epoch.dataVersion === 0);
    joined.push(isSame ? { ...epoch, chunk: joined.pop()!.chunk } : epoch);
  }
  return joined;
}

/** Chunk numbers in the entries of a list, as they are in the new index. */
function moved(hcrp: NbtCompound, name: string, field: string, places: readonly number[]): NbtCompound {
  const list = nbtEntry(hcrp, name);
  if (list?.type !== NBT.list || list.itemType !== NBT.compound) return hcrp;
  const items = (list.items as readonly NbtCompound[]).map((item): NbtCompound => {
    const tag = nbtEntry(item, field);
    if (tag?.type !== NBT.int || tag.value <= 0) return item;
    const value = places[Math.min(tag.value, places.length - 1)]!;
    return withEntry(item, field, { type: NBT.int, value });
  });
  return withEntry(hcrp, name, { ...list, items });
}
