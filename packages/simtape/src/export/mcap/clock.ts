import type { Time } from "../../model/values/time.ts";

const HALF = 0x1_0000_0000;
const SECOND = 1e9;
/** The largest time of a file: 64 bits without a sign (MCAP spec §3). */
const LAST = 0xffff_ffff_ffff_ffffn;

/**
 * Turns times of a recording into those of a file: nanoseconds in 64 bits, without a `BigInt` for each message. A file's
 * time is `base` plus that of the recording.
 */
export class Clock {
  /** Nanoseconds of the file at time 0 of the recording. */
  readonly base: bigint;
  readonly #high: number;
  readonly #low: number;
  readonly #second: number;
  readonly #nano: number;
  /** Of the time that was split last. */
  second = 0;
  nano = 0;

  constructor(base: bigint) {
    this.base = base;
    // a base below 0 has its high part below 0, too: the sum with a time is what has to be at or above 0
    this.#high = Number(base >> 32n);
    this.#low = Number(base & 0xffff_ffffn);
    const nano = Number(((base % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
    this.#nano = nano;
    this.#second = Number((base - BigInt(nano)) / 1_000_000_000n);
  }

  /**
   * The clock of a recording from `start` to `end`, nanoseconds: Unix time if the epoch is known and such times fit a
   * file, else the recording's own, moved so that none is below 0.
   */
  static of(epoch: bigint | null, start: Time, end: Time): { clock: Clock; isUnix: boolean } {
    const [first, last] = [BigInt(Math.floor(start)), BigInt(Math.ceil(end))];
    if (epoch !== null && epoch + first >= 0n && epoch + last <= LAST) return { clock: new Clock(epoch), isUnix: true };
    return { clock: new Clock(first < 0n ? -first : 0n), isUnix: false };
  }

  /** Writes a time, 8 bytes at `at`. */
  put(view: DataView, at: number, time: Time): void {
    const high = Math.floor(time / HALF);
    const low = time - high * HALF + this.#low;
    // `setUint32` takes the rest of what is 2^32 or more
    view.setUint32(at, low, true);
    view.setUint32(at + 4, this.#high + high + (low >= HALF ? 1 : 0), true);
  }

  /** A time of the file, for what is written once or for each chunk. */
  absolute(time: Time): bigint {
    return this.base + BigInt(Math.floor(time));
  }

  /** Puts seconds and nanoseconds of a time into `second` and `nano`, as Foxglove's schemas have them. */
  split(time: Time): void {
    const second = Math.floor(time / SECOND);
    const nano = time - second * SECOND + this.#nano;
    const carry = nano >= SECOND ? 1 : 0;
    this.second = this.#second + second + carry;
    this.nano = nano - carry * SECOND;
  }
}
