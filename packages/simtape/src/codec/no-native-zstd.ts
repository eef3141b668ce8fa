/** Stands where Node has `io/node/native-zstd.ts`: pages have the zstd of the WebAssembly alone. */
export function nativeZstd(): null {
  return null;
}
