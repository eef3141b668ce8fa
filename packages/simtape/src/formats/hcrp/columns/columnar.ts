import { LayoutError } from "../../../bytes/error.ts";
import type { Zstd } from "../../../codec/zstd.ts";
import { fromColumns } from "./columns.ts";

/**
 * zstd for a file whose frames hold chunks in columns (flag COLUMNS): what it decompresses are chunks as in any other
 * file, so that its users need not know of columns. Sizes are those of the columns, as index and frames state them.
 */
export function columnar(zstd: Zstd): Zstd {
  return {
    compress: (bytes, options) => zstd.compress(bytes, options),
    checksum: (content) => zstd.checksum(content),
    decompress: (frame, options) => fromColumns(zstd.decompress(frame, options)),
  };
}

/** As `columnar` for a file whose damaged header does not tell: what cannot be columns is a chunk as it is. */
export function perhapsColumnar(zstd: Zstd): Zstd {
  return {
    compress: (bytes, options) => zstd.compress(bytes, options),
    checksum: (content) => zstd.checksum(content),
    decompress: (frame, options) => {
      const content = zstd.decompress(frame, options);
      try {
        return fromColumns(content);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        return content;
      }
    },
  };
}
