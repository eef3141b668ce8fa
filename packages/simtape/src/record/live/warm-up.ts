import { loadZstd } from "../../codec/zstd.ts";

/** Bytes and times that make the engine translate what compresses: then the first chunk costs what every other does. */
const BYTES = 64 << 10;
const TIMES = 10;

let warming: Promise<void> | null = null;

/** Once in a process, before the first tick: 20 ms that no tick should take. */
export function warmUp(): Promise<void> {
  warming ??= compressSome();
  return warming;
}

async function compressSome(): Promise<void> {
  const zstd = await loadZstd();
  const bytes = new Uint8Array(BYTES);
  // neither all alike nor all different, as events are
  for (let i = 0; i < bytes.length; i++) bytes[i] = i % 7 === 0 ? Math.imul(i, 0x9e3779b1) >>> 24 : (i >> 4) & 15;
  for (let n = 0; n < TIMES; n++) zstd.compress(bytes);
}
