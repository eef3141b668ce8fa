import { Transform, type TransformCallback } from "node:stream";
import type { Direction } from "./decoder.ts";
import type { Tap } from "./tap.ts";

/** Most bytes of an unfinished packet that wait for its end: packets of typed text are shorter. */
const MOST_KEPT = 2048;

/**
 * One direction of a connection. Bytes pass unchanged, except packets that the tap withholds, and packets of the proxy,
 * which go between two whole packets.
 */
export class Lane extends Transform {
  readonly #direction: Direction;
  readonly #tap: Tap;
  /** Called when bytes were examined. */
  readonly #looked: () => void;
  /** The first bytes of a packet that may be withheld, while it is incomplete. */
  #kept: Buffer = NOTHING;
  /** Packets that wait for the end of the present packet. */
  #own: Buffer[] = [];
  /** The tap examines bytes that were not sent yet. */
  #isLooking = false;

  constructor(direction: Direction, tap: Tap, looked: () => void) {
    super();
    this.#direction = direction;
    this.#tap = tap;
    this.#looked = looked;
  }

  /** Bytes that the other side has not taken yet. */
  get waiting(): number {
    return this.readableLength + this.writableLength + this.#own.reduce((all, { length }) => all + length, 0);
  }

  /**
   * Sends whole packets of the state `play` as soon as the present packet has ended. False: the connection is not in
   * that state.
   */
  inject(packets: Buffer): boolean {
    if (!this.#tap.isPlaying || this.writableEnded) return false;
    if (!this.#isLooking && this.#tap.held(this.#direction) === 0) this.push(packets);
    else this.#own.push(packets);
    return true;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#isLooking = true;
    const taken = this.#tap.see(this.#direction, chunk);
    this.#isLooking = false;
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    const before = this.#kept.length;
    this.#kept = NOTHING;
    let passed = 0;
    for (const { start, end } of taken) {
      // the beginning of a long packet was sent already
      if (start + before < passed) continue;
      this.#pass(bytes.subarray(passed, start + before));
      passed = end + before;
    }
    const held = this.#tap.held(this.#direction);
    const whole = Math.max(passed, bytes.length - held);
    this.#pass(bytes.subarray(passed, whole));
    // other packets can go where a packet ends
    if (held <= bytes.length) this.#passOwn();
    const rest = bytes.subarray(whole);
    if (this.#direction === "toServer" && this.#tap.isPlaying && rest.length <= MOST_KEPT) this.#kept = rest;
    else this.#pass(rest);
    this.#looked();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#kept);
    done();
  }

  #passOwn(): void {
    const own = this.#own;
    if (own.length === 0) return;
    this.#own = [];
    // when the bytes cannot be decoded any more, nothing is inserted between them
    if (this.#tap.isPlaying) for (const packets of own) this.push(packets);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);
