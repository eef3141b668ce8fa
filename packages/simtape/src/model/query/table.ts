import type { Axes } from "../axes/axes.ts";
import type { Origin } from "../axes/geodesy.ts";
import type { Time, TimeRange } from "../values/time.ts";
import type { Channel, ChannelInfo } from "../values/value.ts";
import { checkEvery, type QuerySource } from "./source.ts";
import { channelRows } from "./table-channel.ts";
import type { TableBatch, TableColumn, RowSource } from "./table-cells.ts";
import { mustHaveThings, setRows } from "./table-set.ts";
import type { ThingIds } from "./thing-ids.ts";

/** Which rows and columns of a table are read. Everything is optional. */
export interface TableOptions extends TimeRange {
  /** Only these columns, beside those that every row has; `"position"` stands for `position.x` and all others below it. */
  readonly columns?: readonly string[] | undefined;
  /** Of a set, only these things. */
  readonly ids?: readonly (number | string)[] | undefined;
  /** Of a set: turned to these axes, in metres and metres a second; absent: as recorded. See `Turning`. */
  readonly axes?: Axes | undefined;
  /** With `axes`: where geodetic things are laid on a plane; absent: at the first place in the range. */
  readonly origin?: Origin | undefined;
  /** Of a set, a row for each thing every so many nanoseconds, from `start` on; absent: at each recorded moment of motion. */
  readonly every?: Time | undefined;
  /**
   * Of a channel: its columns are those of the range and of so many messages from its first on, a mebibyte of them at most;
   * `Infinity`: of all its messages. 0 by default.
   */
  readonly sample?: number | undefined;
  /**
   * Columns are settled early, so that rows begin at once: those of a set at its first moment in the range; those of a channel
   * by `sample` and by as many messages of the range. The rows end with a `LateColumnError` where these do not hold.
   */
  readonly isEarly?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A part of a recording as rows and typed columns. Each pass over it reads the recording again. */
export class Table implements AsyncIterable<TableBatch> {
  /** Of every batch, in this order. */
  readonly columns: readonly TableColumn[];
  /** What positions, rotations and velocities mean; null: nothing tells. */
  readonly axes: Axes | null;
  readonly #batches: () => AsyncGenerator<TableBatch>;

  /** Made by `Recording.table`. */
  constructor({ columns, axes, batches }: RowSource) {
    this.columns = columns;
    this.axes = axes;
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): AsyncGenerator<TableBatch> {
    return this.#batches();
  }
}

/** See `Recording.table`. */
export async function rowsOf(
  source: QuerySource,
  channels: readonly Channel[],
  of: string | ChannelInfo,
  options: TableOptions,
  /** The things of the whole recording, where a side-car tells them. */
  known: ThingIds | null = null,
): Promise<RowSource> {
  const { start, end, columns = null, ids = null, every, axes, origin, sample = 0, isEarly = false, signal } = options;
  signal?.throwIfAborted();
  checkEvery(every);
  if (typeof of === "string" && ids !== null && known !== null) mustHaveThings(known, of, ids);
  if (typeof of === "string")
    return setRows(source, of, {
      ...{ start, end, columns, ids, every, axes, origin, isEarly, signal },
    });
  if (ids !== null || every !== undefined || axes !== undefined)
    throw new TypeError("ids, every and axes are for sets, not for channels");
  const channel = "schema" in of ? (of as Channel) : channels[of.id]!;
  const traits = await source.traits();
  return channelRows(source.reader, channel, { start, end, columns, sample, isEarly, signal, traits });
}
