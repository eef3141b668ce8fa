import { nativeZstd } from "#native-zstd";
import { zstdWasm } from "#zstd-wasm";
import { LayoutError } from "../bytes/error.ts";
import { UnavailableError } from "./unavailable.ts";
import { loadXxh64Low } from "./xxhash.ts";
import { readZstdFrameHeader, zstdDictionaryId, zstdFrameLength } from "./zstd-frame.ts";
import { FRESH, ZstdFailure, ZstdHeap } from "./zstd-heap.ts";
import { providedZstd } from "./zstd-provided.ts";
import { storedContent } from "./zstd-stored.ts";

export {
  readZstdFrameHeader,
  ZSTD_DICTIONARY_MAGIC,
  ZSTD_MAGIC,
  type ZstdFrameHeader,
  zstdDictionaryId,
  zstdFrameLength,
} from "./zstd-frame.ts";

/** How to compress. */
export interface ZstdCompressOptions {
  /** 1 to 22; default 3. */
  readonly level?: number;
  /** Trained (its id goes into the frame) or raw content; the same is needed to decompress. */
  readonly dictionary?: Uint8Array;
  /** Ends the frame with its content checksum; default true. */
  readonly checksum?: boolean;
  /** Gives memory of a size or more to put the frame into, or how much of it to make; default: it is made. */
  readonly memory?: (size: number) => ArrayBuffer | number;
}

/** What a frame is expected to be. */
export interface ZstdDecompressOptions {
  /** Bytes the frame must decompress to, exactly. Checked against the caller's limits before the call. */
  readonly size: number;
  readonly dictionary?: Uint8Array;
  /** Takes frames that do not state their content size, as streaming compressors write them; default false. */
  readonly allowUnknownSize?: boolean;
}

/** zstd, ready to use. All functions are synchronous. */
export interface Zstd {
  /** One frame that states its content size; the caller's own. Throws `LayoutError` for a dictionary that is damaged. */
  compress(bytes: Uint8Array, options?: ZstdCompressOptions): Uint8Array<ArrayBuffer>;
  /**
   * Decompresses exactly one frame that fills `frame`; the result is the caller's own.
   * The header, the dictionary's id and the length of the frame are checked before anything is allocated.
   * Throws `LayoutError` for everything that does not fit: another size, bytes left over, cut or damaged content,
   * a wrong checksum, a missing or wrong dictionary.
   */
  decompress(frame: Uint8Array, options: ZstdDecompressOptions): Uint8Array<ArrayBuffer>;
  /** What a frame with this content ends with: the low 32 bits of its XXH64 (RFC 8878 §3.1.1). */
  checksum(content: Uint8Array): number;
}

let loading: Promise<Zstd> | null = null;

/**
 * Loads zstd (WebAssembly, about 80 kB compressed) once; later calls give the same object. Node from 22.15 on has zstd of
 * its own, which does what needs no dictionary: the bytes are the same.
 * Node finds zstd.wasm in this package, bundlers through `new URL("./zstd.wasm", import.meta.url)`; where neither does,
 * see `provideZstd`. Rejects with `UnavailableError` when the file is not to be had; the next call tries again.
 */
export function loadZstd(): Promise<Zstd> {
  loading ??= start().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function start(): Promise<Zstd> {
  try {
    const heap = await ZstdHeap.from((await providedZstd()) ?? (await zstdWasm()));
    return new WasmZstd(heap, await loadXxh64Low());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnavailableError(`zstd.wasm could not be loaded: ${why}. ${ADVICE}`, error);
  }
}

const ADVICE = "Where a bundler leaves it out, call provideZstd with its address or content before open";

/** Of fewer bytes, uncompressed, the WebAssembly takes less time than a call of zlib. */
const NATIVE = 16 << 10;

/** Bytes of a content checksum. */
const CHECKSUM = 4;

class WasmZstd implements Zstd {
  readonly #heap: ZstdHeap;
  /** The machine's own, which takes half the time of the WebAssembly; null where there is none. */
  readonly #native = nativeZstd();
  readonly checksum: (content: Uint8Array) => number;

  constructor(heap: ZstdHeap, checksum: (content: Uint8Array) => number) {
    this.#heap = heap;
    this.checksum = checksum;
  }

  compress(bytes: Uint8Array, options: ZstdCompressOptions = {}): Uint8Array<ArrayBuffer> {
    const { level = 3, dictionary, checksum = true, memory = FRESH } = options;
    if (dictionary === undefined && bytes.length >= NATIVE && this.#native?.compress != null) {
      return this.#native.compress(bytes, level, checksum);
    }
    let frame: Uint8Array<ArrayBuffer>;
    try {
      frame = this.#heap.compress(bytes, dictionary ?? EMPTY, level, checksum ? CHECKSUM : 0, memory);
    } catch (error) {
      throw failed(error);
    }
    if (!checksum) return frame;
    // zstd writes no checksum so: set the header's flag (RFC 8878 §3.1.1.1.1) and put it into the room behind.
    frame[4]! |= 0x04;
    new DataView(frame.buffer).setUint32(frame.length - CHECKSUM, this.checksum(bytes), true);
    return frame;
  }

  decompress(frame: Uint8Array, options: ZstdDecompressOptions): Uint8Array<ArrayBuffer> {
    const { size, dictionary, allowUnknownSize = false } = options;
    const header = readZstdFrameHeader(frame);
    if (header.kind === "skippable") throw new LayoutError("malformed", "zstd frame is a skippable one", 0);
    if (header.contentSize === null) {
      if (!allowUnknownSize) throw new LayoutError("malformed", "zstd frame does not state its content size", 4);
    } else if (header.contentSize !== size) {
      throw new LayoutError("malformed", `zstd frame states ${header.contentSize} bytes, ${size} are expected`, 4);
    }
    // zstd decodes into one buffer of the content size, so the window costs nothing beyond it.
    checkDictionary(header.dictionaryId, dictionary);
    const length = zstdFrameLength(frame);
    if (length !== frame.length) {
      throw new LayoutError("malformed", `${frame.length - length} bytes follow the zstd frame`, length);
    }
    const stored = dictionary === undefined ? storedContent(frame, header, size, this.checksum) : null;
    if (stored !== null) return stored;
    // what states its size is decoded in one step, without memory for a window
    const isForNative = dictionary === undefined && header.contentSize !== null && size >= NATIVE;
    const content =
      (isForNative ? this.#natively(frame, size) : null) ?? this.#inWasm(frame, dictionary ?? EMPTY, size);
    if (content.length !== size) {
      throw new LayoutError("malformed", `zstd frame holds ${content.length} bytes, ${size} are expected`, 0);
    }
    return content;
  }

  /** Null: there is none, or it does not take the frame, and the WebAssembly says why. */
  #natively(frame: Uint8Array, size: number): Uint8Array<ArrayBuffer> | null {
    try {
      return this.#native?.decompress(frame, size) ?? null;
    } catch {
      return null;
    }
  }

  #inWasm(frame: Uint8Array, dictionary: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
    try {
      return this.#heap.decompress(frame, dictionary, size);
    } catch (error) {
      throw failed(error);
    }
  }
}

const EMPTY = new Uint8Array(0);

function checkDictionary(id: number, dictionary: Uint8Array | undefined): void {
  if (id === 0) return;
  if (dictionary === undefined) throw new LayoutError("malformed", `zstd frame needs dictionary ${id}`, 0);
  const given = zstdDictionaryId(dictionary);
  if (given !== id) throw new LayoutError("malformed", `zstd frame needs dictionary ${id}, ${given} was given`, 0);
}

/** zstd's error numbers, negated. */
const REASONS: Readonly<Record<number, string>> = {
  [-20]: "zstd frame is damaged",
  [-22]: "zstd checksum does not match",
  [-30]: "zstd dictionary is damaged",
  [-32]: "zstd frame needs another dictionary",
  [-70]: "zstd frame holds more than is expected",
  [-72]: "zstd frame is damaged",
};

function failed(error: unknown): LayoutError {
  const reason = error instanceof ZstdFailure ? REASONS[error.code] : undefined;
  return new LayoutError("malformed", reason ?? (error instanceof Error ? error.message : String(error)), 0);
}
