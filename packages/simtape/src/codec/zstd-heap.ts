/**
 * What zstd.wasm exports, by the names of C (`scripts/zstd/build.sh`). Addresses and lengths are bytes in its memory;
 * lengths that `ZSTD_isError` calls errors are zstd's error numbers, negated.
 */
interface Functions {
  readonly memory: WebAssembly.Memory;
  ZSTD_isError(length: number): number;
  ZSTD_compressBound(length: number): number;
  ZSTD_createCCtx(): number;
  ZSTD_compress_usingDict(
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
    level: number,
  ): number;
  ZSTD_createDCtx(): number;
  ZSTD_decompress_usingDict(
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
  ): number;
  /** 0 when there is no memory: it grows to 2 GiB at most. */
  malloc(length: number): number;
  free(address: number): void;
}

/** Gives memory for a result of so many bytes: some of that size or more, or how much of it to make. */
export type Memory = (size: number) => ArrayBuffer | number;

/** Makes memory for each result. */
export const FRESH: Memory = (size) => size;

/** zstd failed; `code` is its error number, negated, or 0 when there is no memory. */
export class ZstdFailure extends Error {
  readonly code: number;

  constructor(code: number) {
    super(code === 0 ? "zstd has no memory left" : `zstd fails with ${code}`);
    this.code = code;
  }
}

/** zstd in the memory of its WebAssembly: bytes are copied in and results out, and nothing stays there. */
export class ZstdHeap {
  readonly #zstd: Functions;
  readonly #compressor: number;
  readonly #decompressor: number;

  private constructor(zstd: Functions) {
    this.#zstd = zstd;
    this.#compressor = zstd.ZSTD_createCCtx();
    this.#decompressor = zstd.ZSTD_createDCtx();
  }

  /** Rejects with `WebAssembly.CompileError` or `LinkError` for bytes that are not zstd.wasm. */
  static async from(wasm: Uint8Array): Promise<ZstdHeap> {
    const { instance } = await WebAssembly.instantiate(wasm as BufferSource);
    return new ZstdHeap(instance.exports as unknown as Functions);
  }

  /**
   * One frame, at a level from 1 to 22, in `memory`, and `room` more bytes behind it, which may be anything. Throws
   * `ZstdFailure`.
   */
  compress(
    bytes: Uint8Array,
    dictionary: Uint8Array,
    level: number,
    room: number,
    memory: Memory,
  ): Uint8Array<ArrayBuffer> {
    return this.#run(bytes, dictionary, this.#zstd.ZSTD_compressBound(bytes.length), level, room, memory);
  }

  /** The content of one frame, `capacity` bytes at most. Throws `ZstdFailure`. */
  decompress(frame: Uint8Array, dictionary: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
    return this.#run(frame, dictionary, capacity, null, 0, FRESH);
  }

  /** Compresses at a level; null: decompresses. */
  #run(
    bytes: Uint8Array,
    dictionary: Uint8Array,
    capacity: number,
    level: number | null,
    room: number,
    memory: Memory,
  ): Uint8Array<ArrayBuffer> {
    const zstd = this.#zstd;
    let to = 0;
    let from = 0;
    let known = 0;
    try {
      to = this.#room(capacity);
      from = this.#room(bytes.length);
      known = this.#room(dictionary.length);
      const heap = new Uint8Array(zstd.memory.buffer);
      heap.set(bytes, from);
      heap.set(dictionary, known);
      const length =
        level === null
          ? zstd.ZSTD_decompress_usingDict(
              this.#decompressor,
              to,
              capacity,
              from,
              bytes.length,
              known,
              dictionary.length,
            )
          : zstd.ZSTD_compress_usingDict(
              this.#compressor,
              to,
              capacity,
              from,
              bytes.length,
              known,
              dictionary.length,
              level,
            );
      if (zstd.ZSTD_isError(length) !== 0) throw new ZstdFailure(length);
      // not the view from before: when the memory grows it is another buffer
      const result = new Uint8Array(zstd.memory.buffer, to, length);
      const place = memory(length + room);
      const copy = new Uint8Array(typeof place === "number" ? new ArrayBuffer(place) : place, 0, length + room);
      copy.set(result);
      return copy;
    } finally {
      // as in C, freeing nothing is allowed
      zstd.free(to);
      zstd.free(from);
      zstd.free(known);
    }
  }

  #room(length: number): number {
    const address = this.#zstd.malloc(length) >>> 0;
    if (address === 0) throw new ZstdFailure(0);
    return address;
  }
}
