const STEP = 256 << 10;

/** Memory of pieces that are no longer read, to build the next ones in: fresh memory costs as much as filling it. */
export class Spares {
  readonly #kept: ArrayBuffer[] = [];
  readonly #most: number;
  readonly #largest: number;

  /** `most` pieces are kept, of `largest` bytes each. */
  constructor(most: number, largest: number) {
    this.#most = most;
    this.#largest = largest;
  }

  /** For a `ByteBuilder`: memory of at least `size` bytes that was given back, else how much to make. */
  memory(size: number): ArrayBuffer | number {
    const found = this.#kept.findLastIndex(({ byteLength }) => byteLength >= size && byteLength <= 4 * size);
    // the last one given is the warmest; in steps, so that what is about as large fits next time
    return found >= 0 ? this.#kept.splice(found, 1)[0]! : size < STEP ? size : Math.ceil(size / STEP) * STEP;
  }

  /** Takes the memory of bytes that share it with no others and are no longer read. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (buffer.byteLength <= this.#largest && this.#kept.length < this.#most) this.#kept.push(buffer);
  }
}
