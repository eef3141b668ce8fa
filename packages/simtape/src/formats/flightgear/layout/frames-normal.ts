import type { Walk } from "../../../model/flat.ts";
import type { Time } from "../../../model/values/time.ts";
import {
  BAD_PACKETS,
  emitPackets,
  type FrameFault,
  type FrameShape,
  fillsPackets,
  isZero,
  MAX_FILLER,
  MAX_ITEM,
  shortSignals,
  WRONG,
} from "./frames.ts";
import { isPacket } from "./packet.ts";
import type { SignalList } from "./signals.ts";

/** The most packets of one frame. */
const MAX_PACKETS = 65536;
const MAX_PACKET = 65535;
/** The longest that FlightGear sends (spec §5.2). */
const LONGEST_PACKET = 1200;

/** Frames of a Normal tape without multiplayer: time and signals (spec §3.3). */
export class FixedFrames implements FrameShape {
  readonly name = "fixed";
  readonly isFixed = true;
  readonly shortest: number;
  readonly #signals: SignalList;
  readonly #channel: number;

  /** `bytes` of one frame, its time included. */
  constructor(bytes: number, signals: SignalList, channel: number) {
    this.shortest = bytes;
    this.#signals = signals;
    this.#channel = channel;
  }

  measure(walk: Walk, position: number): number {
    const fits = walk.fits(position, this.shortest);
    return fits === 1 ? position + this.shortest : fits;
  }

  mayBegin(): boolean {
    return true;
  }

  /** The filler behind the signals; the first generation has none. */
  hasEvidence(walk: Walk, position: number, end: number): boolean {
    const filler = position + 8 + this.#signals.bytes;
    return filler >= end || isZero(walk.bytes, filler, end);
  }

  isUsual(): boolean {
    return true;
  }

  fault(): FrameFault | null {
    return shortSignals(this.#signals, this.shortest - 8);
  }

  emit(walk: Walk, position: number, end: number, time: Time): void {
    if (end > position + 8) walk.message(time, this.#channel, position + 8, end);
  }
}

/**
 * Frames with multiplayer packets behind the signals: of Normal tapes, and of the first Continuous layout, where a
 * 64-bit length stands before the signals. Packets are `counted` (u64 count, each u64 length + packet) or `listed`
 * (u32 bytes, each u16 length + packet) (spec §3.3, §4.2).
 */
export class PacketFrames implements FrameShape {
  readonly name: string;
  readonly isFixed = false;
  readonly shortest: number;
  readonly #packets: "counted" | "listed";
  /** Null: their length stands before the signals. */
  readonly #recordBytes: number | null;
  readonly #signals: SignalList;
  readonly #channels: readonly [signals: number, multiplayer: number];

  constructor(
    packets: "counted" | "listed",
    recordBytes: number | null,
    signals: SignalList,
    channels: readonly [signals: number, multiplayer: number],
  ) {
    this.name = `packets-${packets}`;
    this.#packets = packets;
    this.#recordBytes = recordBytes;
    this.#signals = signals;
    this.#channels = channels;
    this.shortest = 8 + (recordBytes ?? 8) + (packets === "counted" ? 8 : 4);
  }

  measure(walk: Walk, position: number): number {
    const { view } = walk;
    const start = this.#signalsAt(walk, position);
    if (start <= 0) return start;
    let at = start + (this.#recordBytes ?? view.getUint32(start - 8, true));
    if (this.#packets === "listed") {
      const fits = walk.fits(position, at + 4 - position);
      if (fits !== 1) return fits;
      const length = view.getUint32(at, true);
      if (length > MAX_ITEM) return WRONG;
      at += 4 + length;
      const whole = walk.fits(position, at - position);
      return whole === 1 ? at : whole;
    }
    const fits = walk.fits(position, at + 8 - position);
    if (fits !== 1) return fits;
    const count = view.getUint32(at, true);
    if (view.getUint32(at + 4, true) !== 0 || count > MAX_PACKETS) return WRONG;
    at += 8;
    for (let n = 0; n < count; n++) {
      const next = walk.fits(position, at + 8 - position);
      if (next !== 1) return next;
      const length = view.getUint32(at, true);
      if (view.getUint32(at + 4, true) !== 0 || length > MAX_PACKET || at - position > MAX_ITEM) return WRONG;
      at += 8 + length;
    }
    const whole = walk.fits(position, at - position);
    return whole === 1 ? at : whole;
  }

  mayBegin(walk: Walk, position: number): boolean {
    if (this.#recordBytes !== null) return position + 8 <= walk.end;
    if (position + 16 > walk.end) return false;
    return walk.view.getUint32(position + 8, true) === this.#signals.recordSize;
  }

  hasEvidence(walk: Walk, position: number): boolean {
    const start = this.#signalsAt(walk, position);
    const end = start + (this.#recordBytes ?? walk.view.getUint32(start - 8, true));
    return isZero(walk.bytes, start + this.#signals.bytes, end);
  }

  isUsual(walk: Walk, position: number, end: number): boolean {
    const { view, bytes } = walk;
    const start = this.#signalsAt(walk, position);
    const length = this.#recordBytes ?? view.getUint32(start - 8, true);
    const isOwn = length === 0 || length === this.#signals.recordSize || length === this.#signals.bytes;
    if (this.#packets === "listed") return isOwn;
    // A packet says its own length, too.
    for (let at = start + length + 8; at < end; ) {
      const next = at + 8 + view.getUint32(at, true);
      if (isPacket(bytes, at + 8, next) && view.getUint32(at + 20, true) !== next - at - 8) return false;
      if (next - at - 8 > LONGEST_PACKET) return false;
      at = next;
    }
    return isOwn;
  }

  fault(walk: Walk, position: number, end: number): FrameFault | null {
    const { view } = walk;
    const start = this.#signalsAt(walk, position);
    const length = this.#recordBytes ?? view.getUint32(start - 8, true);
    const short = shortSignals(this.#signals, length);
    if (short !== null || this.#packets === "counted") return short;
    return fillsPackets(view, start + length + 4, end) ? null : BAD_PACKETS;
  }

  emit(walk: Walk, position: number, end: number, time: Time): void {
    const { view } = walk;
    const [signals, multiplayer] = this.#channels;
    const start = this.#signalsAt(walk, position);
    let at = start + (this.#recordBytes ?? view.getUint32(start - 8, true));
    if (at > start) walk.message(time, signals, start, at);
    if (this.#packets === "listed") {
      emitPackets(view, at + 4, end, (from, to) => walk.message(time, multiplayer, from, to));
      return;
    }
    for (at += 8; at + 8 <= end; ) {
      const length = view.getUint32(at, true);
      walk.message(time, multiplayer, at + 8, at + 8 + length);
      at += 8 + length;
    }
  }

  /** Where the signals begin; `MORE`, `CUT` or `WRONG` when that cannot be known. */
  #signalsAt(walk: Walk, position: number): number {
    if (this.#recordBytes !== null) return position + 8;
    const fits = walk.fits(position, 16);
    if (fits !== 1) return fits;
    const length = walk.view.getUint32(position + 8, true);
    const isPossible = length <= this.#signals.bytes + MAX_FILLER && walk.view.getUint32(position + 12, true) === 0;
    return isPossible ? position + 16 : WRONG;
  }
}
