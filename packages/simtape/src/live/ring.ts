import { filesBundle } from "../io/source/bundle.ts";
import { MemoryFiles, type SinkBundle } from "../io/sink/sink.ts";
import type { Format } from "../model/format.ts";
import { openBundle } from "../model/open.ts";
import type { Time } from "../model/values/time.ts";
import type { ChannelInfo } from "../model/values/value.ts";
import type { CreateOptions, Writer, WritingFormat } from "../model/writer.ts";
import type { FeedChannel, TakeDescription } from "./feed.ts";
import type { Gap, LostNote } from "./journal.ts";
import type { Keeper } from "./session.ts";

/** A run of messages in memory: what arrived within a part of the ring. */
class Segment {
  readonly channels: number[] = [];
  readonly times: Time[] = [];
  readonly payloads: Uint8Array[] = [];
  /** Messages from which state can be built alone. */
  readonly keyframes = new Set<number>();
  bytes = 0;

  add(channel: number, time: Time, payload: Uint8Array, keyframe = false): void {
    if (keyframe) this.keyframes.add(this.channels.length);
    this.channels.push(channel);
    this.times.push(time);
    this.payloads.push(payload);
    this.bytes += payload.length;
  }
}

/** How much a ring keeps. */
export interface RingOptions {
  /** Nanoseconds. */
  readonly length: Time;
  /** Bytes of payloads at most; older ones go first; default 256 MiB. */
  readonly memory?: number | undefined;
}

/** The ring is cut in so many parts: by one of them it may be longer than asked. */
const PARTS = 12;

/**
 * The last minutes of a feed, in memory. Before its oldest message stand messages that give the state there from nothing
 * (`WritingFormat.restate`), so that a clip shows at once what had been said before. Not for two savings at once.
 */
export class LiveRing implements Keeper {
  readonly ready = null;
  readonly #format: Format;
  readonly #part: Time;
  readonly #memory: number;
  readonly #specs: FeedChannel[] = [];
  /** The state at the first segment. */
  #base = new Segment();
  #segments: Segment[] = [new Segment()];
  #create: TakeDescription = {};
  #bytes = 0;
  #ending: Promise<void> = Promise.resolve();
  /** Where the ring begins. */
  start: Time = 0;
  readonly gaps: Gap[] = [];

  constructor(format: Format, { length, memory = 256 << 20 }: RingOptions) {
    this.#format = format;
    this.#part = Math.max(1e9, length / PARTS);
    this.#memory = memory;
    this.#length = length;
  }

  readonly #length: Time;

  channel(channel: FeedChannel): number {
    this.#specs.push(channel);
    return this.#specs.length - 1;
  }

  write(channel: number, _arrival: Time, time: Time, payload: Uint8Array): void {
    let last = this.#segments.at(-1)!;
    if (last.times.length > 0 && time - last.times[0]! >= this.#part) {
      last = new Segment();
      this.#segments.push(last);
    }
    last.add(channel, time, payload.slice());
    this.#bytes += payload.length;
  }

  describe(_at: Time, create: TakeDescription): void {
    this.#create = create;
  }

  gap(gap: Gap): void {
    this.gaps.push(gap);
  }

  lost(_note: LostNote): void {
    // counted by the session
  }

  /** Lets go of what is older than the ring is long. */
  flush(): Promise<void> {
    this.#ending = this.#ending.then(() => this.#trim());
    return this.#ending;
  }

  /** Writes what the ring has now. `epoch`: Unix nanoseconds at time 0 of the take. Gives the number of messages. */
  async save(to: SinkBundle, epoch: bigint): Promise<{ readonly messages: number; readonly start: Time }> {
    await this.#ending;
    const segments = [this.#base, ...this.#segments];
    const start = this.#base.times.length > 0 ? this.start : (segments.find(isFilled)?.times[0] ?? 0);
    const writing = await this.#format.writing!();
    const create = { ...this.#create, epoch: (this.#create.epoch ?? epoch) + BigInt(Math.round(start)) };
    return { messages: await this.#write(writing, to, create, segments, start), start };
  }

  async #trim(): Promise<void> {
    const newest = this.#segments.at(-1)!.times.at(-1);
    if (newest === undefined) return;
    while (this.#segments.length > 1) {
      const [oldest, next] = this.#segments as [Segment, Segment];
      const isOld = next.times.length > 0 && next.times[0]! <= newest - this.#length;
      if (!isOld && this.#bytes <= this.#memory) return;
      await this.#fold(oldest, next.times[0]!);
      this.#segments.shift();
      this.#bytes -= oldest.bytes;
    }
  }

  /** The base becomes what holds behind `segment`, at `time`. */
  async #fold(segment: Segment, time: Time): Promise<void> {
    const files = new MemoryFiles(`ring.${this.#format.extensions[0]!}`);
    const writing = await this.#format.writing!();
    // by the names that no two channels share
    const specs = this.#specs.map((spec) => ({ ...spec, topic: undefined }));
    await this.#write(writing, files, { ...this.#create, epoch: null }, [this.#base, segment], 0, specs);
    await using recording = await openBundle(filesBundle(files.files, files.name), [this.#format], {
      seekIndex: false,
    });
    // the clock of a source may have gone back: everything before the next segment counts
    const { end } = await recording.timeline();
    const base = new Segment();
    for (const { channel, payload, keyframe } of await writing.restate(recording.reader, end)) {
      const id = this.#specs.findIndex(({ name }) => name === channel.name);
      if (id >= 0) base.add(id, time, payload.slice(), keyframe);
    }
    this.#base = base;
    this.start = time;
  }

  async #write(
    writing: WritingFormat,
    to: SinkBundle,
    create: CreateOptions,
    segments: readonly Segment[],
    start: Time,
    specs: readonly FeedChannel[] = this.#specs,
  ): Promise<number> {
    const writer: Writer = await writing.create(to, create);
    let messages = 0;
    try {
      const channels: ChannelInfo[] = writer.writeWhole === undefined ? specs.map((spec) => writer.channel(spec)) : [];
      for (const { channels: ids, times, payloads, keyframes } of segments) {
        for (let i = 0; i < ids.length; i++) {
          if (writer.writeWhole !== undefined) writer.writeWhole(times[i]! - start, payloads[i]!);
          else writer.write(channels[ids[i]!]!, times[i]! - start, payloads[i]!, keyframes.has(i));
        }
        messages += ids.length;
        if (writer.ready !== null) await writer.ready;
      }
      await writer.close();
      return messages;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }
}

function isFilled({ times }: Segment): boolean {
  return times.length > 0;
}
