import type { MessageBatch } from "../messages/batch.ts";
import type { ColumnReader } from "../state/column-reader.ts";
import type { Time } from "../values/time.ts";
import type { OpenRows } from "./rows.ts";
import type { OpenGroup, Sink } from "./sinks.ts";

/** Rows of a run at most: what is read of them stays close at hand. */
const MOST = 1024;
/** Fewer are sooner read one by one. After runs that were that short it is not tried again this many times at most. */
const LEAST = 8;
const PAUSE = 64;

/** A group whose columns are filled by the run. */
interface Filled {
  readonly group: OpenGroup;
  readonly channels: number[];
  rows: OpenRows;
  /** Rows that there is room for. */
  room: number;
  /** The slot of the moment that came last, and its time. */
  slot: number;
  time: Time;
}

/**
 * Reads runs of rows straight into the columns of a sink. Each row of a run belongs to one group there, of which it makes a
 * moment; rows that belong to several, to none, or that have to be folded end a run.
 */
export class Runs {
  /** Rows that the reader took so far. */
  taken = 0;
  /** Time of the last row that was taken. */
  time: Time = Number.NaN;
  readonly #reader: ColumnReader;
  readonly #sink: Sink;
  /** By channel: what is made of it; undefined: it ends a run; null: it is passed over. */
  readonly #filled: readonly (Filled | null | undefined)[];
  readonly #all: readonly Filled[];
  readonly #batchRows = new Int32Array(MOST);
  readonly #slots = new Int32Array(MOST);
  /** By place. */
  readonly #columns: Float64Array[] = [];
  /** How often it is not tried, and how often after the next run that is too short. */
  #pause = 0;
  #nextPause = 1;

  /** `isPassed`: by channel, whether nothing that is wanted is in it; `ending`: channels whose rows end a run. */
  constructor(reader: ColumnReader, sink: Sink, isPassed: readonly boolean[], ending: ReadonlySet<number>) {
    this.#reader = reader;
    this.#sink = sink;
    const byGroup = new Map<OpenGroup, Filled>();
    this.#filled = isPassed.map((passed, channel) => {
      if (passed) return null;
      const group = ending.has(channel) ? null : sink.columnsOf(channel);
      if (group === null) return undefined;
      const known = byGroup.get(group);
      if (known !== undefined) {
        known.channels.push(channel);
        return known;
      }
      const filled = { group, channels: [channel], rows: NONE, room: 0, slot: 0, time: Number.NaN };
      byGroup.set(group, filled);
      return filled;
    });
    this.#all = [...byGroup.values()];
  }

  /**
   * Takes rows from `from` on, all later than any that the sink knows; gives the one to go on from. The moment of the last
   * one that is taken may have more rows and is due in the sink, the others are over.
   */
  read(batch: MessageBatch, from: number): number {
    if (this.#all.length === 0 || this.#pause-- > 0) return from;
    const count = this.#pick(batch, from);
    if (count < LEAST) {
      this.#wait();
      return from;
    }
    const [rows, slots] = [this.#batchRows, this.#slots];
    for (const filled of this.#all) this.#fill(filled);
    const taken = this.#reader.read({ batch, rows, slots, count }, this.#columns);
    if (taken < LEAST) this.#wait();
    else this.#nextPause = 1;
    if (taken === 0) return from;
    if (taken < count) this.#goBack(batch, taken);
    this.taken += taken;
    const last = rows[taken - 1]!;
    this.time = batch.time[last]!;
    this.#close();
    for (let n = taken - 1; n >= 0 && batch.time[rows[n]!] === this.time; n--)
      this.#sink.rows(batch, rows[n]!, rows[n]! + 1);
    return last + 1;
  }

  /** Puts the numbers from before the run into all slots of the columns that are not written in each. */
  #fill({ group, channels, rows, slot }: Filled): void {
    const { columns, from } = rows;
    if (slot < from) return;
    for (let k = 0; k < columns.length; k++) {
      const { numbers, place } = group.probes[k]!;
      if (!this.#isWritten(place, channels)) columns[k]!.fill(numbers[place]!, from, slot + 1);
    }
  }

  /** Whether the reader writes the number at a place in each row of these channels. */
  #isWritten(place: number, channels: readonly number[]): boolean {
    const reader = this.#reader;
    if (reader.writes === undefined) return false;
    for (let n = 0; n < channels.length; n++) if (!reader.writes(place, channels[n]!)) return false;
    return true;
  }

  #wait(): void {
    this.#pause = this.#nextPause;
    this.#nextPause = Math.min(2 * this.#nextPause, PAUSE);
  }

  /** Picks rows for the run and gives them slots, as far as there is room; gives how many. */
  #pick({ time, channel, length }: MessageBatch, from: number): number {
    for (const filled of this.#all) this.#open(filled, time[from]!);
    const [rows, slots, byChannel] = [this.#batchRows, this.#slots, this.#filled];
    let { left } = this.#sink;
    let width = 0;
    let last = Number.NaN;
    let count = 0;
    let filled: Filled | null | undefined = null;
    let of = -1;
    for (let i = from; i < length && count < MOST; i++) {
      // most rows are of the same channel as the one before
      if (channel[i] !== of) {
        of = channel[i]!;
        filled = byChannel[of];
      }
      if (filled === null) continue;
      if (filled === undefined) break;
      const now = time[i]!;
      if (now !== last) {
        // moments that are over are taken in
        left -= width;
        if (left <= 0) break;
        width = 0;
        last = now;
      }
      if (filled.time !== now) {
        if (filled.slot + 1 >= filled.room) break;
        filled.time = now;
        filled.rows.time[++filled.slot] = now;
        width += filled.group.probes.length;
      }
      rows[count] = i;
      slots[count] = filled.slot;
      count++;
    }
    return count;
  }

  #open(filled: Filled, time: Time): void {
    const { group } = filled;
    // what has to be looked at first is not read yet
    const rows = group.isStale ? NONE : (this.#sink.open(group, time) ?? NONE);
    const { columns } = rows;
    const isSame = columns === filled.rows.columns;
    filled.rows = rows;
    filled.room = rows.time.length;
    filled.slot = rows.from - 1;
    filled.time = Number.NaN;
    if (!isSame) for (let k = 0; k < columns.length; k++) this.#columns[group.probes[k]!.place] = columns[k]!;
  }

  /** Only the first rows of the run were taken. */
  #goBack({ time, channel }: MessageBatch, taken: number): void {
    for (const filled of this.#all) {
      filled.slot = filled.rows.from - 1;
      filled.time = Number.NaN;
    }
    for (let n = 0; n < taken; n++) {
      const row = this.#batchRows[n]!;
      const filled = this.#filled[channel[row]!]!;
      filled.slot = this.#slots[n]!;
      filled.time = time[row]!;
    }
  }

  /** Numbers are at their places again, and moments that are over are in the sink. */
  #close(): void {
    for (const { group, rows, slot, time } of this.#all) {
      if (slot < rows.from) continue;
      const { columns } = rows;
      for (let k = 0; k < columns.length; k++) {
        const { numbers, place } = group.probes[k]!;
        numbers[place] = columns[k]![slot]!;
      }
      this.#sink.filled(group, slot + (time === this.time ? 0 : 1) - rows.from);
    }
  }
}

const NONE: OpenRows = { time: new Float64Array(0), columns: [], from: 0 };
