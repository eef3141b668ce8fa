import type { MessageBatch } from "../messages/batch.ts";
import type { ColumnReader, WantedNumber } from "./column-reader.ts";
import type { Interpolation } from "./column.ts";
import type { SeriesPath } from "./path.ts";
import type { MutableState } from "./state.ts";

/** How the messages of a format change state. */
export interface StateModel {
  /** Sets the state before the first message. */
  begin?(state: MutableState): void;
  /** True when each message of this channel replaces all state of earlier ones, so that the last one is enough. */
  replacesState(channel: number): boolean;
  /** False for a channel whose messages never change state, such as sounds; absent: every channel may change it. */
  holds?(channel: number): boolean;
  /** Folds row `i` into `state`. Throws `LayoutError` when the payload does not fit. */
  apply(state: MutableState, batch: MessageBatch, i: number): void;
  /** Folds rows `[from, to)` with the same result, where that is faster than one by one. */
  applyRows?(state: MutableState, batch: MessageBatch, from: number, to: number): void;
  /** The channel whose messages carry motion: between two of them values and columns may be interpolated. */
  readonly motion: number | null;
  /** How `state.values[path]` moves between two messages of the motion channel. */
  interpolation?(path: string): Interpolation;
  /**
   * Ids of the channels whose messages can change what is at a path, or whether it is there: from them alone, folded in
   * order, the same comes out. Null, and absent: all that hold something.
   */
  channelsOf?(path: SeriesPath): readonly number[] | null;
  /**
   * Ids of the channels whose messages can change anything of a set: its things, its columns, their cells. From them alone,
   * folded in order, the same set results. Null, and absent: all that hold something.
   */
  channelsOfSet?(set: string): readonly number[] | null;
  /** A model that may leave out whatever these paths do not need: at them the same comes out. Absent: there is none. */
  narrowed?(paths: readonly SeriesPath[]): StateModel;
  /**
   * Whether messages of equal bytes on channels of equal ids do the same under this model and under `other`, of the same
   * format, in batches with these contexts. Absent: that is not known.
   */
  isAlike?(other: StateModel, context: unknown, otherContext: unknown): boolean;
  /** What reads the numbers at these paths from bytes, a column each. Null, and absent: the format has none for any of them. */
  columns?(wanted: readonly WantedNumber[]): ColumnReader | null;
}
