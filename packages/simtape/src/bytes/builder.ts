const UTF8 = new TextEncoder();
/** Bytes that are copied one by one. */
const SHORT = 16;

/** Builds bytes: grows by doubling, patches what is already written, gives the result away with `take()`. */
export class ByteBuilder {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  /** Room for so many bytes, or the memory to begin in: what is in it does not matter. */
  constructor(capacity: number | ArrayBuffer = 256) {
    this.#bytes = typeof capacity === "number" ? new Uint8Array(Math.max(16, capacity)) : new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const at = this.reserve(1);
    this.#view.setUint8(at, value);
    return this;
  }
  i8(value: number): this {
    const at = this.reserve(1);
    this.#view.setInt8(at, value);
    return this;
  }
  u16le(value: number): this {
    const at = this.reserve(2);
    this.#view.setUint16(at, value, true);
    return this;
  }
  u16be(value: number): this {
    const at = this.reserve(2);
    this.#view.setUint16(at, value);
    return this;
  }
  i16le(value: number): this {
    const at = this.reserve(2);
    this.#view.setInt16(at, value, true);
    return this;
  }
  i16be(value: number): this {
    const at = this.reserve(2);
    this.#view.setInt16(at, value);
    return this;
  }
  u32le(value: number): this {
    const at = this.reserve(4);
    this.#view.setUint32(at, value, true);
    return this;
  }
  u32be(value: number): this {
    const at = this.reserve(4);
    this.#view.setUint32(at, value);
    return this;
  }
  i32le(value: number): this {
    const at = this.reserve(4);
    this.#view.setInt32(at, value, true);
    return this;
  }
  i32be(value: number): this {
    const at = this.reserve(4);
    this.#view.setInt32(at, value);
    return this;
  }
  f32le(value: number): this {
    const at = this.reserve(4);
    this.#view.setFloat32(at, value, true);
    return this;
  }
  f32be(value: number): this {
    const at = this.reserve(4);
    this.#view.setFloat32(at, value);
    return this;
  }
  f64le(value: number): this {
    const at = this.reserve(8);
    this.#view.setFloat64(at, value, true);
    return this;
  }
  f64be(value: number): this {
    const at = this.reserve(8);
    this.#view.setFloat64(at, value);
    return this;
  }
  /** A safe integer, signed or not, as 64 bits in two's complement. */
  i64le(value: number): this {
    const at = this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#view.setUint32(at, value - high * 0x1_0000_0000, true);
    this.#view.setInt32(at + 4, high, true);
    return this;
  }
  i64be(value: number): this {
    const at = this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#view.setInt32(at, high);
    this.#view.setUint32(at + 4, value - high * 0x1_0000_0000);
    return this;
  }
  bigI64le(value: bigint): this {
    const at = this.reserve(8);
    this.#view.setBigInt64(at, value, true);
    return this;
  }
  bigI64be(value: bigint): this {
    const at = this.reserve(8);
    this.#view.setBigInt64(at, value);
    return this;
  }

  /** Copies `bytes` in. */
  raw(bytes: Uint8Array): this {
    const { length } = bytes;
    const at = this.reserve(length);
    // a call of `set` costs more than some bytes one by one
    if (length > SHORT) this.#bytes.set(bytes, at);
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = bytes[i]!;
    return this;
  }

  zeros(count: number): this {
    const at = this.reserve(count);
    this.#bytes.fill(0, at, at + count);
    return this;
  }

  utf8(text: string): this {
    return this.raw(UTF8.encode(text));
  }

  /** Overwrites four bytes written earlier, as a count or length is known only now. */
  patchU32le(at: number, value: number): void {
    this.#inside(at, 4);
    this.#view.setUint32(at, value, true);
  }
  patchU32be(at: number, value: number): void {
    this.#inside(at, 4);
    this.#view.setUint32(at, value);
  }
  patchU16be(at: number, value: number): void {
    this.#inside(at, 2);
    this.#view.setUint16(at, value);
  }
  patchU16le(at: number, value: number): void {
    this.#inside(at, 2);
    this.#view.setUint16(at, value, true);
  }
  /** Overwrites bytes written earlier. */
  patch(at: number, bytes: Uint8Array): void {
    this.#inside(at, bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Makes room for `count` bytes and gives the place of the first; their content is not defined. */
  reserve(count: number): number {
    const at = this.#length;
    const need = at + count;
    if (need > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = need;
    return at;
  }

  /** A copy of what was built so far, from place `from` to before `until`. */
  copy(from = 0, until: number = this.#length): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(from, Math.min(until, this.#length));
  }

  /**
   * What was built, until the next write: for a caller who copies it at once. The builder starts again in the same
   * memory.
   */
  lend(): Uint8Array<ArrayBuffer> {
    const result = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return result;
  }

  /** What was built; the builder starts again with new memory, so the bytes belong to the caller for ever. */
  take(): Uint8Array<ArrayBuffer> {
    const result = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(16);
    this.#view = new DataView(this.#bytes.buffer);
    this.#length = 0;
    return result;
  }

  #inside(at: number, count: number): void {
    if (at < 0 || at + count > this.#length)
      throw new RangeError(`patch of ${count} bytes at ${at}, ${this.#length} written`);
  }
}
