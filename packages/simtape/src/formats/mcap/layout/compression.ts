import type { Budget } from "../../../bytes/budget.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { decompress } from "../../../codec/any.ts";

/** Compressions of chunks (spec §4.6). */
export const COMPRESSIONS = ["", "zstd", "lz4"] as const;
export type ChunkCompression = (typeof COMPRESSIONS)[number];

/** The longest chunk that is unpacked. */
const MOST = 256 << 20;
/** No compression here packs more than this into one byte. */
const RATIO = 1 << 16;
/** Memory for each unpacked byte: what a decoder holds, and the result. */
const COPIES = 4;

/** Whether this is a compression that is known here. */
export function isCompression(text: string): text is ChunkCompression {
  return (COMPRESSIONS as readonly string[]).includes(text);
}

/**
 * The records of a chunk: `size` bytes. Rejects with `LayoutError` for damaged content, an unknown compression and a
 * size that cannot be, with `BudgetError` where memory does not allow it.
 */
export async function unpack(
  compression: string,
  stored: Uint8Array,
  size: number,
  budget: Budget,
): Promise<Uint8Array> {
  if (compression === "") {
    if (stored.length === size) return stored;
    throw new LayoutError("malformed", `a chunk of ${stored.length} bytes states ${size}`, 0);
  }
  if (compression !== "zstd" && compression !== "lz4") {
    throw new LayoutError("malformed", `the compression ${JSON.stringify(compression.slice(0, 40))} is not known`, 0);
  }
  if (size > MOST || size > stored.length * RATIO) {
    throw new LayoutError("malformed", `a chunk of ${stored.length} bytes states ${size} when it is unpacked`, 0);
  }
  if (size === 0) return stored.subarray(0, 0);
  budget.fit("a chunk, unpacked,", size * COPIES);
  return decompress(compression, stored, size);
}
