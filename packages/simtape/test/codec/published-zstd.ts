import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Another build of zstd 1.5.7: its parts as @bokuweb/zstd-wasm 0.0.27 publishes them, by the letters it exports. */
export interface PublishedZstd {
  readonly compress: (bytes: Uint8Array, dictionary: Uint8Array, level: number) => Uint8Array;
  /** Throws for damaged frames. */
  readonly decompress: (frame: Uint8Array, dictionary: Uint8Array, capacity: number) => Uint8Array;
}

export async function publishedZstd(): Promise<PublishedZstd> {
  const entry = createRequire(import.meta.url).resolve("@bokuweb/zstd-wasm");
  const wasm = readFileSync(join(dirname(entry), "zstd.wasm"));
  const never = (): never => {
    throw new Error("the host has none of it");
  };
  // it asks for more memory before it returns addresses in it
  const grow = (size: number): number => {
    const { memory } = parts;
    return memory.grow(Math.ceil(((size >>> 0) - memory.buffer.byteLength) / 65_536)) < 0 ? 0 : 1;
  };
  const host = { a: never, b: never, c: never, d: never, e: grow };
  const { exports } = (await WebAssembly.instantiate(wasm, { a: host })).instance as { exports: Record<string, never> };
  const part = (letter: string): ((...numbers: number[]) => number) => exports[letter]!;
  const parts = {
    memory: exports["f"]! as WebAssembly.Memory,
    ...{ isError: part("h"), bound: part("i"), malloc: part("s"), free: part("t") },
    ...{ compress: part("l"), decompress: part("q") },
  };
  part("g")();
  const [compressor, decompressor] = [part("j")(), part("n")()];

  const put = (bytes: Uint8Array): number => {
    const at = parts.malloc(Math.max(1, bytes.length));
    new Uint8Array(parts.memory.buffer).set(bytes, at);
    return at;
  };
  const run = (
    work: (...numbers: number[]) => number,
    context: number,
    capacity: number,
    bytes: Uint8Array,
    dictionary: Uint8Array,
    ...level: number[]
  ): Uint8Array => {
    const [from, known, to] = [put(bytes), put(dictionary), parts.malloc(Math.max(1, capacity))];
    try {
      const length = work(context, to, capacity, from, bytes.length, known, dictionary.length, ...level);
      if (parts.isError(length) !== 0) throw new Error(`zstd fails with ${length}`);
      return new Uint8Array(parts.memory.buffer).slice(to, to + length);
    } finally {
      for (const address of [from, known, to]) parts.free(address);
    }
  };
  return {
    compress: (bytes, dictionary, level) =>
      run(parts.compress, compressor, parts.bound(bytes.length), bytes, dictionary, level),
    decompress: (frame, dictionary, capacity) => run(parts.decompress, decompressor, capacity, frame, dictionary),
  };
}
