let provided: URL | string | Uint8Array | null = null;

/**
 * Says where zstd's WebAssembly file is, or what is in it, before a recording that needs it is opened: for pages whose
 * bundler leaves `zstd.wasm` out, and for workers without a network. Node reads the file of the package and needs none.
 */
export function provideZstd(wasm: URL | string | Uint8Array): void {
  provided = wasm;
}

/** What was provided last; null: nothing. */
export function providedZstd(): URL | string | Uint8Array | null {
  return provided;
}
