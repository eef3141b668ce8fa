import type { MessageBatch } from "./batch.ts";
import type { SeriesPath } from "./query/path.ts";
import type { MutableState } from "./state.ts";

/** A path that is wanted, and the place of its number among those that a `ColumnReader` writes. */
export interface WantedNumber {
  /** Its `item` is no `"length"` and no `"speed"`: for these the three numbers that they are made of are wanted. */
  readonly path: SeriesPath;
  readonly place: number;
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
   * Takes row `i` of a batch, which is of a channel that can change one of the accepted paths. False: nothing was done,
   * and the row has to be folded. True: each accepted path is there if and only if it was there before, and is of the kind
   * that it was; a text is the same; a number that is there is at its place, exactly as the fold would have made it.
   */
  read(batch: MessageBatch, i: number): boolean;
  /** Brings the state of `begin` up to the rows read since, as far as the accepted paths depend on it now or later. */
  settle(state: MutableState): void;
}
