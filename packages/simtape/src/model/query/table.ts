import type { Fold } from "../fold.ts";
import type { Recording } from "../recording.ts";
import type { Time, TimeRange } from "../time.ts";
import type { Channel, ChannelInfo } from "../value.ts";
import { channelRows } from "./table-channel.ts";
import type { TableBatch, TableColumn } from "./table-cells.ts";
import { setRows } from "./table-set.ts";

/** Which rows and columns of a table are read. Everything is optional. */
export interface TableOptions extends TimeRange {
  /** Only these columns, beside those that every row has; `"position"` stands for `position.x` and all others below it. */
  readonly columns?: readonly string[] | undefined;
  /** Of a set, only these things. */
  readonly ids?: readonly (number | string)[] | undefined;
  /** Of a set, a row for each thing every so many nanoseconds, from `start` on; absent: at each recorded moment of motion. */
  readonly every?: Time | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Columns that are known, and what reads their rows. */
export interface RowSource {
  readonly columns: readonly TableColumn[];
  batches(): AsyncGenerator<TableBatch>;
}

/** A part of a recording as rows and typed columns. Each pass over it reads the recording again. */
export class Table implements AsyncIterable<TableBatch> {
  /** Of every batch, in this order. */
  readonly columns: readonly TableColumn[];
  readonly #batches: () => AsyncGenerator<TableBatch>;

  /** Made by `Recording.table`. */
  constructor(columns: readonly TableColumn[], batches: () => AsyncGenerator<TableBatch>) {
    this.columns = columns;
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): AsyncGenerator<TableBatch> {
    return this.#batches();
  }
}

/** See `Recording.table`. */
export async function rowsOf(
  recording: Recording,
  fold: Fold,
  of: string | ChannelInfo,
  options: TableOptions,
): Promise<RowSource> {
  const { start, end, columns = null, ids = null, every, signal } = options;
  signal?.throwIfAborted();
  if (every !== undefined && !(every > 0)) throw new RangeError(`every is ${every}, not a time above 0`);
  const { reader } = recording;
  if (typeof of === "string") return setRows({ reader, fold }, of, { start, end, columns, ids, every, signal });
  if (ids !== null || every !== undefined) throw new TypeError("ids and every are for sets, not for channels");
  const channel = channelOf(recording, of);
  const { unitOf } = await recording.traits();
  return channelRows(reader, channel, { start, end, columns, signal, unitOf: (path) => unitOf?.(path) ?? null });
}

/** With the schema that it was given, or its own. */
function channelOf(recording: Recording, of: ChannelInfo): Channel {
  return "schema" in of ? (of as Channel) : recording.channels[of.id]!;
}
