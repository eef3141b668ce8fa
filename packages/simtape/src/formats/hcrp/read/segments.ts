import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { ByteSource, SourceBundle } from "../../../io/source/source.ts";
import {
  CHUNK_RECORD_BYTES,
  type ChunkRecord,
  chunkRecordCrc,
  ENTRY_SNAPSHOT,
  readChunkRecord,
  segmentName,
} from "../layout/framing.ts";

/** Bytes read at once while looking for the next record. */
const STEP = 1 << 16;

/**
 * What lies in a segment, in order: a chunk behind its record, or bytes without a sound record, which begin with the frame
 * before them when no record is where it ends.
 */
export type SegmentItem =
  | { readonly kind: "chunk"; readonly segment: number; readonly offset: number; readonly record: ChunkRecord }
  | { readonly kind: "hole"; readonly segment: number; readonly offset: number; readonly end: number };

export interface SegmentScanOptions {
  /** Number of the first segment. */
  readonly from: number;
  /** Null: that of the first record. */
  readonly recordingId: string | null;
  /** Segment numbers that may be missing one after the other: a lost write (spec §5). */
  readonly mayMiss: number;
  readonly signal: AbortSignal | undefined;
}

/** Whether a file begins with a chunk record: it is a segment. */
export function isSegment(head: Uint8Array): boolean {
  return head.length >= CHUNK_RECORD_BYTES && recordAt(head, 0) !== null;
}

/** What all segments hold of one recording. Reads the records only. `main` stays open. */
export async function* scanSegments(
  bundle: SourceBundle,
  main: ByteSource,
  { from, recordingId, mayMiss, signal }: SegmentScanOptions,
): AsyncGenerator<SegmentItem> {
  let id = recordingId;
  let missing = 0;
  for (let number = from; missing <= mayMiss; number++) {
    const source = await bundle.open(segmentName(number));
    if (source === null) {
      missing++;
      continue;
    }
    missing = 0;
    try {
      for await (const item of itemsOf(source, number, signal)) {
        if (item.kind === "chunk") {
          id ??= item.record.recordingId;
          const { recordingId: found, tickCount, flags } = item.record;
          if (found !== id || tickCount < 1 || (flags & ~ENTRY_SNAPSHOT) !== 0) continue;
        }
        yield item;
      }
    } finally {
      if (source !== main) await source.close();
    }
  }
}

/** Every sound record whose frame lies in the file, and what is between. */
async function* itemsOf(
  source: ByteSource,
  segment: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<SegmentItem> {
  const size = await source.size();
  let hole = 0;
  let at = 0;
  /** Where the last frame begins. */
  let frame: number | null = null;
  for (;;) {
    const bytes = await source.read(at, STEP, signal);
    const found = recordIn(bytes);
    if (frame !== null && found?.at !== 0 && bytes.length > 0) {
      // bytes of the frame may be missing, so that what is behind it begins within its length
      at = frame;
      hole = frame;
      frame = null;
      continue;
    }
    frame = null;
    if (found === null) {
      if (bytes.length < STEP) {
        if (hole < at + bytes.length) yield { kind: "hole", segment, offset: hole, end: at + bytes.length };
        return;
      }
      at += bytes.length - CHUNK_RECORD_BYTES;
      continue;
    }
    const start = at + found.at;
    const offset = start + CHUNK_RECORD_BYTES;
    const end = offset + found.record.compressedLength;
    // behind the record when its frame is cut, so that a wrong length hides nothing
    at = offset;
    if (size !== null && end > size) continue;
    if (hole < start) yield { kind: "hole", segment, offset: hole, end: start };
    yield { kind: "chunk", segment, offset, record: found.record };
    at = end;
    hole = end;
    frame = offset;
  }
}

/** The first sound record from `from` on; null when there is none. */
export function recordIn(bytes: Uint8Array, from = 0): { readonly at: number; readonly record: ChunkRecord } | null {
  for (let at = from; at + CHUNK_RECORD_BYTES <= bytes.length; at = nextMagic(bytes, at + 1)) {
    const record = recordAt(bytes, at);
    if (record !== null) return { at, record };
  }
  return null;
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
  for (let at = bytes.indexOf(0x5b, from); at >= 0; at = bytes.indexOf(0x5b, at + 1))
    if (bytes[at + 1] === 0x2a && bytes[at + 2] === 0x4d && bytes[at + 3] === 0x18) return at;
  return bytes.length;
}
