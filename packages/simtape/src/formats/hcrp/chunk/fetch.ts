import { Spares } from "../../../bytes/spares.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../../../io/source/source.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { HcrpChunk } from "./plan.ts";
import { FIRST_READ } from "../layout/framing.ts";

/** Segments kept open at once; the one used longest ago is closed for another. */
const OPEN_SEGMENTS = 64;
/** Bytes fetched for nothing to save a request. */
const MAX_GAP = 64 << 10;
/** Bytes of one request for several chunks. */
const MAX_GROUP = 1 << 20;
/** Chunks of one request. */
const MAX_MEMBERS = 1024;
/** Reads whose memory is used again within a query, and the most bytes of one. */
const SPARES = 4;
const SPARE = 2 * MAX_GROUP;
/** Decoded chunks kept, in bytes of memory. */
const CACHE_BYTES = 16 << 20;
/** Memory of a decoded chunk without a row, about. */
const CHUNK_BYTES = 2048;
/** Memory of one row of a batch. */
const ROW_BYTES = 27;
/** Memory of a decoded chunk for each byte of its content, about. */
const GROWTH = 5;

/** Why a chunk's bytes are not to be had. */
export interface Missing {
  readonly code: "missing-segment" | "truncated" | "damaged-chunk";
  readonly severity: "damage" | "loss";
  /** Bytes of the chunk that are there, damaged. */
  readonly left: number;
  readonly message: string;
}

/** What a read brought; `isOwn`: nothing else has its memory. */
type Fetched =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly isOwn: true }
  | { readonly bytes: Uint8Array; readonly isOwn: false };

/** One read for chunks that lie next to each other. */
interface Group {
  readonly start: number;
  readonly fetched: Promise<Fetched | null>;
  /** Chunks of it that were not used yet. */
  left: number;
}

interface OpenSegment {
  readonly source: Promise<ByteSource | null>;
  readers: number;
}

/** The files of a recording: the main one, and segments opened when first asked for. */
export class FileSet {
  readonly main: ByteSource;
  /** Of the main file; null: not known. */
  readonly size: number | null;
  readonly isSegmented: boolean;
  /** The main file is itself one of the segments. */
  readonly isMainSegment: boolean;
  readonly #bundle: SourceBundle;
  readonly #nameOf: ((segment: number) => string) | null;
  /** The start of the main file, when the first read brought more than the preamble. */
  readonly #head: Uint8Array;
  readonly #segments = new Map<number, OpenSegment>();
  #isClosed = false;

  /** `head` are bytes of the main file from 0 on; `nameOf` names segments and is null for a compacted file. */
  constructor(
    bundle: SourceBundle,
    main: ByteSource,
    size: number | null,
    head: Uint8Array,
    nameOf: ((segment: number) => string) | null,
    isMainSegment = false,
  ) {
    this.isMainSegment = isMainSegment;
    this.#bundle = bundle;
    this.main = main;
    this.size = size;
    this.isSegmented = nameOf !== null;
    this.#nameOf = nameOf;
    this.#head = nameOf === null && head.length <= FIRST_READ ? head : head.subarray(0, 0);
  }

  nameOf(segment: number): string {
    return this.#nameOf?.(segment) ?? this.main.name;
  }

  /** The chunk's bytes when they came with the first read. */
  kept(chunk: HcrpChunk): Uint8Array | null {
    const end = chunk.offset + chunk.length;
    return chunk.segment === null && end <= this.#head.length ? this.#head.subarray(chunk.offset, end) : null;
  }

  /** What `use` makes of a segment; null when it is not there. */
  inSegment<T>(segment: number, use: (source: ByteSource) => Promise<T>): Promise<T | null> {
    return this.#with(segment, use);
  }

  /** Bytes `[offset, offset + length)` of a file, fewer at its end; null when there is no such segment. */
  read(segment: number | null, offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array | null> {
    if (segment === null) return this.main.read(offset, length, signal);
    return this.#with(segment, (source) => source.read(offset, length, signal));
  }

  /** As `read`, in memory of `spares` where the file can be read into it. */
  fetch(
    segment: number | null,
    offset: number,
    length: number,
    spares: Spares,
    signal?: AbortSignal,
  ): Promise<Fetched | null> {
    if (segment === null) return fetchFrom(this.main, offset, length, spares, signal);
    return this.#with(segment, (source) => fetchFrom(source, offset, length, spares, signal));
  }

  /** Bytes of a segment; null when it is not there or does not tell. */
  sizeOf(segment: number): Promise<number | null> {
    return this.#with(segment, (source) => source.size());
  }

  /** Bytes of all files, segments as long as their chunks reach. */
  bytesWith(chunks: readonly HcrpChunk[]): number | null {
    if (this.size === null) return null;
    const ends = new Map<number, number>();
    for (const { segment, offset, length } of chunks) {
      if (segment !== null) ends.set(segment, Math.max(ends.get(segment) ?? 0, offset + length));
    }
    let total = this.size;
    for (const end of ends.values()) total += end;
    return total;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const segments = [...this.#segments.values()];
    this.#segments.clear();
    await Promise.all([this.main.close(), ...segments.map(closeSegment)]);
  }

  async #with<T>(segment: number, use: (source: ByteSource) => Promise<T>): Promise<T | null> {
    if (this.#isClosed) throw new SourceError("closed", `source is closed: ${this.nameOf(segment)}`);
    const known = this.#segments.get(segment);
    const open = known ?? { source: this.#bundle.open(this.nameOf(segment)), readers: 0 };
    // the one used last stands last
    this.#segments.delete(segment);
    this.#segments.set(segment, open);
    open.readers++;
    try {
      const source = await open.source.catch((error: unknown) => {
        // the next read tries again
        if (this.#segments.get(segment) === open) this.#segments.delete(segment);
        throw error;
      });
      return source === null ? null : await use(source);
    } finally {
      open.readers--;
      this.#trim();
    }
  }

  #trim(): void {
    if (this.#segments.size <= OPEN_SEGMENTS) return;
    for (const [number, open] of this.#segments) {
      if (open.readers > 0) continue;
      this.#segments.delete(number);
      void closeSegment(open);
      return;
    }
  }
}

async function fetchFrom(
  source: ByteSource,
  offset: number,
  length: number,
  spares: Spares,
  signal: AbortSignal | undefined,
): Promise<Fetched> {
  if (source.readInto === undefined) return { bytes: await source.read(offset, length, signal), isOwn: false };
  const room = spares.memory(length);
  const into = new Uint8Array(typeof room === "number" ? new ArrayBuffer(room) : room, 0, length);
  return { bytes: into.subarray(0, await source.readInto(into, offset, signal)), isOwn: true };
}

async function closeSegment(open: OpenSegment): Promise<void> {
  const source = await open.source.catch(() => null);
  await source?.close().catch(() => undefined);
}

/** Brings the chunks of one query: those that lie next to each other in a file come with one read. */
export class ChunkFetch {
  readonly #files: FileSet;
  /** Ascending by place in the index; wanted are those of `#range`. */
  readonly #chunks: readonly HcrpChunk[];
  readonly #range: { readonly from: number; readonly to: number };
  readonly #step: 1 | -1;
  readonly #isKnown: (chunk: HcrpChunk) => boolean;
  readonly #placeOf: (chunk: HcrpChunk) => HcrpChunk | null;
  readonly #coming = new Map<HcrpChunk, Group>();
  readonly #spares = new Spares(SPARES, SPARE);

  /**
   * For those of `chunks` in `range`. `placeOf` tells where one of them is now, null when it is nowhere; `isKnown`
   * which need not be fetched from there.
   */
  constructor(
    files: FileSet,
    chunks: readonly HcrpChunk[],
    range: { readonly from: number; readonly to: number },
    isReverse: boolean,
    isKnown: (chunk: HcrpChunk) => boolean,
    placeOf: (chunk: HcrpChunk) => HcrpChunk | null,
  ) {
    this.#files = files;
    this.#chunks = chunks;
    this.#range = range;
    this.#step = isReverse ? -1 : 1;
    this.#isKnown = isKnown;
    this.#placeOf = placeOf;
  }

  /**
   * What `use` makes of the chunk's compressed bytes, which hold for that call only; `chunk` is at its place. The read is
   * under way when this returns.
   */
  async take<T>(chunk: HcrpChunk, use: (frame: Uint8Array) => T, signal?: AbortSignal): Promise<T | Missing> {
    const kept = this.#files.kept(chunk);
    if (kept !== null) return use(kept);
    this.#passOver(chunk);
    const group = this.#coming.get(chunk) ?? this.#start(chunk, signal);
    this.#coming.delete(chunk);
    const fetched = await group.fetched;
    try {
      const frame = this.#cut(chunk, fetched?.bytes ?? null, group.start);
      return frame instanceof Uint8Array ? use(frame) : frame;
    } finally {
      group.left--;
      if (group.left === 0 && fetched?.isOwn === true) this.#spares.give(fetched.bytes);
    }
  }

  /** Lets go of chunks that came with others and were not asked for before `chunk`, such as empty ones. */
  #passOver(chunk: HcrpChunk): void {
    for (const [passed, group] of this.#coming) {
      if ((passed.index - chunk.index) * this.#step >= 0) break;
      group.left--;
      this.#coming.delete(passed);
    }
  }

  #start(chunk: HcrpChunk, signal: AbortSignal | undefined): Group {
    const members = [chunk];
    let start = chunk.offset;
    let end = chunk.offset + chunk.length;
    const { from: least, to: most } = this.#range;
    for (
      let at = this.#indexOf(chunk) + this.#step;
      at >= least && at < most && members.length < MAX_MEMBERS;
      at += this.#step
    ) {
      const next = this.#placeOf(this.#chunks[at]!);
      if (next === null) continue;
      if (next.segment !== chunk.segment || this.#coming.has(next)) break;
      if (this.#isKnown(next) || this.#files.kept(next) !== null) break;
      if (next.offset - end > MAX_GAP || start - next.offset - next.length > MAX_GAP) break;
      const from = Math.min(start, next.offset);
      const to = Math.max(end, next.offset + next.length);
      if (to - from > MAX_GROUP) break;
      members.push(next);
      start = from;
      end = to;
    }
    const fetched = this.#files.fetch(chunk.segment, start, end - start, this.#spares, signal);
    // a read that no caller waits for must not fail loudly
    fetched.catch(() => undefined);
    const group = { start, fetched, left: members.length };
    for (const member of members) this.#coming.set(member, group);
    return group;
  }

  #cut(chunk: HcrpChunk, all: Uint8Array | null, start: number): Uint8Array | Missing {
    if (all === null) {
      const message = `there is no ${this.#files.nameOf(chunk.segment ?? 0)}`;
      return { code: "missing-segment", severity: "loss", left: 0, message };
    }
    const bytes = all.subarray(chunk.offset - start, chunk.offset - start + chunk.length);
    if (bytes.length === chunk.length) return bytes;
    const message = `expected ${chunk.length} bytes, found ${bytes.length} before the file ends`;
    return { code: "truncated", severity: "loss", left: bytes.length, message };
  }

  #indexOf(chunk: HcrpChunk): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.index < chunk.index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The chunks decoded last, at their places, up to 16 MiB. */
export class ChunkCache {
  /** The one used longest ago first. */
  readonly #kept = new Map<HcrpChunk, Columns>();
  #bytes = 0;

  has(chunk: HcrpChunk): boolean {
    return this.#kept.has(chunk);
  }

  get(chunk: HcrpChunk): Columns | null {
    const columns = this.#kept.get(chunk);
    if (columns === undefined) return null;
    this.#kept.delete(chunk);
    this.#kept.set(chunk, columns);
    return columns;
  }

  put(chunk: HcrpChunk, columns: Columns): void {
    if (this.#kept.has(chunk)) return;
    this.#kept.set(chunk, columns);
    this.#bytes += cost(columns);
    for (const [old, oldColumns] of this.#kept) {
      if (this.#bytes <= CACHE_BYTES || old === chunk) break;
      this.#kept.delete(old);
      this.#bytes -= cost(oldColumns);
    }
  }

  /** Whether all of `chunks` can be kept together, by what the index says of their size. */
  fits(chunks: readonly HcrpChunk[]): boolean {
    let bytes = 0;
    for (const { entry } of chunks) bytes += CHUNK_BYTES + entry.uncompressedLength * GROWTH;
    return bytes <= CACHE_BYTES;
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

function cost(columns: Columns): number {
  return CHUNK_BYTES + columns.bytes.length + columns.length * ROW_BYTES;
}
