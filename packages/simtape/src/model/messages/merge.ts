import { ByteBuilder } from "../../bytes/builder.ts";
import { Columns } from "./batch.ts";
import type { Chunk, DecodeChunk } from "./chunk.ts";
import type { Time } from "../values/time.ts";

/** Decoded bytes kept while chunks that overlap in time are merged. */
const KEPT_BYTES = 64 << 20;
/** Rows and payload bytes of a merged batch. */
const BATCH_ROWS = 4096;
const BATCH_BYTES = 1 << 20;
/** So many rows of one chunk in a row go through as they are. */
const PASS_ROWS = 512;
/** Memory of a row beside its payload, about. */
const ROW_BYTES = 32;

/**
 * Merges chunks that overlap in time, in (time, sequence) order or against it. Decoded chunks are held up to
 * `keptBytes`; of one that has to go its next rows are kept, and it is decoded again when they are used up.
 */
export async function* merge<C extends Chunk>(
  chunks: readonly C[],
  decode: DecodeChunk<C>,
  reverse: boolean,
  signal: AbortSignal | undefined,
  keptBytes: number = KEPT_BYTES,
): AsyncGenerator<Columns> {
  const heap = new Heap(chunks.map((chunk) => new MergeCursor(chunk, reverse)));
  const held = new Set<MergeCursor<C>>();
  const pieceBytes = keptBytes / 2 / chunks.length;
  let kept = 0;
  const out = new MergedRows(reverse);
  for (let top = heap.top; top !== null; top = heap.top) {
    if (top.left === 0) {
      if (held.delete(top)) kept -= top.weight;
      if (top.isDone) {
        heap.pop();
        continue;
      }
      top.show(await decode(top.chunk, signal));
      held.add(top);
      kept += top.weight;
      for (const other of held) {
        if (kept <= keptBytes) break;
        if (other === top) continue;
        held.delete(other);
        kept -= other.weight;
        other.shorten(pieceBytes);
      }
      heap.settle();
      continue;
    }
    const count = heap.countOfTop();
    if (count >= PASS_ROWS) {
      if (out.length > 0) yield out.take();
      yield top.slice(count);
    } else {
      for (let n = 0; n < count; n++) {
        if (out.isFull(top.rows)) yield out.take();
        out.add(top.rows, top.row(n));
      }
    }
    top.advance(count);
    heap.settle();
  }
  if (out.length > 0) yield out.take();
}

const NO_BYTES = new Uint8Array(0);
const NO_ROWS = new Columns(
  new Float64Array(0),
  new Uint16Array(0),
  new Float64Array(0),
  new Uint8Array(0),
  NO_BYTES,
  new Uint32Array(0),
  new Uint32Array(0),
  null,
);

/** Place in one chunk, in the direction of reading. */
class MergeCursor<C extends Chunk> {
  readonly chunk: C;
  readonly #reverse: boolean;
  /** Where the next row is; while it is not at hand, a place that it does not precede. */
  time: Time;
  sequence: number;
  /** Rows at hand, and which of them comes next. */
  rows: Columns = NO_ROWS;
  #next = 0;
  /** Rows at hand not given out yet. */
  left = 0;
  /** Bytes held by `rows`. */
  weight = 0;
  #done = 0;
  /** Rows of the chunk; -1 before it is decoded. */
  #total = -1;

  constructor(chunk: C, reverse: boolean) {
    this.chunk = chunk;
    this.#reverse = reverse;
    this.time = reverse ? chunk.last : chunk.first;
    this.sequence = reverse ? chunk.sequence + chunk.count - 1 : chunk.sequence;
  }

  get isDone(): boolean {
    return this.#total >= 0 && this.#done >= this.#total;
  }

  /** Row `n` of those to come. */
  row(n: number): number {
    return this.#reverse ? this.#next - n : this.#next + n;
  }

  /** Takes the whole chunk at hand. */
  show(batch: Columns): void {
    this.rows = batch;
    this.#total = batch.length;
    this.left = Math.max(0, batch.length - this.#done);
    this.#next = this.#reverse ? batch.length - 1 - this.#done : this.#done;
    this.weight = batch.bytes.length + ROW_BYTES * batch.length;
    this.#place();
  }

  /** Lets all go but the next rows, as many as have room in `bytes`, and at least one. */
  shorten(bytes: number): void {
    if (this.left === 0) return;
    let count = 0;
    let size = 0;
    do {
      const row = this.row(count++);
      size += ROW_BYTES + this.rows.end[row]! - this.rows.start[row]!;
    } while (count < this.left && size < bytes);
    const from = this.#reverse ? this.row(count - 1) : this.#next;
    this.rows = copyOf(this.rows, from, from + count);
    this.#next = this.#reverse ? count - 1 : 0;
    this.left = count;
    this.weight = 0;
  }

  /** The next `count` rows, as views. */
  slice(count: number): Columns {
    const from = this.#reverse ? this.row(count - 1) : this.#next;
    return this.rows.slice(from, from + count);
  }

  advance(count: number): void {
    this.#next = this.row(count);
    this.#done += count;
    this.left -= count;
    this.#place();
  }

  /** How many of the rows at hand precede the place of `other`; at least one. */
  countBefore(other: MergeCursor<C>): number {
    let low = 1;
    let high = this.left;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const row = this.row(middle - 1);
      if (precedes(this.rows.time[row]!, this.rows.sequence[row]!, other.time, other.sequence, this.#reverse))
        low = middle;
      else high = middle - 1;
    }
    return low;
  }

  precedes(other: MergeCursor<C>): boolean {
    return precedes(this.time, this.sequence, other.time, other.sequence, this.#reverse);
  }

  #place(): void {
    if (this.left === 0) return;
    this.time = this.rows.time[this.#next]!;
    this.sequence = this.rows.sequence[this.#next]!;
  }
}

function precedes(time: Time, sequence: number, otherTime: Time, otherSequence: number, reverse: boolean): boolean {
  const order = time === otherTime ? sequence - otherSequence : time - otherTime;
  return reverse ? order > 0 : order < 0;
}

/** Cursors, the one whose next row comes first on top. */
class Heap<C extends Chunk> {
  readonly #cursors: MergeCursor<C>[];

  constructor(cursors: MergeCursor<C>[]) {
    // Sorted is a heap.
    this.#cursors = cursors.sort((a, b) => (a.precedes(b) ? -1 : b.precedes(a) ? 1 : 0));
  }

  get top(): MergeCursor<C> | null {
    return this.#cursors[0] ?? null;
  }

  pop(): void {
    const last = this.#cursors.pop();
    if (last === undefined || this.#cursors.length === 0) return;
    this.#cursors[0] = last;
    this.settle();
  }

  /** Moves the top down to where it belongs. */
  settle(): void {
    const cursors = this.#cursors;
    const moved = cursors[0]!;
    let at = 0;
    for (let child = 1; child < cursors.length; child = 2 * at + 1) {
      if (child + 1 < cursors.length && cursors[child + 1]!.precedes(cursors[child]!)) child++;
      if (!cursors[child]!.precedes(moved)) break;
      cursors[at] = cursors[child]!;
      at = child;
    }
    cursors[at] = moved;
  }

  /** Rows of the top that come before those of all others. */
  countOfTop(): number {
    const [top, left, right] = this.#cursors;
    if (left === undefined) return top!.left;
    return top!.countBefore(right?.precedes(left) ? right : left);
  }
}

/** Rows `[from, to)` with payloads of their own. */
function copyOf(batch: Columns, from: number, to: number): Columns {
  const rows = new MergedRows(false);
  for (let row = from; row < to; row++) rows.add(batch, row);
  return rows.take();
}

/** Rows of several batches copied into one. */
class MergedRows {
  readonly #reverse: boolean;
  #time: number[] = [];
  #channel: number[] = [];
  #sequence: number[] = [];
  #flags: number[] = [];
  #start: number[] = [];
  #end: number[] = [];
  readonly #bytes = new ByteBuilder();
  #context: unknown = null;

  constructor(reverse: boolean) {
    this.#reverse = reverse;
  }

  get length(): number {
    return this.#time.length;
  }

  /** True when rows of `batch` cannot join: there are many already, or it refers to another context. */
  isFull(batch: Columns): boolean {
    if (this.length === 0) return false;
    return this.length >= BATCH_ROWS || this.#bytes.length >= BATCH_BYTES || this.#context !== batch.context;
  }

  add(batch: Columns, row: number): void {
    this.#context = batch.context;
    this.#time.push(batch.time[row]!);
    this.#channel.push(batch.channel[row]!);
    this.#sequence.push(batch.sequence[row]!);
    this.#flags.push(batch.flags[row]!);
    this.#start.push(this.#bytes.length);
    this.#bytes.raw(batch.payload(row));
    this.#end.push(this.#bytes.length);
  }

  /** What was added, ascending; empty afterwards. */
  take(): Columns {
    const columns = [this.#time, this.#channel, this.#sequence, this.#flags, this.#start, this.#end];
    if (this.#reverse) for (const column of columns) column.reverse();
    const result = new Columns(
      Float64Array.from(this.#time),
      Uint16Array.from(this.#channel),
      Float64Array.from(this.#sequence),
      Uint8Array.from(this.#flags),
      this.#bytes.take(),
      Uint32Array.from(this.#start),
      Uint32Array.from(this.#end),
      this.#context,
    );
    this.#time = [];
    this.#channel = [];
    this.#sequence = [];
    this.#flags = [];
    this.#start = [];
    this.#end = [];
    return result;
  }
}
