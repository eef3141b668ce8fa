import { ZSTD_MAGIC } from "../../../codec/zstd.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { FileSet } from "../chunk/fetch.ts";
import type { HcrpChunk } from "../chunk/plan.ts";
import type { ChunkRecordCheck } from "../chunk/record-check.ts";
import { type Displaced, segmentEnd } from "./displaced.ts";
import { CHUNK_RECORD_BYTES, HEADER_BYTES } from "../layout/framing.ts";
import type { Head } from "./preamble.ts";
import { recordIn } from "./segments.ts";

/** Bytes handed out at once, about. */
const STEP = 1 << 20;

/** What the records are judged by on the way. */
export interface RecordJudge {
  /** Whether a chunk's frame inflates. */
  isSound(chunk: HcrpChunk, frame: Uint8Array): boolean;
  /** Takes the chunk records of segments; null where there are none. */
  readonly records: ChunkRecordCheck | null;
  /** Knows where chunks of segments are; null: there are no segments. */
  readonly displaced: Displaced | null;
  /** Bytes that nothing in the index names. */
  stray(segment: number | null, offset: number, length: number): void;
}

/** Bytes `[from, to)` of a file. */
interface Piece {
  readonly from: number;
  readonly to: number;
  /** A chunk's frame, the record in front of it, or what lies between; behind the last chunk of the index. */
  readonly kind: "frame" | "record" | "gap" | "end";
  /** Of a gap the chunk right behind it, whose record may be at its end. */
  readonly chunk: HcrpChunk | null;
}

/**
 * Every byte of the main file, then of each segment that the index names, as records: `header`, `metadata`, `index`,
 * `chunk`, `chunk-record`, `gap`, `trailing`, and `damaged` for frames that do not inflate or that the index does not
 * let us read.
 */
export async function* fileRecords(
  files: FileSet,
  head: Head,
  chunks: readonly HcrpChunk[],
  judge: RecordJudge,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  if (!files.isMainSegment) yield* mainRecords(files, head, chunks, judge, signal);
  const segments = [...new Set(chunks.map(({ segment }) => segment))].filter((segment) => segment !== null);
  for (const segment of segments.sort((a, b) => a - b)) {
    const inside = chunks.filter((chunk) => chunk.segment === segment);
    const size = await files.sizeOf(segment);
    // a segment is never changed: bytes went missing, or came in
    if (size !== null && size !== segmentEnd(inside)) await judge.displaced?.search(segment);
    yield* rangeRecords(files, segment, 0, size, inside, judge, signal);
  }
}

async function* mainRecords(
  files: FileSet,
  head: Head,
  chunks: readonly HcrpChunk[],
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
  chunks: readonly HcrpChunk[],
  judge: RecordJudge,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const { displaced } = judge;
  const cut = (from: number): Generator<Piece> =>
    segment !== null && displaced?.isDisplaced(segment) === true
      ? displacedPieces(from, size, chunks, displaced)
      : pieces(from, size, chunks);
  let at = begin;
  let rest = cut(at);
  for (let next = rest.next(); next.done !== true; ) {
    signal?.throwIfAborted();
    const group: Piece[] = [];
    for (; next.done !== true && (group.length === 0 || next.value.to - at <= STEP); next = rest.next())
      group.push(next.value);
    const length = group.at(-1)!.to - at;
    const bytes = await files.read(segment, at, length, signal);
    if (bytes === null) return;
    const damaged = damagedIn(group, bytes, at, judge);
    const isElsewhere = segment !== null && damaged.size > 0 && !displaced!.isDisplaced(segment);
    if (isElsewhere && (await displaced!.search(segment))) {
      rest = cut(at);
      next = rest.next();
      continue;
    }
    const records: NativeRecord[] = [];
    for (const piece of group) addRecords(records, piece, bytes, at, judge, segment, damaged.has(piece));
    if (records.length > 0) yield records;
    if (bytes.length < length) return;
    at += length;
  }
}

/** Frames that do not inflate, and sound records that are of another chunk. */
function damagedIn(group: readonly Piece[], bytes: Uint8Array, origin: number, judge: RecordJudge): Set<Piece> {
  const isDamaged = ({ from, to, kind, chunk }: Piece): boolean => {
    const content = bytes.subarray(from - origin, to - origin);
    if (kind === "frame") return content.length !== chunk!.length || !judge.isSound(chunk!, content);
    const found = kind === "record" ? recordIn(content) : null;
    return found !== null && found.record.startTick !== chunk!.entry.startTick;
  };
  return new Set(group.filter(isDamaged));
}

/**
 * Cuts `[begin, size)` at the chunks, in segments also at their records; what is between is cut at most every `STEP`.
 * Without a size there is no end.
 */
function* pieces(begin: number, size: number | null, chunks: readonly HcrpChunk[]): Generator<Piece> {
  const end = size ?? Number.POSITIVE_INFINITY;
  let at = begin;
  for (const chunk of chunks.toSorted((a, b) => a.offset - b.offset)) {
    if (chunk.offset >= end) break;
    if (chunk.offset < begin) continue;
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

/** Cuts `[begin, size)` at the chunks that are still there. What else there is shows when it is read. */
function* displacedPieces(
  begin: number,
  size: number | null,
  chunks: readonly HcrpChunk[],
  displaced: Displaced,
): Generator<Piece> {
  const end = size ?? Number.POSITIVE_INFINITY;
  let at = begin;
  const placed = chunks.map((chunk) => displaced.placeOf(chunk)).filter((chunk) => chunk !== null);
  for (const chunk of placed.sort((a, b) => a.offset - b.offset)) {
    if (chunk.offset < begin) continue;
    // the last of them holds the record whole
    for (; chunk.offset - at > STEP + CHUNK_RECORD_BYTES; at += STEP)
      yield { from: at, to: at + STEP, kind: "gap", chunk: null };
    if (chunk.offset - at === CHUNK_RECORD_BYTES) yield { from: at, to: chunk.offset, kind: "record", chunk };
    else if (at < chunk.offset) yield { from: at, to: chunk.offset, kind: "gap", chunk };
    at = chunk.offset + chunk.length;
    yield { from: chunk.offset, to: at, kind: "frame", chunk };
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
  isDamaged: boolean,
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
    records.push({ kind: isDamaged ? "damaged" : "chunk", offset: from, bytes: content });
    return;
  }
  let at = 0;
  while (at < content.length) {
    const found = segment === null ? null : recordIn(content, at);
    const until = found?.at ?? content.length;
    if (until > at) {
      judge.stray(segment, from + at, until - at);
      const rest = content.subarray(at, until);
      const isFrame = rest.length >= 4 && new DataView(rest.buffer, rest.byteOffset).getUint32(0, true) === ZSTD_MAGIC;
      records.push({ kind: isFrame ? "damaged" : kind === "end" ? "trailing" : "gap", offset: from + at, bytes: rest });
    }
    if (found === null) return;
    at = until + CHUNK_RECORD_BYTES;
    const record = content.subarray(until, at);
    if (at === content.length && chunk !== null) judge.records?.record(chunk, record);
    records.push({ kind: "chunk-record", offset: from + until, bytes: record });
  }
}
