import type { Budget } from "../../bytes/budget.ts";
import type { Time } from "../values/time.ts";

/** Bit of `MessageBatch.flags`: state of the message's channel can be built from here on alone. */
export const KEYFRAME = 1;

/**
 * A run of messages ascending by (time, sequence), as columns. Immutable. A batch keeps the bytes of its chunk in
 * memory.
 */
export interface MessageBatch {
  readonly length: number;
  readonly time: Float64Array;
  readonly channel: Uint16Array;
  /** Position in file order: the identity of a message, and its order among equal times. */
  readonly sequence: Float64Array;
  /** Bit 0: `KEYFRAME`. */
  readonly flags: Uint8Array;
  readonly bytes: Uint8Array;
  /** Payload i is `bytes[start[i] .. end[i])`. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** What the payloads refer to (palettes, for instance); belongs to the format. */
  readonly context: unknown;
  /** Added to the sequences since the chunk was decoded: its context knows a message by `sequence - shifted`. */
  readonly shifted: number;
  payload(i: number): Uint8Array;
}

/** The only implementation of `MessageBatch`. */
export class Columns implements MessageBatch {
  readonly length: number;
  readonly time: Float64Array;
  readonly channel: Uint16Array;
  readonly sequence: Float64Array;
  readonly flags: Uint8Array;
  readonly bytes: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly context: unknown;
  readonly shifted: number;

  constructor(
    time: Float64Array,
    channel: Uint16Array,
    sequence: Float64Array,
    flags: Uint8Array,
    bytes: Uint8Array,
    start: Uint32Array,
    end: Uint32Array,
    context: unknown,
    shifted = 0,
  ) {
    this.length = time.length;
    this.time = time;
    this.channel = channel;
    this.sequence = sequence;
    this.flags = flags;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.context = context;
    this.shifted = shifted;
  }

  payload(i: number): Uint8Array {
    return this.bytes.subarray(this.start[i]!, this.end[i]!);
  }

  /** The same rows of other bytes. */
  over(bytes: Uint8Array): Columns {
    const { time, channel, sequence, flags, start, end, context, shifted } = this;
    return new Columns(time, channel, sequence, flags, bytes, start, end, context, shifted);
  }

  /** Rows `[from, to)` as views. */
  slice(from: number, to: number): Columns {
    return rowsOf(this, from, to);
  }

  /** The rows named, in the order named. */
  pick(rows: Uint32Array): Columns {
    const n = rows.length;
    const time = new Float64Array(n);
    const channel = new Uint16Array(n);
    const sequence = new Float64Array(n);
    const flags = new Uint8Array(n);
    const start = new Uint32Array(n);
    const end = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      time[i] = this.time[row]!;
      channel[i] = this.channel[row]!;
      sequence[i] = this.sequence[row]!;
      flags[i] = this.flags[row]!;
      start[i] = this.start[row]!;
      end[i] = this.end[row]!;
    }
    return new Columns(time, channel, sequence, flags, this.bytes, start, end, this.context, this.shifted);
  }

  /** First row at or after `time`. */
  lowerBound(time: Time): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.time[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Rows `[from, to)` of a batch, as views. */
export function rowsOf(batch: MessageBatch, from: number, to: number): Columns {
  return new Columns(
    batch.time.subarray(from, to),
    batch.channel.subarray(from, to),
    batch.sequence.subarray(from, to),
    batch.flags.subarray(from, to),
    batch.bytes,
    batch.start.subarray(from, to),
    batch.end.subarray(from, to),
    batch.context,
    batch.shifted,
  );
}

/** Bytes of the payloads of rows `[from, to)`. A function of its own, because loops in generators stay slow. */
export function bytesOf({ start, end, length }: MessageBatch, from = 0, to: number = length): number {
  let bytes = 0;
  for (let i = from; i < to; i++) bytes += end[i]! - start[i]!;
  return bytes;
}

/** Rows above which it is asked whether they fit, and memory of one while they are put together. */
const MANY_ROWS = 1 << 20;
const ROW_MEMORY = 64;
/** Rows there is room for at first. */
const LEAST_ROWS = 1024;

/** Collects rows in file order; `build` gives them ascending by time, equal times in file order. */
export class ColumnBuilder {
  #time: Float64Array;
  #channel: Uint16Array;
  #flags: Uint8Array;
  #start: Uint32Array;
  #end: Uint32Array;
  #length = 0;
  #ordered = true;
  readonly #budget: Budget | null;

  /** Room for so many rows at first; it grows, as far as `budget` allows. */
  constructor(capacity: number = LEAST_ROWS, budget: Budget | null = null) {
    this.#budget = budget;
    this.#time = new Float64Array(capacity);
    this.#channel = new Uint16Array(capacity);
    this.#flags = new Uint8Array(capacity);
    this.#start = new Uint32Array(capacity);
    this.#end = new Uint32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  add(time: Time, channel: number, start: number, end: number, flags: number): void {
    const i = this.#length;
    if (i === this.#time.length) this.#grow();
    if (i > 0 && time < this.#time[i - 1]!) this.#ordered = false;
    this.#time[i] = time;
    this.#channel[i] = channel;
    this.#flags[i] = flags;
    this.#start[i] = start;
    this.#end[i] = end;
    this.#length = i + 1;
  }

  /** Forgets all rows from `length` on. */
  truncate(length: number): void {
    this.#length = length;
    if (length === 0) this.#ordered = true;
  }

  /**
   * Row i has sequence `sequence + i` in the order added. The builder is empty afterwards; what it had room for and no
   * more is handed over without a copy.
   */
  build(bytes: Uint8Array, sequence: number, context: unknown = null): Columns {
    const n = this.#length;
    const isFull = n === this.#time.length;
    const own = <T extends { slice(from: number, to: number): T }>(column: T): T =>
      isFull ? column : column.slice(0, n);
    const sequences = new Float64Array(n);
    for (let i = 0; i < n; i++) sequences[i] = sequence + i;
    const columns = new Columns(
      own(this.#time),
      own(this.#channel),
      sequences,
      own(this.#flags),
      bytes,
      own(this.#start),
      own(this.#end),
      context,
    );
    const ordered = this.#ordered;
    this.#length = 0;
    this.#ordered = true;
    if (isFull) this.#resize(0);
    if (ordered) return columns;
    const { time } = columns;
    const rows = Uint32Array.from({ length: n }, (_, i) => i);
    rows.sort((a, b) => time[a]! - time[b]! || a - b);
    return columns.pick(rows);
  }

  #grow(): void {
    const capacity = Math.max(LEAST_ROWS, this.#time.length * 2);
    if (capacity > MANY_ROWS) this.#budget?.fit("the messages of one chunk", capacity * ROW_MEMORY);
    this.#resize(capacity);
  }

  /** Makes room, and keeps the rows as far as there is some. */
  #resize(capacity: number): void {
    this.#time = grown(this.#time, new Float64Array(capacity));
    this.#channel = grown(this.#channel, new Uint16Array(capacity));
    this.#flags = grown(this.#flags, new Uint8Array(capacity));
    this.#start = grown(this.#start, new Uint32Array(capacity));
    this.#end = grown(this.#end, new Uint32Array(capacity));
  }
}

function grown<T extends { length: number; set(from: T): void }>(from: T, to: T): T {
  if (to.length > 0) to.set(from);
  return to;
}
