/** Bytes that go into WebAssembly at a time: its memory is never given back, and longer ones take more time. */
const PIECE = 64 << 10;

/**
 * Loads XXH64 with seed 0, of which it gives the low 32 bits: the content checksum of zstd frames (RFC 8878 §3.1.1).
 * Rejects where there is no WebAssembly.
 */
export async function loadXxh64Low(): Promise<(bytes: Uint8Array) => number> {
  const { default: xxhash } = await import("xxhash-wasm");
  const { h64Raw, create64 } = await xxhash();
  return (bytes) => Number(BigInt.asUintN(32, hashed(bytes, h64Raw, create64)));
}

/** Loads XXH32 with seed 0: every checksum of an LZ4 frame. Rejects where there is no WebAssembly. */
export async function loadXxh32(): Promise<(bytes: Uint8Array) => number> {
  const { default: xxhash } = await import("xxhash-wasm");
  const { h32Raw, create32 } = await xxhash();
  return (bytes) => hashed(bytes, h32Raw, create32);
}

interface Hash<T> {
  update(input: Uint8Array): unknown;
  digest(): T;
}

function hashed<T>(bytes: Uint8Array, atOnce: (bytes: Uint8Array) => T, create: () => Hash<T>): T {
  if (bytes.length < PIECE) return atOnce(bytes);
  const hash = create();
  for (let at = 0; at < bytes.length; at += PIECE) hash.update(bytes.subarray(at, at + PIECE));
  return hash.digest();
}
