import { bundleOf } from "../io/source/bundle.ts";
import type { ByteSink, SinkBundle } from "../io/sink/sink.ts";
import type { ByteSource } from "../io/source/source.ts";
import { base64 } from "../export/mcap/json.ts";
import { mcap } from "../formats/mcap/format.ts";
import { RecordingError } from "../model/error.ts";
import { toJson } from "../model/values/json.ts";
import { openBundle } from "../model/open.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";
import type { ChannelInfo } from "../model/values/value.ts";
import type { Writer } from "../model/writer.ts";
import type { FeedChannel, TakeDescription } from "./feed.ts";

/**
 * A take on disk while it is recorded: an MCAP file. Each channel of the feed is a channel; a payload is the time of the
 * message in the take (float64, nanoseconds since its start, little-endian), then the payload of the feed's format. The
 * log time is that of arrival. JSON on the channels below says what no message says.
 */
const NOTES = { take: "simtape/take", describe: "simtape/describe", gap: "simtape/gap", lost: "simtape/lost" } as const;
/** Channel metadata with the `FeedChannel` as JSON. */
const SPEC = "simtape.channel";
const HEAD = 8;
/** How names of the journal's own channels begin. */
const OWN = "simtape/";

/** A `FeedChannel` as JSON has it: the definition is base64. */
interface KeptChannel extends Omit<FeedChannel, "definition"> {
  readonly definition?: string;
}

/** A `TakeDescription` as JSON has it: large numbers are texts. */
interface KeptDescription extends Omit<TakeDescription, "epoch"> {
  readonly epoch?: string | number;
}

/** How a journal begins. */
export interface TakeHead {
  readonly version: 1;
  /** Id of the feed's format. */
  readonly format: string;
  /** Name of the feed, for people. */
  readonly feed: string;
  /** File beside it with the recording of the piece before, of a take in pieces. */
  readonly after?: string | undefined;
}

/** A stretch of time in which nothing could arrive. */
export interface Gap {
  readonly from: Time;
  readonly until: Time;
  readonly reason: string;
}

/** Something that arrived and could not be kept. */
export interface LostNote {
  readonly at: Time;
  readonly reason: string;
  readonly count: number;
}

/** Writes a journal. The same rules as of a `Writer`. */
export class JournalWriter {
  readonly #writer: Writer;
  readonly #notes: Readonly<Record<keyof typeof NOTES, ChannelInfo>>;
  readonly #channels: ChannelInfo[] = [];
  #piece = new Uint8Array(64 << 10);

  private constructor(writer: Writer) {
    this.#writer = writer;
    const note = (name: string): ChannelInfo => writer.channel({ name, schema: "", metadata: { encoding: "json" } });
    this.#notes = {
      take: note(NOTES.take),
      describe: note(NOTES.describe),
      gap: note(NOTES.gap),
      lost: note(NOTES.lost),
    };
  }

  /** Takes over the sink. `epoch`: Unix nanoseconds at time 0. */
  static async begin(sink: ByteSink, head: TakeHead, epoch: bigint): Promise<JournalWriter> {
    const to: SinkBundle = { name: sink.name, open: () => Promise.resolve(sink) };
    const { create } = await mcap.writing!();
    const journal = new JournalWriter(await create(to, { epoch, dialect: "plain" }));
    journal.#note("take", 0, head);
    await journal.flush();
    return journal;
  }

  /** The id of a new channel. */
  channel(channel: FeedChannel): number {
    const { definition, ...spec } = channel;
    const kept: KeptChannel = definition === undefined ? spec : { ...spec, definition: base64(definition) };
    const metadata = { encoding: "simtape", [SPEC]: toJson(kept) };
    // notes have names of their own
    const name = channel.name.startsWith(OWN) ? `${OWN}channel/${this.#channels.length}` : channel.name;
    this.#channels.push(this.#writer.channel({ name, schema: "", metadata }));
    return this.#channels.length - 1;
  }

  write(channel: number, arrival: Time, time: Time, payload: Uint8Array): void {
    const length = HEAD + payload.length;
    if (length > this.#piece.length) this.#piece = new Uint8Array(length * 2);
    const piece = this.#piece;
    new DataView(piece.buffer).setFloat64(0, time, true);
    piece.set(payload, HEAD);
    this.#writer.write(this.#channels[channel]!, arrival, piece.subarray(0, length));
  }

  describe(at: Time, create: TakeDescription): void {
    this.#note("describe", at, create);
  }

  gap(gap: Gap): void {
    this.#note("gap", gap.until, gap);
  }

  lost(note: LostNote): void {
    this.#note("lost", note.at, note);
  }

  get ready(): Promise<void> | null {
    return this.#writer.ready;
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  #note(kind: keyof typeof NOTES, at: Time, value: unknown): void {
    this.#writer.write(this.#notes[kind], at, new TextEncoder().encode(toJson(value)));
  }
}

/** Takes what a journal holds, in the order of arrival. */
export interface JournalVisitor {
  /** Before the first message of a channel. */
  channel?(id: number, channel: FeedChannel): void;
  /** `payload` belongs to the journal, and does not change. */
  message(channel: number, time: Time, payload: Uint8Array, arrival: Time): void;
  gap?(gap: Gap): void;
  lost?(note: LostNote): void;
  /** Settles when more may be given; null while there is room. */
  readonly ready?: Promise<void> | null;
}

/** A journal, open for reading; also one that was cut by a crash, as far as it goes. */
export class JournalReader {
  readonly head: TakeHead;
  /** Unix nanoseconds at time 0. */
  readonly epoch: bigint | null;
  /** What `describe` said last. */
  readonly create: TakeDescription;
  readonly recording: Recording;

  private constructor(recording: Recording, head: TakeHead, epoch: bigint | null, create: TakeDescription) {
    this.recording = recording;
    this.head = head;
    this.epoch = epoch;
    this.create = create;
  }

  /** Throws `RecordingError` for a file that is no journal. */
  static async open(source: ByteSource): Promise<JournalReader> {
    const recording: Recording = await openBundle(bundleOf(source), [mcap], { seekIndex: false });
    try {
      const head = (await lastOf(recording, NOTES.take)) as TakeHead | null;
      if (head === null || head.version !== 1 || typeof head.format !== "string")
        throw new RecordingError("unknown-format", `no journal of a live recording: ${source.name}`);
      const { epoch } = await recording.timeline();
      const said = (await lastOf(recording, NOTES.describe)) as KeptDescription | null;
      const { epoch: own, ...create } = said ?? {};
      return new JournalReader(recording, head, epoch, own === undefined ? create : { ...create, epoch: BigInt(own) });
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  /** The channel of that name; null: there is none. */
  channel(name: string): FeedChannel | null {
    for (const { metadata } of this.recording.channels) {
      const spec = metadata?.[SPEC];
      const channel = spec === undefined ? null : channelOf(JSON.parse(spec) as KeptChannel);
      if (channel?.name === name) return channel;
    }
    return null;
  }

  /** Reads it once, from the start. */
  async visit(visitor: JournalVisitor): Promise<void> {
    const { channels } = this.recording;
    const specs = channels.map(({ metadata }) => metadata?.[SPEC]);
    const met = new Set<number>();
    for await (const batch of this.recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const id = batch.channel[i]!;
        const spec = specs[id];
        if (spec === undefined) {
          this.#note(channels[id]!.name, batch.payload(i), visitor);
          continue;
        }
        if (!met.has(id)) {
          met.add(id);
          visitor.channel?.(id, channelOf(JSON.parse(spec) as KeptChannel));
        }
        const payload = batch.payload(i);
        if (payload.length < HEAD) continue;
        const time = new DataView(payload.buffer, payload.byteOffset).getFloat64(0, true);
        visitor.message(id, time, payload.subarray(HEAD), batch.time[i]!);
      }
      if (visitor.ready !== null && visitor.ready !== undefined) await visitor.ready;
    }
  }

  close(): Promise<void> {
    return this.recording.close();
  }

  #note(name: string, payload: Uint8Array, visitor: JournalVisitor): void {
    if (name === NOTES.gap) visitor.gap?.(parsed(payload) as Gap);
    else if (name === NOTES.lost) visitor.lost?.(parsed(payload) as LostNote);
  }
}

function channelOf({ definition, ...spec }: KeptChannel): FeedChannel {
  if (definition === undefined) return spec;
  return { ...spec, definition: Uint8Array.from(atob(definition), (letter) => letter.charCodeAt(0)) };
}

async function lastOf(recording: Recording, name: string): Promise<unknown> {
  let last: unknown = null;
  const channels = recording.channels.filter((channel) => channel.name === name);
  if (channels.length === 0) return null;
  for await (const batch of recording.batches({ channels })) {
    for (let i = 0; i < batch.length; i++) last = parsed(batch.payload(i));
  }
  return last;
}

function parsed(payload: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(payload)) as unknown;
}
