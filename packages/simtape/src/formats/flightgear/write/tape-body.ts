import { ByteBuilder } from "../../../bytes/builder.ts";
import { type DeflateLevel, deflateRaw } from "../../../codec/deflate.ts";
import type { Lost } from "../../../model/writer.ts";
import type { FrameLayout } from "../layout/frame-table.ts";
import { writeCountedPackets } from "../layout/frames.ts";
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
  /** What it could not hold, complete after `end()`. */
  readonly lost: readonly Lost[];
}

/** Frames one after another, as they come. */
export class ContinuousBody implements TapeBody {
  readonly lost: readonly Lost[] = [];
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

/** A Recovery tape: the last frame of all. */
export class LastFrameBody implements TapeBody {
  readonly #inner: ContinuousBody;
  #native = 0;
  #slots: readonly Slot[] | null = null;
  #frames = 0;

  constructor(inner: ContinuousBody) {
    this.#inner = inner;
  }

  get lost(): readonly Lost[] {
    if (this.#frames < 2) return [];
    return [{ path: "signals", count: this.#frames - 1, reason: "a Recovery tape is one frame, the last" }];
  }

  frame(native: number, slots: readonly Slot[]): number {
    this.#native = native;
    this.#slots = slots.map(copyOf);
    this.#frames++;
    return 0;
  }

  end(): void {
    if (this.#slots !== null) this.#inner.frame(this.#native, this.#slots);
  }
}

function copyOf(slot: Slot): Slot {
  const copy = new Slot(slot.name);
  copy.bytes = slot.content.slice();
  copy.length = slot.length;
  copy.count = slot.count;
  return copy;
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

/** Copies of the packets in a slot. */
export function packetsIn(slot: Slot): Uint8Array[] {
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
