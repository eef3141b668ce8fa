import { Transform, type TransformCallback } from "node:stream";
import { FramingError, Splitter, TOO_LONG } from "../game/framing.ts";

/** Most bytes of a packet of a client: one of a plugin's channel has 32 KiB. */
const MOST_BYTES = 64 << 10;
/** Most packets in a second; a running player sends 20. */
const MOST_PACKETS = 400;
/** Most bytes in a second, inflated. */
const MOST_IN_SECOND = 1 << 20;
/** A client sends more than a player can; the message is shown to the player. */
export class FloodError extends FramingError {
  override readonly name = "FloodError";
}

/** Before an inflated packet: it is not compressed. */
const PLAIN = Buffer.from([0]);

/**
 * Splits the bytes of a client into packets, in place of the library's own splitter, which trusts lengths. A packet
 * that is too long, does not inflate to its stated length, or comes too often is an error, after which nothing passes.
 */
export class Intake extends Transform {
  /** The library sets this; a ping of the oldest clients never gets this far. */
  recognizeLegacyPing = false;
  readonly #isCompressed: () => boolean;
  readonly #splitter = new Splitter(MOST_BYTES);
  #second = 0;
  #packets = 0;
  #bytes = 0;
  #isShut = false;

  constructor(isCompressed: () => boolean) {
    super({ readableObjectMode: true });
    this.#isCompressed = isCompressed;
  }

  /** From now on all bytes are thrown away. */
  shut(): void {
    this.#isShut = true;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#isShut) {
      try {
        this.#take(chunk);
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        this.shut();
        this.emit("error", error);
      }
    }
    done();
  }

  #take(chunk: Buffer): void {
    this.#splitter.push(chunk);
    for (;;) {
      const isCompressed = this.#isCompressed();
      this.#splitter.threshold = isCompressed ? 0 : -1;
      const packet = this.#splitter.next(MOST_BYTES);
      if (packet === null || this.#isShut) return;
      if (packet === TOO_LONG) throw new FloodError(`You have sent a packet of more than ${MOST_BYTES >> 10} KiB.`);
      if (packet.length === 0) throw new FramingError("an empty packet");
      this.#count(packet.length);
      this.push(isCompressed ? Buffer.concat([PLAIN, packet]) : packet);
    }
  }

  #count(bytes: number): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#packets, this.#bytes] = [second, 0, 0];
    this.#bytes += bytes;
    if (++this.#packets > MOST_PACKETS)
      throw new FloodError(`You have sent more than ${MOST_PACKETS} packets in a second.`);
    if (this.#bytes > MOST_IN_SECOND)
      throw new FloodError(`You have sent more than ${MOST_IN_SECOND >> 20} MiB in a second.`);
  }
}
