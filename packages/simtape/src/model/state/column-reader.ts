import type { MessageBatch } from "../messages/batch.ts";
import type { SeriesPath } from "./path.ts";
import type { MutableState } from "./state.ts";

/** A path that is wanted, and the place of its column among those that a `ColumnReader` fills. */
export interface WantedNumber {
  /** Its `item` is no `"length"` and no `"speed"`: for these the three numbers that they are made of are wanted. */
  readonly path: SeriesPath;
  readonly place: number;
}

/** Rows of a batch that are read at once, and the slot of the columns that belongs to each. */
export interface RowRun {
  readonly batch: MessageBatch;
  /** The first `count` are rows of the batch, ascending, of channels that can change accepted paths. */
  readonly rows: Int32Array;
  /**
   * One for each row; they ascend among rows that change the same paths. Rows of one moment have the same slot, and rows of
   * several where only what holds behind the last of them counts.
   */
  readonly slots: Int32Array;
  /** At least 1. */
  readonly count: number;
}

/**
 * Reads the numbers at some paths straight from the bytes of messages, and so runs ahead of the state that a fold would
 * have made of them. It is for the messages that are most of a recording. All others it gives back, and they are folded:
 * what makes a thing or takes it away, what damage left, whatever is seldom.
 */
export interface ColumnReader {
  /** By wanted path: whether it is read here; false: it is left to the fold. */
  readonly accepts: readonly boolean[];
  /** Goes on from this state: everything before the rows to come is in it, as far as the accepted paths depend on it. */
  begin(state: MutableState): void;
  /**
   * Takes rows one after the other and gives how many were taken: the one behind them has to be folded. By a row that is
   * taken each accepted path stays there if it was there, and stays of its kind; a text stays the same. At the slot of the
   * row the columns of the paths that its channel can change then have the numbers exactly as the fold would have made
   * them. `columns` are by place. They come with the numbers from before the run in all of its slots, so that only what
   * changes has to be written; not so the columns of places that `writes`.
   */
  read(run: RowRun, columns: readonly Float64Array[]): number;
  /**
   * Whether each row of a channel that the next `read` takes writes the number at that place, whatever was there. Absent:
   * none does.
   */
  writes?(place: number, channel: number): boolean;
  /** Brings the state of `begin` up to the rows read since, as far as the accepted paths depend on it now or later. */
  settle(state: MutableState): void;
}
