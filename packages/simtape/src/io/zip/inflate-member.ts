import { crc32 } from "../../bytes/crc32.ts";
import { Inflater } from "../../bytes/inflate.ts";
import type { Producer } from "../source/forward.ts";
import type { ByteSource } from "../source/source.ts";

/** Bytes read at once. */
const READ = 256 << 10;

/** Where the data of a deflated member stop being sound: place in the data, and why. */
export interface InflateDamage {
  readonly offset: number;
  readonly message: string;
}

/** Inflates the deflated member of a zip from its beginning; every byte that comes out before damage counts. */
export class MemberInflater implements Producer {
  /** Null when there is none; known for the whole member once `next` has given null. */
  damage: InflateDamage | null = null;
  /** CRC-32 of what came out so far. */
  crc = 0;
  readonly #data: ByteSource;
  readonly #length: number | null;
  readonly #inflater = new Inflater();
  #block: Uint8Array = new Uint8Array(0);
  #blockStart = 0;
  #isEnded = false;

  /** `length` is that of the data; null: they end where the deflate stream does. Closes `data` when it is closed. */
  constructor(data: ByteSource, length: number | null) {
    this.#data = data;
    this.#length = length;
  }

  /** Bytes of the data that were used so far. */
  get used(): number {
    return this.#inflater.position;
  }

  async next(): Promise<readonly Uint8Array[] | null> {
    if (this.#isEnded) return null;
    const { position } = this.#inflater;
    if (position === this.#blockStart + this.#block.length) {
      this.#block = await this.#data.read(position, READ);
      this.#blockStart = position;
      if (this.#block.length === 0) {
        this.#end({ offset: position, message: "the deflate stream ends early" });
        return null;
      }
    }
    const pause = this.#inflater.run(this.#block, position - this.#blockStart);
    const piece = this.#inflater.take();
    this.crc = crc32(piece, this.crc);
    const used = this.#inflater.position;
    if (pause === "fault") this.#end(this.#inflater.fault);
    else if (pause === "end") {
      const rest = (this.#length ?? used) - used;
      this.#end(rest === 0 ? null : { offset: used, message: `the deflate stream ends ${rest} bytes early` });
    }
    return [piece];
  }

  close(): Promise<void> {
    return this.#data.close();
  }

  #end(damage: InflateDamage | null): void {
    this.#isEnded = true;
    this.damage = damage;
  }
}
