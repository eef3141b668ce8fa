import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { ZSTD_MAGIC } from "../../codec/zstd.ts";
import type { NativeRecord } from "../../model/reader.ts";
import type { FileSet } from "./chunk-fetch.ts";
import type { HypercubeChunk } from "./chunk-plan.ts";
import type { ChunkRecordCheck } from "./chunk-record-check.ts";
import { CHUNK_RECORD_BYTES, HEADER_BYTES, readChunkRecord } from "./layout.ts";
import type { Head } from "./preamble.ts";

/** Bytes handed out at once, about. */
const STEP = 1 << 20;

/** What the records are judged by on the way. */
export interface RecordJudge {
  /** Whether a chunk's frame inflates. */
  isSound(chunk: HypercubeChunk, frame: Uint8Array): boolean;
  /** Takes the chunk records of segments; null where there are none. */
  readonly records: ChunkRecordCheck | null;
  /** Bytes that nothing in the index names. */
  stray(segment: number | null, offset: number, length: number): void;
}

/** Bytes `[from, to)` of a file. */
interface Piece {
  readonly from: number;
  readonly to: number;
  /** A chunk's frame, the record in front of it, or what lies between; behind the last chunk of the index. */
  readonly kind: "frame" | "record" | "gap" | "end";
  readonly chunk: HypercubeChunk | null;
}

/**
 * Every byte of the main file, then of each segment that the index names, as records: `header`, `metadata`, `index`,
 * `chunk`, `chunk-record`, `gap`, `trailing`, and `damaged` for frames that do not inflate or that the index does not
 * let us read.
 */
export async function* fileRecords(
  files: FileSet,
  head: Head,
  chunks: readonly HypercubeChunk[],
  judge: RecordJudge,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  if (!files.isMainSegment) yield* mainRecords(files, head, chunks, judge, signal);
  const segments = [...new Set(chunks.map(({ segment }) => segment))].filter((segment) => segment !== null);
  for (const segment of segments.sort((a, b) => a - b)) {
    const inside = chunks.filter((chunk) => chunk.segment === segment);
    const size = await files.sizeOf(segment);
    yield* rangeRecords(files, segment, 0, size, inside, judge, signal);
  }
}

async function* mainRecords(
  files: FileSet,
  head: Head,
  chunks: readonly HypercubeChunk[],
  judge: RecordJudge,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const preamble = await files.main.read(0, head.preambleLength, signal);
  const indexAt = HEADER_BYTES + head.metadataLength;
  yield [
    { kind: "header", offset: 0, bytes: preamble.subarray(0, HEADER_BYTES) },
    { kind: "metadata", offset: HEADER_BYTES, bytes: preamble.subarray(HEADER_BYTES, indexAt) },
    { kind: "index", offset: indexAt, bytes: preamble.subarray(indexAt) },
  ];
  const inMain = chunks.filter(({ segment }) => segment === null);
  yield* rangeRecords(files, null, head.preambleLength, files.size, inMain, judge, signal);
}

async function* rangeRecords(
  files: FileSet,
  segment: number | null,
  begin: number,
  size: number | null,
  chunks: readonly HypercubeChunk[],
  judge: RecordJudge,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const group: Piece[] = [];
  const flush = async (): Promise<{ records: NativeRecord[]; isEnd: boolean }> => {
    const from = group[0]!.from;
    const length = group.at(-1)!.to - from;
    const bytes = await files.read(segment, from, length, signal);
    const records: NativeRecord[] = [];
    if (bytes !== null) for (const piece of group) addRecords(records, piece, bytes, from, judge, segment);
    group.length = 0;
    return { records, isEnd: bytes === null || bytes.length < length };
  };
  for (const piece of pieces(begin, size, chunks)) {
    signal?.throwIfAborted();
    const first = group[0];
    if (first !== undefined && piece.to - first.from > STEP) {
      const { records, isEnd } = await flush();
      if (records.length > 0) yield records;
      if (isEnd) return;
    }
    group.push(piece);
  }
  if (group.length === 0) return;
  const { records } = await flush();
  if (records.length > 0) yield records;
}

/**
 * Cuts `[begin, size)` at the chunks, in segments also at their records; what is between is cut at most every `STEP`.
 * Without a size there is no end.
 */
function* pieces(begin: number, size: number | null, chunks: readonly HypercubeChunk[]): Generator<Piece> {
  const end = size ?? Number.POSITIVE_INFINITY;
  let at = begin;
  for (const chunk of chunks.toSorted((a, b) => a.offset - b.offset)) {
    if (chunk.offset >= end) break;
    const hasRoom = chunk.segment !== null && chunk.offset - at >= CHUNK_RECORD_BYTES;
    const record = hasRoom ? chunk.offset - CHUNK_RECORD_BYTES : chunk.offset;
    for (; at < record; at = Math.min(record, at + STEP)) {
      yield { from: at, to: Math.min(record, at + STEP), kind: "gap", chunk: null };
    }
    if (hasRoom) yield { from: record, to: chunk.offset, kind: "record", chunk };
    const to = Math.min(end, chunk.offset + chunk.length);
    yield { from: chunk.offset, to, kind: "frame", chunk };
    at = to;
  }
  for (; at < end; at += STEP) yield { from: at, to: Math.min(end, at + STEP), kind: "end", chunk: null };
}

function addRecords(
  records: NativeRecord[],
  { from, to, kind, chunk }: Piece,
  bytes: Uint8Array,
  origin: number,
  judge: RecordJudge,
  segment: number | null,
): void {
  const content = bytes.subarray(from - origin, to - origin);
  if (content.length === 0) return;
  if (kind === "record") {
    judge.records?.record(chunk!, content);
    records.push({ kind: "chunk-record", offset: from, bytes: content });
    return;
  }
  if (kind === "frame") {
    judge.records?.frame(chunk!, content);
    const isWhole = content.length === chunk!.length && judge.isSound(chunk!, content);
    records.push({ kind: isWhole ? "chunk" : "damaged", offset: from, bytes: content });
    return;
  }
  judge.stray(segment, from, content.length);
  let at = 0;
  while (content.length - at >= CHUNK_RECORD_BYTES && isChunkRecord(content, at)) {
    records.push({ kind: "chunk-record", offset: from + at, bytes: content.subarray(at, at + CHUNK_RECORD_BYTES) });
    at += CHUNK_RECORD_BYTES;
  }
  if (at === content.length) return;
  const rest = content.subarray(at);
  const isFrame = rest.length >= 4 && new DataView(rest.buffer, rest.byteOffset).getUint32(0, true) === ZSTD_MAGIC;
  records.push({ kind: isFrame ? "damaged" : kind === "end" ? "trailing" : "gap", offset: from + at, bytes: rest });
}

function isChunkRecord(bytes: Uint8Array, at: number): boolean {
  try {
    readChunkRecord(new ByteCursor(bytes, at));
    return true;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return false;
  }
}
