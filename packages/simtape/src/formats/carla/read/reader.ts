import { Budget } from "../../../bytes/budget.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { boundsOf, findKeyframe, readChunks } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Dissector } from "../../../model/dissector.ts";
import type { Reporter } from "../../../model/error.ts";
import { FlatFile } from "../../../model/flat.ts";
import type { Reader } from "../../../model/reader.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import type { Time, Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics, Value } from "../../../model/values/value.ts";
import { DialectDetector } from "../meaning/dialect.ts";
import { findBegin, HEADER_BYTES } from "./header.ts";
import { type Dialect, EVENT_PARENT, FRAME_START, type Header, kindOf } from "../layout/layout.ts";
import { OWN_SCHEMA, schemaOf } from "../meaning/schema.ts";
import { CarlaState } from "../meaning/state.ts";
import { OWN_CHANNEL, STATE_PACKET } from "../meaning/state-patch.ts";
import { PacketWalker } from "./walk.ts";

/**
 * A CARLA recorder file: header, then packets; one channel for each packet id that occurs, and one for what simtape may
 * have to put beside them.
 */
export class CarlaReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: StateModel;
  readonly budget: Budget;
  readonly header: Header;
  readonly dialect: Dialect;
  /** The packets. */
  readonly file: FlatFile;
  /** Bytes before the first packet. */
  readonly head: Uint8Array;
  /** `head` is what `header` says, byte for byte. */
  readonly isHeadSound: boolean;
  readonly #source: ByteSource;
  readonly #frames: number;

  private constructor(
    source: ByteSource,
    header: Header,
    isHeadSound: boolean,
    head: Uint8Array,
    file: FlatFile,
    frames: number,
    walker: PacketWalker,
    detector: DialectDetector,
    budget: Budget,
  ) {
    this.budget = budget;
    this.#source = source;
    this.file = file;
    this.head = head;
    this.isHeadSound = isHeadSound;
    this.#frames = frames;
    this.header = header;
    this.dialect = detector.result();
    const packets = [...walker.packetIds];
    if (!packets.includes(STATE_PACKET)) packets.push(STATE_PACKET);
    this.channels = packets.map((packet, id) => this.#channel(packet, id, detector.isForeign));
    this.state = new CarlaState(this.channels, this.dialect, () => this.#isAttached());
    this.info = {
      format: "carla",
      version: `${header.version} (${detector.release()})`,
      bytes: file.end,
      seekIndex: "built",
      metadata: this.#metadata(walker, detector),
    };
  }

  static async open(source: ByteSource, report: Reporter, options: OpenOptions): Promise<CarlaReader> {
    const size = (await source.size()) ?? 0;
    const start = await source.read(0, Math.min(size, HEADER_BYTES), options.signal);
    const { header, begin, isSound } = findBegin(start, report);
    const detector = new DialectDetector(header.version);
    const walker = new PacketWalker(detector);
    const budget = Budget.of(options.budget);
    const file = await FlatFile.scan(source, walker, { begin, end: size }, report, { ...options, budget });
    walker.settle();
    const frames =
      walker.channelOf[FRAME_START]! < 0
        ? 0
        : file.statistics(walker.packetIds.length)[walker.channelOf[FRAME_START]!]!.messages;
    if (frames === 0) {
      report.report({
        code: "no-frames",
        severity: "note",
        message: "the recording holds no frame",
        offset: begin,
      });
    }
    return new CarlaReader(source, header, isSound, start.slice(0, begin), file, frames, walker, detector, budget);
  }

  get chunks(): readonly Chunk[] {
    return this.file.chunks;
  }

  async timeline(): Promise<Timeline> {
    const { start, end } = boundsOf(this.file.chunks);
    const tick = { name: "frame" as const, count: this.#frames, duration: null };
    return { start, end, epoch: this.header.date * 1_000_000_000n, tick };
  }

  async statistics(): Promise<readonly ChannelStatistics[]> {
    return this.file.statistics(this.channels.length);
  }

  batches(query: Query): ReturnType<typeof readChunks> {
    return readChunks(this.file.chunks, (chunk, signal) => this.file.decode(chunk, signal), query);
  }

  keyframe(time: Time): Promise<Keyframe | null> {
    return findKeyframe(this.file.chunks, (chunk) => this.file.decode(chunk), time, null);
  }

  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    yield [{ kind: "header", offset: 0, bytes: this.head }];
    yield* this.file.records(signal);
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).CarlaDissector(this);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  /** Whether any actor has a parent: a packet without records has two bytes, the number of them (spec §3). */
  #isAttached(): boolean {
    const statistics = this.file.statistics(this.channels.length);
    return this.channels.some(({ id, metadata }) => {
      const { messages, bytes } = statistics[id]!;
      const packet = Number(metadata["packet"]);
      if (packet === EVENT_PARENT) return bytes !== 2 * messages;
      return packet === STATE_PACKET && messages > 0;
    });
  }

  #channel(packet: number, id: number, isForeign: boolean): Channel {
    if (packet === STATE_PACKET) {
      const name = isForeign ? `packet-${packet}` : OWN_CHANNEL;
      return { id, name, schema: OWN_SCHEMA, metadata: { packet: String(packet) } };
    }
    const kind = kindOf(packet, this.dialect);
    const name = kind ?? `packet-${packet}`;
    return { id, name, schema: schemaOf(kind, this.dialect), metadata: { packet: String(packet) } };
  }

  #metadata(walker: PacketWalker, detector: DialectDetector): Record<string, Value> {
    const { date, map, version } = this.header;
    const seconds = Number(date);
    const isDate = Math.abs(seconds) < 8.64e12;
    return {
      map,
      headerVersion: version,
      date: isDate ? new Date(seconds * 1000).toISOString().replace(".000Z", "Z") : date,
      release: detector.release(),
      frames: this.#frames,
      vectors: this.dialect.scalar === 4 ? "float32" : "float64",
      wheelBytes: this.dialect.wheel,
      additionalData: walker.packetIds.some((id) => id >= 12 && id <= 19),
    };
  }
}
