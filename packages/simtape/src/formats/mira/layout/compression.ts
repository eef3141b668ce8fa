import type { Budget } from "../../../bytes/budget.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type Compression, decompress, sniffCompression } from "../../../codec/any.ts";

/** Longest data that is decompressed; what claims to be longer stays as stored. */
const MAX_UNCOMPRESSED = 64 << 20;
/** No known compression packs more than this into one byte (zstd: 128 KiB into a block of four). */
const MAX_RATIO = 1 << 16;

/** Memory that data takes on its way, for each byte of it: what a decoder holds, the result and its copy. */
const COPIES = 4;

/** Data after decompression. */
export interface Expanded {
  readonly compression: Compression;
  /** The caller's own. */
  readonly bytes: Uint8Array;
}

/** Opens compressed data of unknown compression, spec §4; what opened the last message is tried first. */
export class Expander {
  readonly #budget: Budget;
  #last: Compression | null = null;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Null when nothing known opens `bytes` to exactly `size` bytes. Throws `BudgetError` when that is too much at once. */
  async expand(bytes: Uint8Array, size: number): Promise<Expanded | null> {
    if (!mayExpand(bytes.length, size)) return null;
    const last = this.#last;
    if (last !== null) {
      this.#fit(size);
      const content = await attempt(last, bytes, size);
      if (content !== null) return { compression: last, bytes: content };
    }
    const sniffed = sniffCompression(bytes, size);
    if (sniffed !== null) this.#fit(size);
    for (const compression of sniffed === "deflate" || sniffed === null ? [sniffed] : [sniffed, "deflate" as const]) {
      if (compression === null || compression === last) continue;
      const content = await attempt(compression, bytes, size);
      if (content === null) continue;
      this.#last = compression;
      return { compression, bytes: content };
    }
    return null;
  }

  #fit(size: number): void {
    this.#budget.fit("the data of a message, decompressed,", size * COPIES);
  }
}

/** Whether data of `stored` bytes can be opened to `size` bytes within the limits; decides before anything is allocated. */
export function mayExpand(stored: number, size: number): boolean {
  return stored > 0 && size <= MAX_UNCOMPRESSED && size <= stored * MAX_RATIO;
}

/** Length of the data after decompression as far as it can be believed; of data that will stay as stored, its length. */
export function believedBytes(stored: number, size: number): number {
  return mayExpand(stored, size) ? size : stored;
}

async function attempt(compression: Compression, bytes: Uint8Array, size: number): Promise<Uint8Array | null> {
  try {
    return await decompress(compression, bytes, size);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}
