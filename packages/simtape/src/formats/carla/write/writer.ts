import { ByteBuilder } from "../../../bytes/builder.ts";
import { WriteBehind } from "../../../io/sink/behind.ts";
import type { ByteSink, SinkBundle } from "../../../io/sink/sink.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import type { ChannelSpec, CreateOptions, Lost, Writer } from "../../../model/writer.ts";
import { dialectOf } from "../meaning/dialect.ts";
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
} from "../layout/layout.ts";
import { isElapsed, isPlausible } from "../read/plausible.ts";
import { CarlaReader } from "../read/reader.ts";
import { type Release, releaseLike, releaseOf, RELEASES } from "./releases.ts";
import { LONGEST_DURATION } from "../layout/times.ts";
import { OWN_CHANNEL, STATE_PACKET } from "../meaning/state-patch.ts";
import { Translation } from "./translate.ts";

/** Bytes handed to the sink at once. */
const PIECE = 1 << 20;
const NANOSECONDS = 1e9;
/** Place of the duration in a frame start's payload. */
const DURATION_AT = 8;
const ELAPSED_AT = 16;
/** Seconds that a frame lasts which says nothing of it. */
const LEAST_STEP = 1e-6;

/**
 * Writes a recorder file. Frames are opened and closed by the caller's frame-start and frame-end messages; where those
 * are missing they are put in: a message of a new time opens a frame, and an open frame is closed before the next.
 * A frame start that says -1 s to the next is given the true number once the next is known, as CARLA does, and so is
 * one behind which frames are missing; the last keeps its -1. A frame start of the time of the open frame goes on with
 * that. Frames are numbered 1, 2, 3 … whatever they said: what the number 1 means for their actors stays as it was
 * (`#emptyFrame`, `#bindLater`).
 */
export class CarlaWriter implements Writer {
  readonly release: Release;
  /** From the layout of the recording that is rewritten in another's; null: payloads are as they go. */
  readonly #translation: Translation | null;
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
  /** The open frame is number 1, and was not where it comes from. */
  #isMadeFirst = false;
  /** Those that belong into the next frame. */
  #later: readonly Uint8Array[] = [];
  /** File offset of the duration of the last frame start, -1 when it is not to be patched. */
  #durationAt = -1;
  #lastDurationAt = -1;
  /** What the last frame start said. */
  #duration = -1;
  readonly #scratch = new Uint8Array(FRAME_START_BYTES);
  readonly #scratchView: DataView = new DataView(this.#scratch.buffer);
  #isDone = false;

  private constructor(sink: ByteSink, release: Release, from: Release | null, head: Uint8Array) {
    this.#translation = from === null ? null : new Translation(from, release);
    this.#behind = new WriteBehind(sink);
    this.release = release;
    this.#builder.raw(head);
  }

  /** With `dialect` and `like`, payloads are those of `like`, and are translated. */
  static async create(to: SinkBundle, options: CreateOptions): Promise<CarlaWriter> {
    const like = options.like?.base ?? options.like;
    const release =
      options.dialect !== undefined
        ? releaseOf(options.dialect)
        : like === undefined
          ? RELEASES.at(-1)!
          : releaseLike(dialectOf(like));
    const isOther = options.dialect !== undefined && like?.info.format === "carla";
    const from = isOther ? releaseLike(dialectOf(like)) : null;
    const head = await headOf(release, like, options);
    return new CarlaWriter(await to.open(), release, from, head);
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
    else if (this.#translation?.differs(channel.name) === true) this.#translate(channel.name, time, payload);
    else this.#writePacket(packet, time, payload, 0, payload.length);
  }

  get lost(): readonly Lost[] {
    return this.#translation?.lost ?? [];
  }

  get rounding(): number {
    return this.#translation?.rounding ?? 0;
  }

  #translate(kind: string, time: Time, payload: Uint8Array): void {
    const translated = this.#translation!.packet(kind, payload);
    if (translated === null) return;
    const packet = packetOf(translated.kind, this.release);
    this.#writePacket(packet, time, translated.payload, 0, translated.payload.length);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    const { length, time, channel, start, end, bytes } = batch;
    const packets = channels.map((target) => (target === null || target === undefined ? -1 : this.#packetOf(target)));
    const other = channels.map((target) =>
      target != null && this.#translation?.differs(target.name) === true ? target.name : null,
    );
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
      const kind = other[channel[i]!];
      if (kind != null) {
        this.#copy(bytes, from, to);
        from = -1;
        to = -1;
        this.#translate(kind, at, bytes.subarray(begin, finish));
        continue;
      }
      const header = begin - PACKET_HEADER_BYTES;
      const isRun =
        packet !== FRAME_START &&
        this.#bound === null &&
        !(this.#isMadeFirst && packet === EVENT_PARENT) &&
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
      this.#bindLast();
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
    const number = view.getUint32(0, true) + view.getUint32(4, true) * 0x1_0000_0000;
    let duration = view.getFloat64(DURATION_AT, true);
    if (this.#isOpen && time === this.#time) {
      this.#goOn(number, duration);
      return;
    }
    const isNext = number === this.#said + 1;
    // A time that the payload already says stays as it is to the last bit.
    if (Math.round(said * NANOSECONDS) !== time || !isElapsed(said)) {
      // CARLA adds up durations: the time of a frame is that of the one before it and its duration, to the last bit
      const likely = isNext ? [this.#elapsed + this.#duration] : [];
      const exact = [...likely, said + shift / NANOSECONDS].find(
        (elapsed) => Math.round(elapsed * NANOSECONDS) === time && isElapsed(elapsed),
      );
      view.setFloat64(ELAPSED_AT, exact ?? secondsOf(time), true);
    }
    const isFirst = this.#frame === 0;
    // behind what a cut begins with; times rise
    if (!isFirst && !isNext && time === this.#time) {
      view.setFloat64(ELAPSED_AT, this.#elapsed + 1 / NANOSECONDS, true);
      if (duration > 0) duration = Math.max(0, duration - 1 / NANOSECONDS);
      view.setFloat64(DURATION_AT, duration, true);
    }
    const elapsed = view.getFloat64(ELAPSED_AT, true);
    if (!isFirst && !isNext) this.bridge();
    this.#beginFrame(time, elapsed);
    this.#isMadeFirst = isFirst && number > 1;
    this.#frame++;
    this.#said = number;
    if (!isFirst && number <= 1) this.#bound = [];
    view.setUint32(0, this.#frame % 0x1_0000_0000, true);
    view.setUint32(4, Math.floor(this.#frame / 0x1_0000_0000), true);
    this.#lastDurationAt = this.#base + this.#builder.length + PACKET_HEADER_BYTES + DURATION_AT;
    this.#duration = duration;
    this.#durationAt = duration === -1 ? this.#lastDurationAt : -1;
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES).raw(scratch);
    this.#writeLater();
  }

  /** The open frame is the one that has this number where it comes from, and lasts this long. */
  #goOn(number: number, duration: number): void {
    this.#said = number;
    this.#duration = duration;
    this.#durationAt = duration === -1 ? this.#lastDurationAt : -1;
    if (duration !== -1) this.#setDuration(this.#lastDurationAt, duration);
    this.#isMadeFirst = false;
    if (this.#frame > 1 && number <= 1) this.#bound ??= [];
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
    if (packet === EVENT_PARENT && size > 2) {
      if (this.#bound !== null) {
        this.#bound.push(whole.slice());
        return;
      }
      if (this.#isMadeFirst) this.#emptyFrame();
    }
    if (packet === FRAME_END) this.#isOpen = false;
    this.#builder.u8(packet).u32le(size).raw(whole);
    if (packet === FRAME_END) this.#bindLater();
    this.#full();
  }

  /**
   * Puts a frame 1 without content in front of the open one, a nanosecond before it where there is time: what is bound in
   * the frame in which it is added is relative to its parent in all frames but number 1 (spec §4.2).
   */
  #emptyFrame(): void {
    this.#isMadeFirst = false;
    const at = this.#lastDurationAt - DURATION_AT - PACKET_HEADER_BYTES;
    // what binds stands near the beginning of a frame: the frame start was not handed over yet
    if (this.#base > 0) return;
    const bytes = this.#builder.take();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const before = Math.max(0, this.#elapsed - 1 / NANOSECONDS);
    this.#builder = new ByteBuilder(PIECE + (PIECE >> 3)).raw(bytes.subarray(0, at));
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES);
    writeFrameStart(this.#builder, { frame: 1, durationThis: this.#elapsed - before, elapsed: before });
    this.#builder.u8(FRAME_END).u32le(0);
    const moved = this.#builder.length - at;
    this.#frame = 2;
    view.setUint32(at + PACKET_HEADER_BYTES, this.#frame, true);
    this.#builder.raw(bytes.subarray(at));
    this.#lastDurationAt += moved;
    if (this.#durationAt >= 0) this.#durationAt += moved;
  }

  /**
   * A frame that was number 1 and is not any more: what it adds is in the world, and must not be bound before the next.
   */
  #bindLater(): void {
    this.#later = [...this.#later, ...(this.#bound ?? [])];
    this.#bound = null;
  }

  #writeLater(): void {
    for (const payload of this.#later) this.#builder.u8(EVENT_PARENT).u32le(payload.length).raw(payload);
    this.#later = [];
  }

  /** What is left to be bound behind the last frame. */
  #bindLast(): void {
    if (this.#later.length === 0) return;
    const lasts = this.#duration > 0 ? this.#duration : LEAST_STEP;
    this.#openFrame(Math.round((this.#elapsed + lasts) * NANOSECONDS));
    this.#closeFrame();
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
    this.#writeLater();
  }

  /** Closes the frame before, says how long it was, and hands over what is complete. */
  #beginFrame(time: Time, elapsed: number): void {
    if (!isElapsed(elapsed)) throw new RangeError(`CARLA counts time from 0, ${time} ns cannot be written`);
    this.#refuse();
    this.#closeFrame();
    while (this.#durationAt >= 0 && elapsed - this.#elapsed >= LONGEST_DURATION) this.#waitingFrame();
    if (this.#durationAt >= 0) this.#setDuration(this.#durationAt, Math.max(0, elapsed - this.#elapsed));
    // Between frames, so that the duration of the last one is still at hand when it is known.
    if (this.#builder.length >= PIECE) this.#handOver();
    this.#time = time;
    this.#elapsed = elapsed;
    this.#isOpen = true;
  }

  /** An empty frame: none lasts as long as it is to the next one. */
  #waitingFrame(): void {
    const seconds = LONGEST_DURATION / 2;
    this.#setDuration(this.#durationAt, seconds);
    this.#elapsed += seconds;
    this.#frame++;
    this.#builder.u8(FRAME_START).u32le(FRAME_START_BYTES);
    this.#lastDurationAt = this.#base + this.#builder.length + DURATION_AT;
    this.#durationAt = this.#lastDurationAt;
    writeFrameStart(this.#builder, { frame: this.#frame, durationThis: -1, elapsed: this.#elapsed });
    this.#builder.u8(FRAME_END).u32le(0);
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

/** Packets whose ids depend on the release. */
const LATE_KINDS: ReadonlySet<string> = new Set(["vehicle-wheels", "biker", "vehicle-door", "weather"]);

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
    const hint = place >= 0 || LATE_KINDS.has(name) ? "" : "; private ones are called packet-N";
    throw new RangeError(`CARLA ${release} has no packet ${JSON.stringify(name)}${hint}`);
  }
  return packet;
}

/** The header: that of `like` byte for byte, where nothing else is asked for. */
async function headOf(
  release: Release,
  like: CreateOptions["like"],
  { epoch, metadata, source, dialect }: CreateOptions,
): Promise<Uint8Array> {
  const isCarla = like?.info.format === "carla";
  const known = isCarla ? like.info.metadata : {};
  const stated: Readonly<Record<string, Value>> = { map: mapIn(source), ...known, ...metadata };
  const likeEpoch = isCarla ? (await like.timeline()).epoch : null;
  const asked = epoch === undefined ? likeEpoch : epoch;
  const version = dialect === undefined && typeof stated["headerVersion"] === "number" ? stated["headerVersion"] : null;
  const header: Header = {
    version: version ?? release.dialect.version,
    magic: MAGIC,
    date: asked === null ? 0n : floorDivide(asked, 1_000_000_000n),
    map: typeof stated["map"] === "string" ? stated["map"] : "",
  };
  if (like instanceof CarlaReader && like.isHeadSound) {
    const { version: sameVersion, date, map } = like.header;
    if (header.version === sameVersion && header.date === date && header.map === map) return like.head;
  }
  const builder = new ByteBuilder();
  writeHeader(builder, header);
  return builder.take();
}

const LONGEST_MAP = 1024;

/** The map that a recording of another format names, as senders of CARLA state it: `carla`, and in it `map`. */
function mapIn(source: Value | undefined): string {
  const { carla, metadata } = membersOf(source);
  const { map } = membersOf(carla);
  if (typeof map === "string" && map.length <= LONGEST_MAP) return map;
  return metadata === undefined ? "" : mapIn(metadata);
}

function membersOf(value: Value | undefined): Readonly<Record<string, Value>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  return isObject ? (value as Readonly<Record<string, Value>>) : {};
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}
