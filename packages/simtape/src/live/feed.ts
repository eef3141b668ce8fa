import type { Format } from "../model/format.ts";
import type { Time } from "../model/values/time.ts";
import type { CreateOptions } from "../model/writer.ts";

/** A channel of a feed. */
export interface FeedChannel {
  /** As the format of the feed calls it. */
  readonly name: string;
  /** Type name, where the format keeps one. */
  readonly schema?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** What the file calls it, where the format lets several channels be called the same (MCAP); absent: its name. */
  readonly topic?: string | undefined;
  /** The schema itself, where the format keeps it (MCAP: `metadata.schemaEncoding` says how to read it). */
  readonly definition?: Uint8Array | undefined;
}

/** What a recording is created with, as far as a feed says it. */
export interface TakeDescription extends Pick<CreateOptions, "metadata" | "dialect"> {
  /** Unix nanoseconds at time 0, of a feed that keeps the times of its source; absent: when the take began. */
  readonly epoch?: bigint | undefined;
}

/** Where a feed puts what arrives. Nothing waits: a feed that can stop its sender does so while `ready` is not null. */
export interface Intake {
  /** The id of the channel of that name, which is made if it is new. */
  channel(channel: FeedChannel): number;
  /**
   * One message of the feed's format. Copies the payload. `sent`: time of the source's own clock in nanoseconds from any
   * zero; absent: the source says none, and the time of arrival counts.
   */
  write(channel: number, payload: Uint8Array, sent?: Time): void;
  /** What the finished recording is created with: may come later than the first message, the last one holds. */
  describe(create: TakeDescription): void;
  /** Says that something was lost here, with the reason: a packet that does not fit, a queue that was full. */
  lost(reason: string, count?: number): void;
  /** Settles when more may be written; null while there is room. */
  readonly ready: Promise<void> | null;
}

/** A running program that is recorded. */
export interface Feed {
  /** For people, as `the NanoVer server at ws://localhost:38801`. */
  readonly name: string;
  /** The format of its messages; recordings of other formats are made by conversion. */
  readonly format: Format;
  /** `sent` is the time of the take, as the source has it, also where its clock stops, jumps or falls back; default false. */
  readonly keepsTimes?: boolean | undefined;
  /**
   * Connects, and gives everything that arrives to `intake`. Resolves when the source has ended for good; rejects with
   * `SourceError` if it cannot be reached or the connection breaks, and is then called again. Ends with the signal.
   */
  run(intake: Intake, signal: AbortSignal): Promise<void>;
}
