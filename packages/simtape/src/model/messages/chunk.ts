import type { Columns } from "./batch.ts";
import type { Time } from "../values/time.ts";

/** A run of messages that is read and decoded as one: what is kept in memory of it, about one for each MiB of file. */
export interface Chunk {
  readonly offset: number;
  readonly length: number;
  /** Sequence of its first message in file order; its messages are numbered on from there. */
  readonly sequence: number;
  readonly count: number;
  /** Earliest and latest time in it. */
  readonly first: Time;
  readonly last: Time;
  readonly hasKeyframe: boolean;
  /** Ids of the channels that occur; null: not known before it is decoded. */
  readonly channels: ReadonlySet<number> | null;
}

/** Reads and decodes one chunk; rows ascending by (time, sequence). */
export type DecodeChunk<C extends Chunk> = (chunk: C, signal?: AbortSignal) => Promise<Columns>;
