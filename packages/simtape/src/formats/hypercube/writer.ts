import { ByteBuilder } from "../../bytes/builder.ts";
import { type NbtDocument, type NbtTag, writeNbt } from "../../codec/nbt.ts";
import { loadZstd } from "../../codec/zstd.ts";
import type { SinkBundle } from "../../io/sink.ts";
import type { MessageBatch } from "../../model/batch.ts";
import type { Reader } from "../../model/reader.ts";
import type { Time } from "../../model/time.ts";
import type { ChannelInfo } from "../../model/value.ts";
import type { ChannelSpec, CreateOptions, Writer } from "../../model/writer.ts";
import { hostName } from "./channels.ts";
import { ChunkContent, WHOLE } from "./chunk-content.ts";
import { ChunkContext, type ChunkSource, type Palettes } from "./chunk-context.ts";
import { Framer } from "./frames.ts";
import { ENTRY_SNAPSHOT, LIMITS, TICK } from "./layout.ts";
import { EVENT, EVENT_NAMES } from "./layout-events.ts";
import { type Epoch, epochOf, type HostEvent } from "./layout-metadata.ts";
import { PRODUCTION_NAMES, type ProductionVersion } from "./layout-production.ts";
import { writePaletteAdd } from "./layout-world-events.ts";
import { HostTable } from "./metadata-writing.ts";
import { type ChunkOutput, CompactedOutput, type PreambleOf, SegmentedOutput } from "./output.ts";
import { HypercubeReader } from "./reader.ts";
import type { FinishedChunk } from "./segment-chunk.ts";
import { checkPayload, checkSnapshot, isEmpty, isSameEpoch, palettesIn, tickOf } from "./writer-checks.ts";
import { WriterNotes } from "./writer-notes.ts";
import { type Outcome, Profile } from "./writer-profile.ts";

/** Ticks of a chunk, and of one that holds no event (spec §8.1). */
export const CHUNK_TICKS = 200;
const EMPTY_TICKS = 12_000;
/** Inflated bytes of a chunk (spec §7.4). */
const CHUNK_BYTES = 1 << 20;
/** Creates a recording; see `WritingFormat.create`. Throws `RangeError` for an unknown dialect. */
export async function createWriter(to: SinkBundle, options: CreateOptions): Promise<HypercubeWriter> {
  const like = likeOf(options.like);
  const profile = new Profile(options, like);
  const framer = new Framer(await loadZstd(), options.compression, like?.dictionary ?? null);
  const writer = new HypercubeWriter(profile, framer, like);
  await writer.start(to);
  return writer;
}

/**
 * Writes a version 1 recording as it happens, into `output`. With `from`, goes on where that recording ends: its chunks
 * are in `output` already.
 */
export async function createLiveWriter(
  output: (profile: Profile) => ChunkOutput,
  options: CreateOptions,
  from: HypercubeReader | null,
  metadata: NbtDocument | null = null,
): Promise<HypercubeWriter> {
  const profile = new Profile({ ...options, dialect: "v1-segmented" }, from, metadata);
  const framer = new Framer(await loadZstd(), options.compression, from?.dictionary ?? null);
  const writer = new HypercubeWriter(profile, framer, from);
  writer.startLive(output(profile));
  return writer;
}

function likeOf(like: Reader | undefined): HypercubeReader | null {
  const base = like?.base ?? like;
  return base instanceof HypercubeReader ? base : null;
}

/**
 * Called when the writer opens a chunk of its own accord: gives its snapshot, or null for none. `isWanted`: the chunks
 * before it are not to be read for the state in this one.
 */
export type SnapshotHook = (tick: number, isWanted: boolean) => Uint8Array | null;

/** A chunk that is being written. */
export interface OpenChunk {
  readonly startTick: number;
  readonly hasSnapshot: boolean;
  /** Inflated bytes up to now. */
  readonly length: number;
  /** A copy of them, from `offset` on. */
  readonly bytes: (offset: number) => Uint8Array;
  readonly dataVersion: number;
  readonly schemaVersion: number;
  readonly epoch: number;
}

/** Writes HCRP in any dialect. */
export class HypercubeWriter implements Writer {
  readonly #profile: Profile;
  readonly #framer: Framer;
  readonly #like: HypercubeReader | null;
  readonly #version: 1 | ProductionVersion;
  readonly #channels: ChannelInfo[] = [];
  readonly #byName = new Map<string, ChannelInfo>();
  readonly #snapshotChannel: number;
  readonly #extensionChannel: number;
  readonly #host: HostTable;
  /** Event type of each channel in the open chunk; -1 for one not looked up yet. */
  #types: number[] = [];
  /** Header, metadata and index of the recording as it is now, around a layout. */
  readonly preambleOf: PreambleOf;
  #output: ChunkOutput | null = null;
  #status: "open" | "closed" | "aborted" = "open";
  #failure: { readonly error: unknown } | null = null;
  #closing: Promise<void> | null = null;

  // The open chunk.
  #isOpen = false;
  #start = 0;
  #hasSnapshot = false;
  #events = 0;
  #content = NO_CONTENT;
  #capacity = 4096;
  /** Of the last event; the open chunk's start less one when it has none. */
  #lastTick = -1;
  /** The tick in which a chunk was ended by a flush: what is still written of it is told one later. */
  #split = -1;
  /** Where its source ends it; null for a chunk that the writer paces. */
  #planned: number | null = null;
  #chunkDataVersion = 0;
  #chunkVersion: 1 | ProductionVersion;
  #segment: number | null = null;
  #epoch = 0;

  /** The tick behind the last chunk that is finished. */
  #end = 0;
  #minimum = 0;

  // Where the open chunk came from.
  #source: ChunkSource | null = null;
  #sourceChunk = -1;
  #sourceBy = 0;
  #sourceCount: number | null = null;
  #sourceRows = 0;
  #isOpening = false;

  // What is known of the whole.
  readonly #epochs: Epoch[] = [];
  #isCopy: boolean;
  #nextSourceChunk = 0;
  /** The one number of ticks that everything was shifted by; null: nothing yet; NaN: several. */
  #shift: number | null = null;
  #cutAt: number | null = null;
  readonly #notes: WriterNotes;
  #metadataLength: number | null = null;

  /** Gives snapshots for chunks that the writer opens of its own accord. */
  snapshotHook: SnapshotHook | null = null;

  constructor(profile: Profile, framer: Framer, like: HypercubeReader | null) {
    this.#profile = profile;
    this.#framer = framer;
    this.#like = like;
    this.#notes = new WriterNotes(like);
    this.#version = profile.isProduction ? profile.productionVersion : 1;
    this.#chunkVersion = this.#version;
    this.#isCopy = like !== null;
    const names: readonly string[] = profile.isProduction ? PRODUCTION_NAMES : EVENT_NAMES;
    for (const [type, name] of names.entries()) this.#addChannel(name, { type: String(type) });
    this.#snapshotChannel = this.#addChannel("snapshot", {}).id;
    this.#extensionChannel = profile.isProduction ? -1 : this.#addChannel("extension", {}).id;
    const taken = new Set(this.#byName.keys());
    const events = like?.source.events ?? [];
    this.#host = new HostTable(events, (event) => hostName(event, taken));
    // the channels of the source in its own order, so that ids are the same
    for (const { name, metadata } of like?.channels ?? [])
      if (!this.#byName.has(name)) this.#addChannel(name, metadata);
    this.preambleOf = (layout) => profile.preamble(layout, this.#outcome(layout.tickCount, layout.isFinal));
  }

  /** Opens the files; once, before anything else. */
  async start(to: SinkBundle): Promise<void> {
    const { recordingId, generation, dialect } = this.#profile;
    if (dialect === "v1-segmented") {
      this.#output = new SegmentedOutput(to, recordingId, generation, this.preambleOf);
      return;
    }
    const chunks = this.#like?.source.entries.length ?? 0;
    const length = (): number => (this.#metadataLength ??= this.#measure());
    this.#output = new CompactedOutput(await to.open(), this.#version === 5, chunks, length);
  }

  /** In place of `start`: behind what `like` has, if anything. */
  startLive(output: ChunkOutput): void {
    this.#output = output;
    this.#isCopy = false;
    if (this.#like === null) {
      this.#epochs.push(this.#profile.firstEpoch());
      return;
    }
    const { entries, epochs } = this.#like.source;
    this.#end = entries.reduce((end, entry) => Math.max(end, entry.startTick + entry.tickCount), 0);
    this.#lastTick = this.#end - 1;
    this.#nextSourceChunk = entries.length;
    this.#epochs.push(...epochs);
    this.#epoch = Math.max(0, epochs.length - 1);
  }

  /** From the next chunk on other versions hold (spec §9); nothing may be in the open one. */
  newEpoch(epoch: Omit<Epoch, "chunk">): void {
    const next = { ...epoch, chunk: this.#output!.count };
    const known = this.#epochs.at(-1);
    if (known !== undefined && isSameEpoch({ ...known, started: next.started }, next)) return;
    if (known?.chunk === next.chunk) this.#epochs.pop();
    this.#epochs.push(next);
    this.#epoch = this.#epochs.length - 1;
    this.#metadataLength = null;
  }

  channel({ name, metadata = {} }: ChannelSpec): ChannelInfo {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    if (this.#version !== 1) {
      const names = this.#channels.map((channel) => channel.name).join(", ");
      throw new RangeError(`no channel ${JSON.stringify(name)} in HCRP production recordings; there are ${names}`);
    }
    if (name === "") throw new RangeError("a host event of HCRP needs a name, such as my-server:score");
    return this.#addChannel(name, { ...metadata });
  }

  write(channel: ChannelInfo, time: Time, payload: Uint8Array): void {
    this.#writable();
    this.#isCopy = false;
    const tick = tickOf(time);
    const { id } = channel;
    if (id === this.#snapshotChannel) {
      this.snapshot(tick, payload);
      return;
    }
    this.#checkPayload(id, payload);
    this.#advance(tick, payload.length);
    this.#put(id, this.#bumped(tick), payload);
  }

  /** As `write`, for a core event made by the layout's own functions, at a tick gone to: it is not looked at again. */
  event(core: number, tick: number, payload: Uint8Array): void {
    this.#put(core, this.#bumped(tick), payload);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    this.#writable();
    if (batch.length === 0) return;
    const { context } = batch;
    if (!(context instanceof ChunkContext)) {
      for (let i = 0; i < batch.length; i++) {
        const channel = channels[batch.channel[i]!];
        if (channel != null) this.write(channel, batch.time[i]! + shift, batch.payload(i));
      }
      return;
    }
    if ((context.dialect === 1) !== (this.#version === 1)) {
      throw new RangeError(
        `events of HCRP ${context.dialect === 1 ? "1 in a production" : "production in a version 1"} recording`,
      );
    }
    const by = Math.round(shift / TICK);
    const isSame =
      this.#isOpen &&
      this.#source === context.source &&
      this.#sourceChunk === context.chunk &&
      this.#sourceBy === by &&
      !(context.isOpening && !this.#isOpening);
    if (!isSame && !this.#openFrom(context, batch, channels, by, shift)) return;
    this.#countRows(batch);
    this.#appendRows(batch, channels, shift);
  }

  get ready(): Promise<void> | null {
    return this.#output?.ready ?? null;
  }

  /** Segmented: commits everything so far (spec §8.3). Compacted files cannot be read before they are closed. */
  async flush(): Promise<void> {
    this.#writable();
    if (this.#profile.dialect === "v1-segmented" && this.#isOpen && this.#lastTick >= this.#start) {
      this.#split = this.#lastTick;
      this.#finishChunk(Math.max(this.#lastTick + 1, this.#start + 1));
    }
    await this.#output!.flush(this.preambleOf);
  }

  async close(): Promise<void> {
    if (this.#closing === null && this.#status === "aborted") return;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async abort(): Promise<void> {
    if (this.#status !== "open") return;
    this.#status = "aborted";
    await this.#output?.abort();
  }

  /** Nothing of this tick was written yet, and the next chunk may begin at it. */
  get tick(): number {
    return this.#isOpen ? this.#lastTick + 1 : this.#end;
  }

  /** Times the usual length of chunks: longer ones keep room in the index. */
  get growth(): number {
    const use = this.#output!.indexUse;
    return use < 0.5 ? 1 : use < 0.75 ? 4 : use < 0.9 ? 10 : 14;
  }

  /** Goes to a tick before its events are made, so that its chunk, and what its palettes hold, is settled. */
  goTo(tick: number): void {
    this.#writable();
    this.#isCopy = false;
    this.#advance(tick, 0);
  }

  /** Puts a snapshot at a tick, of which nothing may be written yet: a chunk begins there. */
  snapshot(tick: number, payload: Uint8Array): void {
    this.#writable();
    checkSnapshot(payload, this.#version !== 1);
    if (tick < this.tick) {
      // the chunk begun there may still be empty
      const isFree = this.#isOpen && this.#start === tick && this.#events === 0;
      if (!isFree) throw new RangeError(`a snapshot at tick ${tick} behind events of tick ${this.tick - 1}`);
    }
    if (this.#isOpen && this.#start === tick && this.#events === 0) {
      this.#content = new ChunkContent(this.#version, tick, this.#capacity);
      this.#putSnapshot(payload);
      return;
    }
    if (this.#isOpen) this.#finishChunk(this.#endBefore(tick));
    if (this.#end < tick) this.#fill(tick);
    this.#openChunk(tick, payload);
  }

  /** Ends the open chunk and begins one with the next tick, which is given. */
  newChunk(): number {
    this.#writable();
    this.#isCopy = false;
    if (this.#isOpen) this.#finishChunk(Math.max(this.#lastTick, this.#start) + 1);
    this.#openChunk(this.#end, null, true);
    return this.#start;
  }

  /** Ends the open chunk before `tick`, which is behind all its events; without effect on one that holds nothing. */
  endChunk(tick: number): void {
    if (!this.#isOpen || (this.#events === 0 && !(this.#hasSnapshot && tick > this.#start))) return;
    if (this.#lastTick === tick) this.#split = tick;
    this.#finishChunk(Math.max(tick, this.#lastTick + 1));
  }

  /** The open chunk, as far as it goes up to now; null: none is open, or it holds nothing yet. */
  peek(): OpenChunk | null {
    if (!this.#isOpen || this.#events === 0) return null;
    const epoch = this.#epochs[this.#epoch] ?? null;
    const content = this.#content;
    return {
      startTick: this.#start,
      hasSnapshot: this.#hasSnapshot,
      length: content.length,
      bytes: (offset) => content.copy(offset),
      dataVersion: this.#chunkDataVersion,
      schemaVersion: epoch?.schemaVersion ?? 1,
      epoch: this.#epoch,
    };
  }

  /** A chunk that was finished elsewhere, as the next one; it begins where the last one ends. */
  adopt(chunk: FinishedChunk): void {
    if (this.#isOpen || chunk.startTick !== this.#end)
      throw new RangeError(`a chunk at tick ${chunk.startTick}, the recording ends at ${this.#end}`);
    this.#output!.add(chunk);
    this.#end = chunk.startTick + chunk.tickCount;
    this.#lastTick = this.#end - 1;
  }

  /** Names host events as `events` does, so that chunks made with those ids mean the same here. */
  adoptHostEvents(events: readonly HostEvent[]): void {
    this.#host.adopt(events);
  }

  /** The metadata section as it would be written now. */
  metadata(): Uint8Array {
    return writeNbt(this.#profile.metadata(this.#outcome(this.#end, false)));
  }

  /** A frame as those of its chunks. */
  frame(raw: Uint8Array): Uint8Array {
    return this.#framer.frame(raw);
  }

  /** What a frame of this recording holds. */
  inflated(frame: Uint8Array): Uint8Array {
    return this.#framer.inflated(frame);
  }

  /** The tick behind the last finished chunk. */
  get end(): number {
    return this.#end;
  }

  /** What chunks are finished with: the epoch that holds. */
  get epoch(): { readonly number: number; readonly dataVersion: number; readonly schemaVersion: number } {
    const epoch = this.#epochs[this.#epoch];
    const dataVersion = epoch?.dataVersion ?? this.#profile.dataVersion;
    return { number: this.#epoch, dataVersion, schemaVersion: epoch?.schemaVersion ?? 1 };
  }

  /** The host events named so far (spec §4 `events`). */
  get hostEvents(): readonly HostEvent[] {
    return this.#host.events;
  }

  /** The recording lasts at least to this tick, which is not part of it. */
  extend(end: number): void {
    this.#minimum = Math.max(this.#minimum, end);
  }

  /** Room in the open chunk for events of its last tick. */
  get room(): number {
    return this.#isOpen ? LIMITS.uncompressed - this.#content.length : LIMITS.uncompressed;
  }

  /** Puts an entry into the compound `hcrp` of the metadata; null takes it out. */
  note(name: string, tag: NbtTag | null): void {
    this.#notes.note(name, tag);
    this.#metadataLength = null;
  }

  /** Puts a mark into the metadata, behind those of the source. Throws `RangeError` where the version has none. */
  mark(tick: number, kind: string, label: string): void {
    if (this.#version !== 1) throw new RangeError("production recordings of HCRP have no marks");
    this.#notes.mark(tick, kind, label);
    this.#metadataLength = null;
  }

  /** The same for our own compound. */
  noteOwn(name: string, tag: NbtTag | null): void {
    this.#notes.noteOwn(name, tag);
    this.#metadataLength = null;
  }

  /** What our own compound of the source has under a name. */
  ownOfSource(name: string): NbtTag | null {
    return this.#notes.ownOfSource(name);
  }

  /**
   * A chunk as it is, `raw` inflated, behind everything so far: for what was read elsewhere. Ticks that are missing
   * before it are filled up.
   */
  chunk(source: ChunkSource, index: number, raw: Uint8Array, hasSnapshot: boolean): void {
    const entry = source.entries[index]!;
    if (this.#isOpen) this.#finishChunk(Math.max(this.#lastTick + 1, Math.min(entry.startTick, this.#planned ?? 0)));
    if (this.#end < entry.startTick) this.#fill(entry.startTick);
    this.#begin(entry.startTick);
    this.#adopt(source, index, 0);
    this.#hasSnapshot = hasSnapshot;
    this.#content.putWhole(raw, entry.startTick + entry.tickCount - 1);
    this.#events = 1;
    this.#lastTick = entry.startTick + entry.tickCount - 1;
    this.#planned = entry.startTick + entry.tickCount;
    this.#finishChunk(this.#planned);
  }

  /** An empty chunk, with an empty snapshot when it is the first. */
  gap(start: number, tickCount: number): void {
    if (this.#isOpen) this.#finishChunk(this.#endBefore(start));
    if (this.#end < start) this.#fill(start);
    this.#fill(start + tickCount, tickCount);
  }

  // ── chunks ────────────────────────────────────────────────────────────

  /** Closes the open chunk when it is full before `tick`, and opens the next; `bytes` are about to come. */
  #advance(tick: number, bytes: number): void {
    const isSplit = this.#isOpen && tick === this.#split && tick === this.#start - 1;
    if (tick <= this.#lastTick) {
      if (!isSplit && (tick < this.#lastTick || (this.#isOpen && tick < this.#start))) {
        throw new RangeError(`tick ${tick} is before tick ${this.#lastTick}, which is written`);
      }
    } else if (this.#isOpen && this.#isFull(tick, bytes)) this.#finishChunk(this.#endBefore(tick));
    if (this.#isOpen) return;
    // after a flush the tick may go on in the next chunk, one later
    const target = Math.max(tick, this.#end);
    if (target - this.#end >= EMPTY_TICKS) this.#fill(target - ((target - this.#end) % EMPTY_TICKS));
    this.#openChunk(this.#end, null);
  }

  #bumped(tick: number): number {
    return Math.max(tick, this.#start);
  }

  #isFull(tick: number, bytes: number): boolean {
    if (this.#planned !== null) return tick >= this.#planned;
    const ticks = tick - this.#start;
    if (this.#events === 0) return ticks >= EMPTY_TICKS;
    const { growth } = this;
    return ticks >= CHUNK_TICKS * growth || this.#content.length + bytes > CHUNK_BYTES * growth;
  }

  /** Where the open chunk ends when the next event is at `tick`. */
  #endBefore(tick: number): number {
    const least = Math.max(this.#lastTick, this.#start) + 1;
    if (this.#planned !== null) return Math.max(least, Math.min(this.#planned, tick));
    const pace = this.#events === 0 ? EMPTY_TICKS : CHUNK_TICKS;
    return Math.max(least, Math.min(this.#start + pace, tick));
  }

  /** Empty chunks from the end of the last one to `until`, of `step` ticks at most. */
  #fill(until: number, step: number = EMPTY_TICKS): void {
    while (this.#end < until) {
      const tickCount = Math.min(step, until - this.#end);
      this.#begin(this.#end);
      if (this.#output!.count === 0) this.#putSnapshot(EMPTY);
      this.#finishChunk(this.#start + tickCount);
    }
  }

  /** A chunk paced by the writer. */
  #openChunk(tick: number, snapshot: Uint8Array | null, isWanted = false): void {
    this.#begin(tick);
    this.#source = null;
    this.#sourceChunk = -1;
    const own = snapshot ?? this.snapshotHook?.(tick, isWanted) ?? (this.#output!.count === 0 ? EMPTY : null);
    if (own !== null) this.#putSnapshot(own);
  }

  #begin(tick: number): void {
    this.#isOpen = true;
    this.#start = tick;
    this.#lastTick = tick - 1;
    this.#hasSnapshot = false;
    this.#events = 0;
    this.#planned = null;
    this.#content = new ChunkContent(this.#version, tick, this.#capacity);
    this.#segment = null;
    this.#types = [];
    this.#sourceCount = null;
    this.#sourceRows = 0;
    this.#isOpening = false;
    this.#chunkVersion = this.#version;
    this.#chunkDataVersion = this.#epochs[this.#epoch]?.dataVersion ?? this.#profile.dataVersion;
  }

  #putSnapshot(snapshot: Uint8Array): void {
    this.#hasSnapshot = true;
    this.#content.putSnapshot(snapshot);
  }

  #finishChunk(end: number): void {
    const raw = this.#content.finish(end);
    this.#capacity = Math.max(256, Math.min(CHUNK_BYTES + (CHUNK_BYTES >> 3), raw.length + (raw.length >> 3)));
    if (this.#source !== null && !this.#isOpening) {
      if (this.#sourceRows !== this.#sourceCount) this.#isCopy = false;
    }
    const epoch = this.#epochs[this.#epoch] ?? null;
    const chunk: FinishedChunk = {
      startTick: this.#start,
      tickCount: end - this.#start,
      flags: this.#hasSnapshot ? ENTRY_SNAPSHOT : 0,
      frame: this.#framer.frame(raw),
      uncompressedLength: raw.length,
      // a VarInt in the index of production; negative only where it was damaged
      dataVersion: Math.max(0, this.#chunkDataVersion),
      schemaVersion: epoch?.schemaVersion ?? 1,
      epoch: this.#epoch,
      formatVersion: this.#version === 1 ? null : this.#chunkVersion,
      segment: this.#segment,
    };
    try {
      this.#output!.add(chunk);
    } catch (error) {
      // a chunk is missing now: the recording cannot be finished
      this.#failure = { error };
      throw error;
    }
    this.#isOpen = false;
    this.#end = end;
    this.#lastTick = end - 1;
    this.#content = NO_CONTENT;
  }

  // ── events ────────────────────────────────────────────────────────────

  #put(channel: number, tick: number, payload: Uint8Array): void {
    const content = this.#content;
    if (content.length + payload.length + 32 > LIMITS.uncompressed || this.#events >= LIMITS.events) {
      throw new RangeError(`tick ${tick} holds more than a chunk can: ${LIMITS.uncompressed} bytes`);
    }
    let type = this.#types[channel];
    if (type === undefined || type === -1) type = this.#typeOf(channel);
    content.put(type, tick, payload);
    this.#events++;
    this.#lastTick = tick;
  }

  /** Type of a channel's events in this chunk; `WHOLE`: payloads have type and length in them. */
  #typeOf(channel: number): number {
    const core = this.#snapshotChannel;
    let type: number;
    if (channel < core) type = channel;
    else if (channel === this.#extensionChannel) type = WHOLE;
    else {
      const { name, metadata } = this.#channels[channel]!;
      const version = Number(metadata["version"] ?? 1);
      const before = this.#host.events.length;
      type = this.#host.idOf(name, Number.isInteger(version) ? version : 1, this.#output!.count);
      if (this.#host.events.length > before) this.#metadataLength = null;
    }
    for (let i = this.#types.length; i < channel; i++) this.#types.push(-1);
    this.#types[channel] = type;
    return type;
  }

  #checkPayload(channel: number, payload: Uint8Array): void {
    const isExtension = channel === this.#extensionChannel;
    if (channel >= this.#snapshotChannel && !isExtension) return;
    checkPayload(isExtension ? null : channel, this.#version, payload, this.#channels[channel]!.name);
  }

  // ── copying ───────────────────────────────────────────────────────────

  /**
   * Opens a chunk where that of `context` began, as what its events refer to begins anew there. False: all rows are
   * written, the chunk was taken as it is.
   */
  #openFrom(
    context: ChunkContext,
    batch: MessageBatch,
    channels: readonly (ChannelInfo | null)[],
    by: number,
    shift: Time,
  ): boolean {
    const { source, chunk } = context;
    const first = tickOf(batch.time[0]! + shift);
    const nominal = context.startTick + by;
    const isSnapshot = channels[batch.channel[0]!]?.id === this.#snapshotChannel;
    let start = Math.max(0, context.isOpening ? first : Math.min(nominal, first));
    if (this.#isOpen) {
      if (this.#isOpening && isSnapshot && start === this.#start) {
        // what the cut began with is said again by the chunk itself
        this.#isOpen = false;
        this.#lastTick = this.#end - 1;
      } else {
        if (start <= this.#lastTick || start <= this.#start) {
          if (first < this.#lastTick)
            throw new RangeError(`tick ${first} is before tick ${this.#lastTick}, which is written`);
          start = Math.max(this.#lastTick, this.#start) + 1;
        }
        this.#finishChunk(this.#endBefore(start));
      }
    }
    start = Math.max(start, this.#end);
    if (first < this.#end - 1) throw new RangeError(`tick ${first} is before tick ${this.#end - 1}, which is written`);
    if (this.#end < start) this.#bridge(source, chunk, by, start);
    this.#shift = this.#shift === null || this.#shift === by ? by : Number.NaN;
    if (context.isOpening || by !== 0) this.#isCopy = false;
    if (context.isOpening && this.#output!.count === 0 && this.#end === 0) this.#cutAt = first - by;
    this.#trackSkipped(source, chunk);
    this.#begin(start);
    this.#adopt(source, chunk, by);
    const entry = source.entries[chunk];
    if (entry !== undefined) this.#planned = Math.max(start + 1, entry.startTick + by + entry.tickCount);
    this.#isOpening = context.isOpening;
    this.#sourceCount = context.count;
    this.#chunkDataVersion = context.dataVersion;
    if (context.dialect !== 1) this.#chunkVersion = context.dialect;
    const firstSequence = batch.sequence[0]! - (batch.sequence[batch.length - 1]! - batch.length + 1);
    const isContiguous = firstSequence === 0;
    const isFromStart = batch.sequence[0]! % SEQUENCES === 0;
    if (!context.isOpening && isContiguous && isFromStart && start === nominal) {
      if (context.count === batch.length && this.#mayTakeWhole(context, batch, channels)) {
        this.#hasSnapshot = (entry!.flags & ENTRY_SNAPSHOT) !== 0;
        if (this.#output!.count > 0 || this.#hasSnapshot) {
          this.#events = batch.length - (isSnapshot ? 1 : 0);
          this.#lastTick = this.#events === 0 ? start - 1 : tickOf(batch.time[batch.length - 1]! + shift);
          this.#content.putWhole(batch.bytes, this.#lastTick);
          this.#countRows(batch);
          return false;
        }
      }
    }
    if (!isSnapshot && this.#output!.count === 0) this.#putSnapshot(EMPTY);
    if (!context.isOpening && !(isContiguous && isFromStart) && this.#version === 1) {
      const done = isSnapshot ? batch.payload(0) : null;
      if (done !== null) this.#putSnapshot(done);
      this.#addPalettes(context.palettes, done, Math.max(first, start));
    }
    return true;
  }

  #adopt(source: ChunkSource, chunk: number, by: number): void {
    this.#source = source;
    this.#sourceChunk = chunk;
    this.#sourceBy = by;
    const entry = source.entries[chunk];
    this.#segment = source.isSegmented && entry !== undefined ? entry.offsetHigh : null;
    const epoch = epochOf(source.epochs, Math.max(0, chunk));
    const known = this.#epochs[this.#epochs.length - 1];
    if (epoch !== null && (known === undefined || !isSameEpoch(known, epoch))) {
      // of a chunk that was given up
      if (known?.chunk === this.#output!.count) this.#epochs.pop();
      this.#epochs.push({ ...epoch, chunk: this.#output!.count });
      this.#metadataLength = null;
    }
    this.#epoch = Math.max(0, this.#epochs.length - 1);
  }

  /** Ticks between the last chunk and the next one: the source's own empty chunks where that is what is missing. */
  #bridge(source: ChunkSource, chunk: number, by: number, start: number): void {
    const { entries } = source;
    let from = chunk;
    while (from > 0 && entries[from - 1]!.startTick + by >= this.#end && isEmpty(entries[from - 1]!)) from--;
    for (let i = from; i < chunk; i++) {
      const entry = entries[i]!;
      if (entry.startTick + by !== this.#end || this.#end + entry.tickCount > start || entry.tickCount < 1) continue;
      this.#fill(this.#end + entry.tickCount, entry.tickCount);
    }
    this.#fill(start);
  }

  #trackSkipped(source: ChunkSource, chunk: number): void {
    if (source !== this.#like?.source) this.#isCopy = false;
    for (let i = this.#nextSourceChunk; i < chunk; i++) {
      const entry = source.entries[i];
      if (entry === undefined || !isEmpty(entry)) this.#isCopy = false;
    }
    this.#nextSourceChunk = chunk + 1;
  }

  #countRows(batch: MessageBatch): void {
    if (this.#source !== null) this.#sourceRows += batch.length;
  }

  /** Whether the chunk's own bytes say the same in this recording: nothing is dropped, types have the same names. */
  #mayTakeWhole(context: ChunkContext, batch: MessageBatch, channels: readonly (ChannelInfo | null)[]): boolean {
    const { source } = context;
    if (source !== this.#like?.source && source.events.length > 0) return false;
    if (this.#version !== 1 && (context.startTick !== this.#start || context.dialect !== this.#chunkVersion))
      return false;
    const isMoved = this.#output!.count !== context.chunk;
    if (isMoved && source.events.some(({ sinceChunk }) => sinceChunk > 0)) return false;
    let previous = -1;
    for (let i = 0; i < batch.length; i++) {
      const id = batch.channel[i]!;
      if (id === previous) continue;
      previous = id;
      if (channels[id]?.id !== id) return false;
    }
    return true;
  }

  #appendRows(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time): void {
    const snapshot = this.#snapshotChannel;
    for (let i = 0; i < batch.length; i++) {
      const channel = channels[batch.channel[i]!];
      if (channel == null) {
        this.#isCopy = false;
        continue;
      }
      const { id } = channel;
      if (id !== batch.channel[i]) this.#isCopy = false;
      const tick = Math.max(tickOf(batch.time[i]! + shift), this.#start);
      if (id === snapshot) {
        if (this.#events === 0 && !this.#hasSnapshot && tick === this.#start) this.#putSnapshot(batch.payload(i));
        continue;
      }
      if (tick < this.#lastTick)
        throw new RangeError(`tick ${tick} is before tick ${this.#lastTick}, which is written`);
      if (this.#planned !== null && tick >= this.#planned) this.#planned = tick + 1;
      this.#put(id, tick, batch.payload(i));
    }
  }

  /** Entries that the chunk's other events, perhaps left out, had put into the palettes. */
  #addPalettes(palettes: Palettes, snapshot: Uint8Array | null, tick: number): void {
    const known = snapshot === null ? [] : palettesIn(snapshot);
    const builder = new ByteBuilder();
    for (let kind = 0; kind < 256; kind++) {
      const entries = palettes.entries(kind);
      for (let i = known[kind]?.length ?? 0; i < entries.length; i++) {
        writePaletteAdd(builder, { kind, entry: entries[i]! });
        this.#put(EVENT.paletteAdd, tick, builder.take());
      }
    }
  }

  // ── the end ───────────────────────────────────────────────────────────

  async #close(): Promise<void> {
    try {
      if (this.#failure !== null) throw this.#failure.error;
      this.#finish();
      await this.#output!.close(this.preambleOf);
      this.#status = "closed";
    } catch (error) {
      this.#failure = { error };
      this.#status = "aborted";
      await this.#output!.abort();
      throw error;
    }
  }

  /** The wall clock at the end, Unix milliseconds; else it follows from the beginning and the ticks. */
  finishedAt(time: number): void {
    this.#profile.finishedAt = BigInt(time);
  }

  #finish(): void {
    if (this.#isOpen) {
      const isWhole = this.#source !== null && this.#sourceRows === this.#sourceCount && this.#planned !== null;
      const least = Math.max(this.#lastTick, this.#start) + 1;
      const { source, sourceChunk, by } = { source: this.#source, sourceChunk: this.#sourceChunk, by: this.#sourceBy };
      const paced = this.#source === null ? Math.min(this.#minimum, this.#start + CHUNK_TICKS) : 0;
      this.#finishChunk(Math.max(least, isWhole ? this.#planned! : paced));
      if (isWhole && source !== null) this.#addTail(source, sourceChunk + 1, by);
    } else if (this.#like !== null && this.#output!.count === 0) this.#addTail(this.#like.source, 0, 0);
    const { entries } = this.#like?.source ?? { entries: [] };
    for (let i = this.#nextSourceChunk; i < entries.length; i++) if (!isEmpty(entries[i]!)) this.#isCopy = false;
    if (this.#minimum > this.#end) this.#fill(this.#minimum);
    this.#metadataLength = null;
  }

  /** Empty chunks of the source behind its last message. */
  #addTail(source: ChunkSource, from: number, by: number): void {
    const rest = source.entries.slice(from);
    if (!rest.every(isEmpty)) return;
    for (const entry of rest) {
      if (entry.startTick + by === this.#end && entry.tickCount > 0)
        this.#fill(this.#end + entry.tickCount, entry.tickCount);
    }
  }

  #outcome(tickCount: number, isFinal: boolean): Outcome {
    return this.#notes.outcome({
      events: this.#host.isChanged ? this.#host.events : null,
      epochs: this.#epochs,
      chunks: this.#output?.count ?? 0,
      ticks: tickCount,
      shift: this.#shift,
      cutAt: this.#cutAt,
      isCopy: this.#isCopy,
      isFinal,
    });
  }

  #measure(): number {
    return writeNbt(this.#profile.metadata(this.#outcome(this.#end, true))).length;
  }

  #addChannel(name: string, metadata: Readonly<Record<string, string>>): ChannelInfo {
    const info = { id: this.#channels.length, name, metadata };
    this.#channels.push(info);
    this.#byName.set(name, info);
    return info;
  }

  #writable(): void {
    if (this.#status !== "open" || this.#closing !== null) throw new RangeError("the recording is closed");
  }
}

const EMPTY = new Uint8Array(0);
/** What no chunk is made in: replaced before the first byte. */
const NO_CONTENT = new ChunkContent(1, 0, 16);
/** Sequences of a reader's messages begin anew in each chunk at a multiple of this. */
const SEQUENCES: number = 2 ** 24;
