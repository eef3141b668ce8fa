/**
 * What is used of zstd.wasm, by the names of C. Addresses and lengths are bytes in its memory; lengths that
 * `isError` calls errors are zstd's error numbers, negated.
 */
interface Functions {
  readonly memory: WebAssembly.Memory;
  isError(length: number): number;
  compressBound(length: number): number;
  createCCtx(): number;
  compressUsingDict(
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
    level: number,
  ): number;
  createDCtx(): number;
  decompressUsingDict(
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
  ): number;
  malloc(length: number): number;
  free(address: number): void;
}

/** Most memory that the WebAssembly may take, in bytes. */
const MOST = 2 ** 31;
const PAGE = 65_536;

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
    this.#compressor = zstd.createCCtx();
    this.#decompressor = zstd.createDCtx();
  }

  /** Rejects with `WebAssembly.CompileError` or `LinkError` for bytes that are not zstd.wasm. */
  static async from(wasm: Uint8Array): Promise<ZstdHeap> {
    let memory: WebAssembly.Memory | null = null;
    const { instance } = await WebAssembly.instantiate(wasm as BufferSource, { a: hostOf(() => memory!) });
    const { exports } = instance;
    memory = exports["f"] as WebAssembly.Memory;
    // Emscripten's constructors of globals
    (exports["g"] as () => void)();
    return new ZstdHeap(functionsOf(exports));
  }

  /** One frame, at a level from 1 to 22. Throws `ZstdFailure`. */
  compress(bytes: Uint8Array, dictionary: Uint8Array, level: number): Uint8Array<ArrayBuffer> {
    return this.#run(bytes, dictionary, this.#zstd.compressBound(bytes.length), level);
  }

  /** The content of one frame, `capacity` bytes at most. Throws `ZstdFailure`. */
  decompress(frame: Uint8Array, dictionary: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
    return this.#run(frame, dictionary, capacity, null);
  }

  /** Compresses at a level; null: decompresses. */
  #run(bytes: Uint8Array, dictionary: Uint8Array, capacity: number, level: number | null): Uint8Array<ArrayBuffer> {
    const zstd = this.#zstd;
    let to = 0;
    let from = 0;
    let known = 0;
    try {
      to = this.#room(capacity);
      from = this.#room(bytes.length);
      known = this.#room(dictionary.length);
      const memory = new Uint8Array(zstd.memory.buffer);
      memory.set(bytes, from);
      memory.set(dictionary, known);
      const length =
        level === null
          ? zstd.decompressUsingDict(this.#decompressor, to, capacity, from, bytes.length, known, dictionary.length)
          : zstd.compressUsingDict(this.#compressor, to, capacity, from, bytes.length, known, dictionary.length, level);
      if (zstd.isError(length) !== 0) throw new ZstdFailure(length);
      // not the view from before: when the memory grows it is another buffer
      return new Uint8Array(zstd.memory.buffer).slice(to, to + length);
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

/** Names as they are in the one build that is shipped: @bokuweb/zstd-wasm 0.0.27, dist/web/zstd.js. */
function functionsOf(exports: WebAssembly.Exports): Functions {
  return {
    memory: exports["f"],
    isError: exports["h"],
    compressBound: exports["i"],
    createCCtx: exports["j"],
    compressUsingDict: exports["l"],
    createDCtx: exports["n"],
    decompressUsingDict: exports["q"],
    malloc: exports["s"],
    free: exports["t"],
  } as unknown as Functions;
}

/** What the WebAssembly asks of its host: more memory; never, of what is used of it, the rest. */
function hostOf(memoryOf: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const never = (): never => {
    throw new ZstdFailure(0);
  };
  return {
    a: never,
    b: never,
    c: never,
    d: never,
    /** emscripten_resize_heap: 1 when the memory has grown to the size asked for, in bytes. */
    e: (size: number): 0 | 1 => {
      const memory = memoryOf();
      const asked = size >>> 0;
      const current = memory.buffer.byteLength;
      if (asked > MOST) return 0;
      // a fifth more than now, so that it does not grow with each message; or just what is asked for
      for (const wanted of [Math.min(MOST, Math.max(asked, current * 1.2)), asked]) {
        try {
          memory.grow(Math.ceil((wanted - current) / PAGE));
          return 1;
        } catch {
          // the browser has no more
        }
      }
      return 0;
    },
  };
}
