import { Gate, NO_BYTES } from "./gate.ts";
import type { ByteSource } from "./source.ts";

/** Bytes as a source; reads are views of them, so they must not be written to any more. `close()` lets go of them. */
export function memory(bytes: Uint8Array, name = "memory"): ByteSource {
  // a Buffer of Node's has a `slice` that does not copy
  return new MemorySource(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), name);
}

class MemorySource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  #bytes: Uint8Array;

  constructor(bytes: Uint8Array, name: string) {
    this.name = name;
    this.#gate = new Gate(name);
    this.#bytes = bytes;
  }

  async size(): Promise<number> {
    this.#gate.refuse();
    return this.#bytes.length;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    return this.#bytes.subarray(offset, offset + length);
  }

  async close(): Promise<void> {
    if (this.#gate.close()) this.#bytes = NO_BYTES;
  }
}
