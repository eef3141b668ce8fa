import type { Budget } from "../bytes/budget.ts";
import type { MessageBatch } from "./messages/batch.ts";
import type { Dissector } from "./dissector.ts";
import type { Chunk } from "./messages/chunk.ts";
import type { Reporter } from "./error.ts";
import type { Time, Timeline } from "./values/time.ts";
import type { Channel, ChannelStatistics } from "./values/value.ts";
import type { RecordingInfo } from "./recording-info.ts";
import type { NativeRecord } from "./native-record.ts";
import type { Query } from "./messages/batch-query.ts";
import type { Keyframe } from "./messages/keyframe.ts";
import type { StateModel } from "./state/state-model.ts";

/** A small file that readers look for beside a recording, by its name. */
export interface NeededFile {
  readonly name: string;
  /** What it is, in a word. */
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** What a format implements. `Recording` adds everything else, once for all formats. */
export interface Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  /** Limit of memory while it is open; absent: the default. */
  readonly budget?: Budget | undefined;
  /** Of an edited recording: the reader of the format below it. */
  readonly base?: Reader | undefined;
  /** Of a recording that was joined or cut: the readers of its parts. */
  readonly parts?: readonly Reader[] | undefined;
  /** The chunks, as far as they are known without reading; absent: unknown. */
  readonly chunks?: readonly Pick<Chunk, "first" | "last" | "offset" | "length">[] | undefined;
  /** Names in the bundle of the companion files of the recording. */
  readonly siblings?: readonly string[] | undefined;
  /** The name that one of `siblings` has beside a main file of another name; absent: the same. */
  siblingFor?(sibling: string, main: string): string;
  /** Small files that a reader of the result needs beside it, such as a dictionary; absent: none. */
  readonly needs?: readonly NeededFile[] | undefined;
  readonly state: StateModel;
  /**
   * How messages change state when `channels` are there instead of the reader's own: by other names, or with more
   * behind them. Throws `RangeError` for a channel whose name cannot be another; absent: that is so for all of them.
   */
  stateOf?(channels: readonly Channel[]): StateModel;
  timeline(): Promise<Timeline>;
  /** By channel id. Reads the whole recording where no scan was made at opening. */
  statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]>;
  /** Ascending by (time, sequence); see `Query.reverse`. */
  batches(query: Query): AsyncIterable<MessageBatch>;
  /** The latest keyframe at or before `time`; null: folding must begin at the start. */
  keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null>;
  /**
   * Every byte of the file in order, cut into records: concatenated they are the file (the inflated stream of a gzip
   * one).
   */
  records(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]>;
  /**
   * Warnings about a sound recording that the format's own program would not play, or not play correctly, and about what
   * lies beside it in the file. Reads everything.
   */
  review?(report: Reporter, signal?: AbortSignal): Promise<void>;
  /**
   * What the file has beside its messages and metadata, as members of a zip or attachments, by path: recordings of other
   * formats have no place for it. Absent: nothing.
   */
  beside?(signal?: AbortSignal): Promise<readonly { readonly path: string; readonly count: number }[]>;
  /** Names the fields of records and messages, loaded on use; an edited recording has no bytes of its own, and none. */
  dissector?(): Promise<Dissector>;
  close(): Promise<void>;
}
