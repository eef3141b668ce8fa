import { readFile } from "node:fs/promises";

/** The content of zstd.wasm, from this package. */
export function zstdWasm(): Promise<Uint8Array> {
  return readFile(new URL("../../codec/zstd.wasm", import.meta.url));
}
