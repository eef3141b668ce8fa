import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { CHUNK_RECORD_BYTES, chunkRecordCrc, type IndexEntry, writeChunkRecord } from "../layout/framing.ts";

/** A chunk as it goes into the file. */
export interface FinishedChunk {
  readonly startTick: number;
  readonly tickCount: number;
  readonly flags: number;
  /** Perhaps made only when it is first looked at: that takes a while. */
  readonly frame: Uint8Array;
  /** Called by the code that has written the frame when the frame is no longer read: its memory is used again. */
  readonly done?: () => void;
  readonly uncompressedLength: number;
  /** For chunk records (spec §8.2). */
  readonly dataVersion: number;
  readonly schemaVersion: number;
  readonly epoch: number;
  /** For the index of the production dialect, else null. */
  readonly formatVersion: number | null;
  /** Segment of the source that it was in, so that copies keep the segments; null: it does not matter. */
  readonly segment: number | null;
}

/** The chunk's record and its frame, as segments have them (spec §8.2). */
export function appendToSegment(
  segment: ByteBuilder,
  chunk: FinishedChunk,
  recordingId: string,
  generation: number,
): void {
  const { frame } = chunk;
  const record = {
    version: 1,
    flags: chunk.flags,
    reserved: 0,
    recordingId,
    startTick: chunk.startTick,
    tickCount: chunk.tickCount,
    compressedLength: frame.length,
    uncompressedLength: chunk.uncompressedLength,
    dataVersion: chunk.dataVersion,
    schemaVersion: chunk.schemaVersion,
    epoch: chunk.epoch,
    frameCrc: crc32(frame),
    generation,
    crc: 0,
  };
  const at = segment.length;
  writeChunkRecord(segment, record);
  // the crc stands last, over what is before it
  const bytes = new ByteBuilder(CHUNK_RECORD_BYTES);
  writeChunkRecord(bytes, record);
  segment.patchU32be(at + CHUNK_RECORD_BYTES - 4, chunkRecordCrc(bytes.take()));
  segment.raw(frame);
}

/** Its entry in the index of a segmented recording, with its frame at `offset` in a segment (spec §5). */
export function indexEntryOf(chunk: FinishedChunk, segment: number, offset: number): IndexEntry {
  return {
    startTick: chunk.startTick,
    tickCount: chunk.tickCount,
    flags: chunk.flags,
    offsetHigh: segment,
    offsetLow: offset,
    compressedLength: chunk.frame.length,
    uncompressedLength: chunk.uncompressedLength,
    formatVersion: null,
    dataVersion: null,
  };
}
