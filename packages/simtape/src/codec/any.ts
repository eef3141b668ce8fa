import { LayoutError } from "../bytes/error.ts";
import { gunzip, inflateRaw, inflateZlib } from "./deflate.ts";

/** Compressions that bytes can be recognised as, and raw deflate, which has no mark. */
export type Compression = "zlib" | "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "deflate";

/**
 * Tells a compression by its first bytes; null when it is none of those with a mark. `deflate` has no mark and is
 * answered only when the bytes inflate to the end, up to `limit` bytes.
 */
export function sniffCompression(bytes: Uint8Array, limit: number = 64 * 1024 * 1024): Compression | null {
  const marked = markedCompression(bytes);
  if (marked !== null || bytes.length < 2) return marked;
  try {
    inflateRaw(bytes, limit);
    return "deflate";
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/**
 * Decompresses all of `bytes` and gives the result, the caller's own, only if it is exactly `expectedSize` long;
 * else rejects with `LayoutError`. Never allocates much beyond `expectedSize`. Decoders load on use.
 */
export async function decompress(kind: Compression, bytes: Uint8Array, expectedSize: number): Promise<Uint8Array> {
  const decode = loaded.get(kind) ?? (await load(kind));
  const result = await decode(bytes, expectedSize);
  if (result.length !== expectedSize) {
    throw new LayoutError("malformed", `${kind} content is ${result.length} bytes, ${expectedSize} are expected`, 0);
  }
  return result;
}

function markedCompression(bytes: Uint8Array): Compression | null {
  const [a = -1, b = -1, c = -1, d = -1] = bytes;
  if (a === 0x1f && b === 0x8b) return "gzip";
  if (a === 0x42 && b === 0x5a && c === 0x68) return "bzip2";
  if (a === 0xfd && b === 0x37 && c === 0x7a && d === 0x58 && bytes[4] === 0x5a && bytes[5] === 0) return "xz";
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return "zstd";
  if (a === 0x04 && b === 0x22 && c === 0x4d && d === 0x18) return "lz4";
  // RFC 1950: method 8, window up to 32 KiB, and the two bytes together a multiple of 31
  if ((a & 0x8f) === 0x08 && ((a << 8) | b) % 31 === 0) return "zlib";
  return null;
}

type Decode = (bytes: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;

/** Those that were used: an import takes as long as a small chunk, the second time, too. */
const loaded = new Map<Compression, Decode>();

async function load(kind: Compression): Promise<Decode> {
  const decode = await DECODERS[kind]();
  loaded.set(kind, decode);
  return decode;
}

const DECODERS: Readonly<Record<Compression, () => Promise<Decode>>> = {
  zlib: () => Promise.resolve(inflateZlib),
  deflate: () => Promise.resolve(inflateRaw),
  gzip: () => Promise.resolve(wholeGzip),
  bzip2: async () => (await import("./bzip2.ts")).decompressBzip2,
  lz4: async () => (await import("./lz4.ts")).decompressLz4,
  xz: async () => (await import("./xz.ts")).decompressXz,
  async zstd() {
    const zstd = await (await import("./zstd.ts")).loadZstd();
    return (bytes, size) => zstd.decompress(bytes, { size, allowUnknownSize: true });
  },
};

function wholeGzip(bytes: Uint8Array, size: number): Uint8Array {
  const { bytes: content, damage, consumed } = gunzip(bytes, size);
  if (damage !== null) throw damage;
  if (consumed !== bytes.length) throw new LayoutError("malformed", "bytes follow the gzip members", consumed);
  return content;
}
