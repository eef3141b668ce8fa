import { type ByteSource, SourceError } from "../../../io/source/source.ts";

/** Bytes read at once. */
const BLOCK = 1 << 20;

/** A place in a file and the bytes around it, for a walk that goes forwards. */
export class FileWindow {
  readonly end: number;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  #offset = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** `end`: bytes of the file, as it was when it was opened. */
  constructor(source: ByteSource, end: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.end = end;
    this.#signal = signal;
  }

  /** Bytes `[offset, offset + length)`, a view that never changes; the caller asks for none behind the end. */
  async take(offset: number, length: number): Promise<Uint8Array> {
    const from = offset - this.#offset;
    if (from < 0 || from + length > this.#bytes.length) {
      const wanted = Math.min(this.end - offset, Math.max(BLOCK, length));
      const bytes = await this.#source.read(offset, wanted, this.#signal);
      if (bytes.length !== wanted) {
        const found = offset + bytes.length;
        throw new SourceError("changed", `ends at ${found}, ${this.end} bytes were announced: ${this.#source.name}`);
      }
      this.#bytes = bytes;
      this.#offset = offset;
    }
    const at = offset - this.#offset;
    return this.#bytes.subarray(at, at + length);
  }

  /** What is in memory from `offset` on, where the last `take` was. */
  rest(offset: number): Uint8Array {
    return this.#bytes.subarray(offset - this.#offset);
  }
}
