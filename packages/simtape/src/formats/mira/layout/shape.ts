import {
  BLOCK,
  BLOCK_BYTES,
  CHANNEL_INFO,
  CHANNEL_INFO_BYTES,
  CHUNK_HEADER_BYTES,
  type Dialect,
  INDEX,
  INDEX_ENTRY_BYTES,
  MESSAGE,
  MESSAGE_BYTES,
} from "./layout.ts";
import { isPrintable } from "./text.ts";

/** Longest channel name, and longest frame id or type name, that are taken for one: others are damage. */
export const MAX_NAME_BYTES = 4096;
export const MAX_SECOND_BYTES = 0xffff;

/** What `measure` finds at a place. */
export type Fit =
  /** A whole chunk. */
  | "whole"
  /** What can be seen fits exactly; the rest lies behind the window. */
  | "more"
  /** The chunk, or what can be seen of it, goes on behind the end of the file. */
  | "overrun"
  | "unknown-type"
  | "bad-length";

/** Places inside a chunk, filled by `measure`; one object serves a whole walk, so that nothing is made per chunk. */
export class ChunkShape {
  type = 0;
  /** Position behind the chunk; behind a block's bookkeeping, what it contains follows as chunks of their own. */
  end = 0;
  /** Channel name of a message or channel info. */
  nameStart = 0;
  nameLength = 0;
  /** Frame id of a message, type name of a channel info. */
  secondStart = 0;
  secondLength = 0;
  /** Data of a message, meta data of a channel info. */
  dataStart = 0;
  dataEnd = 0;
  isCompressed = false;
  /** Of compressed data; else the length of the data. */
  uncompressedSize = 0;
}

/**
 * Looks at the chunk at `position` and says whether its inner lengths add up exactly to its size, spec §7.2.
 * `end` is the end of what can be seen, `limit` that of the file. Everything `shape` holds is filled for "whole";
 * for "more" at least `type`, and `end` when `shape.end` is not 0.
 */
export function measure(
  view: DataView,
  position: number,
  end: number,
  limit: number,
  dialect: Dialect,
  shape: ChunkShape,
): Fit {
  shape.end = 0;
  if (position >= end) return end < limit ? "more" : "overrun";
  const type = view.getUint8(position);
  shape.type = type;
  if (type < BLOCK || type > INDEX) return "unknown-type";
  const body = position + CHUNK_HEADER_BYTES;
  if (body > end) return end < limit ? "more" : "overrun";
  const { isLittle } = dialect;
  let size = view.getUint32(position + 1, isLittle);
  if (dialect.sizeIncludesHeader) size -= CHUNK_HEADER_BYTES;
  if (type === BLOCK) {
    if (size < BLOCK_BYTES || (size !== BLOCK_BYTES && !dialect.blockSpans)) return "bad-length";
    size = BLOCK_BYTES;
  }
  const chunkEnd = body + size;
  if (type === MESSAGE) {
    if (size < MESSAGE_BYTES) return "bad-length";
    if (body + 12 > end) return short(chunkEnd, end, limit);
    const nameLength = view.getUint32(body + 8, isLittle);
    if (nameLength > MAX_NAME_BYTES || nameLength > size - MESSAGE_BYTES) return "bad-length";
    const frame = body + 12 + nameLength;
    if (frame + 4 > end) return short(chunkEnd, end, limit);
    const frameLength = view.getUint32(frame, isLittle);
    if (frameLength > MAX_SECOND_BYTES || frameLength > size - MESSAGE_BYTES - nameLength) return "bad-length";
    const tail = frame + 4 + frameLength;
    if (tail + 9 > end) return short(chunkEnd, end, limit);
    const stored = view.getUint32(tail + 4, isLittle);
    const flag = view.getUint8(tail + 8);
    if (flag > 1 || MESSAGE_BYTES + nameLength + frameLength + stored + flag * 4 !== size) return "bad-length";
    shape.nameStart = body + 12;
    shape.nameLength = nameLength;
    shape.secondStart = frame + 4;
    shape.secondLength = frameLength;
    shape.dataStart = tail + 9 + flag * 4;
    shape.dataEnd = chunkEnd;
    shape.isCompressed = flag === 1;
    if (flag === 1) {
      if (tail + 13 > end) return short(chunkEnd, end, limit);
      shape.uncompressedSize = view.getUint32(tail + 9, isLittle);
    } else shape.uncompressedSize = stored;
  } else if (type === CHANNEL_INFO) {
    if (size < CHANNEL_INFO_BYTES) return "bad-length";
    if (body + 28 > end) return short(chunkEnd, end, limit);
    const nameLength = view.getUint32(body + 24, isLittle);
    if (nameLength > MAX_NAME_BYTES || nameLength > size - CHANNEL_INFO_BYTES) return "bad-length";
    const second = body + 28 + nameLength;
    if (second + 4 > end) return short(chunkEnd, end, limit);
    const secondLength = view.getUint32(second, isLittle);
    if (secondLength > MAX_SECOND_BYTES || secondLength > size - CHANNEL_INFO_BYTES - nameLength) return "bad-length";
    const meta = second + 4 + secondLength;
    if (meta + 8 > end) return short(chunkEnd, end, limit);
    const metaLength = view.getUint32(isLittle ? meta : meta + 4, isLittle);
    const metaHigh = view.getUint32(isLittle ? meta + 4 : meta, isLittle);
    if (metaHigh !== 0 || CHANNEL_INFO_BYTES + nameLength + secondLength + metaLength !== size) return "bad-length";
    shape.nameStart = body + 28;
    shape.nameLength = nameLength;
    shape.secondStart = second + 4;
    shape.secondLength = secondLength;
    shape.dataStart = meta + 8;
    shape.dataEnd = meta + 8 + metaLength;
  } else if (type === INDEX) {
    if (size < 4) return "bad-length";
    if (body + 4 > end) return short(chunkEnd, end, limit);
    const count = view.getUint32(body, isLittle);
    if (4 + count * INDEX_ENTRY_BYTES !== size) return "bad-length";
  }
  if (chunkEnd > end) return short(chunkEnd, end, limit, shape);
  shape.end = chunkEnd;
  return "whole";
}

/** Whether a measured message or channel info bears names that can be names. */
export function hasPlausibleNames(bytes: Uint8Array, shape: ChunkShape): boolean {
  if (shape.type !== MESSAGE && shape.type !== CHANNEL_INFO) return true;
  return (
    shape.nameLength > 0 &&
    isPrintable(bytes, shape.nameStart, shape.nameLength) &&
    isPrintable(bytes, shape.secondStart, shape.secondLength)
  );
}

function short(chunkEnd: number, end: number, limit: number, shape: ChunkShape | null = null): Fit {
  if (chunkEnd > limit || end >= limit) return "overrun";
  if (shape !== null) shape.end = chunkEnd;
  return "more";
}
