import { type Columns, KEYFRAME, type MessageBatch } from "./messages/batch.ts";
import { merge } from "./messages/merge.ts";
import type { Keyframe } from "./messages/keyframe.ts";
import type { Query } from "./messages/batch-query.ts";
import { membersOf, numbersOf } from "./kept/shapes.ts";
import type { Time } from "./values/time.ts";
import type { ChannelStatistics, Value } from "./values/value.ts";
import type { Chunk, DecodeChunk } from "./messages/chunk.ts";

/** Chunks read ahead of the consumer, that which it waits for not counted: two or three of usual length. */
const AHEAD_BYTES = 2 << 20;
const AHEAD_CHUNKS = 8;
/** Memory of a row beside its payload, about: of compressed chunks it may be most. */
const ROW_BYTES = 32;

/**
 * The messages of `chunks` that answer `query`, in (time, sequence) order, as batches.
 * Chunks that overlap in time are merged; those that do not pass through without a copy.
 * `mergeBytes` is how many decoded bytes are held while merging, 64 MiB by default. `areDisjoint` is for callers that
 * know that they stand in the order of their times and none overlaps another: there may be many, and most queries look
 * at few.
 */
export async function* readChunks<C extends Chunk>(
  chunks: readonly C[],
  decode: DecodeChunk<C>,
  query: Query,
  mergeBytes?: number,
  areDisjoint: boolean = haveNoOverlap(chunks),
): AsyncGenerator<Columns> {
  const reverse = query.reverse === true;
  const wanted = query.channels === undefined ? null : new Set(query.channels.map((channel) => channel.id));
  const picked = query.isLoose === true ? null : wanted;
  let selected: readonly C[] = [];
  if (!areDisjoint) {
    const found = chunks.filter((chunk) => answers(chunk, query, wanted));
    if (reverse) found.sort((a, b) => b.last - a.last || b.sequence - a.sequence);
    else found.sort((a, b) => a.first - b.first || a.sequence - b.sequence);
    selected = found;
  }
  const one = (): Iterable<C> => (areDisjoint ? inTurn(chunks, query, wanted) : alone(selected, reverse));
  const ahead = new ReadAhead(one()[Symbol.iterator](), decode, query.signal);
  const filtered = (chunk: C, batch: Columns): Columns =>
    filter(batch, query, picked === null || hasOnly(chunk, picked) ? null : picked);
  const decodeWanted: DecodeChunk<C> = async (chunk, signal) => filtered(chunk, await decode(chunk, signal));
  try {
    for (const run of areDisjoint ? runs(one()) : runsOf(selected, reverse)) {
      if (run.length === 1) {
        const batch = filtered(run[0]!, await ahead.take(run[0]!));
        query.signal?.throwIfAborted();
        if (batch.length > 0) yield batch;
        continue;
      }
      for await (const batch of merge(run, decodeWanted, reverse, query.signal, mergeBytes)) {
        query.signal?.throwIfAborted();
        yield batch;
      }
    }
  } finally {
    ahead.drop();
  }
}

/** Rows of `batch` inside the query's range and channels; the batch itself when all are. */
function filter(batch: Columns, query: Query, wanted: ReadonlySet<number> | null): Columns {
  const from = query.start === undefined ? 0 : batch.lowerBound(query.start);
  const to = query.end === undefined ? batch.length : batch.lowerBound(query.end);
  const inside = from === 0 && to === batch.length ? batch : batch.slice(from, Math.max(from, to));
  if (wanted === null) return inside;
  const { length, channel } = inside;
  // One of them is asked about once for each run of messages of it, which most often is all of them.
  let rows: Uint32Array | null = null;
  let count = 0;
  for (let i = 0; i < length; ) {
    const start = i;
    const id = channel[i]!;
    while (i < length && channel[i] === id) i++;
    if (!wanted.has(id)) rows ??= allRows(length);
    else if (rows === null) count = i;
    else for (let row = start; row < i; row++) rows[count++] = row;
  }
  return rows === null ? inside : inside.pick(rows.subarray(0, count));
}

function allRows(length: number): Uint32Array {
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  return rows;
}

/** Whether all that occurs in a chunk is wanted. */
function hasOnly({ channels }: Chunk, wanted: ReadonlySet<number> | null): boolean {
  if (wanted === null) return true;
  if (channels === null || channels.size > wanted.size) return false;
  for (const id of channels) if (!wanted.has(id)) return false;
  return true;
}

function answers(chunk: Chunk, query: Query, wanted: ReadonlySet<number> | null): boolean {
  if (chunk.count === 0) return false;
  if (query.start !== undefined && chunk.last < query.start) return false;
  if (query.end !== undefined && chunk.first >= query.end) return false;
  if (wanted === null || chunk.channels === null) return true;
  for (const id of wanted) if (chunk.channels.has(id)) return true;
  return false;
}

/** Whether chunks stand in the order of their times, and none begins before the one before it ends. */
function haveNoOverlap(chunks: readonly Chunk[]): boolean {
  let [last, sequence] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const chunk of chunks) {
    if (chunk.first < last || chunk.last < chunk.first || chunk.sequence <= sequence) return false;
    ({ last, sequence } = chunk);
  }
  return true;
}

/** Of chunks that are apart those that answer, one after the other: most queries end with the first few. */
function* inTurn<C extends Chunk>(
  chunks: readonly C[],
  query: Query,
  wanted: ReadonlySet<number> | null,
): Generator<C> {
  const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = query;
  const from = countUntil(chunks, (chunk) => chunk.last < start);
  const to = countUntil(chunks, (chunk) => chunk.first < end);
  const step = query.reverse === true ? -1 : 1;
  for (let i = step > 0 ? from : to - 1; i >= from && i < to; i += step) {
    const chunk = chunks[i]!;
    if (answers(chunk, query, wanted)) yield chunk;
  }
}

/** How many at the start are so; those behind them are not. */
export function countUntil<C>(list: readonly C[], isSo: (one: C) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* runs<C>(chunks: Iterable<C>): Generator<readonly C[]> {
  for (const chunk of chunks) yield [chunk];
}

/** Cuts sorted chunks into runs whose members overlap in time; most runs have one member. Lazily: few look at many. */
function* runsOf<C extends Chunk>(chunks: readonly C[], reverse: boolean): Generator<readonly C[]> {
  let run: C[] = [];
  let edge = 0;
  let edgeSequence = 0;
  for (const chunk of chunks) {
    const near = reverse ? chunk.last : chunk.first;
    const far = reverse ? chunk.first : chunk.last;
    const apart = reverse
      ? near < edge || (near === edge && chunk.sequence < edgeSequence)
      : near > edge || (near === edge && chunk.sequence > edgeSequence);
    if (run.length === 0 || apart) {
      if (run.length > 0) yield run;
      run = [chunk];
      edge = far;
      edgeSequence = chunk.sequence;
    } else {
      run.push(chunk);
      edgeSequence = reverse ? Math.min(edgeSequence, chunk.sequence) : Math.max(edgeSequence, chunk.sequence);
      edge = reverse ? Math.min(edge, far) : Math.max(edge, far);
    }
  }
  if (run.length > 0) yield run;
}

/** Chunks that overlap with no other. */
function* alone<C extends Chunk>(chunks: readonly C[], reverse: boolean): Generator<C> {
  for (const run of runsOf(chunks, reverse)) if (run.length === 1) yield run[0]!;
}

/**
 * Starts decoding the next chunks while the consumer works on this one; not before it asks for the third, as many look
 * at one only, or at two where a moment lies between them.
 */
class ReadAhead<C extends Chunk> {
  readonly #chunks: Iterator<C>;
  readonly #decode: DecodeChunk<C>;
  readonly #signal: AbortSignal | undefined;
  readonly #pending = new Map<C, Promise<Columns>>();
  #taken = 0;

  constructor(chunks: Iterator<C>, decode: DecodeChunk<C>, signal: AbortSignal | undefined) {
    this.#chunks = chunks;
    this.#decode = decode;
    this.#signal = signal;
  }

  take(chunk: C): Promise<Columns> {
    let bytes = 0;
    for (const waiting of this.#pending.keys()) if (waiting !== chunk) bytes += memoryOf(waiting);
    const isFull = (): boolean => this.#taken < 2 || bytes >= AHEAD_BYTES || this.#pending.size >= AHEAD_CHUNKS;
    while (!this.#pending.has(chunk) || !isFull()) {
      const next = this.#chunks.next();
      if (next.done === true) break;
      const promise = this.#decode(next.value, this.#signal);
      promise.catch(() => undefined);
      this.#pending.set(next.value, promise);
      if (next.value !== chunk) bytes += memoryOf(next.value);
    }
    this.#taken++;
    const promise = this.#pending.get(chunk)!;
    this.#pending.delete(chunk);
    return promise;
  }

  drop(): void {
    this.#pending.clear();
  }
}

/** Of a chunk when it is decoded, at least. */
function memoryOf({ length, count }: Chunk): number {
  return length + ROW_BYTES * count;
}

/** The latest message at or before `time` with the keyframe flag; `channels` is what it holds for. */
export async function findKeyframe<C extends Chunk>(
  chunks: readonly C[],
  decode: DecodeChunk<C>,
  time: Time,
  channels: readonly number[] | null,
): Promise<Keyframe | null> {
  const candidates = chunks.filter((chunk) => chunk.hasKeyframe && chunk.first <= time);
  candidates.sort((a, b) => b.last - a.last || b.sequence - a.sequence);
  let best: Keyframe | null = null;
  for (const chunk of candidates) {
    if (best !== null && chunk.last < best.time) break;
    const batch = await decode(chunk);
    for (let i = batch.length - 1; i >= 0; i--) {
      const at = batch.time[i]!;
      if (at > time || (batch.flags[i]! & KEYFRAME) === 0) continue;
      const sequence = batch.sequence[i]!;
      if (best === null || at > best.time || (at === best.time && sequence > best.sequence)) {
        best = { time: at, sequence, channels };
      }
      break;
    }
  }
  return best;
}

/** Counts messages and bytes of each channel over the batches it is shown. */
export class StatisticsCounter {
  readonly #messages: number[] = [];
  readonly #bytes: number[] = [];
  readonly #first: number[] = [];
  readonly #last: number[] = [];

  add({ length, channel, time, start, end }: MessageBatch): void {
    for (let i = 0; i < length; ) {
      const of = channel[i]!;
      this.#knows(of);
      const from = i;
      let bytes = 0;
      let first = this.#first[of]!;
      let last = this.#last[of]!;
      for (; i < length && channel[i] === of; i++) {
        const at = time[i]!;
        bytes += end[i]! - start[i]!;
        if (at < first) first = at;
        if (at > last) last = at;
      }
      this.#messages[of]! += i - from;
      this.#bytes[of]! += bytes;
      this.#first[of] = first;
      this.#last[of] = last;
    }
  }

  #knows(channel: number): void {
    for (let k = this.#messages.length; k <= channel; k++) {
      this.#messages[k] = 0;
      this.#bytes[k] = 0;
      this.#first[k] = Number.POSITIVE_INFINITY;
      this.#last[k] = Number.NEGATIVE_INFINITY;
    }
  }

  /** What it counted so far, for `recall`. */
  learned(): Value {
    const column = (of: readonly number[]): Float64Array => Float64Array.from(of);
    const [messages, bytes] = [column(this.#messages), column(this.#bytes)];
    return { messages, bytes, first: column(this.#first), last: column(this.#last) };
  }

  /** Goes on from there. Throws `LayoutError` for what another `learned` did not give. */
  recall(learned: Value | undefined): void {
    const members = membersOf(learned);
    const messages = numbersOf(members["messages"], Float64Array);
    this.#messages.push(...messages);
    this.#bytes.push(...numbersOf(members["bytes"], Float64Array, messages.length));
    this.#first.push(...numbersOf(members["first"], Float64Array, messages.length));
    this.#last.push(...numbersOf(members["last"], Float64Array, messages.length));
  }

  /** One entry for each of `channels` channels. */
  result(channels: number): ChannelStatistics[] {
    return Array.from({ length: channels }, (_, id) => {
      const messages = this.#messages[id] ?? 0;
      return {
        messages,
        bytes: this.#bytes[id] ?? 0,
        first: messages === 0 ? null : this.#first[id]!,
        last: messages === 0 ? null : this.#last[id]!,
      };
    });
  }
}

/** Earliest and latest time in `chunks`; zeros when they hold nothing. */
export function boundsOf(chunks: readonly Chunk[]): { start: Time; end: Time } {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const chunk of chunks) {
    if (chunk.count === 0) continue;
    if (chunk.first < start) start = chunk.first;
    if (chunk.last > end) end = chunk.last;
  }
  return start > end ? { start: 0, end: 0 } : { start, end };
}

/** What a chunk's entry says of the rows decoded from it. */
export function summarize(batch: Columns): Pick<Chunk, "count" | "first" | "last" | "hasKeyframe" | "channels"> {
  const channels = new Set<number>();
  let keyframes = 0;
  let previous = -1;
  for (let i = 0; i < batch.length; i++) {
    const channel = batch.channel[i]!;
    if (channel !== previous) channels.add(channel);
    previous = channel;
    keyframes |= batch.flags[i]!;
  }
  return {
    count: batch.length,
    first: batch.length === 0 ? 0 : batch.time[0]!,
    last: batch.length === 0 ? 0 : batch.time[batch.length - 1]!,
    hasKeyframe: (keyframes & KEYFRAME) !== 0,
    channels,
  };
}
