import { ByteBuilder } from "../../../bytes/builder.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { Writer } from "../../../model/writer.ts";
import { PACKET_KINDS, type PacketKind, writeFrameStart } from "../layout/layout.ts";
import { ADDITIONAL, OPTIONAL, type Release, WRITER_ORDER } from "./releases.ts";

/** Most records that the count of a list can say. */
const MOST_RECORDS = 65535;
const NOTHING = new Uint8Array(0);
const EMPTY_LIST = new Uint8Array(2);

interface List {
  builder: ByteBuilder;
  count: number;
  /** Payloads that are full. */
  readonly full: Uint8Array[];
}

export interface Packet {
  readonly kind: PacketKind;
  readonly payload: Uint8Array;
}

/** Gathers the records of one frame, in whatever order, and gives its packets in the order in which CARLA writes them. */
export class FrameLists {
  readonly release: Release;
  /** Seconds; null: not written. */
  visualTime: number | null = null;
  platformTime: number | null = null;
  readonly #lists = new Map<PacketKind, List>();

  constructor(release: Release) {
    this.release = release;
  }

  /** Whether the release has packets of that kind. */
  has(kind: PacketKind): boolean {
    const place = PACKET_KINDS.indexOf(kind);
    return place >= 0 ? place <= this.release.until : this.release.dialect.late.includes(kind);
  }

  /** Where to write one record. Throws `RangeError` for a kind that the release has not. */
  add(kind: PacketKind): ByteBuilder {
    let list = this.#lists.get(kind);
    if (list === undefined) {
      if (!this.has(kind)) throw new RangeError(`CARLA ${this.release.name} has no packet ${kind}`);
      list = { builder: new ByteBuilder(256).zeros(2), count: 0, full: [] };
      this.#lists.set(kind, list);
    }
    if (list.count === MOST_RECORDS) fill(list);
    list.count++;
    return list.builder;
  }

  /** Packets between start and end of the frame; `isWhole`: also those that CARLA writes empty. Forgets the records. */
  *take(isWhole: boolean, hasAdditional: boolean): Generator<Packet> {
    for (const kind of WRITER_ORDER) {
      if (!this.has(kind)) continue;
      if (kind === "visual-time" || kind === "platform-time") {
        const seconds = kind === "visual-time" ? this.visualTime : this.platformTime;
        if (seconds !== null) yield { kind, payload: new ByteBuilder(16).f64le(seconds).take() };
        continue;
      }
      const list = this.#lists.get(kind);
      if (list !== undefined) {
        fill(list);
        for (const payload of list.full) yield { kind, payload };
      } else if (isWhole && !OPTIONAL.has(kind) && (hasAdditional || !ADDITIONAL.has(kind))) {
        yield { kind, payload: EMPTY_LIST };
      }
    }
    this.#lists.clear();
    this.visualTime = null;
    this.platformTime = null;
  }
}

function fill(list: List): void {
  list.builder.patchU16le(0, list.count);
  list.full.push(list.builder.take());
  list.builder.zeros(2);
  list.count = 0;
}

/** Writes whole frames, with the empty packets that real files have (spec §3.2). */
export class FrameWriter {
  readonly lists: FrameLists;
  readonly #writer: Writer;
  readonly #hasAdditional: boolean;
  readonly #channels = new Map<PacketKind, ChannelInfo>();
  #frame = 0;

  /** `hasAdditional`: as CARLA records when asked for additional data. */
  constructor(writer: Writer, release: Release, hasAdditional: boolean) {
    this.#writer = writer;
    this.#hasAdditional = hasAdditional;
    this.lists = new FrameLists(release);
  }

  /** Number of the last frame, from 1 on; 0 before the first. */
  get frame(): number {
    return this.#frame;
  }

  /** Writes what `lists` holds as the frame of `time`. `elapsed`: its seconds, when they are known more finely. */
  write(time: Time, elapsed: number = time / 1e9): void {
    this.#frame++;
    const start = new ByteBuilder(32);
    writeFrameStart(start, { frame: this.#frame, durationThis: -1, elapsed });
    this.#packet("frame-start", time, start.take());
    for (const { kind, payload } of this.lists.take(true, this.#hasAdditional)) this.#packet(kind, time, payload);
    this.#packet("frame-end", time, NOTHING);
  }

  #packet(kind: PacketKind, time: Time, payload: Uint8Array): void {
    let channel = this.#channels.get(kind);
    if (channel === undefined) {
      channel = this.#writer.channel({ name: kind });
      this.#channels.set(kind, channel);
    }
    this.#writer.write(channel, time, payload);
  }
}
