import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import type { ByteSource, SourceBundle } from "../../io/source.ts";
import {
  CHUNK_RECORD_BYTES,
  type ChunkRecord,
  chunkRecordCrc,
  ENTRY_SNAPSHOT,
  type IndexEntry,
  readChunkRecord,
  segmentName,
} from "./layout.ts";

/** Segment numbers that may be missing one after the other: a lost write (spec §5). */
const MAX_MISSING = 8;
/** Bytes read at once while looking for the next record. */
const STEP = 1 << 16;

/** What the records of segments tell without a metadata file (spec §8.5). */
export interface SegmentScan {
  readonly entries: readonly IndexEntry[];
  /** Of each entry. */
  readonly records: readonly ChunkRecord[];
}

/** Whether a file begins with a chunk record: it is a segment. */
export function isSegment(head: Uint8Array): boolean {
  return head.length >= CHUNK_RECORD_BYTES && recordAt(head, 0) !== null;
}

/**
 * The chunks of all segments from number `from` on, as far as they are of one recording and their ticks go on from
 * `tick`. Reads the records only. `recordingId` null: that of the first record. `main` stays open.
 */
export async function scanSegments(
  bundle: SourceBundle,
  main: ByteSource,
  from: number,
  tick: number,
  recordingId: string | null,
  signal: AbortSignal | undefined,
): Promise<SegmentScan> {
  const entries: IndexEntry[] = [];
  const records: ChunkRecord[] = [];
  let id = recordingId;
  let end = tick;
  let missing = 0;
  for (let number = from; missing < MAX_MISSING; number++) {
    const source = await bundle.open(segmentName(number));
    if (source === null) {
      missing++;
      continue;
    }
    missing = 0;
    try {
      for await (const { offset, record } of recordsOf(source, signal)) {
        id ??= record.recordingId;
        const { startTick, tickCount, flags } = record;
        if (record.recordingId !== id || startTick < end || tickCount < 1) continue;
        if ((flags & ~ENTRY_SNAPSHOT) !== 0) continue;
        records.push(record);
        entries.push({
          startTick,
          tickCount,
          flags,
          offsetHigh: number,
          offsetLow: offset + CHUNK_RECORD_BYTES,
          compressedLength: record.compressedLength,
          uncompressedLength: record.uncompressedLength,
          formatVersion: null,
          dataVersion: null,
        });
        end = startTick + tickCount;
      }
    } finally {
      if (source !== main) await source.close();
    }
  }
  return { entries, records };
}

/** Every sound record whose frame lies in the file; what is damaged is passed over. */
async function* recordsOf(
  source: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly offset: number; readonly record: ChunkRecord }> {
  const size = await source.size();
  let offset = 0;
  for (;;) {
    const bytes = await source.read(offset, STEP, signal);
    if (bytes.length < CHUNK_RECORD_BYTES) return;
    let at = 0;
    let record = recordAt(bytes, 0);
    while (record === null && at + CHUNK_RECORD_BYTES < bytes.length) {
      at = nextMagic(bytes, at + 1);
      record = at + CHUNK_RECORD_BYTES <= bytes.length ? recordAt(bytes, at) : null;
    }
    if (record === null) {
      if (bytes.length < STEP) return;
      offset += bytes.length - CHUNK_RECORD_BYTES;
      continue;
    }
    const end = offset + at + CHUNK_RECORD_BYTES + record.compressedLength;
    if (size === null || end <= size) yield { offset: offset + at, record };
    // behind the record when its frame is cut, so that a wrong length hides nothing
    offset = size === null || end <= size ? end : offset + at + CHUNK_RECORD_BYTES;
  }
}

function recordAt(bytes: Uint8Array, at: number): ChunkRecord | null {
  try {
    const record = readChunkRecord(new ByteCursor(bytes, at, at + CHUNK_RECORD_BYTES));
    return record.crc === chunkRecordCrc(bytes.subarray(at, at + CHUNK_RECORD_BYTES)) ? record : null;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** Place of the next "5B 2A 4D 18", or the end. */
function nextMagic(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 4 <= bytes.length; at++)
    if (bytes[at] === 0x5b && bytes[at + 1] === 0x2a && bytes[at + 2] === 0x4d && bytes[at + 3] === 0x18) return at;
  return bytes.length;
}
