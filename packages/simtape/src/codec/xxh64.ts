/** Bytes that go into WebAssembly at a time: its memory is never given back, and longer ones take more time. */
const PIECE = 64 << 10;

/**
 * Loads XXH64 with seed 0, of which it gives the low 32 bits: the content checksum of zstd frames (RFC 8878 §3.1.1).
 * Rejects where WebAssembly is not to be had.
 */
export async function loadXxh64Low(): Promise<(bytes: Uint8Array) => number> {
  const { default: xxhash } = await import("xxhash-wasm");
  const { h64Raw, create64 } = await xxhash();
  return (bytes) => {
    if (bytes.length < PIECE) return Number(BigInt.asUintN(32, h64Raw(bytes)));
    const hash = create64();
    for (let at = 0; at < bytes.length; at += PIECE) hash.update(bytes.subarray(at, at + PIECE));
    return Number(BigInt.asUintN(32, hash.digest()));
  };
}
