import { LayoutError } from "./error.ts";

/** Memory that the values of one message may take, about: what would become more is refused. */
const ROOM = 64 * 2 ** 20;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts of up to so many bytes are read by hand, which is quicker than through the decoder when they are ASCII. */
const SHORT = 24;

/**
 * Reads scalars from bytes, one bounds check each.
 * Reading past `end` throws `LayoutError("truncated")` and leaves the position where it was.
 * Byte arrays handed out are views: they share memory with the bytes given in and must not be written.
 */
export class ByteCursor {
  readonly bytes: Uint8Array;
  /** Added to positions in messages, so that they speak of the file and not of the buffer. */
  readonly origin: number;
  readonly #view: DataView;
  readonly #end: number;
  #position: number;
  #room = ROOM;

  /** Covers `bytes[start, end)`; `origin` is the file offset of `bytes[0]`. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length, origin = 0) {
    this.bytes = bytes;
    this.origin = origin;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = Math.min(end, bytes.length);
    this.#position = start;
  }

  /** Place of the next byte inside `bytes`. */
  get position(): number {
    return this.#position;
  }

  get end(): number {
    return this.#end;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  /** Place of the next byte in the file. */
  get offset(): number {
    return this.origin + this.#position;
  }

  seek(position: number): void {
    if (position < 0 || position > this.#end) this.#overrun(position - this.#position, "seek");
    this.#position = position;
  }

  skip(count: number): void {
    this.#take(count, "skip");
  }

  /**
   * Asked before a list of values is made of what was read: `bytes` is the memory they will take, about. Text and bytes
   * take no more than what they are read from, and are not counted. Throws `LayoutError` when it is too much for one message.
   */
  claim(bytes: number): void {
    this.#room -= bytes;
    if (this.#room >= 0) return;
    const message = `more values than fit into the ${ROOM / 2 ** 20} MiB of memory that one message may take`;
    throw new LayoutError("malformed", message, this.offset);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1, "u8"));
  }
  i8(): number {
    return this.#view.getInt8(this.#take(1, "i8"));
  }
  u16le(): number {
    return this.#view.getUint16(this.#take(2, "u16"), true);
  }
  u16be(): number {
    return this.#view.getUint16(this.#take(2, "u16"));
  }
  i16le(): number {
    return this.#view.getInt16(this.#take(2, "i16"), true);
  }
  i16be(): number {
    return this.#view.getInt16(this.#take(2, "i16"));
  }
  u32le(): number {
    return this.#view.getUint32(this.#take(4, "u32"), true);
  }
  u32be(): number {
    return this.#view.getUint32(this.#take(4, "u32"));
  }
  i32le(): number {
    return this.#view.getInt32(this.#take(4, "i32"), true);
  }
  i32be(): number {
    return this.#view.getInt32(this.#take(4, "i32"));
  }
  f32le(): number {
    return this.#view.getFloat32(this.#take(4, "f32"), true);
  }
  f32be(): number {
    return this.#view.getFloat32(this.#take(4, "f32"));
  }
  f64le(): number {
    return this.#view.getFloat64(this.#take(8, "f64"), true);
  }
  f64be(): number {
    return this.#view.getFloat64(this.#take(8, "f64"));
  }

  /** A length, count or offset; above 2^53 - 1 it is malformed. */
  u64le(): number {
    const at = this.#take(8, "u64");
    return this.#join(this.#view.getUint32(at + 4, true), this.#view.getUint32(at, true), at);
  }
  u64be(): number {
    const at = this.#take(8, "u64");
    return this.#join(this.#view.getUint32(at), this.#view.getUint32(at + 4), at);
  }
  /** A signed number that must be exact in a double; beyond ±(2^53 - 1) it is malformed. */
  i64le(): number {
    const at = this.#take(8, "i64");
    return this.#join(this.#view.getInt32(at + 4, true), this.#view.getUint32(at, true), at);
  }
  i64be(): number {
    const at = this.#take(8, "i64");
    return this.#join(this.#view.getInt32(at), this.#view.getUint32(at + 4), at);
  }
  /** For values with real 64-bit identity; slow. */
  bigU64le(): bigint {
    return this.#view.getBigUint64(this.#take(8, "u64"), true);
  }
  bigU64be(): bigint {
    return this.#view.getBigUint64(this.#take(8, "u64"));
  }
  bigI64le(): bigint {
    return this.#view.getBigInt64(this.#take(8, "i64"), true);
  }
  bigI64be(): bigint {
    return this.#view.getBigInt64(this.#take(8, "i64"));
  }

  /** A view of the next `length` bytes. */
  view(length: number): Uint8Array {
    const at = this.#take(length, "content");
    return this.bytes.subarray(at, at + length);
  }

  /** The next `length` bytes as strict UTF-8; bytes that are not text are malformed. */
  utf8(length: number): string {
    const at = this.#take(length, "text");
    const short = this.#ascii(at, length);
    if (short !== null) return short;
    try {
      return UTF8.decode(this.bytes.subarray(at, at + length));
    } catch {
      this.#position = at;
      throw new LayoutError("malformed", "text is not UTF-8", this.origin + at);
    }
  }

  /** The next `length` bytes as UTF-8; bytes that are not text become U+FFFD. */
  text(length: number): string {
    const at = this.#take(length, "text");
    return this.#ascii(at, length) ?? LENIENT.decode(this.bytes.subarray(at, at + length));
  }

  /** Null: it is not short, or not ASCII. */
  #ascii(at: number, length: number): string | null {
    if (length > SHORT) return null;
    let text = "";
    for (let i = at; i < at + length; i++) {
      const byte = this.bytes[i]!;
      if (byte >= 0x80) return null;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #take(count: number, what: string): number {
    const at = this.#position;
    if (count < 0 || count > this.#end - at) this.#overrun(count, what);
    this.#position = at + count;
    return at;
  }

  #join(high: number, low: number, at: number): number {
    const value = high * 0x1_0000_0000 + low;
    if (!Number.isSafeInteger(value)) {
      this.#position = at;
      throw new LayoutError("malformed", "64-bit number does not fit 53 bits", this.origin + at);
    }
    return value;
  }

  #overrun(count: number, what: string): never {
    throw new LayoutError(
      "truncated",
      `${what} needs ${count} bytes, ${this.#end - this.#position} are left`,
      this.origin + this.#position,
    );
  }
}
