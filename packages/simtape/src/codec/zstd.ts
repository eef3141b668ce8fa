import { LayoutError } from "../bytes/error.ts";
import { loadXxh64Low } from "./xxh64.ts";
import { readZstdFrameHeader, zstdDictionaryId, zstdFrameLength } from "./zstd-frame.ts";
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

/** Milliseconds after which the WebAssembly file counts as not to be had. */
const PATIENCE = 30_000;

/**
 * Loads zstd (WebAssembly, about 80 kB compressed) once; later calls give the same object.
 * Node finds `zstd.wasm` beside the package, bundlers through `new URL("./zstd.wasm", import.meta.url)`; where neither
 * does, see `provideZstd`. Rejects when WebAssembly or the file is not to be had; the next call tries again.
 */
export function loadZstd(): Promise<Zstd> {
  loading ??= start().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

type Library = typeof import("@bokuweb/zstd-wasm");

async function start(): Promise<Zstd> {
  const library = await import("@bokuweb/zstd-wasm");
  // The package's Node entry takes no argument, its browser entry the WebAssembly itself or its address.
  const init = library.init as (wasm?: Uint8Array) => Promise<void>;
  const given = providedZstd();
  await orFailed(given === null ? init() : init(await bytesOf(given)));
  return new WasmZstd(library, await loadXxh64Low());
}

/** Throws `Error` when it is no WebAssembly, such as the page that a server sends for what it does not have. */
async function bytesOf(wasm: URL | string | Uint8Array): Promise<Uint8Array> {
  if (wasm instanceof Uint8Array) return wasm;
  const response = await fetch(wasm);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isWasm = response.ok && bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
  if (!isWasm) throw new Error(`zstd.wasm: expected WebAssembly, found HTTP ${response.status} and other content`);
  return bytes;
}

/** The library throws where nothing can catch it, and then never settles: an error in place of both. */
async function orFailed(ready: Promise<void>): Promise<void> {
  let end = (): void => undefined;
  const failed = new Promise<never>((_, reject) => {
    const fail = (why: string): void => reject(new Error(`zstd.wasm could not be loaded: ${why}. ${ADVICE}`));
    const caught = (event: Event): void => {
      const { reason } = event as Event & { readonly reason?: unknown };
      if (!isLoading(reason)) return;
      event.preventDefault();
      fail(reason instanceof Error ? reason.message : String(reason));
    };
    const timer = setTimeout(fail, PATIENCE, `nothing came in ${PATIENCE / 1000} s`);
    // Pages and workers have it, Node does not, and there the library rejects.
    globalThis.addEventListener?.("unhandledrejection", caught);
    end = (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("unhandledrejection", caught);
    };
  });
  try {
    await Promise.race([ready, failed]);
  } finally {
    end();
  }
}

/** Whether it was thrown while the WebAssembly was fetched or compiled: a page may have other errors meanwhile. */
function isLoading(reason: unknown): boolean {
  if (reason instanceof WebAssembly.RuntimeError) return reason.message.startsWith("Aborted(");
  return reason instanceof TypeError ? /fetch|network|load/i.test(reason.message) : /wasm/i.test(String(reason));
}

const ADVICE = "A bundler that leaves it out is helped by provideZstd(address or bytes of zstd.wasm)";

class WasmZstd implements Zstd {
  readonly #library: Library;
  readonly #compressor: number;
  readonly #decompressor: number;
  readonly checksum: (content: Uint8Array) => number;

  constructor(library: Library, checksum: (content: Uint8Array) => number) {
    this.checksum = checksum;
    this.#library = library;
    this.#compressor = library.createCCtx();
    this.#decompressor = library.createDCtx();
  }

  compress(bytes: Uint8Array, options: ZstdCompressOptions = {}): Uint8Array<ArrayBuffer> {
    const { level = 3, dictionary, checksum = true } = options;
    let frame: Uint8Array;
    try {
      frame = this.#library.compressUsingDict(this.#compressor, bytes, dictionary ?? EMPTY, level);
    } catch (error) {
      throw failed(error);
    }
    if (!checksum) return frame as Uint8Array<ArrayBuffer>;
    // The library writes no checksum: set the header's flag (RFC 8878 §3.1.1.1.1) and append it.
    const whole = new Uint8Array(frame.length + 4);
    whole.set(frame);
    whole[4]! |= 0x04;
    new DataView(whole.buffer).setUint32(frame.length, this.checksum(bytes), true);
    return whole;
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
    // The library decodes into one buffer of the content size, so the window costs nothing beyond it.
    checkDictionary(header.dictionaryId, dictionary);
    const length = zstdFrameLength(frame);
    if (length !== frame.length) {
      throw new LayoutError("malformed", `${frame.length - length} bytes follow the zstd frame`, length);
    }
    const stored = dictionary === undefined ? storedContent(frame, header, size, this.checksum) : null;
    if (stored !== null) return stored;
    let content: Uint8Array;
    try {
      content = this.#library.decompressUsingDict(this.#decompressor, frame, dictionary ?? EMPTY, {
        defaultHeapSize: size,
      });
    } catch (error) {
      throw failed(error);
    }
    if (content.length !== size) {
      throw new LayoutError("malformed", `zstd frame holds ${content.length} bytes, ${size} are expected`, 0);
    }
    return content as Uint8Array<ArrayBuffer>;
  }
}

const EMPTY = new Uint8Array(0);

function checkDictionary(id: number, dictionary: Uint8Array | undefined): void {
  if (id === 0) return;
  if (dictionary === undefined) throw new LayoutError("malformed", `zstd frame needs dictionary ${id}`, 0);
  const given = zstdDictionaryId(dictionary);
  if (given !== id) throw new LayoutError("malformed", `zstd frame needs dictionary ${id}, ${given} was given`, 0);
}

/** zstd's error numbers, negated in the library's message. */
const REASONS: Readonly<Record<string, string>> = {
  "-20": "zstd frame is damaged",
  "-22": "zstd checksum does not match",
  "-30": "zstd dictionary is damaged",
  "-32": "zstd frame needs another dictionary",
  "-70": "zstd frame holds more than is expected",
  "-72": "zstd frame is damaged",
};

function failed(error: unknown): LayoutError {
  const number = /-\d+/.exec(String(error))?.[0] ?? "";
  return new LayoutError("malformed", REASONS[number] ?? `zstd fails (${number || "?"})`, 0);
}
