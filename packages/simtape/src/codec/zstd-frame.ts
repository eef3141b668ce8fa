import { LayoutError } from "../bytes/error.ts";

/** Little-endian magic number of a zstd frame (RFC 8878 §3.1.1). */
export const ZSTD_MAGIC = 0xfd2fb528;
/** Magic number at the start of a trained dictionary (RFC 8878 §5). */
export const ZSTD_DICTIONARY_MAGIC = 0xec30a437;

/** What the head of a zstd frame says. */
export interface ZstdFrameHeader {
  /** `skippable` frames carry bytes that are not compressed data. */
  readonly kind: "data" | "skippable";
  /** Bytes of the header: where the first block, or the content of a skippable frame, begins. */
  readonly headerBytes: number;
  /** Bytes of window a decoder needs; 0 for skippable frames. */
  readonly windowSize: number;
  /** The dictionary the frame was made with; 0 when it names none. */
  readonly dictionaryId: number;
  /** Bytes after decompression, null when not stated; for skippable frames the length of their content. */
  readonly contentSize: number | null;
  /** Four bytes of XXH64 follow the last block. */
  readonly hasChecksum: boolean;
}

/** Reads the header of the frame at `bytes[start]`. Throws `LayoutError` when it is none or is cut. */
export function readZstdFrameHeader(bytes: Uint8Array, start = 0): ZstdFrameHeader {
  const magic = little(bytes, start, 4);
  // RFC 8878 §3.1.2: sixteen magic numbers mark skippable frames
  if (magic >>> 4 === 0x184d2a5) {
    const contentSize = little(bytes, start + 4, 4);
    return { kind: "skippable", headerBytes: 8, windowSize: 0, dictionaryId: 0, contentSize, hasChecksum: false };
  }
  if (magic !== ZSTD_MAGIC) throw new LayoutError("malformed", "not a zstd frame", start);
  const descriptor = little(bytes, start + 4, 1);
  if ((descriptor & 0x08) !== 0) throw new LayoutError("malformed", "zstd frame sets a reserved bit", start + 4);
  const singleSegment = (descriptor & 0x20) !== 0;
  let at = start + 5;
  let windowSize = 0;
  if (!singleSegment) {
    const window = little(bytes, at++, 1);
    const base = 2 ** (10 + (window >> 3));
    windowSize = base + (base / 8) * (window & 7);
  }
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const dictionaryId = little(bytes, at, dictionaryBytes);
  at += dictionaryBytes;
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  let contentSize: number | null = null;
  if (sizeBytes === 8) {
    contentSize = little(bytes, at + 4, 4) * 0x1_0000_0000 + little(bytes, at, 4);
    if (!Number.isSafeInteger(contentSize)) throw new LayoutError("malformed", "zstd content size above 2^53", at);
  } else if (sizeBytes > 0) {
    contentSize = little(bytes, at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  }
  at += sizeBytes;
  if (singleSegment) windowSize = contentSize!;
  const hasChecksum = (descriptor & 0x04) !== 0;
  return { kind: "data", headerBytes: at - start, windowSize, dictionaryId, contentSize, hasChecksum };
}

/**
 * Compressed length of the frame at `bytes[start]`, header and checksum included, found by walking its blocks
 * without decompressing. Throws `LayoutError("truncated")` when the frame goes on beyond the bytes.
 */
export function zstdFrameLength(bytes: Uint8Array, start = 0): number {
  const header = readZstdFrameHeader(bytes, start);
  let at = start + header.headerBytes;
  if (header.kind === "skippable") {
    at += header.contentSize!;
  } else {
    for (let last = false; !last; ) {
      const block = little(bytes, at, 3);
      last = (block & 1) === 1;
      const kind = (block >> 1) & 3;
      if (kind === 3) throw new LayoutError("malformed", "zstd block of the reserved type", at);
      // a block that repeats one byte stores only that byte
      at += 3 + (kind === 1 ? 1 : block >> 3);
      if (at > bytes.length) break;
    }
    if (header.hasChecksum) at += 4;
  }
  if (at > bytes.length) throw new LayoutError("truncated", "zstd frame ends early", bytes.length);
  return at - start;
}

/** The id of a trained dictionary; 0 for raw content. */
export function zstdDictionaryId(dictionary: Uint8Array): number {
  return dictionary.length >= 8 && little(dictionary, 0, 4) === ZSTD_DICTIONARY_MAGIC ? little(dictionary, 4, 4) : 0;
}

function little(bytes: Uint8Array, at: number, count: number): number {
  if (at + count > bytes.length) throw new LayoutError("truncated", "zstd frame ends early", bytes.length);
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}
