import type { SinkBundle } from "../io/sink/sink.ts";
import type { MessageBatch } from "./messages/batch.ts";
import type { Finding } from "./error.ts";
import type { Origin } from "./axes/geodesy.ts";
import type { Place } from "./poses/place.ts";
import type { Reader } from "./reader.ts";
import type { State } from "./state/state.ts";
import type { Time, TimeDomain } from "./values/time.ts";
import type { ChannelInfo, Value } from "./values/value.ts";

/** A channel to be written. */
export interface ChannelSpec {
  /** One of the format's own, where it has fixed ones. */
  readonly name: string;
  /** Type name, where the format keeps one (MIRA). */
  readonly schema?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** What the file calls it, where the format lets several channels be called the same (MCAP); absent: its name. */
  readonly topic?: string | undefined;
  /** The schema itself, where the format keeps it (MCAP: `metadata.schemaEncoding` says how to read it). */
  readonly definition?: Uint8Array | undefined;
}

/** What is to be written. */
export interface CreateOptions {
  /** Unix nanoseconds at time 0. */
  readonly epoch?: bigint | null | undefined;
  /** As `RecordingInfo.metadata` of the format; members that the format cannot hold are not written. */
  readonly metadata?: Readonly<Record<string, Value>> | undefined;
  /**
   * `RecordingInfo.metadata` of the recording that this one is made from, which may be of another format. A format takes
   * what it has a place for.
   */
  readonly source?: Readonly<Record<string, Value>> | undefined;
  /** Which version or dialect to write, by the format's own names (its README lists them); absent: its newest. */
  readonly dialect?: string | undefined;
  /** A recording of the same format that gives the defaults of everything else. */
  readonly like?: Reader | undefined;
  /**
   * Texts that nothing taken over from `like` beside its messages may have: all of `said` in marks, of `gone`
   * elsewhere.
   */
  readonly without?: { readonly said: ReadonlySet<string>; readonly gone: ReadonlySet<string> } | undefined;
  /** How hard to compress, where the format compresses: bytes may differ, content never. */
  readonly compression?: "store" | "fast" | "small" | undefined;
}

/**
 * Writes one recording. Messages are accepted at once and written in the background; await `ready` when it is not
 * null, or memory grows. Nothing appears under the final name before `close()`.
 */
export interface Writer {
  /** The channel of that name, added if it is new. Throws `RangeError` where the format cannot have it. */
  channel(spec: ChannelSpec): ChannelInfo;
  /** Copies the payload. Throws `RangeError` for a time that the format cannot hold. */
  write(channel: ChannelInfo, time: Time, payload: Uint8Array, keyframe?: boolean): void;
  /**
   * As `write`, for a message as it came over a connection: where the format's messages may have parts on several
   * channels, all of them are written. Absent: a message is of one channel.
   */
  writeWhole?(time: Time, payload: Uint8Array): void;
  /**
   * All rows of a batch that a reader of the same format gave, with what the format keeps beside a payload;
   * `channels[id]` is where rows of the source's channel `id` go, null drops them. `shift` is added to every time.
   */
  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift?: Time): void;
  /**
   * What could not be stored as it was given but means about the same, by path with the number of messages; absent:
   * nothing.
   */
  readonly changed?: ReadonlyMap<string, number> | undefined;
  /** Settles when more may be written; null while there is room. */
  readonly ready: Promise<void> | null;
  /** Resolves when everything written so far can be read back after a crash, as far as the format allows. */
  flush(): Promise<void>;
  /** Finishes counts and indexes; the files take their names. Idempotent. */
  close(): Promise<void>;
  /**
   * What was given and the format cannot hold; complete when it is closed. Absent: the writer holds everything or
   * throws.
   */
  readonly lost?: readonly Lost[];
  /** By how much numbers may have changed, in parts of them, where `lost` tells that they were rounded; absent: not at all. */
  readonly rounding?: number;
  /** Ends without a file. Idempotent; without effect after `close()`. */
  abort(): Promise<void>;
}

/** A single message, for the few that are made and not read. */
export interface MadeMessage {
  readonly channel: ChannelInfo;
  readonly payload: Uint8Array;
  readonly keyframe: boolean;
  /** Of the batch that a read message came in, with its sequence there: what `append` finds beside the payload by. */
  readonly context?: unknown;
  readonly sequence?: number | undefined;
}

/** Content that the result does not have. */
export interface Lost {
  /** A channel, or a path in the state. */
  readonly path: string;
  readonly count: number;
  /** Completes "… was not carried: ". */
  readonly reason: string;
}

/** Counts what a conversion carries and what it loses. */
export interface Account {
  carried(path: string, count?: number): void;
  /** `reason` as in `Lost`. */
  lost(path: string, reason: string, count?: number): void;
  /** One sentence about the result as a whole. */
  noted(text: string): void;
  /** So many bytes of memory more are kept until the end, about. Throws when the budget has no room for them. */
  kept?(bytes: number): void;
}

/** Turns state into messages, to convert a recording of another format into this one. */
export interface StateEncoder {
  /** Writes what changed since the last call. `state.time` ascends. */
  step(state: State): void;
  /** After the last step. */
  end(): void;
  /** After the end: finds the given state in the result. */
  witness(): Witness;
}

/** Says where the result of an encoder holds what the encoder was given. */
export interface Witness {
  /** When the recording has what held at `time`. */
  timeOf(time: Time): Time;
  /** The value that the source calls `path`; undefined when the recording has none of it. */
  value(state: State, path: string): Value | undefined;
  /** True when the sets are those of the source to the last bit; else things are looked for by where they are. */
  readonly hasSets: boolean;
  /** The things of the recording that have a place, by `thingKey` of what they are in the source. */
  things(state: State, source: readonly Place[]): ReadonlyMap<string, Place>;
  /** Where the plane of geodetic places touches the earth. */
  readonly origin: Origin;
}

/** The key of a thing in `Witness.things`. */
export function thingKey(set: string, id: number | string): string {
  return `${set}/${typeof id === "number" ? "#" : ""}${id}`;
}

/** Has messages say what they said where others, which they count from, are left out. */
export interface Sift {
  /** `rows`, ascending, of the next batch in order. */
  next(batch: MessageBatch, rows: Uint32Array): MessageBatch;
}

/** What repair found; sizes in bytes of the file (of the inflated stream of a gzip one). */
export interface RepairNote {
  /** Bytes left out because they are no record, or belong to one that cannot be kept. */
  lost(finding: Finding): void;
  /** Something written again that the file had wrong or not at all: an index, a count, an end. */
  rebuilt(finding: Finding): void;
  /** How many bytes the lengths are of, where that is not what `records()` gives but what inflates from it. */
  content?(bytes: number): void;
}

/** The writing side of a format; loaded on use. */
export interface WritingFormat {
  /**
   * The times that a recording with this name and these options can have. What lies outside is left out when it is
   * written, and counted. Absent: any.
   */
  readonly times?: (name: string | null, options: Pick<CreateOptions, "dialect" | "like">) => TimeDomain;
  readonly create: (to: SinkBundle, options: CreateOptions) => Promise<Writer>;
  /**
   * Messages that, folded from nothing, give the state that `from` has at `time`: what a cut begins with. `from` may be
   * an edited recording; what only the format's own reader knows is at `from.base ?? from`. Behind the end of another
   * recording, `behind`, they also take back what holds there, where the format has a way to say so.
   */
  readonly restate: (from: Reader, time: Time, behind?: Reader) => Promise<readonly MadeMessage[]>;
  /**
   * Why one recording cannot go on with the messages of another as they are: "its … are …"; null: it can. Absent: it
   * always can.
   */
  readonly apart?: (one: Reader, other: Reader) => string | null;
  /** Channels that carry copies of whole files: they do not outlast what is left out of a recording. */
  readonly copies?: readonly string[];
  /** For a recording without the messages of the channels `left`; absent, null: no other messages count from them. */
  readonly sift?: (left: readonly string[]) => Sift | null;
  /**
   * The channel whose messages say again all that holds, as snapshots do, and what of other channels that is: content
   * taken out of one of those is still in them. Absent: there is no such channel.
   */
  readonly restates?: { readonly by: string; readonly what: (channel: string) => boolean };
  /** Channels of entries that other messages refer to: an entry stays, or is made again, for what is kept. */
  readonly entries?: readonly string[];
  /** Writes everything of a damaged recording that can be read as a sound one. Never touches the source. */
  readonly repair: (from: Reader, to: SinkBundle, note: RepairNote) => Promise<void>;
  /**
   * An encoder of state into `writer`, for recordings of other formats. `origin` is where their plane lies, or where it
   * is put; unset, the first geodetic place sets it, or an encoder that needs one takes 0° N 0° E and sets it.
   */
  readonly encoder: (writer: Writer, account: Account, origin?: Origin) => StateEncoder;
  /**
   * Carries a file along behind what was written, byte for byte: called after the last message, before `close()`, once
   * for each file. `format` is that of the recording whose main file it is, else null. `Traits.originals` gives them back.
   * Absent: recordings carry no files.
   */
  readonly carry?: (
    writer: Writer,
    name: string,
    pieces: AsyncIterable<Uint8Array>,
    format: string | null,
  ) => Promise<void>;
  /** Writes notes where the format's own programs find them: called before the first message. Absent: it has no place. */
  readonly annotate?: (
    writer: Writer,
    notes: readonly { readonly at: Time; readonly kind: string; readonly text: string }[],
  ) => void;
}
