import type { Budget } from "../bytes/budget.ts";
import type { ByteSource, SourceBundle } from "../io/source.ts";
import type { SpoolFactory } from "../io/spool.ts";
import type { MessageBatch } from "./batch.ts";
import type { Dissector } from "./dissector.ts";
import type { Chunk } from "./chunk.ts";
import type { Reporter } from "./error.ts";
import type { Interpolation } from "./column.ts";
import type { FileNames } from "./file-names.ts";
import type { SeriesPath } from "./query/path.ts";
import type { Scans } from "./side-car/scans.ts";
import type { MutableState } from "./state.ts";
import type { Traits } from "./traits.ts";
import type { Time, Timeline, TimeRange } from "./time.ts";
import type { Channel, ChannelInfo, ChannelStatistics, Value } from "./value.ts";
import type { WritingFormat } from "./writer.ts";

/** Stands for the channels of a format in its type; nothing has this member. */
declare const CHANNELS: unique symbol;

/** What a recording is, as far as its file says without a full scan. */
export interface RecordingInfo<Id extends string = string> {
  /** The format's id: `"carla"`. */
  readonly format: Id;
  /** Version of the format, in its own words: `"1 (0.9.13)"`. */
  readonly version: string;
  /** Bytes in all files of the recording, or null while it grows. */
  readonly bytes: number | null;
  /**
   * Whether seeking uses an index that the file has (`stored`), one built by a scan (`built`), one that was kept of an
   * earlier scan (`kept`), or none.
   */
  readonly seekIndex: "stored" | "built" | "kept" | "none";
  readonly metadata: Readonly<Record<string, Value>>;
}

/** Which messages, in which order. */
export interface Query extends TimeRange {
  /** Only these; absent: all. */
  readonly channels?: readonly ChannelInfo[] | undefined;
  /** Latest batch first; rows inside a batch stay ascending, read them from the end. */
  readonly reverse?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One unit of the file's own framing; it may hold a message. */
export interface NativeRecord {
  /** The format's word for it; `"damaged"` for bytes that are no record. */
  readonly kind: string;
  /** In the file, or in the inflated stream of a compressed one. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A position from which state can be built without what is before it. */
export interface Keyframe {
  readonly time: Time;
  readonly sequence: number;
  /** Ids of the channels for which this is so; null: all. State of other channels needs everything from the start. */
  readonly channels: readonly number[] | null;
}

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
  /** A model that may leave out whatever these paths do not need: at them the same comes out. Absent: there is none. */
  narrowed?(paths: readonly SeriesPath[]): StateModel;
}

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
   * Warnings about a sound recording that the format's own program would not play, or not play correctly.
   * Reads everything.
   */
  review?(report: Reporter, signal?: AbortSignal): Promise<void>;
  /** Names the fields of records and messages, loaded on use; an edited recording has no bytes of its own, and none. */
  dissector?(): Promise<Dissector>;
  close(): Promise<void>;
}

/** How a recording is opened. */
export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where inflated content of a gzip stream is stored; absent: in memory, up to a limit. */
  readonly spool?: SpoolFactory | undefined;
  /**
   * Bytes of memory that the recording may take while it is open, about; 256 MiB by default. For each MiB of file as
   * much may be inflated or read over again, and twice that in any case. What needs more throws `over-budget`.
   */
  readonly budget?: Budget | number | undefined;
  /**
   * The side-car of the recording (docs/index-file.md): its bytes; `"beside"`, the file of its name beside the recording;
   * or false, none. Absent: the one that the bundle knows of, as `fromFile` does. One that does not fit is not used, and a
   * finding says why.
   */
  readonly seekIndex?: ByteSource | "beside" | false | undefined;
  /** What scans of another opening learned, and what those of this one do: `open` makes it, formats only ask it. */
  readonly scans?: Scans | undefined;
  /** Called while a file without an index is scanned, with the bytes done and the bytes in all. */
  readonly onProgress?: ((bytes: number, total: number | null) => void) | undefined;
}

/**
 * A recording format, as a value. `Channels` says what the payloads of its channels decode to, by their names; it is a
 * type only.
 */
export interface Format<out Channels extends object = object, out Id extends string = string> {
  readonly id: Id;
  readonly [CHANNELS]?: Channels;
  readonly name: string;
  readonly extensions: readonly string[];
  /**
   * Which options it was made with, where they change what is read of a file: a side-car is used only where it was made
   * with the same. Null: no text tells that, and none is used. Absent: it has no such options.
   */
  readonly variant?: string | null | undefined;
  /** How the files of its recordings are called, where that is more than one of `extensions`. */
  readonly files?: FileNames | undefined;
  /** Looks at the first bytes, never past them. `size` is that of the file. */
  sniff(head: Uint8Array, hint: SniffHint): "certain" | "possible" | null;
  /**
   * Opens a recording; scans a file without an index once. Damage goes to `report`, and reading goes on after it;
   * throws `LayoutError`, `SourceError` or `RecordingError` when nothing can be read.
   */
  open(from: SourceBundle, report: Reporter, options: OpenOptions): Promise<Reader>;
  /** Extra files that a recording may need; commands take each as an option. */
  readonly options?: readonly FormatOption[];
  /** Traits of the format, for programs that show recordings of any format; loaded on use. */
  traits?(): Promise<Traits>;
  /** The writing side, when there is one. */
  writing?(): Promise<WritingFormat>;
}

/** What the channels of a format decode to, by name; of one of several formats, of any of them. */
export type ChannelsOf<F extends Format> = F extends Format<infer Channels> ? Channels : never;

/**
 * A file that recordings of a format may need, and that is not always beside them. The caller of `open` gives it with
 * the recording: `withFiles(bundle, files)`.
 */
export interface FormatOption {
  /** `--name FILE` of commands: a word. */
  readonly name: string;
  /** What the file is, as `zstd dictionary`. */
  readonly what: string;
  /** A phrase for the help text. */
  readonly help: string;
  /** How the names end that the format looks for: `.dict`. */
  readonly ending: string;
  /** The name that the format looks for beside a recording; null: the content is no such file. */
  fileName(content: Uint8Array): Promise<string | null>;
}

/** What is known of a file beside its first bytes. */
export interface SniffHint {
  readonly name: string | null;
  readonly size: number | null;
}
