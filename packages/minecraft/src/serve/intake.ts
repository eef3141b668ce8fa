import { Transform, type TransformCallback } from "node:stream";
import { FramingError, Splitter } from "../game/framing.ts";

/** Bytes of a packet of a client, at most: one of a plugin's channel has 32 KiB. */
const MOST_BYTES = 64 << 10;
/** Packets in a second; a player who runs sends 20. */
const MOST_PACKETS = 400;
/** Bytes in a second, inflated. */
const MOST_IN_SECOND = 1 << 20;
/** Before a packet that was inflated: it is not compressed. */
const PLAIN = Buffer.from([0]);

/**
 * Cuts what a client sends into packets, in place of the library's own splitter, which trusts lengths. A packet that is too
 * long, does not inflate to the length that it says, or comes too often is an error, after which nothing passes.
 */
export class Intake extends Transform {
  /** The library sets it; a ping of the oldest clients never comes so far. */
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

  /** From now on all that comes is thrown away. */
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
      if (packet.length === 0) throw new FramingError("a packet of nothing, or of too much");
      this.#count(packet.length);
      this.push(isCompressed ? Buffer.concat([PLAIN, packet]) : packet);
    }
  }

  #count(bytes: number): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#packets, this.#bytes] = [second, 0, 0];
    this.#bytes += bytes;
    if (++this.#packets > MOST_PACKETS || this.#bytes > MOST_IN_SECOND)
      throw new FramingError("too many packets in a second");
  }
}
