import { ByteBuilder } from "../../bytes/builder.ts";
import { WriteBehind } from "../../io/behind.ts";
import type { ByteSink, SinkBundle } from "../../io/sink.ts";
import type { MessageBatch } from "../../model/batch.ts";
import type { Time } from "../../model/time.ts";
import type { ChannelInfo } from "../../model/value.ts";
import type { ChannelSpec, CreateOptions, Writer } from "../../model/writer.ts";
import { dialectOf } from "./dialect.ts";
import {
  EVENT_PARENT,
  FRAME_END,
  FRAME_START,
  FRAME_START_BYTES,
  type Header,
  MAGIC,
  PACKET_HEADER_BYTES,
  PACKET_KINDS,
  type PacketKind,
  writeFrameStart,
  writeHeader,
} from "./layout.ts";
import { isElapsed, isPlausible } from "./plausible.ts";
import { CarlaReader } from "./reader.ts";
import { type Release, releaseLike, releaseOf, RELEASES } from "./releases.ts";
import { OWN_CHANNEL, STATE_PACKET } from "./state-patch.ts";

/** Bytes handed to the sink at once. */
const PIECE = 1 << 20;
const NANOSECONDS = 1e9;
/** Place of the duration in a frame start's payload. */
const DURATION_AT = 8;
const ELAPSED_AT = 16;

/**
 * Writes a recorder file. Frames are opened and closed by the caller's frame-start and frame-end messages; where those
 * are missing they are put in: a message of a new time opens a frame, and an open frame is closed before the next.
 * A frame start that says -1 s to the next is given the true number once the next is known, as CARLA does, and so is
 * one behind which frames are missing; the last keeps its -1. Frames are numbered 1, 2, 3 … whatever they said: what
 * the number 1 means for their actors stays as it was (`#beginNumbered`, `#bindLater`).
 */
export class CarlaWriter implements Writer {
  readonly release: Release;
  readonly #behind: WriteBehind;
  readonly #channels: ChannelInfo[] = [];
  /** Packet id of each channel. */
  readonly #packets: number[] = [];
  #builder: ByteBuilder = new ByteBuilder(PIECE + (PIECE >> 3));
  /** File offset of the builder's first byte. */
  #base = 0;
  /** Time of the last frame. */
  #time: Time = Number.NaN;
  #isOpen = false;
  /** Number of the last frame, and what it was called where it comes from. */
  #frame = 0;
  #said = 0;
  #elapsed = 0;
  /** Event-parent packets that belong into a frame behind the open one; null: they may stay where they are. */
  #bound: Uint8Array[] | null = null;
  /** File offset of the duration of the last frame start, -1 when it is not to be patched. */
  #durationAt = -1;
  #lastDurationAt = -1;
  /** What the last frame start said. */
  #duration = -1;
  readonly #scratch = new Uint8Array(FRAME_START_BYTES);
  readonly #scratchView: DataView = new DataView(this.#scratch.buffer);
  #isDone = false;

  private constructor(sink: ByteSink, release: Release, head: Uint8Array) {
    this.#behind = new WriteBehind(sink);
    this.release = release;
    this.#builder.raw(head);
  }

  static async create(to: SinkBundle, options: CreateOptions): Promise<CarlaWriter> {
    const like = options.like?.base ?? options.like;
    const release =
      options.dialect !== undefined
        ? releaseOf(options.dialect)
        : like === undefined
          ? RELEASES.at(-1)!
          : releaseLike(dialectOf(like));
    const head = await headOf(release, like, options);
    return new CarlaWriter(await to.open(), release, head);
  }

  channel({ name }: ChannelSpec): ChannelInfo {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    const packet = packetOf(name, this.release);
    const made: ChannelInfo = { id: this.#channels.length, name, metadata: { packet: String(packet) } };
    this.#channels.push(made);
    this.#packets.push(packet);
    return made;
  }

  /** Throws `RangeError` for a payload that cannot be a packet of its channel, and a time that no frame can have. */
  write(channel: ChannelInfo, time: Time, payload: Uint8Array): void {
    const packet = this.#packetOf(channel);
    if (packet === FRAME_START) this.#writeStart(time, payload, 0, 0, true);
    else this.#writePacket(packet, time, payload, 0, payload.length);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    const { length, time, channel, start, end, bytes } = batch;
    const packets = channels.map((target) => (target === null || target === undefined ? -1 : this.#packetOf(target)));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Packets that follow each other in the batch's bytes as they will in the file are copied together.
    let from = -1;
    let to = -1;
    for (let i = 0; i < length; i++) {
      const packet = packets[channel[i]!] ?? -1;
      if (packet < 0) continue;
      const at = time[i]! + shift;
      const begin = start[i]!;
      const finish = end[i]!;
      const header = begin - PACKET_HEADER_BYTES;
      const isRun =
        packet !== FRAME_START &&
        this.#bound === null &&
        at === this.#time &&
        header >= 0 &&
        bytes[header] === packet &&
        view.getUint32(header + 1, true) === finish - begin;
      if (isRun) {
        if (packet === FRAME_END) this.#isOpen = false;
        if (to === header && to - from < PIECE) {
          to = finish;
          continue;
        }
        this.#copy(bytes, from, to);
        from = header;
        to = finish;
        continue;
      }
      this.#copy(bytes, from, to);
      from = -1;
      to = -1;
      if (packet === FRAME_START) this.#writeStart(at, bytes, begin, shift, finish - begin === FRAME_START_BYTES);
      else this.#writePacket(packet, at, bytes, begin, finish);
    }
    this.#copy(bytes, from, to);
  }

  get ready(): Promise<void> | null {
    return this.#behind.ready;
  }

  async flush(): Promise<void> {
    this.#handOver();
    await this.#behind.flush();
  }

  async close(): Promise<void> {
    if (!this.#isDone) {
      this.#closeFrame();
      this.#isDone = true;
      this.#handOver();
    }
    await this.#behind.close();
  }

  abort(): Promise<void> {
    this.#isDone = true;
    return this.#behind.abort();
  }

  /**
   * The next frame start sets the duration of the one before it, whatever that said: frames between them are missing.
   * Gives whether there is one.
   */
  bridge(): boolean {
    this.#durationAt = this.#lastDurationAt;
    return this.#durationAt >= 0;
  }

  #packetOf(channel: ChannelInfo): number {
    const packet = this.#packets[channel.id];
    if (packet === undefined || this.#channels[channel.id]!.name !== channel.name) {
      throw new RangeError(`channel ${JSON.stringify(channel.name)} is not of this writer`);
    }
    return packet;
  }

  /** A frame start whose payload stands at `bytes[begin]`; its time becomes `time`. */
  #writeStart(time: Time, bytes: Uint8Array, begin: number, shift: Time, isWhole: boolean): void {
    if (!isWhole || begin + FRAME_START_BYTES > bytes.length)
      throw new RangeError(`a frame start has ${FRAME_START_BYTES} bytes`);
    const scratch = this.#scratch;
    const view = this.#scratchView;
    for (let i = 0; i < FRAME_START_BYTES; i++) scratch[i] = bytes[begin + i]!;
    const said = view.getFloat64(ELAPSED_AT, true);
    // A time that the payload already says stays as it is to the last bit.
    if (Math.round(said * NANOSECONDS) !== time || !isElapsed(said)) {
      const shifted = said + shift / NANOSECONDS;
      const isExact = Math.round(shifted * NANOSECONDS) === time && isElapsed(shifted);
      const elapsed = isExact ? shifted : secondsOf(time);
      view.setFloat64(ELAPSED_AT, elapsed, true);
    }
    const number = view.getUint32(0, true) + view.getUint32(4, true) * 0x1_0000_0000;
    const elapsed = view.getFloat64(ELAPSED_AT, true);
    const isFirst = this.#frame === 0;
    if (!isFirst && number !== this.#said + 1) this.bridge();
    this.#beginFrame(time, elapsed);
    if (isFirst && number > 1) this.#emptyFrame(elapsed);
    this.#frame++;
    this.#said = number;
    if (!isFirst && number <= 1) this.#bound = [];
    view.setUint32(0, this.#frame % 0x1_0000_0000, true);
    view.setUint32(4, Math.floor(this.#frame / 0x1_0000_0000), true);
    this.#lastDurationAt = this.#base + this.#builder.length + PACKET_HEADER_BYTES + DURATION_AT;
    this.#duration = view.getFloat64(DURATION_AT, true);
    this.#durationAt = this.#duration === -1 ? this.#lastDurationAt : -1;
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES).raw(scratch);
  }

  #writePacket(packet: number, time: Time, bytes: Uint8Array, begin: number, end: number): void {
    const size = end - begin;
    if (packet <= 24) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (!isPlausible(packet, view, begin, size)) {
        throw new RangeError(`no payload of packet ${packet} has these ${size} bytes`);
      }
    }
    if (time !== this.#time) this.#openFrame(time);
    const whole = size === bytes.length ? bytes : bytes.subarray(begin, end);
    if (packet === EVENT_PARENT && size > 2 && this.#bound !== null) {
      this.#bound.push(whole.slice());
      return;
    }
    if (packet === FRAME_END) this.#isOpen = false;
    this.#builder.u8(packet).u32le(size).raw(whole);
    if (packet === FRAME_END) this.#bindLater();
    this.#full();
  }

  /**
   * In front of a first frame with a higher number: what is bound in the frame in which it is added is relative to its
   * parent in all frames but number 1 (spec §4.2).
   */
  #emptyFrame(elapsed: number): void {
    this.#frame++;
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES);
    writeFrameStart(this.#builder, { frame: this.#frame, durationThis: 0, elapsed });
    this.#builder.u8(FRAME_END).u32le(0);
  }

  /**
   * A frame that was number 1 and is not any more: what it adds is in the world, and must not be bound before the next.
   * That one takes over how long this lasts.
   */
  #bindLater(): void {
    const bound = this.#bound;
    this.#bound = null;
    if (bound === null || bound.length === 0) return;
    this.#frame++;
    this.#setDuration(this.#lastDurationAt, 0);
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES);
    this.#lastDurationAt = this.#base + this.#builder.length + DURATION_AT;
    if (this.#durationAt >= 0) this.#durationAt = this.#lastDurationAt;
    const durationThis = this.#duration;
    writeFrameStart(this.#builder, { frame: this.#frame, durationThis, elapsed: this.#elapsed });
    for (const payload of bound) this.#builder.u8(EVENT_PARENT).u32le(payload.length).raw(payload);
    this.#builder.u8(FRAME_END).u32le(0);
  }

  /** A frame that no frame start was given for. */
  #openFrame(time: Time): void {
    // The one before it does not last as long as it said.
    this.bridge();
    this.#beginFrame(time, secondsOf(time));
    this.#frame++;
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES);
    this.#lastDurationAt = this.#base + this.#builder.length + DURATION_AT;
    this.#durationAt = this.#lastDurationAt;
    writeFrameStart(this.#builder, { frame: this.#frame, durationThis: -1, elapsed: this.#elapsed });
  }

  /** Closes the frame before, says how long it was, and hands over what is complete. */
  #beginFrame(time: Time, elapsed: number): void {
    if (!isElapsed(elapsed)) throw new RangeError(`CARLA counts time from 0, ${time} ns cannot be written`);
    this.#refuse();
    this.#closeFrame();
    if (this.#durationAt >= 0) this.#setDuration(this.#durationAt, Math.max(0, elapsed - this.#elapsed));
    // Between frames, so that the duration of the last one is still at hand when it is known.
    if (this.#builder.length >= PIECE) this.#handOver();
    this.#time = time;
    this.#elapsed = elapsed;
    this.#isOpen = true;
  }

  #setDuration(offset: number, seconds: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, seconds, true);
    const at = offset - this.#base;
    if (at >= 0) this.#builder.patch(at, bytes);
    else this.#behind.writeAt(offset, bytes);
  }

  #closeFrame(): void {
    if (!this.#isOpen) return;
    this.#builder.u8(FRAME_END).u32le(0);
    this.#isOpen = false;
    this.#bindLater();
  }

  #copy(bytes: Uint8Array, from: number, to: number): void {
    if (from < 0) return;
    this.#refuse();
    this.#builder.raw(bytes.subarray(from, to));
    this.#full();
  }

  /** Does not let a long frame gather in memory. */
  #full(): void {
    if (this.#builder.length >= 8 * PIECE) this.#handOver();
  }

  #handOver(): void {
    const { length } = this.#builder;
    if (length === 0) return;
    this.#behind.write(this.#builder.take());
    this.#base += length;
    this.#builder = new ByteBuilder(PIECE + (PIECE >> 3));
  }

  #refuse(): void {
    if (this.#isDone) throw new RangeError("the writer is closed");
  }
}

/** Never -0, of which CARLA's own files have none. */
function secondsOf(time: Time): number {
  return time / NANOSECONDS + 0;
}

/** Packet id of a channel by its name. Throws `RangeError` where the release has no such packet. */
function packetOf(name: string, { dialect, until, name: release }: Release): number {
  if (name === OWN_CHANNEL) return STATE_PACKET;
  const number = /^packet-(\d{1,3})$/.exec(name);
  if (number !== null) {
    const packet = Number(number[1]);
    if (packet > 255 || packet < PACKET_KINDS.length) {
      throw new RangeError(`${name} is no private packet: those have ids from ${PACKET_KINDS.length} to 255`);
    }
    return packet;
  }
  const place = PACKET_KINDS.indexOf(name as PacketKind);
  const packet = place >= 0 ? place : dialect.late.indexOf(name as PacketKind) + 21;
  if (place > until || (place < 0 && packet < 21)) {
    throw new RangeError(`CARLA ${release} has no packet ${JSON.stringify(name)}; private ones are called packet-N`);
  }
  return packet;
}

/** The header: that of `like` byte for byte, where nothing else is asked for. */
async function headOf(
  release: Release,
  like: CreateOptions["like"],
  { epoch, metadata, dialect }: CreateOptions,
): Promise<Uint8Array> {
  const isCarla = like?.info.format === "carla";
  const known = isCarla ? like.info.metadata : {};
  const told = { ...known, ...metadata };
  const likeEpoch = isCarla ? (await like.timeline()).epoch : null;
  const asked = epoch === undefined ? likeEpoch : epoch;
  const version = dialect === undefined && typeof told["headerVersion"] === "number" ? told["headerVersion"] : null;
  const header: Header = {
    version: version ?? release.dialect.version,
    magic: MAGIC,
    date: asked === null ? 0n : floorDivide(asked, 1_000_000_000n),
    map: typeof told["map"] === "string" ? told["map"] : "",
  };
  if (like instanceof CarlaReader && like.isHeadSound) {
    const { version: sameVersion, date, map } = like.header;
    if (header.version === sameVersion && header.date === date && header.map === map) return like.head;
  }
  const builder = new ByteBuilder();
  writeHeader(builder, header);
  return builder.take();
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}
