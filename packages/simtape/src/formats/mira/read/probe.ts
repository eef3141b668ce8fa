import { ByteCursor } from "../../../bytes/cursor.ts";
import {
  BLOCK,
  BLOCK_BYTES,
  CHANNEL_INFO,
  CHUNK_HEADER_BYTES,
  type Dialect,
  type FileHeader,
  HEADER_BYTES,
  INDEX,
  MESSAGE,
  readFileHeader,
} from "../layout/layout.ts";
import { ChunkShape, hasPlausibleNames, measure } from "../layout/shape.ts";

/** Header lengths known or guessed, in the order in which they are tried, spec §8. */
export const HEADER_LENGTHS = [32, 24, 28, 20, 36, 40, 44, 48] as const;
/** Versions taken for one; the values that exist are not known, spec §9, A1. */
const MAX_VERSION = 0xffff;
/** 1990 and 2100 in ns since 1970: a start of recording that stands alone, without chunks behind it, must lie between. */
const EARLIEST_START = 631_152_000_000_000_000n;
const LATEST_START = 4_102_444_800_000_000_000n;
/** 26 hours, and the quarter hour that zones are multiples of. */
const MAX_ZONE = 93_600_000_000_000n;
const ZONE_STEP = 900_000_000_000n;
/** Bytes searched for chunks when the first one is damaged. */
const SEARCH_BYTES = 64 << 10;

/** What the first bytes of a tape tell. */
export interface Probe {
  readonly dialect: Dialect;
  /** Certain: a block and the chunk behind it fit exactly. */
  readonly confidence: "certain" | "possible";
  /** What stands before the first chunk is no header of a known length: its fields cannot be believed. */
  readonly isHeaderLost: boolean;
}

/**
 * Finds header length, byte order and size convention from the first chunk, spec §8; null when `head` is not the
 * beginning of a tape. `size` is that of the file.
 */
export function probe(head: Uint8Array, size: number): Probe | null {
  if (head.length < 20) return null;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (const headerBytes of HEADER_LENGTHS) {
    if (head[headerBytes] !== BLOCK || headerBytes + CHUNK_HEADER_BYTES > head.length) continue;
    for (const isLittle of [true, false]) {
      const found = probeBlock(head, view, size, headerBytes, isLittle);
      if (found !== null) return found;
    }
  }
  return probeHeaderAlone(head, size) ?? probeDamaged(head, view, size) ?? probeChunks(head, view, size);
}

/** What can still be believed of a header that is lost: fields where they belong, if they can be what they should be. */
export function readDamagedHeader(head: Uint8Array, dialect: Dialect): FileHeader {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const version = view.getUint32(0, dialect.isLittle);
  const start = view.getBigInt64(4, dialect.isLittle);
  const zone = view.getBigInt64(12, dialect.isLittle);
  return {
    version: isVersion(version) ? version : 1,
    start: isStart(start) ? start : null,
    zoneOffset: isZone(zone) ? zone : null,
    unknown: new Uint8Array(0),
    blocks: 0,
    firstChannel: 0n,
  };
}

function probeBlock(
  head: Uint8Array,
  view: DataView,
  size: number,
  headerBytes: number,
  isLittle: boolean,
): Probe | null {
  const stored = view.getUint32(headerBytes + 1, isLittle);
  const following = headerBytes + CHUNK_HEADER_BYTES + BLOCK_BYTES;
  if (stored === BLOCK_BYTES || stored === BLOCK_BYTES + CHUNK_HEADER_BYTES) {
    const dialect = { isLittle, sizeIncludesHeader: stored !== BLOCK_BYTES, blockSpans: false, headerBytes };
    const confidence = isNamedChunk(head, view, size, following, dialect) ? "certain" : "possible";
    // A file this short, or one whose second chunk is damaged, must have a header that cannot be anything else.
    if (confidence === "possible" && !isHeader(head, dialect, true)) return null;
    return { dialect, confidence, isHeaderLost: false };
  }
  // A damaged chunk may fit in the other convention by chance, but then none follows it.
  for (const mustFollow of [true, false]) {
    for (const sizeIncludesHeader of [false, true]) {
      const dialect = { isLittle, sizeIncludesHeader, blockSpans: true, headerBytes };
      if (stored - (sizeIncludesHeader ? CHUNK_HEADER_BYTES : 0) <= BLOCK_BYTES) continue;
      if (!isNamedChunk(head, view, size, following, dialect, mustFollow)) continue;
      const blockSpans = votesForSpans(head, view, size, dialect) >= 0;
      return { dialect: { ...dialect, blockSpans }, confidence: "certain", isHeaderLost: false };
    }
  }
  return null;
}

/** A header with nothing behind it, of whatever length, or one of the usual length with the beginning of the first block. */
function probeHeaderAlone(head: Uint8Array, size: number): Probe | null {
  for (const isLittle of [true, false]) {
    const dialect = { isLittle, sizeIncludesHeader: false, blockSpans: false, headerBytes: size };
    const isKnownLength = HEADER_LENGTHS.some((length) => length === size);
    if (isKnownLength && isHeader(head, dialect, false) && head.subarray(HEADER_BYTES).every((byte) => byte === 0))
      return { dialect, confidence: "possible", isHeaderLost: false };
  }
  if (head.length < HEADER_BYTES || size >= HEADER_BYTES + CHUNK_HEADER_BYTES) return null;
  for (const isLittle of [true, false]) {
    const dialect = { isLittle, sizeIncludesHeader: false, blockSpans: false, headerBytes: HEADER_BYTES };
    if (!isHeader(head, dialect, false)) continue;
    const chunk = isLittle ? [BLOCK, BLOCK_BYTES, 0, 0, 0] : [BLOCK, 0, 0, 0, BLOCK_BYTES];
    if (
      head.subarray(HEADER_BYTES).every((byte, i) => byte === chunk[i] || (chunk[i] === BLOCK_BYTES && byte === 29))
    ) {
      return { dialect, confidence: "possible", isHeaderLost: false };
    }
  }
  return null;
}

/**
 * A sound header whose first chunk is damaged: the first two chunks in a row that fit exactly tell the dialect. A
 * header in both of whose time fields stands what can stand there is one even when nothing behind it tells more.
 */
function probeDamaged(head: Uint8Array, view: DataView, size: number): Probe | null {
  let alone: Probe | null = null;
  for (const isLittle of [true, false]) {
    const plain = { isLittle, sizeIncludesHeader: false, blockSpans: false, headerBytes: HEADER_BYTES };
    if (head.length < HEADER_BYTES || !isHeader(head, plain, true)) continue;
    alone ??= { dialect: plain, confidence: "possible", isHeaderLost: false };
    for (let at = HEADER_BYTES; at < Math.min(head.length, SEARCH_BYTES); at++) {
      const type = head[at]!;
      if (type !== CHANNEL_INFO && type !== MESSAGE) continue;
      for (const sizeIncludesHeader of [false, true]) {
        const dialect = { ...plain, sizeIncludesHeader };
        if (!isNamedChunk(head, view, size, at, dialect, true)) continue;
        const blockSpans = votesForSpans(head, view, size, dialect) > 0;
        return { dialect: { ...dialect, blockSpans }, confidence: "possible", isHeaderLost: false };
      }
    }
  }
  return alone;
}

/** How many more of the blocks that can be seen span their contents than do not. */
function votesForSpans(head: Uint8Array, view: DataView, size: number, dialect: Dialect): number {
  let votes = 0;
  const spanning = { ...dialect, blockSpans: true };
  for (let at = 0; at + CHUNK_HEADER_BYTES < Math.min(head.length, SEARCH_BYTES); at++) {
    if (head[at] !== BLOCK) continue;
    const stored = view.getUint32(at + 1, dialect.isLittle) - (dialect.sizeIncludesHeader ? CHUNK_HEADER_BYTES : 0);
    if (stored < BLOCK_BYTES || at + CHUNK_HEADER_BYTES + stored > size) continue;
    if (!isNamedChunk(head, view, size, at + CHUNK_HEADER_BYTES + BLOCK_BYTES, spanning)) continue;
    votes += stored === BLOCK_BYTES ? -1 : 1;
  }
  return votes;
}

/** Neither header nor first chunk are sound: two chunks in a row that fit exactly, wherever they begin. */
function probeChunks(head: Uint8Array, view: DataView, size: number): Probe | null {
  const shape = new ChunkShape();
  for (let at = 0; at < Math.min(head.length, SEARCH_BYTES); at++) {
    if (head[at] !== CHANNEL_INFO && head[at] !== MESSAGE) continue;
    for (const isLittle of [true, false]) {
      for (const sizeIncludesHeader of [false, true]) {
        const dialect = { isLittle, sizeIncludesHeader, blockSpans: true, headerBytes: at };
        if (!isWhole(head, view, size, at, dialect)) continue;
        measure(view, at, head.length, size, dialect, shape);
        const { end } = shape;
        const isFollowed = measure(view, end, head.length, size, dialect, shape) === "whole";
        if (end !== size && !(isFollowed && hasPlausibleNames(head, shape))) continue;
        const found = { ...dialect, blockSpans: votesForSpans(head, view, size, dialect) > 0 };
        // What follows a chunk before these may be damaged, too.
        let first = 0;
        while (first < at && !isWhole(head, view, size, first, found)) first++;
        const block = first - CHUNK_HEADER_BYTES - BLOCK_BYTES;
        const isBlock = block >= 0 && measure(view, block, head.length, size, found, shape) === "whole";
        const headerBytes = isBlock && shape.type === BLOCK ? block : first;
        return { dialect: { ...found, headerBytes }, confidence: "possible", isHeaderLost: true };
      }
    }
  }
  return null;
}

/** Whether a channel info or message with names fits exactly at `position`, and another chunk behind it. */
function isNamedChunk(
  head: Uint8Array,
  view: DataView,
  size: number,
  position: number,
  dialect: Dialect,
  mustFollow = false,
): boolean {
  const type = head[position];
  if (type !== CHANNEL_INFO && type !== MESSAGE) return false;
  const shape = new ChunkShape();
  const fit = measure(view, position, head.length, size, dialect, shape);
  const { end } = shape;
  if (end === 0 || !hasPlausibleNames(head, shape)) return false;
  if (fit !== "whole") return !mustFollow;
  if (!mustFollow || end === size) return true;
  const next = head[end];
  return next !== undefined && next >= BLOCK && next <= INDEX;
}

/** Whether all of a channel info or message with names can be seen at `position`. */
function isWhole(head: Uint8Array, view: DataView, size: number, position: number, dialect: Dialect): boolean {
  const type = head[position];
  if (type !== CHANNEL_INFO && type !== MESSAGE) return false;
  const shape = new ChunkShape();
  return measure(view, position, head.length, size, dialect, shape) === "whole" && hasPlausibleNames(head, shape);
}

/** Whether the header alone is that of a tape; `mayHoldChunks`: counts and pointers need not be zero. */
function isHeader(head: Uint8Array, dialect: Dialect, mayHoldChunks: boolean): boolean {
  const header: FileHeader = readFileHeader(new ByteCursor(head), dialect);
  if (!isVersion(header.version) || header.start === null || !isStart(header.start)) return false;
  if (header.zoneOffset !== null && !isZone(header.zoneOffset)) return false;
  return mayHoldChunks || (header.blocks === 0 && header.firstChannel === 0n);
}

function isVersion(version: number): boolean {
  return version >= 1 && version <= MAX_VERSION;
}

function isStart(start: bigint): boolean {
  return start >= EARLIEST_START && start <= LATEST_START;
}

function isZone(zone: bigint): boolean {
  return zone % ZONE_STEP === 0n && zone >= -MAX_ZONE && zone <= MAX_ZONE;
}
