import { deflateSync, inflateSync } from "node:zlib";

/** Longest packet that the protocol allows: a length of three bytes. */
const LONGEST = 2 ** 21 - 1;

/** Thrown for bytes that are no packets: an invalid length, or content that does not inflate. */
export class FramingError extends Error {
  override readonly name: string = "FramingError";
}

/** Splits a stream of bytes into packets, each of which begins with its length. It holds at most one packet. */
export class Splitter {
  /** Bytes above which packets are compressed; negative: no compression yet. */
  threshold = -1;
  #rest: Buffer = Buffer.alloc(0);
  readonly #longest: number;

  /** `longest`: most bytes of a packet as it is sent. */
  constructor(longest = LONGEST) {
    this.#longest = longest;
  }

  /** Bytes of an incomplete packet. */
  get held(): number {
    return this.#rest.length;
  }

  push(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
  }

  /**
   * The next packet, its number first; null: more bytes are needed. `TOO_LONG` stands for a packet of more than `most`
   * bytes, and for one longer than the longest, behind which nothing can be read. Throws `FramingError`.
   */
  next(most: number): Buffer | null {
    const length = varInt(this.#rest, 0);
    if (length === null) return null;
    if (length.value > LONGEST) throw new FramingError(`a packet of ${length.value} bytes`);
    if (length.value > this.#longest) return TOO_LONG;
    const end = length.end + length.value;
    if (this.#rest.length < end) return null;
    const body = this.#rest.subarray(length.end, end);
    this.#rest = this.#rest.subarray(end);
    return this.threshold < 0 ? short(body, most) : this.#inflated(body, most);
  }

  #inflated(body: Buffer, most: number): Buffer {
    const size = varInt(body, 0);
    if (size === null) throw new FramingError("a packet without its length");
    const content = body.subarray(size.end);
    if (size.value === 0) return short(content, most);
    if (size.value > most) return TOO_LONG;
    try {
      return inflateSync(content, { maxOutputLength: size.value });
    } catch (cause) {
      throw new FramingError("a packet that does not inflate", { cause });
    }
  }
}

/** An uncompressed packet as it is sent. */
export function frame(id: number, body: Buffer): Buffer {
  return framed(Buffer.concat([varIntBytes(id), body]), -1);
}

/** A packet, its number first, as it is sent; `threshold` as of a `Splitter`. */
export function framed(packet: Buffer, threshold: number): Buffer {
  if (threshold < 0) return Buffer.concat([varIntBytes(packet.length), packet]);
  const isLong = packet.length >= threshold;
  const size = varIntBytes(isLong ? packet.length : 0);
  const content = isLong ? deflateSync(packet) : packet;
  return Buffer.concat([varIntBytes(size.length + content.length), size, content]);
}

/** A text in the form of packets. */
export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([varIntBytes(bytes.length), bytes]);
}

/** A number of at most five bytes, and where it ends; null: it is incomplete. Throws `FramingError`. */
export function varInt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return null;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value: value >>> 0, end: start + i + 1 };
  }
  throw new FramingError("a number of more than five bytes");
}

function varIntBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Stands for a packet that is too long; it has no bytes. */
export const TOO_LONG: Buffer = Buffer.alloc(0);

function short(body: Buffer, most: number): Buffer {
  return body.length > most ? TOO_LONG : body;
}
