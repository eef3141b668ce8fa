import { ByteBuilder } from "../../bytes/builder.ts";
import { type DeflateLevel, deflateRaw, gzip } from "../../codec/deflate.ts";
import { NormalBuffers, type NormalFrame } from "./buffers.ts";
import type { FrameLayout } from "./frame-table.ts";
import { writeCountedPackets, writePacketList } from "./frames.ts";
import { CONTAINER_FRAMES, writeContainerHeader } from "./layout.ts";
import type { Output } from "./output.ts";

/** Bytes of one data item while its frame is put together; used again for each frame. */
export class Slot {
  readonly name: string;
  bytes: Uint8Array = new Uint8Array(1024);
  length = 0;
  /** Messages in it. */
  count = 0;

  constructor(name: string) {
    this.name = name;
  }

  get content(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Puts `source[start, end)` behind what is there; a packet with its 16-bit length. */
  add(source: Uint8Array, start: number, end: number, isPacket: boolean): void {
    const length = end - start;
    const need = this.length + length + (isPacket ? 2 : 0);
    if (need > this.bytes.length) {
      const grown = new Uint8Array(Math.max(need, this.bytes.length * 2));
      grown.set(this.content);
      this.bytes = grown;
    }
    if (isPacket) {
      this.bytes[this.length++] = length & 0xff;
      this.bytes[this.length++] = length >>> 8;
    }
    this.bytes.set(source.subarray(start, end), this.length);
    this.length = need;
    this.count++;
  }

  clear(): void {
    this.length = 0;
    this.count = 0;
  }
}

/** Where the frames of a tape go. */
export interface TapeBody {
  /** A frame put together from its items; gives the bytes that it takes. */
  frame(native: number, slots: readonly Slot[], buffer: number): number;
  /** After the last frame. */
  end(): void;
}

/** Frames one after another, as they come. */
export class ContinuousBody implements TapeBody {
  readonly #output: Output;
  readonly #frames: FrameLayout;
  readonly #level: DeflateLevel;

  constructor(output: Output, frames: FrameLayout, level: DeflateLevel) {
    this.#output = output;
    this.#frames = frames;
    this.#level = level;
  }

  frame(native: number, slots: readonly Slot[]): number {
    const { builder } = this.#output;
    const before = builder.length;
    builder.f64le(native);
    switch (this.#frames) {
      case "plain":
        writeSlots(builder, slots);
        break;
      case "deflate": {
        const scratch = new ByteBuilder(4096);
        writeSlots(scratch, slots);
        const packed = deflateRaw(scratch.take(), this.#level);
        builder.u8(flagsOf(slots)).u32le(packed.length).raw(packed);
        break;
      }
      default: {
        // spec §4.2: u64 length + record, u64 count, each u64 length + packet
        const signals = slots[0]!;
        builder.i64le(signals.length).raw(signals.content);
        writeCountedPackets(builder, packetsIn(slots[1]!));
      }
    }
    const length = builder.length - before;
    this.#output.drain();
    return length;
  }

  /** A frame of a tape laid out the same, `bytes[start, end)`, under another time. */
  whole(native: number, bytes: Uint8Array, start: number, end: number): void {
    this.#output.builder.f64le(native).raw(bytes.subarray(start + 8, end));
    this.#output.drain();
  }

  end(): void {}
}

/** What a Normal tape is finished with. */
export interface NormalEnding {
  /** The header, for tapes of that duration; `hasPackets`: frames hold packets. */
  header(duration: number, hasPackets: boolean): Uint8Array;
  /** Whether frames hold packets when nobody sent any. */
  readonly hasPackets: boolean;
  readonly recordBytes: number;
  /** By which container sizes count frames. */
  readonly recordSize: number;
  readonly packets: "counted" | "listed" | null;
  /** Null: the tape is not gzipped. */
  readonly level: DeflateLevel | null;
  /** Native time from which the duration counts, when that is not the oldest frame. */
  readonly zero: number | null;
  /** Frames go back to the buffers they came from. */
  readonly keepsBuffers: boolean;
}

/**
 * Frames in memory until the end, because the newest come first in the file. Without buffers of their own they go
 * through FlightGear's (`NormalBuffers`).
 */
export class NormalBody implements TapeBody {
  readonly #output: Output;
  readonly #ending: NormalEnding;
  readonly #kept: NormalFrame[] = [];
  readonly #buffers = new NormalBuffers();
  #keepsBuffers: boolean | null;
  /** Packets that came before any signals. */
  #waiting: Uint8Array[] = [];
  #last: Uint8Array | null = null;
  #lastNative = 0;

  constructor(output: Output, ending: NormalEnding) {
    this.#output = output;
    this.#ending = ending;
    this.#keepsBuffers = ending.keepsBuffers ? true : null;
  }

  frame(native: number, slots: readonly Slot[], buffer: number): number {
    const signals = slots[0]!;
    const packets = slots[1] === undefined ? [] : packetsIn(slots[1]);
    this.#lastNative = native;
    if (signals.count > 0) this.#last = sized(signals.content, this.#ending.recordBytes);
    if (this.#last === null) this.#waiting.push(...packets);
    else this.#add({ native, record: this.#last, packets, buffer });
    return this.#length(packets);
  }

  /** Bytes of a frame with these packets. */
  #length(packets: readonly Uint8Array[]): number {
    const { recordBytes, hasPackets, packets: layout } = this.#ending;
    const bare = 8 + recordBytes;
    if (!hasPackets) return bare;
    const wide = layout === "counted" ? 8 : 2;
    return packets.reduce((sum, { length }) => sum + wide + length, bare + (layout === "counted" ? 8 : 4));
  }

  end(): void {
    const { recordBytes, recordSize, level } = this.#ending;
    if (this.#waiting.length > 0) {
      // Nobody recorded signals: a record of zeros holds the packets.
      this.#add({ native: this.#lastNative, record: new Uint8Array(recordBytes), packets: [], buffer: -1 });
    }
    const buffers = this.#settled();
    const [short, medium, long] = buffers;
    const oldest = long[0] ?? medium[0] ?? short[0];
    const newest = short.at(-1) ?? medium.at(-1) ?? long.at(-1);
    const begin = Math.min(this.#ending.zero ?? Number.POSITIVE_INFINITY, oldest?.native ?? 0);
    const duration = newest === undefined ? 0 : newest.native - begin;
    const isSent = buffers.some((frames) => frames.some(({ packets }) => packets.length > 0));
    const hasPackets = this.#ending.hasPackets || isSent;
    const out = new ByteBuilder(1 << 20);
    out.raw(this.#ending.header(duration, hasPackets));
    for (const frames of buffers) {
      writeContainerHeader(out, { type: CONTAINER_FRAMES, size: frames.length * recordSize });
      for (const { native, record, packets } of frames) {
        out.f64le(native).raw(record);
        if (!hasPackets) continue;
        if (this.#ending.packets === "counted") writeCountedPackets(out, packets);
        else writeListedPackets(out, packets);
      }
    }
    const bytes = out.take();
    this.#output.builder.raw(level === null ? bytes : gzip(bytes, level));
    this.#output.drain();
  }

  #add(frame: NormalFrame): void {
    frame.packets.unshift(...this.#waiting.splice(0));
    this.#keepsBuffers ??= frame.buffer >= 0;
    if (this.#keepsBuffers) this.#kept.push(frame);
    else this.#buffers.add(frame);
  }

  /** Short, medium and long term. */
  #settled(): readonly [NormalFrame[], NormalFrame[], NormalFrame[]] {
    const kept = this.#kept;
    const rule = this.#buffers;
    if (!kept.some(({ buffer }) => buffer >= 0)) {
      for (const frame of kept) rule.add(frame);
      return [rule.short, rule.medium, rule.long];
    }
    const result: [NormalFrame[], NormalFrame[], NormalFrame[]] = [[], [], []];
    // A frame that was in no buffer goes where the next one is: it is as old as that.
    let buffer = kept.findLast((frame) => frame.buffer >= 0)!.buffer;
    for (let i = kept.length - 1; i >= 0; i--) {
      const frame = kept[i]!;
      if (frame.buffer >= 0) buffer = frame.buffer;
      result[Math.min(2, buffer)]!.push(frame);
    }
    for (const frames of result) frames.reverse();
    return result;
  }
}

function writeSlots(builder: ByteBuilder, slots: readonly Slot[]): void {
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]!;
    builder.u32le(slot.length);
    if (slot.length > 0) builder.raw(slot.content);
  }
}

// spec §4.1: bit 0 signals are a data item, bit 1 this frame has packets, bit 2 this frame has extra properties
function flagsOf(slots: readonly Slot[]): number {
  let flags = 0;
  for (const { name, length } of slots) {
    if (name === "signals") flags |= 1;
    else if (name === "multiplayer" && length > 0) flags |= 2;
    else if (name === "extra-properties" && length > 0) flags |= 4;
  }
  return flags;
}

// spec §3.3: u32 bytes, then u16 length + packet
function writeListedPackets(builder: ByteBuilder, packets: readonly Uint8Array[]): void {
  const at = builder.length;
  builder.u32le(0);
  writePacketList(builder, packets);
  builder.patchU32le(at, builder.length - at - 4);
}

function packetsIn(slot: Slot): Uint8Array[] {
  return packetsOfList(slot.bytes, 0, slot.length);
}

function packetsOfList(bytes: Uint8Array, start: number, end: number): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = start; at < end; ) {
    const next = at + 2 + (bytes[at]! | (bytes[at + 1]! << 8));
    packets.push(bytes.slice(at + 2, next));
    at = next;
  }
  return packets;
}

/** A copy of a record, its filler cut or filled up to `length` bytes. */
function sized(record: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(record.subarray(0, length));
  return result;
}
