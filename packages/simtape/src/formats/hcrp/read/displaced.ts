import type { Zstd } from "../../../codec/zstd.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Finding, Reporter } from "../../../model/error.ts";
import type { Dialect } from "../chunk/context.ts";
import type { FileSet } from "../chunk/fetch.ts";
import { HcrpChunk } from "../chunk/plan.ts";
import { matchFrames, type SegmentFrame } from "./displaced-match.ts";
import { CHUNK_RECORD_BYTES, type ChunkRecord } from "../layout/framing.ts";
import { findFrames } from "./resync.ts";
import { recordIn } from "./segments.ts";

/** What the search for frames goes by. */
export interface DisplacedOptions {
  readonly zstd: Zstd;
  readonly dictionary: Uint8Array | null;
  readonly dialect: Dialect;
  /** Null: records of any recording count. */
  readonly recordingId: string | null;
  /** Whether a chunk's frame inflates. */
  readonly isSound: (chunk: HcrpChunk, frame: Uint8Array) => boolean;
}

/** Bytes of a gap between frames that are searched for records at once. */
const STEP = 1 << 20;

/**
 * Where the chunks of segments are of which bytes went missing, or into which bytes came: what is behind is not where
 * the index says. A segment is searched, once, when a chunk of it is not at its place; then all chunks of it are at
 * theirs.
 */
export class Displaced {
  readonly #files: FileSet;
  readonly #chunks: readonly HcrpChunk[];
  readonly #options: DisplacedOptions;
  readonly #report: Reporter;
  readonly #searched = new Map<number, Promise<boolean>>();
  /** By place in the index, of chunks that are not where it says; null: not in the file any more. */
  readonly #places = new Map<number, HcrpChunk | null>();
  readonly #displaced = new Set<number>();
  /** What was reported, one for each segment with chunks elsewhere. */
  readonly findings: Finding[] = [];

  constructor(files: FileSet, chunks: readonly HcrpChunk[], options: DisplacedOptions, report: Reporter) {
    this.#files = files;
    this.#chunks = chunks;
    this.#options = options;
    this.#report = report;
  }

  /** The chunk with the place where it is, as far as is known; null when it is not there any more. */
  placeOf(chunk: HcrpChunk): HcrpChunk | null {
    const place = this.#places.get(chunk.index);
    return place === undefined ? chunk : place;
  }

  /** Whether bytes came into the segment or went missing: its chunks are elsewhere, or not there. */
  isDisplaced(segment: number): boolean {
    return this.#displaced.has(segment);
  }

  /** Looks for the chunks of a segment; gives what `isDisplaced` says from then on. */
  search(segment: number): Promise<boolean> {
    const known = this.#searched.get(segment);
    if (known !== undefined) return known;
    const searching = this.#search(segment);
    this.#searched.set(segment, searching);
    searching.catch(() => this.#searched.delete(segment));
    return searching;
  }

  async #search(segment: number): Promise<boolean> {
    const chunks = this.#chunks.filter((chunk) => chunk.segment === segment);
    const size = await this.#files.sizeOf(segment);
    if (size === null) return false;
    const frames = (await this.#files.inSegment(segment, (source) => this.#framesOf(source, size))) ?? [];
    const found = new Map(matchFrames(chunks, frames, size));
    for (const chunk of chunks)
      if (!found.has(chunk) && (await this.#isAtPlace(chunk, frames))) found.set(chunk, chunk.offset);
    const moved = chunks.filter((chunk) => (found.get(chunk) ?? chunk.offset) !== chunk.offset);
    const isOtherSize = size !== segmentEnd(chunks);
    if (moved.length === 0 && !(isOtherSize && found.size < chunks.length)) return false;
    for (const chunk of chunks) {
      const offset = found.get(chunk);
      if (offset === chunk.offset) continue;
      this.#places.set(
        chunk.index,
        offset === undefined ? null : new HcrpChunk(chunk.index, chunk.entry, offset, segment),
      );
    }
    this.#displaced.add(segment);
    if (moved.length > 0) this.#tell(segment, moved, chunks.length - found.size);
    return true;
  }

  /** Frames that do not state their size are not found by the search. */
  async #isAtPlace(chunk: HcrpChunk, frames: readonly SegmentFrame[]): Promise<boolean> {
    const { segment, offset, length } = chunk;
    const end = offset + length;
    if (frames.some(({ frame }) => frame.offset < end && offset < frame.offset + frame.length)) return false;
    const bytes = await this.#files.read(segment, offset, length);
    return bytes?.length === length && this.#options.isSound(chunk, bytes);
  }

  #tell(segment: number, moved: readonly HcrpChunk[], lost: number): void {
    const first = moved[0]!;
    const { offset } = this.placeOf(first)!;
    const others = moved.length === 1 ? "" : `, and ${moved.length - 1} more at other offsets`;
    const gone = lost === 0 ? "" : `; ${lost} cannot be found`;
    const message =
      `${this.#files.nameOf(segment)}, ${first.title}: expected at ${first.offset} as the index has, ` +
      `found at ${offset}${others}${gone}`;
    const finding: Finding = { code: "moved-chunks", severity: "damage", message, offset, time: first.first };
    this.findings.push(finding);
    this.#report.report(finding);
  }

  async #framesOf(source: ByteSource, size: number): Promise<SegmentFrame[]> {
    const { recordingId, zstd, dictionary, dialect } = this.#options;
    const options = { zstd, dictionary, dialect, withTicks: false, signal: undefined };
    const frames = await findFrames(source, 0, size, options);
    const found: SegmentFrame[] = [];
    let end = 0;
    for (const frame of frames) {
      const records = await recordsIn(source, end, frame.offset);
      const ours = records.filter((record) => recordingId === null || record.recordingId === recordingId);
      found.push({ frame, records: ours });
      end = frame.offset + frame.length;
    }
    return found;
  }
}

/** Where a segment ends by what the index says of its chunks. */
export function segmentEnd(chunks: readonly HcrpChunk[]): number {
  return chunks.reduce((end, { offset, length }) => Math.max(end, offset + length), 0);
}

/** The sound records in bytes `[from, to)`, in order. */
async function recordsIn(source: ByteSource, from: number, to: number): Promise<ChunkRecord[]> {
  const found: ChunkRecord[] = [];
  for (let at = from; to - at >= CHUNK_RECORD_BYTES; ) {
    const bytes = await source.read(at, Math.min(STEP, to - at));
    let behind = 0;
    for (let next = recordIn(bytes); next !== null; next = recordIn(bytes, behind)) {
      found.push(next.record);
      behind = next.at + CHUNK_RECORD_BYTES;
    }
    // one may lie across the end of what was read
    at += Math.max(behind, bytes.length - CHUNK_RECORD_BYTES + 1);
    if (bytes.length < CHUNK_RECORD_BYTES) break;
  }
  return found;
}
