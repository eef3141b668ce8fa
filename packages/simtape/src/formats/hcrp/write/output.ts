import { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteSink, SinkBundle } from "../../../io/sink/sink.ts";
import { RecordingError } from "../../../model/error.ts";
import {
  CHUNK_RECORD_BYTES,
  FIRST_READ,
  FORMAT_ID,
  HEADER_BYTES,
  type IndexEntry,
  LIMITS,
  segmentName,
  writeIndexEntry,
} from "../layout/framing.ts";
import { appendToSegment, type FinishedChunk, indexEntryOf } from "./segment-chunk.ts";
import { SinkQueue } from "./sink-queue.ts";

/** What of the preamble an output knows and the writer does not. */
export interface Layout {
  readonly index: Uint8Array;
  readonly chunkCount: number;
  readonly tickCount: number;
  /** Bytes of all chunks in a compacted file; null in a metadata file. */
  readonly chunkBytes: number | null;
  /** Metadata must come to this length; null: it is as long as it is. */
  readonly metadataLength: number | null;
  readonly nextSegment: number;
  /** How often the preamble was written before. */
  readonly rewrites: number;
  /** Nothing will be appended any more. */
  readonly isFinal: boolean;
}

/** Header, metadata and index of a layout; called again for every generation. */
export type PreambleOf = (layout: Layout) => Uint8Array;

/** Where chunks go. */
export interface ChunkOutput {
  add(chunk: FinishedChunk): void;
  /** Chunks so far. */
  readonly count: number;
  /** How much of the room for the index is used, 0 to 1: chunks should grow when it gets scarce. */
  readonly indexUse: number;
  readonly ready: Promise<void> | null;
  /** `isCommit`: everything added can be read back after a crash, where the representation allows it. */
  flush(preamble: PreambleOf): Promise<void>;
  close(preamble: PreambleOf): Promise<void>;
  abort(): Promise<void>;
}

/** Frames held in memory before the place of the chunks must be decided. */
const HOLD_BYTES = 16 << 20;
/** Bytes handed to a sink at once, about. */
const PIECE = 1 << 20;
/** What metadata may still grow by when its room was decided. */
const METADATA_SLACK = 16_384;

/**
 * One file. The preamble stands before the chunks and is known last: up to 16 MiB of chunks are held until then. A
 * longer recording gets room for its preamble, which is filled up at the end (spec §5 allows no gaps).
 */
export class CompactedOutput implements ChunkOutput {
  readonly #sink: ByteSink;
  readonly #queue = new SinkQueue();
  readonly #isVersioned: boolean;
  readonly #expectedChunks: number;
  readonly #metadataLength: () => number;
  #entries: IndexEntry[] = [];
  #indexBytes = 0;
  #chunkBytes = 0;
  #tickCount = 0;
  #held: FinishedChunk[] = [];
  #heldBytes = 0;
  /** Bytes kept for the preamble; 0 while nothing is written. */
  #room = 0;

  /** `expectedChunks`: how many there will be at least; `metadataLength`: of the metadata as they are. */
  constructor(sink: ByteSink, isVersioned: boolean, expectedChunks: number, metadataLength: () => number) {
    this.#sink = sink;
    this.#isVersioned = isVersioned;
    this.#expectedChunks = expectedChunks;
    this.#metadataLength = metadataLength;
  }

  get count(): number {
    return this.#entries.length;
  }

  get indexUse(): number {
    const room = this.#room === 0 ? LIMITS.index : this.#room - HEADER_BYTES - this.#metadataLength() - METADATA_SLACK;
    return Math.max(this.#indexBytes / Math.max(1, room), this.#entries.length / LIMITS.chunks);
  }

  get ready(): Promise<void> | null {
    return this.#queue.ready;
  }

  add(chunk: FinishedChunk): void {
    const { startTick, tickCount, flags, frame, uncompressedLength, formatVersion } = chunk;
    const entry: IndexEntry = {
      startTick,
      tickCount,
      flags,
      // from the first chunk on; what stands before them is not known yet
      offsetHigh: 0,
      offsetLow: 0,
      compressedLength: frame.length,
      uncompressedLength,
      formatVersion: this.#isVersioned ? formatVersion : null,
      dataVersion: this.#isVersioned ? chunk.dataVersion : null,
    };
    const length = entryLength(entry);
    if (this.indexUse >= 1 || this.#indexBytes + length > LIMITS.index) {
      throw noRoom(this.#entries.length);
    }
    this.#entries.push(entry);
    this.#indexBytes += length;
    this.#chunkBytes += frame.length;
    this.#tickCount = startTick + tickCount;
    this.#held.push(chunk);
    this.#heldBytes += frame.length;
    if (this.#room === 0) {
      if (this.#heldBytes > HOLD_BYTES) this.#settle();
    } else if (this.#heldBytes >= PIECE) this.#writeHeld();
  }

  async flush(): Promise<void> {
    await this.#queue.settled();
  }

  async close(preambleOf: PreambleOf): Promise<void> {
    const isHeld = this.#room === 0;
    const index = this.#index(isHeld ? HEADER_BYTES + this.#metadataLength() + this.#indexBytes : this.#room);
    const preamble = preambleOf({
      index,
      chunkCount: this.#entries.length,
      tickCount: this.#tickCount,
      chunkBytes: this.#chunkBytes,
      metadataLength: isHeld ? null : this.#room - HEADER_BYTES - index.length,
      nextSegment: 0,
      rewrites: 0,
      isFinal: true,
    });
    if (isHeld) this.#queue.add(preamble.length, () => this.#sink.write(preamble));
    this.#writeHeld();
    if (!isHeld) this.#queue.add(preamble.length, () => this.#sink.writeAt(0, preamble));
    await this.#queue.settled();
    await this.#sink.close();
  }

  async abort(): Promise<void> {
    await this.#queue.ended();
    await this.#sink.abort();
  }

  /** Decides where the chunks begin: opening stays one read where the index allows it (spec §11). */
  #settle(): void {
    const perEntry = Math.ceil(this.#indexBytes / this.#entries.length) + 4;
    const metadata = HEADER_BYTES + this.#metadataLength() + METADATA_SLACK;
    const index = Math.max(this.#indexBytes * 8, Math.ceil(this.#expectedChunks * 1.25) * perEntry);
    this.#room = Math.max(FIRST_READ, metadata + Math.min(index, LIMITS.index - (1 << 20)));
    const room = new Uint8Array(this.#room);
    this.#queue.add(room.length, () => this.#sink.write(room));
    this.#writeHeld();
  }

  #writeHeld(): void {
    const isLarge = ({ frame }: FinishedChunk): boolean => frame.length >= PIECE >> 1;
    for (let from = 0; from < this.#held.length; ) {
      const chunk = this.#held[from++]!;
      if (isLarge(chunk)) {
        this.#queue.add(chunk.frame.length, async () => {
          await this.#sink.write(chunk.frame);
          chunk.done?.();
        });
        continue;
      }
      const piece = new ByteBuilder(Math.min(this.#heldBytes, PIECE + (PIECE >> 2))).raw(chunk.frame);
      chunk.done?.();
      while (from < this.#held.length && piece.length < PIECE && !isLarge(this.#held[from]!)) {
        const next = this.#held[from++]!;
        piece.raw(next.frame);
        next.done?.();
      }
      const bytes = piece.take();
      this.#queue.add(bytes.length, () => this.#sink.write(bytes));
    }
    this.#held = [];
    this.#heldBytes = 0;
  }

  #index(start: number): Uint8Array {
    const builder = new ByteBuilder(this.#indexBytes);
    let at = start;
    for (const entry of this.#entries) {
      const offsetHigh = Math.floor(at / 2 ** 32);
      writeIndexEntry(builder, { ...entry, offsetHigh, offsetLow: at % 2 ** 32 });
      at += entry.compressedLength;
    }
    return builder.take();
  }
}

/** A segment is left for the next one from here on (spec §12). */
const SEGMENT_BYTES = 16 << 20;
/** Segments under way at most before what there is gets committed. */
const OPEN_SEGMENTS = 16;

/**
 * A metadata file and segments beside it (spec §8). What `flush` has committed stays, also after `abort`: a committed
 * segment is never changed. Nothing is committed before, but when 16 segments of 16 MiB are full.
 */
export class SegmentedOutput implements ChunkOutput {
  readonly #to: SinkBundle;
  readonly #queue = new SinkQueue();
  readonly #recordingId: string;
  readonly #generation: number;
  readonly #preamble: PreambleOf;
  readonly #sinks: ByteSink[] = [];
  #entries = new ByteBuilder();
  #index: Uint8Array[] = [];
  #count = 0;
  #tickCount = 0;
  #segment: number;
  #segmentBytes = 0;
  #sourceSegment: number | null = null;
  #isSegmentOpen = false;
  #openSegments = 0;
  #piece = new ByteBuilder();
  #rewrites = 0;

  /** `generation` is that of the first commit; `preamble` describes the recording when room must be made early. */
  constructor(to: SinkBundle, recordingId: string, generation: number, preamble: PreambleOf) {
    this.#to = to;
    this.#recordingId = recordingId;
    this.#generation = generation;
    this.#preamble = preamble;
    this.#segment = 0;
  }

  get count(): number {
    return this.#count;
  }

  get indexUse(): number {
    return Math.max(this.#count / LIMITS.chunks, this.#entries.length / LIMITS.index);
  }

  get ready(): Promise<void> | null {
    return this.#queue.ready;
  }

  add(chunk: FinishedChunk): void {
    if (this.indexUse >= 1) throw noRoom(this.#count);
    const { startTick, tickCount, frame } = chunk;
    const size = CHUNK_RECORD_BYTES + frame.length;
    const isOther = chunk.segment !== this.#sourceSegment && chunk.segment !== null && this.#sourceSegment !== null;
    if (this.#isSegmentOpen && (isOther || this.#segmentBytes + size > SEGMENT_BYTES)) {
      this.#leaveSegment();
      if (this.#openSegments >= OPEN_SEGMENTS) this.#commit(this.#preamble, false);
    }
    if (!this.#isSegmentOpen) this.#openSegment();
    this.#sourceSegment = chunk.segment;
    appendToSegment(this.#piece, chunk, this.#recordingId, this.#generation + this.#rewrites);
    writeIndexEntry(this.#entries, indexEntryOf(chunk, this.#segment, this.#segmentBytes + CHUNK_RECORD_BYTES));
    this.#count++;
    this.#tickCount = startTick + tickCount;
    this.#segmentBytes += size;
    if (this.#piece.length >= PIECE) this.#writePiece();
  }

  async flush(preamble: PreambleOf): Promise<void> {
    if (this.#isSegmentOpen || this.#openSegments > 0) this.#commit(preamble, false);
    await this.#queue.settled();
  }

  async close(preamble: PreambleOf): Promise<void> {
    this.#commit(preamble, true);
    await this.#queue.settled();
  }

  async abort(): Promise<void> {
    await this.#queue.ended();
    for (const sink of this.#sinks) await sink.abort();
  }

  #openSegment(): void {
    const name = segmentName(this.#segment);
    this.#isSegmentOpen = true;
    this.#openSegments++;
    this.#queue.add(0, async () => {
      this.#sinks.push(await this.#to.open(name));
    });
  }

  #leaveSegment(): void {
    this.#writePiece();
    this.#isSegmentOpen = false;
    this.#segment++;
    this.#segmentBytes = 0;
  }

  #writePiece(): void {
    if (this.#piece.length === 0) return;
    const bytes = this.#piece.take();
    this.#queue.add(bytes.length, () => this.#sinks.at(-1)!.write(bytes));
  }

  /** Segments first, then the metadata file, each under its name only when it is whole (spec §8.3). */
  #commit(preamble: PreambleOf, isFinal: boolean): void {
    if (this.#isSegmentOpen) this.#leaveSegment();
    this.#openSegments = 0;
    this.#queue.add(0, async () => {
      for (let sink = this.#sinks[0]; sink !== undefined; sink = this.#sinks[0]) {
        await sink.close();
        this.#sinks.shift();
      }
    });
    if (this.#entries.length > 0) this.#index.push(this.#entries.take());
    const index = joined(this.#index);
    this.#index = [index];
    const bytes = preamble({
      index,
      chunkCount: this.#count,
      tickCount: this.#tickCount,
      chunkBytes: null,
      metadataLength: null,
      nextSegment: this.#segment,
      rewrites: this.#rewrites++,
      isFinal,
    });
    this.#queue.add(bytes.length, async () => {
      const sink = await this.#to.open();
      this.#sinks.push(sink);
      await sink.write(bytes);
      await sink.close();
      this.#sinks.pop();
    });
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const builder = new ByteBuilder(parts.reduce((sum, { length }) => sum + length, 16));
  for (const part of parts) builder.raw(part);
  return builder.take();
}

/** Offsets are fixed-width, so that the length is known before them. */
function entryLength(entry: IndexEntry): number {
  const builder = new ByteBuilder(40);
  writeIndexEntry(builder, entry);
  return builder.length;
}

function noRoom(chunks: number): RecordingError {
  const message = `no room for the index of more than ${chunks} chunks`;
  return new RecordingError("unsupported", message, { format: FORMAT_ID });
}
