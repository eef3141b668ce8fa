import type { Spool, SpoolFactory } from "./spool.ts";

/** Bytes written over what is in the spool already. */
interface Patch {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Bytes that may be overwritten until they are read: the last ones in memory, those before in a spool. */
export class Spooled {
  readonly #limit: number;
  readonly #factory: SpoolFactory;
  #spool: Spool | null = null;
  /** Bytes in the spool; those in memory come after them. */
  #spooled = 0;
  #memory = new Uint8Array(64 * 1024);
  #length = 0;
  /** In the order they were made. */
  readonly #patches: Patch[] = [];

  /** `limit`: bytes in memory. */
  constructor(limit: number, factory: SpoolFactory) {
    this.#limit = limit;
    this.#factory = factory;
  }

  get length(): number {
    return this.#spooled + this.#length;
  }

  /** At the end, or inside what is there. */
  async write(offset: number, bytes: Uint8Array): Promise<void> {
    const before = bytes.subarray(0, Math.max(0, this.#spooled - offset));
    if (before.length > 0) this.#patches.push({ offset, bytes: before.slice() });
    const rest = bytes.subarray(before.length);
    if (rest.length === 0) return;
    let at = offset + before.length - this.#spooled;
    for (let done = 0; done < rest.length; ) {
      if (at === this.#limit) {
        await this.#spill();
        at = 0;
      }
      const piece = rest.subarray(done, done + this.#limit - at);
      this.#grow(at + piece.length);
      this.#memory.set(piece, at);
      at += piece.length;
      done += piece.length;
      this.#length = Math.max(this.#length, at);
    }
  }

  /** Bytes that were written, `[offset, offset + length)`, all of them inside. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    const inside = Math.max(0, Math.min(offset + length, this.#spooled) - offset);
    if (inside > 0) bytes.set(await this.#spool!.read(offset, inside));
    const from = Math.max(0, offset - this.#spooled);
    bytes.set(this.#memory.subarray(from, from + length - inside), inside);
    for (const patch of this.#patches) {
      const start = Math.max(offset, patch.offset);
      const end = Math.min(offset + inside, patch.offset + patch.bytes.length);
      if (start < end) bytes.set(patch.bytes.subarray(start - patch.offset, end - patch.offset), start - offset);
    }
    return bytes;
  }

  /** Frees what it holds. Idempotent. */
  async close(): Promise<void> {
    const spool = this.#spool;
    this.#spool = null;
    this.#memory = new Uint8Array(0);
    await spool?.close();
  }

  async #spill(): Promise<void> {
    this.#spool ??= await this.#factory.create();
    await this.#spool.write(this.#memory.subarray(0, this.#length));
    this.#spooled += this.#length;
    this.#memory = new Uint8Array(this.#limit);
    this.#length = 0;
  }

  #grow(length: number): void {
    if (length <= this.#memory.length) return;
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(length, this.#memory.length * 2)));
    grown.set(this.#memory.subarray(0, this.#length));
    this.#memory = grown;
  }
}
