import { hex } from "../../../bytes/error.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import type { Walk } from "../../../model/flat.ts";
import type { ChannelTable } from "./channel-table.ts";
import { believedBytes } from "../layout/compression.ts";
import { CHUNK_HEADER_BYTES, type Dialect, MESSAGE_BYTES, readBlock, readChannelInfo } from "../layout/layout.ts";
import type { ChunkShape } from "../layout/shape.ts";
import { printableRuns } from "../layout/text.ts";

/** Payloads of each channel kept to find out how payloads are encoded. */
const SAMPLES = 8;
const SAMPLE_BYTES = 64 << 10;
const ALL_SAMPLES_BYTES = 8 << 20;
/** Where there are more channels than this, one payload of each further channel is kept. */
const MANY_CHANNELS = 8192;
/** Index tables remembered; a sound tape has one for each channel. */
const MAX_TABLES = 0x1ffff;
const META_TEXT = 4096;
/** Meta data kept of one channel, and of all. */
const META_BYTES = 64 << 10;
const ALL_META_BYTES = 4 << 20;

/** A payload as stored, kept from the scan. */
export interface PayloadSample {
  /** In the file. */
  readonly offset: number;
  /** The caller's own. */
  readonly bytes: Uint8Array;
  /** Null when it is not compressed. */
  readonly uncompressedSize: number | null;
}

/** What the first channel info of a channel says. */
export interface SeenInfo {
  /** File offset of its chunk, and its length. */
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly metaLength: number;
  /** Null when it is long: `Tape.info` reads it again. */
  readonly meta: Uint8Array | null;
  /** Printable runs of the meta data, the first 4096 characters of them. */
  readonly metaText: readonly string[];
  readonly next: bigint;
  readonly first: bigint;
  readonly last: bigint;
  readonly dataSize: bigint;
  readonly index: bigint;
}

/** What the scan saw of one channel. */
export class SeenChannel {
  info: SeenInfo | null = null;
  messages = 0;
  compressed = 0;
  /** Sum of the sizes of its data as stored, and as it is when uncompressed. */
  storedBytes = 0;
  bytes = 0;
  /** Earliest and latest message. */
  first: number = Number.POSITIVE_INFINITY;
  last: number = Number.NEGATIVE_INFINITY;
  readonly samples: PayloadSample[] = [];
}

/** An index table that was passed. */
export interface SeenTable {
  /** File offset of its chunk. */
  readonly offset: number;
  readonly count: number;
}

/** What the size of a block counts, spec §9, A5: chunks with their headers, also the block chunk, or payloads only. */
export type BlockSize = "contents" | "with-block-header" | "payloads";

interface OpenBlock {
  readonly offset: number;
  readonly declared: { messages: number; size: number; first: number; last: number };
  messages: number;
  chunks: number;
  size: number;
  /** Times: earliest, latest, and of the last in file order. */
  earliest: number;
  latest: number;
  firstTime: number;
  lastTime: number;
}

/** Watches the scan: counts what was found, compares it with what blocks say, keeps what calibration needs. */
export class ScanObserver {
  readonly channels: SeenChannel[] = [];
  readonly tables: SeenTable[] = [];
  blocks = 0;
  messages = 0;
  /** Messages whose channel info had not come yet. */
  readonly orphans: Set<number> = new Set();
  /** How blocks count their size, as the first one with contents shows. */
  blockSize: BlockSize | null = null;
  /** Blocks whose bookkeeping was never written. */
  unpatched = 0;
  /** Bytes of chunks in the block that holds most. */
  largestBlock = 0;
  /** A block chunk's own size spans its contents. */
  readonly #dialect: Dialect;
  readonly #table: ChannelTable;
  #block: OpenBlock | null = null;
  #sampled = 0;
  #metaBytes = 0;

  constructor(table: ChannelTable, dialect: Dialect) {
    this.#table = table;
    this.#dialect = dialect;
  }

  /** A block has begun, and no message was seen in it yet. */
  get isBlockFresh(): boolean {
    return this.#block !== null && this.#block.messages === 0;
  }

  block(walk: Walk, position: number): void {
    this.closeBlock(walk);
    this.blocks++;
    const { messages, size, first, last } = readBlock(
      new ByteCursor(walk.bytes, position + CHUNK_HEADER_BYTES),
      this.#dialect,
    );
    this.#block = {
      offset: walk.origin + position,
      declared: { messages, size, first: Number(first), last: Number(last) },
      messages: 0,
      chunks: 0,
      size: 0,
      earliest: Number.POSITIVE_INFINITY,
      latest: Number.NEGATIVE_INFINITY,
      firstTime: 0,
      lastTime: 0,
    };
  }

  info(walk: Walk, position: number, id: number, shape: ChunkShape): void {
    this.#inBlock(shape.end - position);
    const seen = this.#seen(id);
    const offset = walk.origin + position;
    if (seen.info !== null) {
      walk.finding(position, {
        code: "duplicate-channel-info",
        severity: "warning",
        message: `a second channel info of ${this.#name(id)} at ${hex(offset)}; simtape uses the first, at ${hex(seen.info.offset)}`,
      });
      return;
    }
    const cursor = new ByteCursor(walk.bytes, position + CHUNK_HEADER_BYTES, shape.end);
    const info = readChannelInfo(cursor, this.#dialect);
    const isKept = info.meta.length <= Math.min(META_BYTES, ALL_META_BYTES - this.#metaBytes);
    if (isKept) this.#metaBytes += info.meta.length;
    seen.info = {
      offset,
      length: shape.end - position,
      type: info.type,
      metaLength: info.meta.length,
      meta: isKept ? info.meta.slice() : null,
      metaText: printableRuns(info.meta, META_TEXT),
      next: info.next,
      first: info.first,
      last: info.last,
      dataSize: info.dataSize,
      index: info.index,
    };
  }

  message(walk: Walk, id: number, time: number, shape: ChunkShape): void {
    const stored = shape.dataEnd - shape.dataStart;
    const inner = shape.nameLength + shape.secondLength + stored + (shape.isCompressed ? 4 : 0);
    this.#inBlock(CHUNK_HEADER_BYTES + MESSAGE_BYTES + inner);
    this.messages++;
    const seen = this.#seen(id);
    seen.messages++;
    seen.storedBytes += stored;
    seen.bytes += shape.isCompressed ? believedBytes(stored, shape.uncompressedSize) : stored;
    if (shape.isCompressed) seen.compressed++;
    if (time < seen.first) seen.first = time;
    if (time > seen.last) seen.last = time;
    if (seen.info === null) this.orphans.add(id);
    const block = this.#block;
    if (block !== null) {
      if (block.messages === 0) block.firstTime = time;
      block.messages++;
      block.lastTime = time;
      if (time < block.earliest) block.earliest = time;
      if (time > block.latest) block.latest = time;
    }
    const most = id < MANY_CHANNELS ? SAMPLES : 1;
    if (seen.samples.length < most && stored <= SAMPLE_BYTES && this.#sampled + stored <= ALL_SAMPLES_BYTES) {
      this.#sampled += stored;
      seen.samples.push({
        offset: walk.origin + shape.dataStart,
        bytes: walk.bytes.slice(shape.dataStart, shape.dataEnd),
        uncompressedSize: shape.isCompressed ? shape.uncompressedSize : null,
      });
    }
  }

  table(walk: Walk, position: number, end: number): void {
    this.closeBlock(walk);
    const count = walk.view.getUint32(position + CHUNK_HEADER_BYTES, this.#dialect.isLittle);
    if (this.tables.length < MAX_TABLES) this.tables.push({ offset: walk.origin + position, count });
    else
      walk.finding(position, {
        code: "too-many-tables",
        severity: "warning",
        message: `the index table at ${hex(walk.origin + position)} (${end - position} bytes) is one more than simtape reads`,
      });
  }

  /** Compares the block that ends here with what it says of itself. */
  closeBlock(walk: Walk): void {
    const block = this.#block;
    this.#block = null;
    if (block === null) return;
    this.largestBlock = Math.max(this.largestBlock, block.size);
    const { declared } = block;
    if (declared.messages === 0 && declared.size === 0 && block.chunks > 0) {
      this.unpatched++;
      return;
    }
    if (block.chunks > 0) this.blockSize ??= sizeReading(declared.size, block.size, block.chunks);
    const expected = sizeOf(this.blockSize, block.size, block.chunks);
    const wrong: string[] = [];
    if (declared.messages !== block.messages) wrong.push(`${declared.messages} messages, ${block.messages} were found`);
    if (declared.size !== expected && block.chunks > 0) wrong.push(`${declared.size} bytes, ${expected} were found`);
    if (block.messages > 0 && declared.messages === block.messages) {
      const isFirst = declared.first === block.earliest || declared.first === block.firstTime;
      const isLast = declared.last === block.latest || declared.last === block.lastTime;
      if (!isFirst) wrong.push(`${declared.first} ns for its first message, ${block.earliest} was found`);
      if (!isLast) wrong.push(`${declared.last} ns for its last message, ${block.latest} was found`);
    }
    if (wrong.length === 0) return;
    walk.finding(block.offset - walk.origin, {
      code: "block-mismatch",
      severity: declared.messages > block.messages ? "loss" : "damage",
      message: `the block at ${hex(block.offset)} says: ${wrong.join("; ")}`,
    });
  }

  #inBlock(bytes: number): void {
    const block = this.#block;
    if (block === null) return;
    block.chunks++;
    block.size += bytes;
  }

  #seen(id: number): SeenChannel {
    while (this.channels.length <= id) this.channels.push(new SeenChannel());
    return this.channels[id]!;
  }

  #name(id: number): string {
    return JSON.stringify(this.#table.names[id]);
  }
}

/** Bytes that the least block takes up, and the least chunk in it. */
const BLOCK_CHUNK_BYTES = CHUNK_HEADER_BYTES + 24;

function sizeReading(declared: number, size: number, chunks: number): BlockSize | null {
  if (declared === size) return "contents";
  if (declared === size + BLOCK_CHUNK_BYTES) return "with-block-header";
  if (declared === size - chunks * CHUNK_HEADER_BYTES) return "payloads";
  return null;
}

function sizeOf(reading: BlockSize | null, size: number, chunks: number): number {
  if (reading === "with-block-header") return size + BLOCK_CHUNK_BYTES;
  if (reading === "payloads") return size - chunks * CHUNK_HEADER_BYTES;
  return size;
}
