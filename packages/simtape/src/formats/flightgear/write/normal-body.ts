import { ByteBuilder } from "../../../bytes/builder.ts";
import { isSameBytes } from "../../../bytes/same-bytes.ts";
import { type DeflateLevel, gzip } from "../../../codec/deflate.ts";
import type { Lost } from "../../../model/writer.ts";
import { writeCountedPackets, writePacketList } from "../layout/frames.ts";
import { CONTAINER_FRAMES, writeContainerHeader } from "../layout/layout.ts";
import type { Output } from "./output.ts";
import { FILLER_BYTES } from "../layout/signals.ts";
import { packetsIn, type Slot, type TapeBody } from "./tape-body.ts";

/** What a Normal tape is finished with. */
export interface NormalEnding {
  /** The header, for tapes of that duration; `hasPackets`, `hasSignals`: frames hold packets, or signals. */
  header(duration: number, hasPackets: boolean, hasSignals: boolean): Uint8Array;
  /** Whether frames hold packets when no pilot sent any. */
  readonly hasPackets: boolean;
  readonly recordBytes: number;
  /** By which container sizes count frames. */
  readonly recordSize: number;
  readonly packets: "counted" | "listed" | null;
  /** Null: the tape is not gzipped. */
  readonly level: DeflateLevel | null;
  /** Native time from which the duration counts, when that is not the oldest frame. */
  readonly zero: number | null;
  /** Frames come in another order than that of time, and go back to the buffers they came from: the tape is repaired. */
  readonly isRepairing: boolean;
}

/** One frame of a Normal tape in memory. */
interface NormalFrame {
  /** Native time, seconds. */
  readonly native: number;
  /** As many bytes as the tape's record has; null while no signals came. */
  readonly record: Uint8Array | null;
  readonly packets: Uint8Array[];
  /** Buffer that it was read from: 0 short, 1 medium, 2 long term; -1 when it was in none. */
  readonly buffer: number;
}

/** Short, medium and long term. */
type Buffers = readonly [NormalFrame[], NormalFrame[], NormalFrame[]];

/**
 * Frames in memory until the end, because the newest come first in the file. FlightGear plays what it finds in the
 * short-term buffer frame by frame, however long that is (proven with 20,000 frames), so frames that were in no buffer
 * go there, and none is dropped.
 */
export class NormalBody implements TapeBody {
  readonly #output: Output;
  readonly #ending: NormalEnding;
  readonly #frames: NormalFrame[] = [];
  #last: Uint8Array | null = null;
  #early = 0;

  constructor(output: Output, ending: NormalEnding) {
    this.#output = output;
    this.#ending = ending;
  }

  get lost(): readonly Lost[] {
    if (this.#early === 0) return [];
    const reason =
      "every Normal frame has signals: messages before the first signals get the time of the first signals";
    return [{ path: "multiplayer", count: this.#early, reason }];
  }

  frame(native: number, slots: readonly Slot[], buffer: number): number {
    const signals = slots[0]!;
    const packets = slots[1] === undefined ? [] : packetsIn(slots[1]);
    // An item without bytes says nothing of signals.
    if (signals.length > 0) this.#last = sized(signals.content, this.#ending.recordBytes);
    this.#frames.push({ native, record: this.#last, packets, buffer });
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
    const { level, zero, isRepairing, packets: layout } = this.#ending;
    const hasSignals = this.#last !== null;
    const recordBytes = hasSignals ? this.#ending.recordBytes : FILLER_BYTES;
    const recordSize = hasSignals ? this.#ending.recordSize : FILLER_BYTES;
    const frames = hasSignals ? this.#withSignals() : this.#frames;
    const buffers = isRepairing ? filled(inBuffers(frames, (frame) => frame.buffer)) : filled(ordered(frames));
    const [short, medium, long] = buffers;
    const oldest = long[0] ?? medium[0] ?? short[0];
    const newest = short.at(-1) ?? medium.at(-1) ?? long.at(-1);
    const begin = Math.min(zero ?? Number.POSITIVE_INFINITY, oldest?.native ?? 0);
    const duration = newest === undefined ? 0 : newest.native - begin;
    const hasPackets = this.#ending.hasPackets || frames.some(({ packets }) => packets.length > 0);
    const blank = new Uint8Array(recordBytes);
    const out = new ByteBuilder(1 << 20);
    out.raw(this.#ending.header(duration, hasPackets, hasSignals || frames.length === 0));
    for (const buffer of buffers) {
      writeContainerHeader(out, { type: CONTAINER_FRAMES, size: buffer.length * recordSize });
      for (const { native, record, packets } of buffer) {
        out.f64le(native).raw(record ?? blank);
        if (!hasPackets) continue;
        if (layout === "counted") writeCountedPackets(out, packets);
        else writeListedPackets(out, packets);
      }
    }
    const bytes = out.take();
    this.#output.builder.raw(level === null ? bytes : gzip(bytes, level));
    this.#output.drain();
  }

  /** Packets that came before any signals go into the first frame that has them. */
  #withSignals(): NormalFrame[] {
    const first = this.#frames.findIndex(({ record }) => record !== null);
    if (first <= 0) return this.#frames;
    const early = this.#frames.slice(0, first).flatMap(({ packets }) => packets);
    this.#early = early.length;
    this.#frames[first]!.packets.unshift(...early);
    return this.#frames.slice(first);
  }
}

/**
 * Frames in the buffers that they were in, as far as that leaves the newer buffer with the newer frames: behind another
 * recording the short-term frames of the first are older than the long-term ones of the second.
 */
function ordered(frames: readonly NormalFrame[]): Buffers {
  const places = new Map<NormalFrame, number>();
  const newestFirst = frames.toSorted((a, b) => b.native - a.native);
  // Of all frames that are newer than the ones looked at.
  let least = 0;
  for (let from = 0; from < newestFirst.length; ) {
    let to = from;
    let most = least;
    while (to < newestFirst.length && newestFirst[to]!.native === newestFirst[from]!.native) {
      const place = Math.min(2, Math.max(least, newestFirst[to]!.buffer));
      places.set(newestFirst[to]!, place);
      most = Math.max(most, place);
      to++;
    }
    least = most;
    from = to;
  }
  const buffers = inBuffers(frames, (frame) => places.get(frame)!);
  return [once(buffers[0]), once(buffers[1]), once(buffers[2])];
}

/** A frame that was in two buffers, and would now be twice in one, once. */
function once(frames: NormalFrame[]): NormalFrame[] {
  return frames.filter((frame, i) => {
    const before = frames[i - 1];
    const isTwice = before !== undefined && before.native === frame.native && before.buffer !== frame.buffer;
    return !(isTwice && isSameRecord(before.record, frame.record) && before.packets.length === frame.packets.length);
  });
}

function isSameRecord(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && isSameBytes(a, b);
}

function inBuffers(frames: readonly NormalFrame[], bufferOf: (frame: NormalFrame) => number): Buffers {
  const buffers: Buffers = [[], [], []];
  for (const frame of frames) buffers[Math.min(2, Math.max(0, bufferOf(frame)))]!.push(frame);
  return buffers;
}

/** FlightGear plays nothing of a tape without short-term frames (spec §8): then each buffer takes the place of a newer one. */
function filled([short, medium, long]: Buffers): Buffers {
  if (short.length > 0) return [short, medium, long];
  return medium.length > 0 ? [medium, long, short] : [long, short, medium];
}

// spec §3.3: u32 bytes, then u16 length + packet
function writeListedPackets(builder: ByteBuilder, packets: readonly Uint8Array[]): void {
  const at = builder.length;
  builder.u32le(0);
  writePacketList(builder, packets);
  builder.patchU32le(at, builder.length - at - 4);
}

/** A copy of a record, its filler cut or filled up to `length` bytes. */
function sized(record: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(record.subarray(0, length));
  return result;
}
