import type { ZstdFrameHeader } from "./zstd-frame.ts";

/** Kinds of blocks (RFC 8878 §3.1.1.2.2). */
const RAW = 0;
const REPEATED = 1;
/** The longest block (RFC 8878 §3.1.1.2.4). */
const MAX_BLOCK = 128 << 10;
/** Frames that ask for more of a window are left to the decoder, which may refuse them. */
const MAX_WINDOW = 128 << 20;

/**
 * The content of a frame whose blocks are all stored, or repeat one byte, as frames of data that does not get smaller
 * are: putting the blocks together takes a fifth of the time that a decoder takes. The frame is as long as its blocks
 * say. Null: a decoder must look at it, because something is compressed or wrong.
 */
export function storedContent(
  frame: Uint8Array,
  header: ZstdFrameHeader,
  size: number,
  checksum: (content: Uint8Array) => number,
): Uint8Array<ArrayBuffer> | null {
  if (header.windowSize > MAX_WINDOW || lengthOf(frame, header) !== size) return null;
  const content = new Uint8Array(size);
  let from = header.headerBytes;
  for (let to = 0, last = false; !last; ) {
    const block = blockAt(frame, from);
    const length = block >> 3;
    last = (block & 1) === 1;
    from += 3;
    if (((block >> 1) & 3) === REPEATED) content.fill(frame[from++]!, to, to + length);
    else {
      content.set(frame.subarray(from, from + length), to);
      from += length;
    }
    to += length;
  }
  if (!header.hasChecksum) return content;
  const stated = new DataView(frame.buffer, frame.byteOffset, frame.byteLength).getUint32(from, true);
  return checksum(content) === stated ? content : null;
}

/** What the blocks hold together; -1 where one of them is compressed, or longer than it may be. */
function lengthOf(frame: Uint8Array, { headerBytes, windowSize }: ZstdFrameHeader): number {
  const most = Math.min(MAX_BLOCK, windowSize);
  let length = 0;
  for (let at = headerBytes, last = false; !last; ) {
    const block = blockAt(frame, at);
    const kind = (block >> 1) & 3;
    if (kind > REPEATED || block >> 3 > most) return -1;
    last = (block & 1) === 1;
    length += block >> 3;
    at += 3 + (kind === RAW ? block >> 3 : 1);
  }
  return length;
}

function blockAt(frame: Uint8Array, at: number): number {
  return frame[at]! | (frame[at + 1]! << 8) | (frame[at + 2]! << 16);
}
