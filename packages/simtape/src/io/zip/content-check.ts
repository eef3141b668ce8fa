import { crc32 } from "../../bytes/crc32.ts";
import { Inflater } from "../../bytes/inflate.ts";
import { DEFLATED, ENCRYPTED, type LocalHeader, STORED } from "../../bytes/zip.ts";

/** What a header states of the content. */
type Stated = Pick<LocalHeader, "flags" | "method" | "size" | "crc">;

/** Compares the content of a member with its size and checksum while its data pass by, in pieces of any size. */
export class ContentCheck {
  readonly #stated: Stated;
  /** Null: the data are the content. */
  readonly #inflater: Inflater | null;
  /** Bytes of the data that have passed, and of the content. */
  #passed = 0;
  #size = 0;
  #crc = 0;
  #isEnded = false;

  private constructor(stated: Stated) {
    this.#stated = stated;
    this.#inflater = stated.method === DEFLATED ? new Inflater() : null;
  }

  /** Null where the content cannot be known: it is encrypted, or compressed in another way. */
  static of(stated: Stated): ContentCheck | null {
    const isKnown = stated.method === STORED || stated.method === DEFLATED;
    return isKnown && (stated.flags & ENCRYPTED) === 0 ? new ContentCheck(stated) : null;
  }

  /** The next bytes of the data. */
  add(bytes: Uint8Array): void {
    if (this.#inflater === null) this.#count(bytes);
    else this.#inflate(this.#inflater, bytes);
    this.#passed += bytes.length;
  }

  /** Whether all data make the content that is stated. */
  get isSame(): boolean {
    const isWhole = this.#inflater === null || (this.#isEnded && this.#inflater.fault === null);
    return isWhole && this.#size === this.#stated.size && this.#crc === this.#stated.crc;
  }

  #count(content: Uint8Array): void {
    this.#size += content.length;
    this.#crc = crc32(content, this.#crc);
  }

  #inflate(inflater: Inflater, bytes: Uint8Array): void {
    while (!this.#isEnded) {
      const pause = inflater.run(bytes, inflater.position - this.#passed);
      this.#count(inflater.lend());
      if (pause === "input") return;
      // more than is stated may be very much
      this.#isEnded = pause !== "output" || this.#size > this.#stated.size;
    }
  }
}
