import { LayoutError } from "../bytes/error.ts";

/**
 * Decompresses all xz streams that fill `bytes` (WebAssembly, loaded on first use); the result is the caller's own.
 * Rejects with `LayoutError` when they are damaged, cut, followed by other bytes, or hold more than `limit` bytes.
 */
export async function decompressXz(bytes: Uint8Array, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const module = await import("xz-decompress");
  // CommonJS: Node shows the class under `default`, bundlers under its own name.
  const { XzReadableStream } = "default" in module ? (module.default as typeof module) : module;
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const reader = new XzReadableStream(input).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new LayoutError("malformed", `xz stream is damaged or cut (${String(error)})`, 0);
    });
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new LayoutError("malformed", `xz stream holds more than ${limit} bytes`, 0);
    }
    // the library hands out views of memory that it uses again
    parts.push(new Uint8Array(value));
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
