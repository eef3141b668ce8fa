import type { Budget } from "../../../bytes/budget.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { Columns } from "../../../model/messages/batch.ts";
import { boundsOf, findKeyframe, readChunks } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Dissector } from "../../../model/dissector.ts";
import type { Finding, Reporter } from "../../../model/error.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import type { Time, Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics } from "../../../model/values/value.ts";
import { FRAME } from "../layout/layout.ts";
import { siblingName } from "../layout/record.ts";
import { type Foreign, pathsOf } from "./foreign.ts";
import { type Container, channelsOf, type Payloads } from "../meaning/schema.ts";
import { NanoverState } from "../meaning/state.ts";

/** The messages of a recording, wherever they lie. */
export interface Messages {
  readonly chunks: readonly Chunk[];
  decode(chunk: Chunk, signal?: AbortSignal): Promise<Columns>;
  /** Place in the file of the first byte that the rows of a chunk refer to; null when they lie apart or compressed. */
  origin(chunk: Chunk): number | null;
  /** What of the framing is damaged or not there, and is made again when the messages are written. */
  readonly broken: readonly Finding[];
  /** What is known to be gone without a trace among the records: what a deflated member gives no more. */
  readonly gone: readonly Finding[];
  /** The messages as they inflate, cut into records; null when they lie in the files as they are. */
  inflated(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]> | null;
  statistics(channels: number): readonly ChannelStatistics[];
  /** What the zip has beside the recording; absent: there is no zip. */
  foreign?(signal?: AbortSignal): Promise<Foreign>;
  /** Every byte of all files. */
  records(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]>;
}

/** A recording of any container: the containers differ in how messages are found. */
export class NanoverReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: NanoverState;
  readonly budget: Budget;
  readonly siblings: readonly string[];
  /** As they lie in the files; batches of `batches` are theirs, with `payloads` as context. */
  readonly messages: Messages;
  /** The context of every batch. */
  readonly payloads: Payloads;
  readonly #sources: readonly ByteSource[];
  readonly #statistics: readonly ChannelStatistics[];

  /** Takes over the sources. `names` are the channels', frames and state first; `siblings` are the files beside. */
  constructor(
    container: Container,
    messages: Messages,
    sources: readonly ByteSource[],
    about: Pick<RecordingInfo, "bytes" | "seekIndex" | "metadata">,
    names: readonly string[] | undefined,
    siblings: readonly string[],
    budget: Budget,
  ) {
    this.budget = budget;
    this.siblings = siblings;
    this.channels = channelsOf(container, names);
    this.state = new NanoverState(container);
    this.info = { format: "nanover", version: container, ...about };
    this.messages = messages;
    this.payloads = { container, names: this.channels.map(({ name }) => name) };
    this.#sources = sources;
    this.#statistics = messages.statistics(this.channels.length);
  }

  siblingFor(sibling: string, main: string): string {
    return siblingName(main, /\.traj$/i.test(sibling) ? "state" : "frame");
  }

  get chunks(): readonly Chunk[] {
    return this.messages.chunks;
  }

  /** A tick is a frame; no container tells a wall clock. */
  async timeline(): Promise<Timeline> {
    const frames = this.#statistics[FRAME]!.messages;
    const tick = frames === 0 ? null : { name: "frame" as const, count: frames, duration: null };
    return { ...boundsOf(this.messages.chunks), epoch: null, tick };
  }

  /** Frames and shared state are known by their names; the other parts of a zip's messages say nothing of state. */
  stateOf(channels: readonly Channel[]): NanoverState {
    const fixed = this.info.version === "zip" ? 2 : channels.length;
    const changed = this.channels.find(({ id, name }) => id < fixed && channels[id]?.name !== name);
    if (changed !== undefined) throw new RangeError(`the channel ${changed.name} of NanoVer cannot be renamed`);
    return this.state;
  }

  async statistics(): Promise<readonly ChannelStatistics[]> {
    return this.#statistics;
  }

  batches(query: Query): AsyncIterable<Columns> {
    return readChunks(this.messages.chunks, (chunk, signal) => this.#decode(chunk, signal), query);
  }

  /** Frames begin again at a reset; state has none (spec §3.2). */
  keyframe(time: Time): Promise<Keyframe | null> {
    return findKeyframe(this.messages.chunks, (chunk) => this.messages.decode(chunk), time, [FRAME]);
  }

  records(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]> {
    return this.messages.records(signal);
  }

  async beside(signal?: AbortSignal): Promise<readonly { readonly path: string; readonly count: number }[]> {
    const foreign = await this.messages.foreign?.(signal);
    if (foreign === undefined) return [];
    return foreign.comment.length === 0 ? pathsOf(foreign) : [...pathsOf(foreign), { path: "comment", count: 1 }];
  }

  async review(report: Reporter, signal?: AbortSignal): Promise<void> {
    const foreign = await this.messages.foreign?.(signal);
    if (foreign !== undefined) await (await import("./review.ts")).reviewMembers(foreign, report, signal);
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).NanoverDissector(this.info.version as Container);
  }

  async close(): Promise<void> {
    for (const source of this.#sources) await source.close();
  }

  async #decode(chunk: Chunk, signal?: AbortSignal): Promise<Columns> {
    const { time, channel, sequence, flags, bytes, start, end } = await this.messages.decode(chunk, signal);
    return new Columns(time, channel, sequence, flags, bytes, start, end, this.payloads);
  }
}
