import { type NbtTag, writeNbt } from "../../../codec/nbt.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec, Writer } from "../../../model/writer.ts";
import { ChunkContext, type ChunkSource, type Dialect } from "../chunk/context.ts";
import { ChunkCopy } from "./chunk-copy.ts";
import { ChunkSeries, type PartialChunk, type SnapshotSource } from "./chunk-series.ts";
import { CopyFacts } from "./copy-facts.ts";
import type { Framer } from "../chunk/frames.ts";
import type { Epoch, HostEvent } from "../layout/metadata.ts";
import type { ChunkOutput, PreambleOf } from "./output.ts";
import type { HcrpReader } from "../read/reader.ts";
import type { FinishedChunk } from "./segment-chunk.ts";
import { WriterChannels } from "./channels.ts";
import { checkSnapshot, tickOf } from "./checks.ts";
import { type HoldingEpoch, WriterEpochs } from "./epochs.ts";
import { WriterNotes } from "./notes.ts";
import type { Outcome, Profile } from "./profile.ts";
import { Scene } from "./scene.ts";

/** Where chunks go; `metadataLength`: bytes of the metadata as they are. */
export type OutputOf = (preambleOf: PreambleOf, metadataLength: () => number) => ChunkOutput;

/** Writes HCRP in any dialect. */
export class HcrpWriter implements Writer {
  /** Makes the frames of its chunks. */
  readonly framer: Framer;
  /** Header, metadata and index of the recording as it is now, around a layout. */
  readonly preambleOf: PreambleOf;
  /** What an encoder wrote of a state, for the snapshots of chunks. */
  readonly scene: Scene;
  readonly #profile: Profile;
  readonly #dialect: Dialect;
  readonly #output: ChunkOutput;
  readonly #channels: WriterChannels;
  readonly #epochs: WriterEpochs;
  readonly #series: ChunkSeries;
  readonly #facts: CopyFacts;
  readonly #copy: ChunkCopy;
  readonly #notes: WriterNotes;
  /** The tick that the recording lasts to at least. */
  #minimum = 0;
  #status: "open" | "closed" | "aborted" = "open";
  #closing: Promise<void> | null = null;
  /** Bytes of the metadata as of the revision `#measured`. */
  #metadataLength = 0;
  #measured = -1;

  /**
   * `isLive`: goes on behind `like`, if there is one; else takes after it. `snapshots`: for chunks that are opened
   * because one is needed, unless an encoder writes them.
   */
  constructor(
    profile: Profile,
    framer: Framer,
    like: HcrpReader | null,
    isLive: boolean,
    outputOf: OutputOf,
    snapshots: SnapshotSource | null,
  ) {
    const source = like?.source ?? null;
    const dialect = profile.isProduction ? profile.productionVersion : 1;
    const begun = isLive ? (source?.epochs ?? [profile.firstEpoch()]) : [];
    this.#profile = profile;
    this.framer = framer;
    this.#dialect = dialect;
    this.#notes = new WriterNotes(like, profile.sourceRoot);
    this.#channels = new WriterChannels(dialect, like);
    this.#epochs = new WriterEpochs(begun, profile.dataVersion);
    this.#facts = new CopyFacts(isLive ? null : source);
    this.preambleOf = (layout) => profile.preamble(layout, this.#outcome(layout.tickCount, layout.isFinal));
    this.#output = outputOf(this.preambleOf, () => this.#measure());
    const end = isLive && source !== null ? endOf(source) : 0;
    this.scene = new Scene(snapshots);
    this.#series = new ChunkSeries(dialect, end, this.#channels, this.#epochs, framer, this.#output, this.scene);
    this.#copy = new ChunkCopy(
      dialect,
      this.#series,
      this.#channels,
      this.#epochs,
      isLive ? null : source,
      this.#facts,
    );
  }

  channel(spec: ChannelSpec): ChannelInfo {
    return this.#channels.channel(spec);
  }

  write(channel: ChannelInfo, time: Time, payload: Uint8Array): void {
    this.#writable();
    this.#facts.changed();
    const tick = tickOf(time);
    const { id } = channel;
    if (id === this.#channels.snapshot) {
      this.snapshot(tick, payload);
      return;
    }
    this.#channels.check(id, payload);
    this.#series.advance(tick, payload.length);
    this.#series.put(id, tick, payload);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    this.#writable();
    if (batch.length === 0) return;
    const { context } = batch;
    if (context instanceof ChunkContext) {
      this.#copy.append(batch, context, channels, shift);
      return;
    }
    for (let i = 0; i < batch.length; i++) {
      const channel = channels[batch.channel[i]!];
      if (channel != null) this.write(channel, batch.time[i]! + shift, batch.payload(i));
    }
  }

  get ready(): Promise<void> | null {
    return this.#output.ready;
  }

  /** Segmented: commits everything so far (spec §8.3). Compacted files cannot be read before they are closed. */
  async flush(): Promise<void> {
    this.#writable();
    if (this.#profile.dialect === "v1-segmented") this.#series.split();
    await this.#output.flush(this.preambleOf);
  }

  async close(): Promise<void> {
    if (this.#closing === null && this.#status === "aborted") return;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async abort(): Promise<void> {
    if (this.#status !== "open") return;
    this.#status = "aborted";
    await this.#output.abort();
  }

  async #close(): Promise<void> {
    try {
      this.#series.checkWhole();
      this.#copy.finish(this.#minimum);
      this.#measured = -1;
      await this.#output.close(this.preambleOf);
      this.#status = "closed";
    } catch (error) {
      this.#status = "aborted";
      await this.#output.abort();
      throw error;
    }
  }

  #writable(): void {
    if (this.#status !== "open" || this.#closing !== null) throw new RangeError("the recording is closed");
  }

  // ── as it happens ─────────────────────────────────────────────────────

  /** Goes to a tick before its events are made, so that its chunk, and what its palettes hold, is settled. */
  goTo(tick: number): void {
    this.#writable();
    this.#facts.changed();
    this.#series.goTo(tick);
  }

  /** As `write`, for a core event made by the layout's own functions, at a tick gone to: it is not looked at again. */
  event(core: number, tick: number, payload: Uint8Array): void {
    this.#series.put(core, tick, payload);
  }

  /** Puts a snapshot at a tick, of which nothing may be written yet: a chunk begins there. */
  snapshot(tick: number, payload: Uint8Array): void {
    this.#writable();
    checkSnapshot(payload, this.#dialect !== 1);
    this.#series.beginWith(tick, payload);
  }

  /** Ends the open chunk and begins one with the next tick, which is given. */
  newChunk(): number {
    this.#writable();
    this.#facts.changed();
    return this.#series.beginNext();
  }

  /** Ends the open chunk before `tick`, which is behind all its events; one that holds nothing is begun again later. */
  endChunk(tick: number): void {
    this.#series.endAt(tick);
  }

  /** The open chunk before `tick`, which is its last one or behind it; null: none is open, or it holds nothing yet. */
  peek(tick: number): PartialChunk | null {
    return this.#series.peek(tick);
  }

  /** The next chunk that is opened because one is needed begins with a snapshot. */
  wantSnapshot(): void {
    this.#series.wantSnapshot();
  }

  /** Nothing of this tick was written yet, and the next chunk may begin at it. */
  get tick(): number {
    return this.#series.tick;
  }

  /** Times the usual length of chunks: longer ones keep room in the index. */
  get growth(): number {
    return this.#series.growth;
  }

  /** Room in the open chunk for events of its last tick. */
  get room(): number {
    return this.#series.room;
  }

  // ── chunks from elsewhere ─────────────────────────────────────────────

  /** The tick behind the last finished chunk. */
  get end(): number {
    return this.#series.end;
  }

  /** A chunk that was finished elsewhere, as the next one; it begins where the last one ends. */
  adopt(chunk: FinishedChunk): void {
    this.#series.adopt(chunk);
  }

  /** Names host events as `events` does, so that chunks made with those ids mean the same here. */
  adoptHostEvents(events: readonly HostEvent[]): void {
    this.#channels.adopt(events);
  }

  /**
   * A chunk as it is, `raw` inflated, behind everything so far: for what was read elsewhere. Ticks that are missing
   * before it are filled up.
   */
  chunk(source: ChunkSource, index: number, raw: Uint8Array, hasSnapshot: boolean): void {
    this.#copy.chunk(source, index, raw, hasSnapshot);
  }

  /** An empty chunk, with an empty snapshot when it is the first. */
  gap(start: number, tickCount: number): void {
    this.#copy.gap(start, tickCount);
  }

  /** The recording lasts at least to this tick, which is not part of it. */
  extend(end: number): void {
    this.#minimum = Math.max(this.#minimum, end);
  }

  // ── what the metadata say ─────────────────────────────────────────────

  /** From the next chunk on other versions hold (spec §9); nothing may be in the open one. */
  newEpoch(epoch: Omit<Epoch, "chunk">): void {
    this.#epochs.begin({ ...epoch, chunk: this.#series.count });
  }

  /** What chunks are finished with: the epoch that holds. */
  get epoch(): HoldingEpoch {
    return this.#epochs.holding;
  }

  /** The host events named so far (spec §4 `events`). */
  get hostEvents(): readonly HostEvent[] {
    return this.#channels.hostEvents;
  }

  /** Puts an entry into the compound `hcrp` of the metadata; null takes it out. */
  note(name: string, tag: NbtTag | null): void {
    this.#notes.note(name, tag);
  }

  /** The same for our own compound. */
  noteOwn(name: string, tag: NbtTag | null): void {
    this.#notes.noteOwn(name, tag);
  }

  /** Puts a mark into the metadata, behind those of the source. Throws `RangeError` where the version has none. */
  mark(tick: number, kind: string, label: string): void {
    if (this.#dialect !== 1) throw new RangeError("production recordings of HCRP have no marks");
    this.#notes.mark(tick, kind, label);
  }

  /** The wall clock at the end, Unix milliseconds; else it follows from the beginning and the ticks. */
  finishedAt(time: number): void {
    this.#profile.finishedAt = BigInt(time);
  }

  /** Rises with every change of what the metadata say, but for the ticks. */
  get revision(): number {
    return this.#notes.revision + this.naming;
  }

  /** Rises with the host events and epochs that chunks need to be understood. */
  get naming(): number {
    return this.#epochs.revision + this.#channels.hostEvents.length;
  }

  /** The metadata section as it would be written now. */
  metadata(): Uint8Array {
    return this.#metadata(false);
  }

  #metadata(isFinal: boolean): Uint8Array {
    return writeNbt(this.#profile.metadata(this.#outcome(this.#series.end, isFinal)));
  }

  /** Bytes of the metadata as they would be in the end; made again only when something of them changed. */
  #measure(): number {
    const { revision } = this;
    if (revision !== this.#measured) {
      this.#measured = revision;
      this.#metadataLength = this.#metadata(true).length;
    }
    return this.#metadataLength;
  }

  #outcome(ticks: number, isFinal: boolean): Outcome {
    const { isCopy, shift, cutAt } = this.#facts;
    return this.#notes.outcome({
      events: this.#channels.isChanged ? this.#channels.hostEvents : null,
      epochs: this.#epochs.list,
      chunks: this.#series.count,
      ticks,
      shift,
      cutAt,
      isCopy,
      isFinal,
    });
  }
}

/** The tick behind its last chunk. */
function endOf({ entries }: ChunkSource): number {
  return entries.reduce((end, { startTick, tickCount }) => Math.max(end, startTick + tickCount), 0);
}
