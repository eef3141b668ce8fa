import { fetchZstd } from "./zstd-provided.ts";

/** The content of zstd.wasm where it lies beside the code: bundlers that know this form of address copy it there. */
export async function zstdWasm(): Promise<Uint8Array> {
  return fetchZstd(new URL("./zstd.wasm", import.meta.url));
}
