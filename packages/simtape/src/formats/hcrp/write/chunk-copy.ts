import { ByteBuilder } from "../../../bytes/builder.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChunkContext, ChunkSource, Dialect, Palettes } from "../chunk/context.ts";
import { type ChunkSeries, isWritten, NOTHING } from "./chunk-series.ts";
import type { CopyFacts } from "./copy-facts.ts";
import { ENTRY_SNAPSHOT, TICK } from "../layout/framing.ts";
import { PALETTE } from "../layout/chunk.ts";
import { EVENT } from "../layout/events.ts";
import { epochOf } from "../layout/metadata.ts";
import { writePaletteAdd } from "../layout/world-events.ts";
import type { ChunkOrigin, OpenChunk } from "./open-chunk.ts";
import type { WriterChannels } from "./channels.ts";
import { isEmpty, palettesIn, tickOf } from "./checks.ts";
import type { WriterEpochs } from "./epochs.ts";

/** The chunk of a source that the open one takes over. */
interface SourceChunk extends ChunkOrigin {
  readonly source: ChunkSource;
  /** Place in the index, see `ChunkContext`. */
  readonly chunk: number;
  /** Ticks that it is shifted by. */
  readonly by: number;
  readonly isOpening: boolean;
  /** Messages that it has; null: not known. */
  readonly count: number | null;
  /** Messages of it that came. */
  rows: number;
}

function named(dialect: Dialect): string {
  return dialect === 1 ? "version 1" : `production ${dialect}`;
}

/** Names of the dialects that hold the events of one. */
function possible(dialect: Dialect): string {
  return dialect === 1 ? "v1, v1-plain, v1-segmented" : `production-${dialect}`;
}

/** Takes chunks over from other recordings, whole where their bytes say the same here, else message by message. */
export class ChunkCopy {
  readonly #dialect: Dialect;
  readonly #series: ChunkSeries;
  readonly #channels: WriterChannels;
  readonly #epochs: WriterEpochs;
  readonly #like: ChunkSource | null;
  readonly #facts: CopyFacts;
  /** The last chunk that was begun here; it is the open one as long as that has it for origin. */
  #from: SourceChunk | null = null;

  /** `like` is the recording that the whole takes after, if any; `facts` tell what becomes of it. */
  constructor(
    dialect: Dialect,
    series: ChunkSeries,
    channels: WriterChannels,
    epochs: WriterEpochs,
    like: ChunkSource | null,
    facts: CopyFacts,
  ) {
    this.#dialect = dialect;
    this.#series = series;
    this.#channels = channels;
    this.#epochs = epochs;
    this.#like = like;
    this.#facts = facts;
  }

  /** All rows of a batch, one at least, with its context; see `Writer.append`. */
  append(batch: MessageBatch, context: ChunkContext, channels: readonly (ChannelInfo | null)[], shift: Time): void {
    if (context.dialect !== this.#dialect) {
      throw new RangeError(
        `events of HCRP ${named(context.dialect)} in a ${named(this.#dialect)} recording; possible: ${possible(context.dialect)}`,
      );
    }
    const by = Math.round(shift / TICK);
    const open = this.#openOf(context, by) ?? this.#openFrom(context, batch, channels, by, shift);
    this.#from!.rows += batch.length;
    if (open !== null) this.#appendRows(open, batch, channels, shift);
  }

  /**
   * A chunk as it is, `raw` inflated, behind everything so far: for what was read elsewhere. Ticks that are missing
   * before it are filled up.
   */
  chunk(source: ChunkSource, index: number, raw: Uint8Array, hasSnapshot: boolean): void {
    const { startTick, tickCount } = source.entries[index]!;
    const end = startTick + tickCount;
    this.#facts.changed();
    this.#series.endBefore(startTick);
    this.#series.fill(startTick);
    const { dataVersion } = this.#epochs.holding;
    const open = this.#begin(startTick, {
      source,
      chunk: index,
      by: 0,
      isOpening: false,
      count: null,
      rows: 0,
      end,
      dataVersion,
      dialect: this.#dialect,
      segment: segmentOf(source, index),
      subjects: source.subjects,
    });
    open.putWhole(raw, hasSnapshot, 1, end - 1);
    this.#series.finish(end);
  }

  /** An empty chunk, with an empty snapshot when it is the first. */
  gap(start: number, tickCount: number): void {
    this.#series.endBefore(start);
    this.#fill(start);
    this.#fill(start + tickCount, tickCount);
  }

  /** Everything was written; the recording lasts to `until` at least. */
  finish(until: number): void {
    this.#settle();
    const series = this.#series;
    const from = this.#taken;
    if (from !== null) {
      const isWhole = from.rows === from.count && from.end !== null;
      series.finish(isWhole ? from.end : 0);
      if (isWhole) this.#addTail(from.source, from.chunk + 1, from.by);
    } else if (series.open !== null) series.endLast(until);
    else if (this.#like !== null && series.count === 0) this.#addTail(this.#like, 0, 0);
    this.#facts.end();
    this.#fill(until);
  }

  // ── opening ───────────────────────────────────────────────────────────

  /** The open chunk, when the rows of `context` go on in it. */
  #openOf(context: ChunkContext, by: number): OpenChunk | null {
    const from = this.#taken;
    if (from === null) return null;
    const isSame = from.source === context.source && from.chunk === context.chunk && from.by === by;
    return isSame && (from.isOpening || !context.isOpening) ? this.#series.open : null;
  }

  /**
   * Opens a chunk where that of `context` began, as what its events refer to begins again there. Null: all rows are
   * written, the chunk was taken as it is.
   */
  #openFrom(
    context: ChunkContext,
    batch: MessageBatch,
    channels: readonly (ChannelInfo | null)[],
    by: number,
    shift: Time,
  ): OpenChunk | null {
    const series = this.#series;
    const { source, chunk, isOpening, count } = context;
    const first = tickOf(batch.time[0]! + shift);
    const nominal = context.startTick + by;
    const isSnapshot = channels[batch.channel[0]!]?.id === this.#channels.snapshot;
    const wanted = Math.max(0, isOpening ? first : Math.min(nominal, first));
    this.#settle();
    // what the cut began with is said again by the chunk itself
    if (isSnapshot && this.#taken?.isOpening === true && series.open?.startTick === wanted) series.giveUp();
    const start = series.makeWay(wanted, first);
    if (series.end < start) this.#bridge(source, chunk, by, start);
    if (isOpening) this.#facts.changed();
    if (isOpening && series.count === 0) this.#facts.cut(first - by);
    this.#facts.takes(source, chunk, by);
    const entry = source.entries[chunk];
    const open = this.#begin(start, {
      source,
      chunk,
      by,
      isOpening,
      count,
      rows: 0,
      end: entry === undefined ? null : Math.max(start + 1, entry.startTick + by + entry.tickCount),
      dataVersion: context.dataVersion,
      dialect: context.dialect,
      segment: segmentOf(source, chunk),
      subjects: source.subjects,
    });
    const isContiguous = batch.sequence[batch.length - 1]! - batch.sequence[0]! === batch.length - 1;
    const isFromStart = isContiguous && batch.sequence[0]! % SEQUENCES === 0;
    if (
      entry !== undefined &&
      !isOpening &&
      !context.isChanged &&
      isFromStart &&
      start === nominal &&
      count === batch.length
    ) {
      const hasSnapshot = (entry.flags & ENTRY_SNAPSHOT) !== 0;
      if ((hasSnapshot || series.count > 0) && this.#mayTakeWhole(context, batch, channels, by)) {
        const last = tickOf(batch.time[batch.length - 1]! + shift);
        open.putWhole(batch.bytes, hasSnapshot, batch.length - (isSnapshot ? 1 : 0), last);
        return null;
      }
    }
    if (!isSnapshot && series.count === 0) open.putSnapshot(NOTHING);
    if (!isOpening && !isFromStart && this.#dialect === 1) {
      const snapshot = isSnapshot ? batch.payload(0) : null;
      if (snapshot !== null) open.putSnapshot(snapshot);
      addPalettes(open, context.palettes, snapshot, first);
    }
    return open;
  }

  /** Where the open chunk comes from; null: it was not begun here, or none is open. */
  get #taken(): SourceChunk | null {
    const from = this.#from;
    return from !== null && this.#series.open?.origin === from ? from : null;
  }

  #begin(tick: number, from: SourceChunk): OpenChunk {
    this.#from = from;
    const open = this.#series.begin(tick, from);
    this.#epochs.follow(epochOf(from.source.epochs, Math.max(0, from.chunk)), this.#series.count);
    return open;
  }

  /** Whether the chunk's own bytes say the same in this recording: nothing is dropped, types have the same names. */
  #mayTakeWhole(
    context: ChunkContext,
    batch: MessageBatch,
    channels: readonly (ChannelInfo | null)[],
    by: number,
  ): boolean {
    const { events } = context.source;
    if (context.source !== this.#like && events.length > 0) return false;
    // the production dialect has ticks since the beginning (spec §14)
    if (this.#dialect !== 1 && by !== 0) return false;
    const isMoved = this.#series.count !== context.chunk;
    if (isMoved && events.some(({ sinceChunk }) => sinceChunk > 0)) return false;
    let previous = -1;
    for (let i = 0; i < batch.length; i++) {
      const id = batch.channel[i]!;
      if (id === previous) continue;
      previous = id;
      if (channels[id]?.id !== id) return false;
    }
    return true;
  }

  #appendRows(open: OpenChunk, batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time): void {
    const { snapshot } = this.#channels;
    const { startTick } = open;
    for (let i = 0; i < batch.length; i++) {
      const channel = channels[batch.channel[i]!];
      if (channel == null) {
        this.#facts.changed();
        continue;
      }
      const { id } = channel;
      if (id !== batch.channel[i]) this.#facts.changed();
      const tick = Math.max(tickOf(batch.time[i]! + shift), startTick);
      if (id === snapshot) {
        if (!open.hasEvents && !open.hasSnapshot && tick === startTick) open.putSnapshot(batch.payload(i));
        continue;
      }
      if (tick < open.lastTick) throw isWritten(tick, open.lastTick);
      open.put(id, tick, batch.payload(i));
    }
  }

  /** Whether all of the last chunk came. */
  #settle(): void {
    const from = this.#from;
    if (from !== null && !from.isOpening && from.rows !== from.count) this.#facts.changed();
  }

  /** Ticks between the last chunk and the next one: the source's own empty chunks where that is what is missing. */
  #bridge(source: ChunkSource, chunk: number, by: number, start: number): void {
    const { entries } = source;
    let from = chunk;
    while (from > 0 && entries[from - 1]!.startTick + by >= this.#series.end && isEmpty(entries[from - 1]!)) from--;
    for (let i = from; i < chunk; i++) {
      const { startTick, tickCount } = entries[i]!;
      const end = startTick + by + tickCount;
      if (startTick + by === this.#series.end && end <= start && tickCount > 0) this.#series.fill(end, tickCount);
    }
    this.#fill(start);
  }

  /** Empty chunks of the source behind its last message. */
  #addTail(source: ChunkSource, from: number, by: number): void {
    const rest = source.entries.slice(from);
    if (!rest.every(isEmpty)) return;
    const series = this.#series;
    for (const { startTick, tickCount } of rest)
      if (startTick + by === series.end && tickCount > 0) series.fill(series.end + tickCount, tickCount);
  }

  /** Empty chunks up to `until` that the source has not; behind chunks of it they count as a change. */
  #fill(until: number, step?: number): void {
    if (this.#series.end < until && this.#from !== null) this.#facts.changed();
    this.#series.fill(until, step);
  }
}

/** Entries that the chunk's other events, perhaps left out, had put into the palettes. */
function addPalettes(open: OpenChunk, palettes: Palettes, snapshot: Uint8Array | null, tick: number): void {
  const known = snapshot === null ? [] : palettesIn(snapshot);
  const builder = new ByteBuilder();
  for (let kind = 0; kind < 256; kind++) {
    // a dimension holds by being added: where it was
    if (kind === PALETTE.dimension) continue;
    const entries = palettes.entries(kind);
    for (let i = known[kind]?.length ?? 0; i < entries.length; i++) {
      writePaletteAdd(builder, { kind, entry: entries[i]! });
      open.put(EVENT.paletteAdd, tick, builder.take());
    }
  }
}

/** See `FinishedChunk`. */
function segmentOf(source: ChunkSource, chunk: number): number | null {
  const entry = source.entries[chunk];
  return source.isSegmented && entry !== undefined ? entry.offsetHigh : null;
}

/** Sequences of a reader's messages begin again in each chunk at a multiple of this. */
const SEQUENCES: number = 2 ** 24;
