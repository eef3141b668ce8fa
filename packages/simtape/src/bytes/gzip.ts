/** CRC-32 and length after each member, RFC 1952 §2.3.1. */
export const GZIP_TRAILER_BYTES = 8;

const HEAD_BYTES = 10;
/** The first bytes of a member whose method is deflate. */
const MARK = Uint8Array.of(0x1f, 0x8b, 8);

// Flags, RFC 1952 §2.3.1.
const HEADER_CRC = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const UNKNOWN = 0xe0;

/** True when `bytes[at]` begins as gzip with deflate does. */
export function isGzip(bytes: Uint8Array, at = 0): boolean {
  return MARK.every((byte, index) => bytes[at + index] === byte);
}

/**
 * Passes the header of one gzip member, fed in parts of any size, and keeps nothing of it.
 * A checksum of the header is passed unread: content that inflates well is worth more than it.
 */
export class GzipHeader {
  /** "whole": the deflate stream follows. "none": no member begins here. */
  state: "more" | "whole" | "none" = "more";
  /** Bytes used so far. */
  length = 0;
  #flags = 0;
  /** Parts of the header that are still to come, by their flags. */
  #pending = 0;
  /** Bytes still to come of the checksum, or of the length of the extra field. */
  #count = 2;
  #extraLength = 0;

  /** Flags that no version of gzip has given a meaning. */
  get unknownFlags(): number {
    return this.#flags & UNKNOWN;
  }

  /** Takes `bytes[from]` and on; answers the place of the first byte not used. */
  push(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && this.state === "more") {
      if (this.length < HEAD_BYTES) {
        if (this.#head(bytes[at]!)) at++;
      } else if ((this.#pending & EXTRA) !== 0) at = this.#extra(bytes, at);
      else if ((this.#pending & (NAME | COMMENT)) !== 0) {
        const zero = bytes.indexOf(0, at);
        const end = zero < 0 ? bytes.length : zero + 1;
        this.length += end - at;
        at = end;
        if (zero >= 0) this.#pass((this.#pending & NAME) !== 0 ? NAME : COMMENT);
      } else {
        at++;
        this.length++;
        if (--this.#count === 0) this.#pass(HEADER_CRC);
      }
    }
    return at;
  }

  /** False when no member has this byte there. */
  #head(byte: number): boolean {
    const index = this.length;
    if (index < MARK.length && byte !== MARK[index]) {
      this.state = "none";
      return false;
    }
    this.length++;
    if (index === 3) this.#flags = byte;
    if (index === HEAD_BYTES - 1) {
      this.#pending = this.#flags;
      this.#pass(0);
    }
    return true;
  }

  /** A length of two bytes, then as many bytes; `#count` runs from 2 to 0 through the length. */
  #extra(bytes: Uint8Array, at: number): number {
    if (this.#count > 0) {
      this.#extraLength |= bytes[at]! << (this.#count === 2 ? 0 : 8);
      this.#count--;
      this.length++;
      if (this.#count === 0 && this.#extraLength === 0) this.#pass(EXTRA);
      return at + 1;
    }
    const count = Math.min(this.#extraLength, bytes.length - at);
    this.#extraLength -= count;
    this.length += count;
    if (this.#extraLength === 0) this.#pass(EXTRA);
    return at + count;
  }

  #pass(part: number): void {
    this.#pending &= ~part;
    this.#count = 2;
    if ((this.#pending & (EXTRA | NAME | COMMENT | HEADER_CRC)) === 0) this.state = "whole";
  }
}
