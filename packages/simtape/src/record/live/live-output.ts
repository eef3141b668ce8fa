import { ByteBuilder } from "../../bytes/builder.ts";
import { CHUNK_RECORD_BYTES, LIMITS, writeIndexEntry } from "../../formats/hcrp/layout/framing.ts";
import type { ChunkOutput, PreambleOf } from "../../formats/hcrp/write/output.ts";
import { appendToSegment, type FinishedChunk, indexEntryOf } from "../../formats/hcrp/write/segment-chunk.ts";
import { isConflict, isPassing, type RecordingFolder } from "./recording-folder.ts";

/** What happens to what comes when the store does not keep up. */
export const OVERFLOW_POLICIES = ["block", "drop-oldest", "drop-newest"] as const;
/**
 * What a recorder does when the store takes less than it is given: `block` asks its caller to wait (`ready`), the others
 * lose the oldest or the newest events and count them.
 */
export type OverflowPolicy = (typeof OVERFLOW_POLICIES)[number];

export interface LiveOptions {
  readonly recordingId: string;
  /** Of this recorder alone: what is tried again is known by it. */
  readonly session: string;
  /** Of the first metadata file that is written. */
  readonly generation: number;
  readonly place: RecordingFolder;
  /** Compressed bytes that may wait for the store. */
  readonly bufferBytes: number;
  readonly policy: OverflowPolicy;
  /** What is there already of a recording that goes on. */
  readonly before: {
    readonly index: Uint8Array;
    readonly chunks: number;
    readonly ticks: number;
    readonly segment: number;
  };
  /** The chunk that takes the place of one that must go: as many ticks, in which nothing happens. */
  readonly emptied: (chunk: FinishedChunk) => FinishedChunk;
  /** Waits; rejects when the recorder gives up. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Lets the tick be over that asks for a commit. */
  readonly turn: () => Promise<void>;
  /** Called before metadata are made: chunks may have come since the commit was asked for, and the metadata go with them. */
  readonly noting: () => void;
  /** Rises when the metadata name something that chunks need to be understood: a host event, an epoch. */
  readonly names: () => number;
  /** Chunks that had to go; ticks of the recording. What was in them is found out by who wants to know. */
  readonly dropped: (chunk: FinishedChunk) => void;
  /** `bytes` are there for good, up to tick `until`. */
  readonly committed: (bytes: number, until: number, chunks: number) => void;
  /** Another recorder has the recording now, or it cannot be written at all: nothing is tried any more. */
  readonly failed: (error: unknown) => void;
}

/** A segment is left for the next one from here on (HCRP spec §12). */
const SEGMENT_BYTES = 16 << 20;
/** Bytes of an index entry at most (HCRP spec §5). */
const ENTRY_BYTES = 27;
/** That a frame may be longer by than what is in it. */
const FRAME_BYTES = 1024;
/** Between two tries, milliseconds: doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

/**
 * Chunks on their way to a store: each commit is one new segment and then the metadata file (HCRP spec §8.3). It goes
 * on in the background and tries again for as long as it takes; the caller that adds chunks never waits and sees no
 * error.
 */
export class LiveOutput implements ChunkOutput {
  readonly #options: LiveOptions;
  #pending: FinishedChunk[] = [];
  /** Of those that are compressed. */
  #pendingBytes = 0;
  /**
   * Chunks at the end of the pending ones that are not compressed yet, and how many of them the tick before has left.
   */
  #uncompressed = 0;
  #left = 0;
  /** Of the commit under way, which nothing is dropped from. */
  #flight: readonly FinishedChunk[] = [];
  #flightBytes = 0;
  /** Chunks added since the last call of `takeFinished`. */
  #finished = 0;
  #index: Uint8Array;
  /** Chunks in the index, and with those of the commit under way. */
  #indexed: number;
  #count: number;
  #ticks: number;
  #segment: number;
  #rewrites = 0;
  #needsSnapshot = false;
  /** The store has taken something. */
  #isTaken = false;
  /** As of the last metadata file. */
  #names = -1;
  #running: Promise<void> | null = null;
  #isWanted = false;
  #isAborted = false;
  #failure: { readonly error: unknown } | null = null;
  #trouble: Error | null = null;
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;

  constructor(options: LiveOptions) {
    this.#options = options;
    const { index, chunks, ticks, segment } = options.before;
    this.#index = index;
    this.#indexed = chunks;
    this.#count = chunks;
    this.#ticks = ticks;
    this.#segment = segment;
  }

  get count(): number {
    return this.#count + this.#pending.length;
  }

  get indexUse(): number {
    const length = this.#index.length + this.#pending.length * ENTRY_BYTES;
    return Math.max(this.count / LIMITS.chunks, length / LIMITS.index);
  }

  /** A few chunks more, for what is under way, and there is no room left (HCRP spec §12). */
  get isIndexFull(): boolean {
    return this.indexUse >= 0.9999;
  }

  /** Number of the next segment. */
  get segments(): number {
    return this.#segment;
  }

  /** Compressed bytes that are not committed yet. */
  get waiting(): number {
    return this.#pendingBytes + this.#flightBytes;
  }

  /** A commit is under way: what is added meanwhile goes with the next one. */
  get isCommitting(): boolean {
    return this.#running !== null;
  }

  /** Why the store did not take what it is given again and again; null: it does. */
  get trouble(): Error | null {
    return this.#trouble;
  }

  get isFull(): boolean {
    return this.waiting >= this.#options.bufferBytes;
  }

  /** Chunks that would be lost now. */
  get uncommitted(): readonly FinishedChunk[] {
    return [...this.#flight, ...this.#pending];
  }

  /** Chunks added since the call before, but for those that are committed by now. */
  takeFinished(): readonly FinishedChunk[] {
    const count = this.#finished;
    this.#finished = 0;
    return count === 0 ? [] : this.uncommitted.slice(-count);
  }

  /** Chunks before the next one are gone: it must begin with a snapshot (HCRP events §6). */
  get needsSnapshot(): boolean {
    return this.#needsSnapshot;
  }

  /** Not null while the buffer is full under policy `block`. */
  get ready(): Promise<void> | null {
    if (this.#options.policy !== "block" || !this.isFull || this.#failure !== null) return null;
    if (this.#room === null) {
      let resolve = (): void => undefined;
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#room = { promise, resolve };
    }
    return this.#room.promise;
  }

  add(chunk: FinishedChunk): void {
    if (this.indexUse >= 1) throw new RangeError(`no room for the index of more than ${this.count} chunks`);
    this.#needsSnapshot = false;
    this.#pending.push(chunk);
    this.#finished++;
    this.#uncompressed++;
    // what must go, goes before the next chunk begins
    const { policy, bufferBytes } = this.#options;
    if (policy === "drop-oldest" && this.waiting + chunk.uncompressedLength + FRAME_BYTES >= bufferBytes)
      this.#compress();
  }

  /** To be called in each tick: compresses what the tick before has left, as a snapshot is enough for one. */
  tick(): void {
    if (this.#left > 0) this.#compress();
    this.#left = this.#uncompressed;
  }

  /** The chunks of the present tick are not compressed yet. */
  get isBusy(): boolean {
    return this.#uncompressed > 0;
  }

  #compress(): void {
    for (const { frame } of this.#pending.slice(this.#pending.length - this.#uncompressed))
      this.#pendingBytes += frame.length;
    this.#uncompressed = 0;
    this.#left = 0;
    if (this.#options.policy === "drop-oldest" && this.isFull) this.#dropOldest();
  }

  /** Asks for everything so far to be committed; at once when nothing is under way, else behind that. */
  commit(preambleOf: PreambleOf): void {
    this.#isWanted = true;
    this.#running ??= this.#run(preambleOf);
  }

  async flush(preambleOf: PreambleOf): Promise<void> {
    this.commit(preambleOf);
    await this.#settled();
  }

  async close(preambleOf: PreambleOf): Promise<void> {
    await this.#settled();
    this.#isWanted = true;
    this.#running = this.#run(preambleOf, true);
    await this.#settled();
  }

  /** What is committed stays; the rest is given up. */
  async abort(): Promise<void> {
    this.#isAborted = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#uncompressed = 0;
    await this.#running;
  }

  async #settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #run(preambleOf: PreambleOf, isFinal = false): Promise<void> {
    try {
      await this.#options.turn();
      while (this.#isWanted && !this.#isAborted && this.#failure === null) {
        this.#isWanted = false;
        await this.#commitOnce(preambleOf, isFinal);
      }
    } catch (error) {
      if (!this.#isAborted) {
        this.#failure = { error };
        this.#options.failed(error);
      }
    } finally {
      this.#running = null;
      this.#makeRoom();
    }
  }

  async #commitOnce(preambleOf: PreambleOf, isFinal: boolean): Promise<void> {
    const { recordingId, generation, committed, names } = this.#options;
    const chunks = this.#takeSegment();
    // the first one says that the recording is there, and whose it is
    if (chunks.length === 0 && !isFinal && this.#rewrites > 0) return;
    if (this.#pending.length > 0) this.#isWanted = true;
    // a segment that is there alone, as its recorder died, must be understood
    if (chunks.length > 0 && this.#names !== names()) await this.#putMetadata(preambleOf, false);
    const segment = new ByteBuilder(this.#flightBytes + chunks.length * CHUNK_RECORD_BYTES);
    for (const chunk of chunks) appendToSegment(segment, chunk, recordingId, generation + this.#rewrites);
    const bytes = segment.take();
    if (bytes.length > 0) await this.#insist(() => this.#putSegment(bytes));
    this.#index = indexBehind(this.#index, chunks, this.#segment - 1);
    this.#indexed = this.#count;
    const last = chunks.at(-1);
    if (last !== undefined) this.#ticks = last.startTick + last.tickCount;
    await this.#putMetadata(preambleOf, isFinal && this.#pending.length === 0);
    this.#flight = [];
    this.#flightBytes = 0;
    committed(bytes.length, this.#ticks, this.#count);
    this.#makeRoom();
  }

  async #putMetadata(preambleOf: PreambleOf, isFinal: boolean): Promise<void> {
    const { place, session, generation, names, noting } = this.#options;
    noting();
    const rewrite = this.#rewrites++;
    this.#names = names();
    const metadata = preambleOf({
      index: this.#index,
      chunkCount: this.#indexed,
      tickCount: this.#ticks,
      chunkBytes: null,
      metadataLength: null,
      nextSegment: this.#segment,
      rewrites: rewrite,
      isFinal,
    });
    await this.#insist(() => place.putMetadata(metadata, `${session}-meta-${generation + rewrite}`));
    this.#isTaken = true;
  }

  /**
   * A number that is taken by what a recorder left, which lost the recording to this one, is left out (HCRP spec §5).
   */
  async #putSegment(bytes: Uint8Array): Promise<void> {
    const { place, session } = this.#options;
    for (;;) {
      try {
        await place.putSegment(this.#segment, bytes, `${session}-seg-${this.#segment}`);
        this.#segment++;
        return;
      } catch (error) {
        if (!isConflict(error) || !(await place.isOurs())) throw error;
        this.#segment++;
      }
    }
  }

  #takeSegment(): readonly FinishedChunk[] {
    this.#compress();
    let bytes = 0;
    let count = 0;
    for (const { frame } of this.#pending) {
      if (count > 0 && bytes + frame.length + CHUNK_RECORD_BYTES > SEGMENT_BYTES) break;
      bytes += frame.length + CHUNK_RECORD_BYTES;
      count++;
    }
    const taken = this.#pending.splice(0, count);
    const frames = taken.reduce((sum, { frame }) => sum + frame.length, 0);
    this.#pendingBytes -= frames;
    this.#flight = taken;
    this.#flightBytes = frames;
    this.#count += count;
    return taken;
  }

  /** Until it is done, or is not worth trying. */
  async #insist(work: () => Promise<void>): Promise<void> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        await work();
        this.#trouble = null;
        return;
      } catch (error) {
        if (!isPassing(error, this.#isTaken) || this.#isAborted) throw error;
        this.#trouble = error;
        await this.#options.sleep(pause);
      }
    }
  }

  /** Whole runs from one snapshot to the next go, so that what is left can be played. */
  #dropOldest(): void {
    const pending = this.#pending;
    for (let at = 0; at < pending.length && this.isFull; ) {
      do at = this.#empty(at);
      while (at < pending.length && pending[at]!.flags === 0);
      this.#needsSnapshot = at === pending.length;
    }
  }

  /** Number of chunks stays as it is: epochs count them (HCRP spec §9). */
  #empty(at: number): number {
    const chunk = this.#pending[at]!;
    if (chunk.uncompressedLength > 1) {
      this.#options.dropped(chunk);
      const emptied = this.#options.emptied(chunk);
      this.#pending[at] = emptied;
      this.#pendingBytes += emptied.frame.length - chunk.frame.length;
    }
    return at + 1;
  }

  #makeRoom(): void {
    if (this.#room === null || (this.isFull && this.#failure === null && !this.#isAborted)) return;
    this.#room.resolve();
    this.#room = null;
  }
}

function indexBehind(index: Uint8Array, chunks: readonly FinishedChunk[], segment: number): Uint8Array {
  const builder = new ByteBuilder(index.length + chunks.length * ENTRY_BYTES).raw(index);
  let offset = 0;
  for (const chunk of chunks) {
    offset += CHUNK_RECORD_BYTES;
    writeIndexEntry(builder, indexEntryOf(chunk, segment, offset));
    offset += chunk.frame.length;
  }
  return builder.take();
}
