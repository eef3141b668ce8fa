import { SourceError } from "./source.ts";

/** Where bytes are kept that can only be had once, from the first to the last. */
export interface Spool {
  /** Appends; the bytes are not written to by the caller afterwards. Not called again before it has resolved. */
  write(bytes: Uint8Array): Promise<void>;
  /** Bytes that were written, `[offset, offset + length)`, all of them inside; never written to again. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Frees what it holds. Called once, after the last `write`. */
  close(): Promise<void>;
}

/** Makes a spool when one is first needed. */
export interface SpoolFactory {
  create(): Promise<Spool>;
}

const BLOCK = 1024 * 1024;

/** A spool in memory; what goes beyond `limit` bytes is refused with a `SourceError` about `name`. */
export function memorySpool(limit: number, name: string): SpoolFactory {
  return { create: () => Promise.resolve(new MemorySpool(limit, name)) };
}

class MemorySpool implements Spool {
  readonly #limit: number;
  readonly #name: string;
  /** All full but the last. Bytes once written stay, so that views of them may be handed out. */
  #blocks: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number, name: string) {
    this.#limit = limit;
    this.#name = name;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#limit - this.#length) {
      throw new SourceError("failed", `content is larger than the ${this.#limit} bytes held in memory: ${this.#name}`);
    }
    for (let at = 0; at < bytes.length; ) {
      const inside = this.#length % BLOCK;
      if (inside === 0) this.#blocks.push(new Uint8Array(BLOCK));
      const part = bytes.subarray(at, at + BLOCK - inside);
      this.#blocks.at(-1)?.set(part, inside);
      this.#length += part.length;
      at += part.length;
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const inside = offset % BLOCK;
    const first = Math.floor(offset / BLOCK);
    if (inside + length <= BLOCK) return (this.#blocks[first] ?? new Uint8Array(0)).subarray(inside, inside + length);
    const result = new Uint8Array(length);
    for (let at = 0, index = first; at < length; index++) {
      const from = at === 0 ? inside : 0;
      const part = this.#blocks[index]!.subarray(from, from + length - at);
      result.set(part, at);
      at += part.length;
    }
    return result;
  }

  async close(): Promise<void> {
    this.#blocks = [];
  }
}
