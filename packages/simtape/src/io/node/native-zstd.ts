import * as zlib from "node:zlib";

/** What Node's zlib has since 22.15 and 23.8. */
interface Zlib {
  zstdCompressSync(bytes: Uint8Array, options: ZstdOptions): Buffer<ArrayBuffer>;
  zstdDecompressSync(frame: Uint8Array, options: ZstdOptions): Buffer<ArrayBuffer>;
}

interface ZstdOptions {
  readonly chunkSize: number;
  readonly maxOutputLength?: number;
  readonly pledgedSrcSize?: number;
  readonly params?: Readonly<Record<number, number>>;
}

/** The version of zstd.wasm: another one would compress to other bytes. */
const VERSION = "1.5.7";
/** `ZSTD_c_compressionLevel` and `ZSTD_c_checksumFlag` (zstd.h). */
const LEVEL = 100;
const CHECKSUM = 201;

/** zstd without dictionaries, as the machine itself runs it. Results are the caller's own. */
export interface NativeZstd {
  /** One frame that states its content size, byte for byte that of zstd.wasm. Null: this version would write others. */
  readonly compress: ((bytes: Uint8Array, level: number, checksum: boolean) => Uint8Array<ArrayBuffer>) | null;
  /** The content of a frame, `size` bytes at most. Throws an `Error` of zlib for everything that does not fit. */
  readonly decompress: (frame: Uint8Array, size: number) => Uint8Array<ArrayBuffer>;
}

/** Null where this Node has no zstd. */
export function nativeZstd(): NativeZstd | null {
  if (!("zstdDecompressSync" in zlib)) return null;
  const { zstdCompressSync, zstdDecompressSync } = zlib as unknown as Zlib;
  return {
    compress:
      process.versions["zstd"] !== VERSION
        ? null
        : (bytes, level, checksum) => {
            const { length } = bytes;
            // room for all of it, so that zstd works in one step; then what is used of it
            const chunkSize = length + (length >> 8) + 1024;
            const params = { [LEVEL]: level, [CHECKSUM]: checksum ? 1 : 0 };
            return new Uint8Array(zstdCompressSync(bytes, { chunkSize, pledgedSrcSize: length, params }));
          },
    decompress: (frame, size) => {
      // a little more room than needed: zlib allocates again when none is left
      const content = zstdDecompressSync(frame, { chunkSize: size + 64, maxOutputLength: size });
      return new Uint8Array(content.buffer, content.byteOffset, content.length);
    },
  };
}
