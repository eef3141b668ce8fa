import type { NbtDocument } from "../../../codec/nbt.ts";
import { loadZstd } from "../../../codec/zstd.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { Reader } from "../../../model/reader.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import { Framer } from "../chunk/frames.ts";
import { type ChunkOutput, CompactedOutput, SegmentedOutput } from "./output.ts";
import type { SnapshotSource } from "./chunk-series.ts";
import { HcrpReader } from "../read/reader.ts";
import { HcrpWriter, type OutputOf } from "./writer.ts";
import { Profile } from "./profile.ts";

/**
 * Creates a recording; see `WritingFormat.create`. `snapshots`: of what is written event by event; an encoder needs
 * none. Throws `RangeError` for an unknown dialect.
 */
export async function createWriter(
  to: SinkBundle,
  options: CreateOptions,
  snapshots: SnapshotSource | null = null,
): Promise<HcrpWriter> {
  const base = options.like?.base ?? options.like;
  const like = base instanceof HcrpReader ? base : null;
  const profile = new Profile(options, like);
  const framer = new Framer(await loadZstd(), options.compression, profile.dictionary);
  const { dialect, recordingId, generation } = profile;
  if (dialect === "v1-segmented") {
    const segmented: OutputOf = (preambleOf) => new SegmentedOutput(to, recordingId, generation, preambleOf);
    return new HcrpWriter(profile, framer, like, false, segmented, snapshots);
  }
  const sink = await to.open();
  const chunks = chunksOf(options.like);
  const compacted: OutputOf = (_, length) => new CompactedOutput(sink, dialect === "production-5", chunks, length);
  return new HcrpWriter(profile, framer, like, false, compacted, snapshots);
}

/** Chunks of all that is copied: the place of the index is decided before they are written. */
function chunksOf(from: Reader | undefined): number {
  if (from?.parts !== undefined) return from.parts.reduce((sum, part) => sum + chunksOf(part), 0);
  const base = from?.base ?? from;
  return base instanceof HcrpReader ? base.source.entries.length : 0;
}

/**
 * Writes a version 1 recording as it happens, into `output`. With `from`, goes on where that recording ends: its chunks
 * are in `output` already.
 */
export async function createLiveWriter(
  output: (profile: Profile) => ChunkOutput,
  options: CreateOptions,
  from: HcrpReader | null,
  snapshots: SnapshotSource | null,
  metadata: NbtDocument | null = null,
): Promise<HcrpWriter> {
  const profile = new Profile({ ...options, dialect: "v1-segmented" }, from, metadata);
  const framer = new Framer(await loadZstd(), options.compression ?? "live", from?.dictionary ?? null);
  return new HcrpWriter(profile, framer, from, true, () => output(profile), snapshots);
}
