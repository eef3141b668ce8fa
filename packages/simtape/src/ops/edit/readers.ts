import type { Budget } from "../../bytes/budget.ts";
import { Columns, type MessageBatch } from "../../model/messages/batch.ts";
import { StatisticsCounter } from "../../model/chunks.ts";
import type { Reader } from "../../model/reader.ts";
import type { StateModel } from "../../model/state/state-model.ts";
import type { Keyframe } from "../../model/messages/keyframe.ts";
import type { Query } from "../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../model/native-record.ts";
import type { RecordingInfo } from "../../model/recording-info.ts";
import { after, type Time, type Timeline } from "../../model/values/time.ts";
import type { Channel, ChannelStatistics } from "../../model/values/value.ts";
import type { MadeMessage, Sift } from "../../model/writer.ts";

/** Rows of a source's batch as they are, and where they go: what a writer is given, and `batches()` is made of. */
export interface Piece {
  readonly batch: MessageBatch;
  /** Added to every time, and to every sequence. */
  readonly shift: Time;
  readonly sequence: number;
  /** The edited recording's channel for each of the source's; null: the same. */
  readonly channels: readonly number[] | null;
}

/** What any reader gives, as pieces. */
export async function* piecesOf(reader: Reader, query: Query): AsyncGenerator<Piece> {
  if (reader instanceof EditedReader) yield* reader.pieces(query);
  else for await (const batch of reader.batches(query)) yield { batch, shift: 0, sequence: 0, channels: null };
}

/**
 * A reader over another that changes what comes out and never the source. It is no file: it has no records of its own
 * until it is written.
 */
abstract class EditedReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: StateModel;
  readonly budget: Budget | undefined;
  readonly inner: Reader;
  readonly base: Reader;
  readonly parts: readonly Reader[] | undefined;
  #statistics: Promise<readonly ChannelStatistics[]> | null = null;

  constructor(inner: Reader, channels: readonly Channel[] = inner.channels) {
    this.inner = inner;
    this.budget = inner.budget;
    this.base = inner.base ?? inner;
    this.parts = inner.parts;
    this.info = { ...inner.info, bytes: null };
    this.channels = channels;
    this.state = channels === inner.channels ? inner.state : (this.base.stateOf?.(channels) ?? inner.state);
  }

  /** In (time, sequence) order of the edited recording; reverse as in `Query`. */
  abstract pieces(query: Query): AsyncIterable<Piece>;
  abstract timeline(): Promise<Timeline>;
  abstract keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null>;

  async *batches(query: Query): AsyncGenerator<MessageBatch> {
    for await (const piece of this.pieces(query)) yield materialized(piece);
  }

  statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]> {
    this.#statistics ??= this.#count(signal).catch((error: unknown) => {
      this.#statistics = null;
      throw error;
    });
    return this.#statistics;
  }

  async *records(): AsyncGenerator<readonly NativeRecord[]> {}

  close(): Promise<void> {
    return this.inner.close();
  }

  async #count(signal: AbortSignal | undefined): Promise<readonly ChannelStatistics[]> {
    const counter = new StatisticsCounter();
    for await (const batch of this.batches({ signal })) counter.add(batch);
    return counter.result(this.channels.length);
  }
}

function materialized({ batch, shift, sequence, channels }: Piece): MessageBatch {
  if (shift === 0 && sequence === 0 && channels === null) return batch;
  const time = shift === 0 ? batch.time : batch.time.map((at) => at + shift);
  const sequences = sequence === 0 ? batch.sequence : batch.sequence.map((own) => own + sequence);
  const channel = channels === null ? batch.channel : batch.channel.map((id) => channels[id]!);
  const { flags, bytes, start, end, context } = batch;
  return new Columns(time, channel, sequences, flags, bytes, start, end, context, batch.shifted + sequence);
}

/** Every message `by` later. */
export class ShiftedReader extends EditedReader {
  readonly #by: Time;

  constructor(inner: Reader, by: Time) {
    super(inner);
    this.#by = by;
  }

  async *pieces(query: Query): AsyncGenerator<Piece> {
    const by = this.#by;
    const start = query.start === undefined ? undefined : query.start - by;
    const end = query.end === undefined ? undefined : query.end - by;
    for await (const piece of piecesOf(this.inner, { ...query, start, end }))
      yield { ...piece, shift: piece.shift + by };
  }

  /** The wall clock of every message stays what it was. */
  async timeline(): Promise<Timeline> {
    const timeline = await this.inner.timeline();
    const epoch = timeline.epoch === null ? null : timeline.epoch - BigInt(Math.round(this.#by));
    return { ...timeline, start: timeline.start + this.#by, end: timeline.end + this.#by, epoch };
  }

  async keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null> {
    const found = await this.inner.keyframe(time - this.#by, signal);
    return found === null ? null : { ...found, time: found.time + this.#by };
  }
}

/** Whether row `i` of a batch, which is of this channel and time of the recording that is filtered, is kept. */
export type IsKept = (channel: number, time: Time, batch: MessageBatch, i: number) => boolean;

/**
 * Only messages that `isKept` says. What the others say about state is left out with them; where others count from what
 * is left out, `siftOf` gives what has them say the same without.
 */
export class FilteredReader extends EditedReader {
  readonly #isKept: IsKept;
  readonly #siftOf: (() => Sift | null) | null;

  constructor(inner: Reader, isKept: IsKept, siftOf: (() => Sift | null) | null = null) {
    super(inner);
    this.#isKept = isKept;
    this.#siftOf = siftOf;
  }

  async *pieces(query: Query): AsyncGenerator<Piece> {
    const sift = this.#siftOf?.() ?? null;
    if (sift !== null) yield* query.reverse === true ? this.#siftedBack(query) : this.#sifted(query, sift);
    else {
      for await (const piece of piecesOf(this.inner, query)) {
        const rows = this.#rowsOf(piece);
        if (rows.length === piece.batch.length) yield piece;
        else if (rows.length > 0) yield { ...piece, batch: picked(piece.batch, rows) };
      }
    }
  }

  #rowsOf({ batch, channels, shift }: Piece): Uint32Array {
    const rows = new Uint32Array(batch.length);
    let count = 0;
    for (let i = 0; i < batch.length; i++) {
      const id = batch.channel[i]!;
      if (this.#isKept(channels === null ? id : channels[id]!, batch.time[i]! + shift, batch, i)) rows[count++] = i;
    }
    return rows.subarray(0, count);
  }

  /** What messages count from is known from the last keyframe before on. */
  async *#sifted(query: Query, sift: Sift): AsyncGenerator<Piece> {
    const { start = Number.NEGATIVE_INFINITY, channels, end, signal } = query;
    const anchor = Number.isFinite(start) ? await this.#anchor(start) : undefined;
    const wanted = channels === undefined ? null : new Set(channels.map(({ id }) => id));
    for await (const piece of piecesOf(this.inner, { start: anchor, end, signal })) {
      const batch = sift.next(piece.batch, this.#rowsOf(piece));
      const rows = Uint32Array.from({ length: batch.length }, (_, i) => i).filter((i) => {
        const id = batch.channel[i]!;
        const own = piece.channels === null ? id : piece.channels[id]!;
        return batch.time[i]! + piece.shift >= start && (wanted === null || wanted.has(own));
      });
      if (rows.length > 0) yield { ...piece, batch: rows.length === batch.length ? batch : picked(batch, rows) };
    }
  }

  /** One stretch from keyframe to keyframe after the other, the latest first. */
  async *#siftedBack(query: Query): AsyncGenerator<Piece> {
    const least = query.start ?? Number.NEGATIVE_INFINITY;
    const last = after((await this.inner.timeline()).end);
    let end = Math.min(query.end ?? last, last);
    while (end > least) {
      const start = (await this.#anchor(end)) ?? Number.NEGATIVE_INFINITY;
      const pieces: Piece[] = [];
      for await (const piece of this.pieces({ ...query, start: Math.max(start, least), end, reverse: false }))
        pieces.push(piece);
      yield* pieces.reverse();
      end = start;
    }
  }

  /**
   * A time before `time` from which on nothing before it matters, if the keyframe there is kept; else there is none.
   */
  async #anchor(time: Time): Promise<Time | undefined> {
    const keyframe = await this.inner.keyframe(time - 1);
    if (keyframe === null || keyframe.channels !== null) return undefined;
    for await (const piece of piecesOf(this.inner, { start: keyframe.time, end: after(keyframe.time) })) {
      const { batch, sequence } = piece;
      const rows = this.#rowsOf(piece);
      if (rows.some((i) => batch.sequence[i]! + sequence === keyframe.sequence)) return keyframe.time;
    }
    return undefined;
  }

  async timeline(): Promise<Timeline> {
    const timeline = await this.inner.timeline();
    let start = Number.POSITIVE_INFINITY;
    let end = Number.NEGATIVE_INFINITY;
    for (const { first, last } of await this.statistics()) {
      if (first !== null) start = Math.min(start, first);
      if (last !== null) end = Math.max(end, last);
    }
    return start > end ? { ...timeline, start: 0, end: 0 } : { ...timeline, start, end };
  }

  /** A keyframe may be among what is left out; folding from the start is always right. */
  async keyframe(): Promise<Keyframe | null> {
    return null;
  }
}

function picked(batch: MessageBatch, rows: Uint32Array): Columns {
  const { time, channel, sequence, flags, bytes, start, end, context, shifted } = batch;
  return new Columns(time, channel, sequence, flags, bytes, start, end, context, shifted).pick(rows);
}

/** Other names for channels; what they say of state goes by the new ones. */
export class RenamedReader extends EditedReader {
  /** Throws `RangeError` when two would have one name, or the format does not let a channel have another. */
  constructor(inner: Reader, names: ReadonlyMap<string, string>) {
    super(
      inner,
      inner.channels.map((channel) => ({ ...channel, name: names.get(channel.name) ?? channel.name })),
    );
    const taken = new Set<string>();
    for (const { name } of this.channels) {
      if (taken.has(name)) throw new RangeError(`two channels would be called ${name}`);
      taken.add(name);
    }
    if (this.base.stateOf === undefined) throw new RangeError(`the channels of ${this.info.format} cannot be renamed`);
  }

  pieces(query: Query): AsyncIterable<Piece> {
    return piecesOf(this.inner, query);
  }

  timeline(): Promise<Timeline> {
    return this.inner.timeline();
  }

  keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null> {
    return this.inner.keyframe(time, signal);
  }
}

/** A range of one recording in the row of a joined one. */
export interface JoinedPart {
  readonly reader: Reader;
  /** Range of the reader's own times that is taken, `end` exclusive. */
  readonly start: Time;
  readonly end: Time;
  /** Added to its times. */
  readonly shift: Time;
  /** What holds at `start`, put before its messages; null when the part begins where its reader does. */
  readonly opening: readonly MadeMessage[] | null;
  /** Channel of the whole for each of the reader's. */
  readonly channels: readonly number[];
}

/** Sequences of each part are numbered on from a multiple of this: more than any recording has messages. */
const PART_SEQUENCES = 2 ** 44;

/**
 * Parts one behind the other, each beginning with what holds at its start: a trimmed recording is one part, a joined
 * one several.
 */
export class PartsReader extends EditedReader {
  override readonly parts: readonly Reader[];
  readonly #parts: readonly JoinedPart[];
  readonly #epoch: bigint | null;

  constructor(parts: readonly JoinedPart[], epoch: bigint | null, channels: readonly Channel[]) {
    super(parts[0]!.reader, channels);
    this.parts = parts.map(({ reader }) => reader);
    this.#parts = parts;
    this.#epoch = epoch;
  }

  async *pieces(query: Query): AsyncGenerator<Piece> {
    const reverse = query.reverse === true;
    for (let n = 0; n < this.#parts.length; n++) {
      const i = reverse ? this.#parts.length - 1 - n : n;
      const part = this.#parts[i]!;
      const first = i * PART_SEQUENCES;
      const opening = openingOf(part, first, query);
      if (!reverse) yield* opening;
      const start = Math.max(part.start, query.start === undefined ? part.start : query.start - part.shift);
      const end = Math.min(part.end, query.end === undefined ? part.end : query.end - part.shift);
      if (start < end) {
        const wanted = query.channels === undefined ? undefined : new Set(query.channels.map(({ id }) => id));
        const channels =
          wanted === undefined ? undefined : part.reader.channels.filter(({ id }) => wanted.has(part.channels[id]!));
        const sequence = first + (part.opening?.length ?? 0);
        for await (const piece of piecesOf(part.reader, { start, end, channels, reverse, signal: query.signal })) {
          yield {
            batch: piece.batch,
            shift: piece.shift + part.shift,
            sequence: piece.sequence + sequence,
            channels: composed(piece.channels, part.channels),
          };
        }
      }
      if (reverse) yield* opening.toReversed();
    }
  }

  async timeline(): Promise<Timeline> {
    const { tick } = await this.#parts[0]!.reader.timeline();
    let start = Number.POSITIVE_INFINITY;
    let end = Number.NEGATIVE_INFINITY;
    for (const part of this.#parts) {
      const own = await part.reader.timeline();
      const first = part.opening === null ? Math.max(part.start, own.start) : part.start;
      const last = Math.max(first, part.end > own.end ? own.end : await lastBefore(part));
      start = Math.min(start, first + part.shift);
      end = Math.max(end, last + part.shift);
    }
    if (tick === null) return { start, end, epoch: this.#epoch, tick };
    const count = tick.duration === null ? await this.#frames() : Math.ceil(end / tick.duration);
    return { start, end, epoch: this.#epoch, tick: { ...tick, count } };
  }

  async keyframe(): Promise<Keyframe | null> {
    return null;
  }

  override async close(): Promise<void> {
    for (const { reader } of this.#parts) await reader.close();
  }

  async #frames(): Promise<number> {
    const { motion } = this.state;
    return motion === null ? 0 : ((await this.statistics())[motion]?.messages ?? 0);
  }
}

/** Time of the last message in front of the part's end; its start when there is none. */
async function lastBefore({ reader, start, end }: JoinedPart): Promise<Time> {
  for await (const batch of reader.batches({ start, end, reverse: true })) return batch.time[batch.length - 1]!;
  return start;
}

function composed(inner: readonly number[] | null, outer: readonly number[]): readonly number[] {
  return inner === null ? outer : inner.map((id) => outer[id]!);
}

/** One piece for each opening message, numbered from `first`; all at the part's start. */
function openingOf(part: JoinedPart, first: number, query: Query): Piece[] {
  const at = part.start + part.shift;
  const isInside = (query.start === undefined || at >= query.start) && (query.end === undefined || at < query.end);
  if (part.opening === null || !isInside) return [];
  const wanted = query.channels === undefined ? null : new Set(query.channels.map(({ id }) => id));
  const pieces: Piece[] = [];
  part.opening.forEach(({ channel, payload, keyframe, context, sequence = 0 }, i) => {
    if (wanted !== null && !wanted.has(part.channels[channel.id]!)) return;
    const batch = new Columns(
      Float64Array.of(part.start),
      Uint16Array.of(channel.id),
      Float64Array.of(sequence),
      Uint8Array.of(keyframe ? 1 : 0),
      payload,
      Uint32Array.of(0),
      Uint32Array.of(payload.length),
      context ?? null,
    );
    pieces.push({ batch, shift: part.shift, sequence: first + i - sequence, channels: part.channels });
  });
  return pieces;
}
