import { isPacket } from "./layout-packet.ts";

/** One frame of a Normal tape in memory. */
export interface NormalFrame {
  /** Native time, seconds. */
  readonly native: number;
  /** Signals, as many bytes as the tape's record has. */
  readonly record: Uint8Array;
  /** Packets in the order of arrival; a frame may be given those of one that is dropped. */
  readonly packets: Uint8Array[];
  /** Buffer that it was read from, 0 to 2; -1 when it was in none. */
  readonly buffer: number;
}

/** How long frames are kept and how far apart, seconds (semantics §1: FlightGear's defaults). */
export interface BufferLimits {
  readonly short: number;
  readonly medium: number;
  readonly long: number;
  readonly mediumStep: number;
  readonly longStep: number;
}

export const DEFAULT_LIMITS: BufferLimits = { short: 60, medium: 600, long: 3600, mediumStep: 0.5, longStep: 5 };

/**
 * The three buffers of FlightGear's recorder: every frame of the last minute, fewer of the ten minutes before it, few
 * of the hour before those. Exactly its rules (semantics §1), but that the newest frame is never dropped, which it does
 * when frames are more than a minute apart.
 */
export class NormalBuffers {
  readonly short: NormalFrame[] = [];
  readonly medium: NormalFrame[] = [];
  readonly long: NormalFrame[] = [];
  /** Frames that went through and are in no buffer. */
  dropped = 0;
  readonly #limits: BufferLimits;
  #lastMedium = 0;
  #lastLong = 0;

  constructor(limits: BufferLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  add(frame: NormalFrame): void {
    const { short, medium, long } = this;
    const limits = this.#limits;
    const now = frame.native;
    short.push(frame);
    if (!this.#trim(short, now, limits.short, 1)) return;
    if (now - this.#lastMedium <= limits.mediumStep || short.length < 2) return;
    this.#lastMedium = now;
    medium.push(short.shift()!);
    if (!this.#trim(medium, now, limits.medium, 0)) return;
    if (now - this.#lastLong <= limits.longStep || medium.length === 0) return;
    this.#lastLong = now;
    long.push(medium.shift()!);
    this.#trim(long, now, limits.long, 0);
  }

  /**
   * Drops what is older than `age`, and one frame more, as the test is made of the frame that was just dropped; leaves
   * `least`. False when nothing was too old.
   */
  #trim(frames: NormalFrame[], now: number, age: number, least: number): boolean {
    let oldest = frames[0];
    if (oldest === undefined || now - oldest.native <= age) return false;
    while (oldest !== undefined && now - oldest.native > age && frames.length > least) {
      oldest = frames.shift()!;
      this.dropped++;
      if (frames[0] !== undefined) movePackets(oldest, frames[0]);
    }
    return true;
  }
}

/** So that a pilot who is heard seldom does not vanish with the frame (semantics §1). */
function movePackets(from: NormalFrame, to: NormalFrame): void {
  for (const packet of from.packets) {
    if (!to.packets.some((other) => hasSameCallsign(packet, other))) to.packets.push(packet);
  }
}

const CALLSIGN_AT = 24;
const CALLSIGN_END = 32;

function hasSameCallsign(a: Uint8Array, b: Uint8Array): boolean {
  if (!isPacket(a, 0, a.length) || !isPacket(b, 0, b.length)) return false;
  for (let at = CALLSIGN_AT; at < CALLSIGN_END; at++) {
    if (a[at] !== b[at]) return false;
    if (a[at] === 0) return true;
  }
  return true;
}
