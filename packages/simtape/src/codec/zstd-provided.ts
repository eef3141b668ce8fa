let provided: URL | string | Uint8Array | null = null;

/** How long a server may take to send zstd.wasm, in milliseconds. */
const TIMEOUT = 30_000;

/**
 * Says where zstd.wasm is, or gives its content. Call it before you open a recording that needs zstd: HCRP always does,
 * MIRA where its data is compressed so. Pages need it when their bundler does not copy the file, and workers without a
 * network; Node reads the file from the package. The file is `simtape-core/zstd.wasm`. Bytes are not copied: leave them as
 * they are until the first recording is open.
 */
export function provideZstd(wasm: URL | string | Uint8Array): void {
  provided = wasm;
}

/** The content that was provided last, fetched if it was an address; null when nothing was provided. */
export async function providedZstd(): Promise<Uint8Array | null> {
  return provided === null || provided instanceof Uint8Array ? provided : fetchZstd(provided);
}

/** Throws `Error` when it is no WebAssembly, such as the page that a server sends for what it does not have. */
export async function fetchZstd(address: URL | string): Promise<Uint8Array> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isWasm = bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
  if (response.ok && isWasm) return bytes;
  const found = response.ok ? "something else" : `HTTP status ${response.status}`;
  throw new Error(`expected WebAssembly at ${shown(address)}, found ${found}`);
}

/** Without what may be secret in it. */
function shown(address: URL | string): string {
  return String(address).replace(/[?#].*$/, "");
}
