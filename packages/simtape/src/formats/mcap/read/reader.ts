import { Budget } from "../../../bytes/budget.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../../../io/source/source.ts";
import { firstNamed } from "../../../model/first-named.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import { boundsOf, readChunks, StatisticsCounter } from "../../../model/chunks.ts";
import type { Dissector } from "../../../model/dissector.ts";
import { RecordingError, type Reporter } from "../../../model/error.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { Reader } from "../../../model/reader.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import type { Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics, Value } from "../../../model/values/value.ts";
import { MAGIC } from "../../../codec/mcap/opcode.ts";
import { decoderOf } from "../meaning/payload.ts";
import { type Definition, metadataOf, PayloadSchema } from "../meaning/schema.ts";
import { McapState } from "../meaning/state.ts";
import { Decoder } from "./decode.ts";
import { openIndexed } from "./indexed.ts";
import type { McapChunk, Plan } from "./plan.ts";
import { recordsOf } from "./records.ts";
import { isMagic, scan } from "./scan.ts";

/** Reads a file by its summary, or by a scan where the summary does not say enough. */
export class McapReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: McapState;
  readonly budget: Budget;
  readonly plan: Plan;
  readonly source: ByteSource;
  /** Bytes of the file. */
  readonly size: number;
  readonly #decoder: Decoder;
  #statistics: readonly ChannelStatistics[] | null = null;

  private constructor(
    source: ByteSource,
    size: number,
    plan: Plan,
    channels: readonly Channel[],
    budget: Budget,
    report: Reporter,
  ) {
    this.source = source;
    this.size = size;
    this.plan = plan;
    this.channels = channels;
    this.budget = budget;
    this.state = new McapState(channels);
    this.#decoder = new Decoder(source, plan, budget, report);
    this.info = {
      format: "mcap",
      version: "0",
      bytes: size,
      seekIndex: plan.tallies === null ? "stored" : "built",
      metadata: metadataOfFile(plan),
    };
  }

  /** Throws `LayoutError` when the file does not begin with the magic. */
  static async open(from: SourceBundle, report: Reporter, options: OpenOptions): Promise<McapReader> {
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "nothing there");
    const size = await source.size();
    if (size === null) {
      throw new RecordingError("unsupported", `the length must be known: ${source.name}`, { format: "mcap" });
    }
    if (!isMagic(await source.read(0, MAGIC.length, options.signal))) {
      throw new LayoutError(size < MAGIC.length ? "truncated" : "malformed", "no MCAP file", 0);
    }
    const budget = Budget.of(options.budget);
    const indexed = await openIndexed(source, size, budget, report, options.signal);
    return McapReader.#of(source, size, indexed ?? (await scan(source, size, budget, report, options)), budget, report);
  }

  /** The same file by a scan, whatever its summary says: what a repair reads. */
  async scanned(report: Reporter): Promise<McapReader> {
    const plan = await scan(this.source, this.size, this.budget, report, {});
    return McapReader.#of(this.source, this.size, plan, this.budget, report);
  }

  static async #of(
    source: ByteSource,
    size: number,
    plan: Plan,
    budget: Budget,
    report: Reporter,
  ): Promise<McapReader> {
    return new McapReader(source, size, plan, await channelsOf(plan), budget, report);
  }

  get chunks(): readonly McapChunk[] {
    return this.plan.chunks;
  }

  /** Values and things go by the names of the channels. */
  stateOf(channels: readonly Channel[]): McapState {
    return new McapState(channels);
  }

  async timeline(): Promise<Timeline> {
    const { chunks, base } = this.plan;
    return { ...boundsOf(chunks), epoch: base === 0n ? null : base, tick: null };
  }

  async statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]> {
    this.#statistics ??= this.#tallied() ?? (await this.#counted(signal));
    return this.#statistics;
  }

  /** What a scan counted. */
  #tallied(): readonly ChannelStatistics[] | null {
    const { tallies, order } = this.plan;
    if (tallies === null) return null;
    return order.map((id) => tallies.get(id) ?? { messages: 0, bytes: 0, first: null, last: null });
  }

  async #counted(signal: AbortSignal | undefined): Promise<readonly ChannelStatistics[]> {
    const counter = new StatisticsCounter();
    for await (const batch of this.batches({ signal })) counter.add(batch);
    return counter.result(this.channels.length);
  }

  batches(query: Query): AsyncIterable<Columns> {
    return readChunks(this.plan.chunks, this.#decoder.decode, query);
  }

  /** No message holds the whole state. */
  async keyframe(): Promise<Keyframe | null> {
    return null;
  }

  records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    return recordsOf(this.source, this.size, this.plan.gaps, signal);
  }

  /** Reports each frame of poses that no transform speaks of, once; nothing where there are no transforms. */
  async review(report: Reporter, signal?: AbortSignal): Promise<void> {
    const { strayFrames } = await import("../meaning/stray-frames.ts");
    for (const { frame, channel } of await strayFrames(this.channels, (query) => this.batches(query), signal)) {
      const message = `poses of ${channel} are in the frame ${JSON.stringify(frame)}, which no transform speaks of`;
      report.report({ code: "missing-frame", severity: "warning", message });
    }
  }

  async beside(): Promise<readonly { readonly path: string; readonly count: number }[]> {
    const { attachments } = this.plan;
    return firstNamed(attachments.length, (index) => `attachments/${attachments[index]!.name}`, "attachments");
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).McapDissector(this.channels, this.budget);
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

/** Channels have the names of their topics; where several have one topic, the later ones also have their ids. */
async function channelsOf({ order, definitions }: Plan): Promise<Channel[]> {
  const names = new Set<string>();
  const channels: Channel[] = [];
  for (const [i, id] of order.entries()) {
    const channel = definitions.channels.get(id)!;
    const schema = definitions.schemas.get(channel.schema) ?? null;
    const definition: Definition = { channel, schema };
    let name = channel.topic;
    while (names.has(name)) name = `${name}#${id}`;
    names.add(name);
    const decode = await decoderOf(definition);
    const metadata = metadataOf(definition, name);
    channels.push({ id: i, name, metadata, schema: new PayloadSchema(definition, decode) });
  }
  return channels;
}

function metadataOfFile({ header, metadata, attachments }: Plan): Readonly<Record<string, Value>> {
  return {
    profile: header.profile,
    library: header.library,
    metadata: metadata.map(({ name, texts }) => ({ name, texts: Object.fromEntries(texts) })),
    attachments: attachments.map(({ name, mediaType, size, logTime, createTime }) => ({
      name,
      mediaType,
      bytes: size,
      logTime,
      createTime,
    })),
  };
}
