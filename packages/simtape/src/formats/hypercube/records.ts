import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { ZSTD_MAGIC } from "../../codec/zstd.ts";
import type { NativeRecord } from "../../model/reader.ts";
import type { FileSet } from "./chunk-fetch.ts";
import type { HypercubeChunk } from "./chunk-plan.ts";
import { CHUNK_RECORD_BYTES, HEADER_BYTES, readChunkRecord } from "./layout.ts";
import type { Head } from "./preamble.ts";

/** Bytes handed out at once, about. */
const STEP = 1 << 20;

/** Bytes `[from, to)` of a file: a chunk's frame, or what lies between frames. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly chunk: HypercubeChunk | null;
  /** Nothing of the index follows. */
  readonly isLast: boolean;
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
  isSound: (chunk: HypercubeChunk, frame: Uint8Array) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  if (!files.isMainSegment) yield* mainRecords(files, head, chunks, isSound, signal);
  const segments = [...new Set(chunks.map(({ segment }) => segment))].filter((segment) => segment !== null);
  for (const segment of segments.sort((a, b) => a - b)) {
    const inside = chunks.filter((chunk) => chunk.segment === segment);
    const size = await files.sizeOf(segment);
    yield* rangeRecords(files, segment, 0, size, inside, isSound, signal);
  }
}

async function* mainRecords(
  files: FileSet,
  head: Head,
  chunks: readonly HypercubeChunk[],
  isSound: (chunk: HypercubeChunk, frame: Uint8Array) => boolean,
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
  yield* rangeRecords(files, null, head.preambleLength, files.size, inMain, isSound, signal);
}

async function* rangeRecords(
  files: FileSet,
  segment: number | null,
  begin: number,
  size: number | null,
  chunks: readonly HypercubeChunk[],
  isSound: (chunk: HypercubeChunk, frame: Uint8Array) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const group: Piece[] = [];
  const flush = async (): Promise<{ records: NativeRecord[]; isEnd: boolean }> => {
    const from = group[0]!.from;
    const length = group.at(-1)!.to - from;
    const bytes = await files.read(segment, from, length, signal);
    const records: NativeRecord[] = [];
    if (bytes !== null) for (const piece of group) addRecords(records, piece, bytes, from, isSound);
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

/** Cuts `[begin, size)` at the chunks; what is between is cut at most every `STEP`. Without a size there is no end. */
function* pieces(begin: number, size: number | null, chunks: readonly HypercubeChunk[]): Generator<Piece> {
  const end = size ?? Number.POSITIVE_INFINITY;
  let at = begin;
  for (const chunk of chunks.toSorted((a, b) => a.offset - b.offset)) {
    if (chunk.offset >= end) break;
    for (; at < chunk.offset; at = Math.min(chunk.offset, at + STEP)) {
      yield { from: at, to: Math.min(chunk.offset, at + STEP), chunk: null, isLast: false };
    }
    const to = Math.min(end, chunk.offset + chunk.length);
    yield { from: chunk.offset, to, chunk, isLast: false };
    at = to;
  }
  for (; at < end; at += STEP) yield { from: at, to: Math.min(end, at + STEP), chunk: null, isLast: true };
}

function addRecords(
  records: NativeRecord[],
  piece: Piece,
  bytes: Uint8Array,
  origin: number,
  isSound: (chunk: HypercubeChunk, frame: Uint8Array) => boolean,
): void {
  const { from, to, chunk, isLast } = piece;
  const content = bytes.subarray(from - origin, to - origin);
  if (content.length === 0) return;
  if (chunk !== null) {
    const isWhole = content.length === chunk.length && isSound(chunk, content);
    records.push({ kind: isWhole ? "chunk" : "damaged", offset: from, bytes: content });
    return;
  }
  let at = 0;
  while (content.length - at >= CHUNK_RECORD_BYTES && isChunkRecord(content, at)) {
    records.push({ kind: "chunk-record", offset: from + at, bytes: content.subarray(at, at + CHUNK_RECORD_BYTES) });
    at += CHUNK_RECORD_BYTES;
  }
  if (at === content.length) return;
  const rest = content.subarray(at);
  const isFrame = rest.length >= 4 && new DataView(rest.buffer, rest.byteOffset).getUint32(0, true) === ZSTD_MAGIC;
  records.push({ kind: isFrame ? "damaged" : isLast ? "trailing" : "gap", offset: from + at, bytes: rest });
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
