import { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import { type Compression, sniffCompression } from "../../../codec/any.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { Columns } from "../../../model/messages/batch.ts";
import { summarize } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Reporter } from "../../../model/error.ts";
import { FlatFile } from "../../../model/flat.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { membersOf, numbersOf } from "../../../model/kept/shapes.ts";
import type { ChannelStatistics } from "../../../model/values/value.ts";
import { ChannelTable } from "./channel-table.ts";
import { believedBytes, Expander, mayExpand } from "../layout/compression.ts";
import { CHUNK_HEADER_BYTES, type Dialect, readChannelInfo } from "../layout/layout.ts";
import { type ChunkPart, learnedBy, partsFrom, plainParts, recallObserver } from "./kept.ts";
import { TapeContext } from "../layout/message-header.ts";
import { type PayloadSample, ScanObserver } from "./observer.ts";
import { ChunkShape, measure } from "../layout/shape.ts";
import { COMPRESSED, FIRST_IN_BLOCK, type LongChunk, TapeLayout } from "./walk.ts";

/** Bytes that decompress at once; a chunk that claims more is decoded in parts. */
const PART_BYTES = 4 << 20;
/** Tapes whose compressed data claims no more than this are decompressed once at opening, so that all findings are there. */
const VERIFY_BYTES = 16 << 20;
/** Longest payload that is looked at to find out how payloads are encoded. */
const SAMPLE_BYTES = 256 << 10;
/** Memory of what is kept of a part of a chunk. */
const PART_MEMORY = 512;

/** Part of a chunk of the file: the messages `[sequence, sequence + count)` of it. */
export interface TapeChunk extends Chunk {
  readonly whole: Chunk;
  /** The first message of the whole chunk is the first of its block. */
  readonly opensBlock: boolean;
}

/** A scanned tape: its channels, its chunks, and its messages with their data decompressed. */
export class Tape {
  readonly source: ByteSource;
  readonly table: ChannelTable;
  readonly observer: ScanObserver;
  readonly chunks: TapeChunk[] = [];
  /** Chunks that are too long to be read. */
  long: readonly LongChunk[] = [];
  readonly #file: FlatFile;
  readonly #dialect: Dialect;
  readonly #report: Reporter;
  readonly #expander: Expander;
  /** Chunks whose data was decompressed once, by sequence. */
  readonly #examined = new Set<number>();
  /** By channel: bytes that messages claim and do not have, because they stay as stored. */
  readonly #excess: number[] = [];
  readonly #codecs = new Set<string>();
  /** File offsets of messages with damaged data that no chunk follows: their beginning may be in the wrong place. */
  readonly doubtful: Set<number> = new Set();

  private constructor(
    source: ByteSource,
    file: FlatFile,
    dialect: Dialect,
    table: ChannelTable,
    observer: ScanObserver,
    report: Reporter,
    budget: Budget,
  ) {
    this.#expander = new Expander(budget);
    this.source = source;
    this.#file = file;
    this.#dialect = dialect;
    this.table = table;
    this.observer = observer;
    this.#report = report;
  }

  get headerBytes(): number {
    return this.#dialect.headerBytes;
  }

  /** `distrusted`: file offsets of what looks like a message and is none. */
  static async scan(
    source: ByteSource,
    size: number,
    dialect: Dialect,
    report: Reporter,
    options: OpenOptions,
    distrusted?: ReadonlySet<number>,
  ): Promise<Tape> {
    const budget = Budget.of(options.budget);
    const table = new ChannelTable(budget);
    const observer = new ScanObserver(table, dialect);
    const layout = new TapeLayout(dialect, table, observer, distrusted);
    const parts: (readonly ChunkPart[] | null)[] = [];
    const opening: boolean[] = options.scans?.known("tape") === undefined ? [false] : [];
    const range = { begin: Math.min(dialect.headerBytes, size), end: size };
    const file = await FlatFile.scan(source, layout, range, report, {
      ...options,
      onBatch: (batch) => {
        const found = partsOf(batch, dialect);
        if (found !== null) budget.hold("the list of chunks", found.length * PART_MEMORY);
        parts.push(found);
        opening.push(observer.isBlockFresh);
      },
    });
    layout.observer = null;
    const known = options.scans?.known("tape");
    if (known !== undefined) {
      const members = membersOf(known);
      const read = (offset: number, length: number): Promise<Uint8Array> => source.read(offset, length, options.signal);
      await recallObserver(observer, members["observer"], read);
      parts.push(...partsFrom(members["parts"]));
      opening.push(...Array.from(numbersOf(members["opening"], Uint8Array), (opens) => opens === 1));
      if (parts.length !== file.chunks.length || observer.channels.length < table.size)
        throw new LayoutError("malformed", "chunks were kept of another tape", 0);
    }
    options.scans?.keep("tape", () => ({
      observer: learnedBy(observer),
      parts: plainParts(parts),
      opening: Uint8Array.from(opening, (opens) => (opens ? 1 : 0)),
    }));
    let made = 0;
    for (const { bytes, storedBytes } of observer.channels) made += Math.max(0, bytes - storedBytes);
    budget.expand("decompressing its messages", made, size);
    const tape = new Tape(source, file, dialect, table, observer, report, budget);
    tape.long = layout.long;
    file.chunks.forEach((whole, i) => {
      const opensBlock = opening[i]!;
      for (const part of parts[i] ?? [whole]) tape.chunks.push({ ...whole, ...part, whole, opensBlock });
    });
    return tape;
  }

  /** Names of the compressions in use; null when nothing is compressed. Decompresses small tapes as a whole. */
  async codec(signal: AbortSignal | undefined): Promise<string | null> {
    const { channels } = this.observer;
    if (channels.every(({ compressed }) => compressed === 0)) return null;
    // What the tape is compressed with must be known before data that nothing opens is judged.
    let isUnknown = false;
    for (const { samples } of channels) {
      const sample = samples.find(({ uncompressedSize }) => uncompressedSize !== null);
      if (sample === undefined) continue;
      const content = await this.#expander.expand(sample.bytes, sample.uncompressedSize!);
      if (content !== null) this.#codecs.add(content.compression);
      else isUnknown = true;
    }
    let claimed = 0;
    for (const { bytes, compressed } of channels) if (compressed > 0) claimed += bytes;
    if (claimed <= VERIFY_BYTES) for (const chunk of this.chunks) await this.decode(chunk, signal);
    else if (isUnknown) this.#codecs.add("unknown");
    return this.#codecs.size === 0 ? null : [...this.#codecs].sort().join("+");
  }

  /** What the channel info of a channel says, its meta data included; null when there is none. */
  async info(
    channel: number,
    signal?: AbortSignal,
  ): Promise<{ readonly type: string; readonly meta: Uint8Array } | null> {
    const info = this.observer.channels[channel]?.info ?? null;
    if (info === null || info.meta !== null) return info === null ? null : { type: info.type, meta: info.meta! };
    const bytes = await this.source.read(info.offset, info.length, signal);
    return readChannelInfo(new ByteCursor(bytes, CHUNK_HEADER_BYTES), this.#dialect);
  }

  /** Samples after decompression, without those that nothing decompresses or that are long then. */
  async plain(samples: readonly PayloadSample[]): Promise<Uint8Array[]> {
    const payloads: Uint8Array[] = [];
    for (const { bytes, uncompressedSize } of samples) {
      if (uncompressedSize === null) payloads.push(bytes);
      else if (uncompressedSize <= SAMPLE_BYTES) {
        const content = await this.#expander.expand(bytes, uncompressedSize);
        if (content !== null) payloads.push(content.bytes);
      }
    }
    return payloads;
  }

  statistics(): ChannelStatistics[] {
    return this.table.names.map((_, id) => {
      const { messages, bytes, first, last } = this.observer.channels[id]!;
      const isEmpty = messages === 0;
      const excess = this.#excess[id] ?? 0;
      return { messages, bytes: bytes - excess, first: isEmpty ? null : first, last: isEmpty ? null : last };
    });
  }

  /** `isHeaderLost`: what precedes the first chunk is damage. */
  async *records(isHeaderLost: boolean, signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    const { begin } = this.#file;
    const bytes = await this.source.read(0, begin, signal);
    if (begin > 0) yield [{ kind: isHeaderLost ? "damaged" : "header", offset: 0, bytes }];
    yield* this.#file.records(signal);
  }

  async decode(chunk: TapeChunk, signal?: AbortSignal): Promise<Columns> {
    const whole = await this.#file.decode(chunk.whole, signal);
    const raw = rowsOf(whole, chunk);
    const { length, bytes } = raw;
    const skipped = chunk.sequence - chunk.whole.sequence;
    const positions = (): Uint32Array => {
      const found = new Uint32Array(chunk.whole.count);
      this.#file.walkAgain(chunk.whole, bytes, found);
      return found.subarray(skipped, skipped + length);
    };
    const firsts = new Set<number>();
    if (chunk.opensBlock && skipped === 0) firsts.add(chunk.sequence);
    let flags = 0;
    for (let i = 0; i < length; i++) {
      const own = raw.flags[i]!;
      flags |= own;
      if ((own & FIRST_IN_BLOCK) !== 0) firsts.add(raw.sequence[i]!);
    }
    if ((flags & COMPRESSED) !== 0) return this.#expanded(raw, positions, firsts, chunk);
    const context = new TapeContext(bytes, chunk.whole.offset, this.#dialect, chunk.sequence, positions, firsts, null);
    const none = flags === 0 ? raw.flags : new Uint8Array(length);
    return new Columns(raw.time, raw.channel, raw.sequence, none, bytes, raw.start, raw.end, context);
  }

  /** Rows with all data decompressed, in bytes of their own. */
  async #expanded(
    raw: Columns,
    positions: () => Uint32Array,
    firsts: ReadonlySet<number>,
    chunk: TapeChunk,
  ): Promise<Columns> {
    const { length } = raw;
    const compressions: (Compression | "unknown" | null)[] = new Array(length).fill(null);
    const found: FoundOpaque[] = [];
    let known: Uint32Array | null = null;
    const payloads: Uint8Array[] = [];
    const view = new DataView(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength);
    let total = 0;
    for (let i = 0; i < length; i++) {
      const stored = raw.bytes.subarray(raw.start[i]!, raw.end[i]!);
      let payload = stored;
      if ((raw.flags[i]! & COMPRESSED) !== 0) {
        const size = view.getUint32(raw.start[i]! - 4, this.#dialect.isLittle);
        const content = size === 0 && stored.length === 0 ? null : await this.#expander.expand(stored, size);
        const sequence = raw.sequence[i]!;
        compressions[sequence - chunk.sequence] = content?.compression ?? "unknown";
        this.#codecs.add(content?.compression ?? "unknown");
        if (content !== null) payload = content.bytes;
        else if (size > 0 || stored.length > 0) {
          known ??= positions();
          const offset = chunk.whole.offset + known[sequence - chunk.sequence]!;
          found.push({ channel: raw.channel[i]!, offset, stored, size, time: raw.time[i]!, sequence });
          if (!this.#isFollowed(view, raw.end[i]!)) this.doubtful.add(offset);
        }
      }
      payloads.push(payload);
      total += payload.length;
    }
    const damaged = new Set<number>();
    const isKnown = [...this.#codecs].some((codec) => codec !== "unknown");
    for (const { sequence, stored, offset } of found) {
      if (isKnown || sniffCompression(stored) !== null) damaged.add(sequence);
      else this.doubtful.delete(offset);
    }
    this.#examine(chunk, found, damaged);
    const bytes = new Uint8Array(total);
    const start = new Uint32Array(length);
    const end = new Uint32Array(length);
    const starts = new Uint32Array(length);
    const ends = new Uint32Array(length);
    let at = 0;
    for (let i = 0; i < length; i++) {
      const payload = payloads[i]!;
      const index = raw.sequence[i]! - chunk.sequence;
      bytes.set(payload, at);
      start[i] = starts[index] = at;
      at += payload.length;
      end[i] = ends[index] = at;
    }
    const opaque = found.flatMap(({ stored, size }) =>
      stored.length === 0 ? [] : [{ bytes: stored, uncompressedSize: size }],
    );
    const expansion = { bytes, starts, ends, compressions, opaque, damaged };
    const context = new TapeContext(
      raw.bytes,
      chunk.whole.offset,
      this.#dialect,
      chunk.sequence,
      positions,
      firsts,
      expansion,
    );
    return new Columns(raw.time, raw.channel, raw.sequence, new Uint8Array(length), bytes, start, end, context);
  }

  /** Whether a chunk begins at `position`, as far as can be seen. */
  #isFollowed(view: DataView, position: number): boolean {
    if (position >= view.byteLength) return true;
    const dialect = { ...this.#dialect, blockSpans: true };
    const fit = measure(view, position, view.byteLength, Number.POSITIVE_INFINITY, dialect, new ChunkShape());
    return fit === "whole" || fit === "more";
  }

  /** Reports what stays as stored, and takes what it does not hold from the sum of its channel's bytes; once for each chunk. */
  #examine(chunk: TapeChunk, found: readonly FoundOpaque[], damaged: ReadonlySet<number>): void {
    if (this.#examined.has(chunk.sequence)) return;
    this.#examined.add(chunk.sequence);
    for (const { channel, offset, stored, size, time, sequence } of found) {
      const { length } = stored;
      this.#excess[channel] = (this.#excess[channel] ?? 0) + believedBytes(length, size) - length;
      const why = mayExpand(length, size)
        ? `is in no known compression, or does not give ${size} bytes`
        : `claims ${size} bytes from ${length}, which is implausible or too large`;
      this.#report.report({
        code: "unknown-compression",
        // Where nothing of the tape can be opened, its compression is not known, and nothing need be wrong with it.
        severity: damaged.has(sequence) ? "loss" : "warning",
        message: `the data of the message of ${JSON.stringify(this.table.names[channel])} at ${hex(offset)} ${why}; it stays as stored`,
        offset,
        time,
      });
    }
  }
}

interface FoundOpaque {
  readonly channel: number;
  /** File offset of the message. */
  readonly offset: number;
  readonly stored: Uint8Array;
  readonly size: number;
  readonly time: number;
  readonly sequence: number;
}

/** Cuts a chunk whose data claims to be long into runs of messages; null when it may be decoded at once. */
function partsOf(batch: Columns, { isLittle }: Dialect): ChunkPart[] | null {
  let compressed = 0;
  for (let i = 0; i < batch.length; i++) compressed |= batch.flags[i]!;
  if ((compressed & COMPRESSED) === 0) return null;
  const rows = Uint32Array.from(batch.sequence.keys());
  rows.sort((a, b) => batch.sequence[a]! - batch.sequence[b]!);
  const { bytes } = batch;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: ChunkPart[] = [];
  let from = 0;
  let sum = 0;
  const cut = (to: number): void => {
    // In the batch's order rows ascend by time.
    const part = batch.pick(rows.slice(from, to).sort());
    parts.push({ ...summarize(part), sequence: batch.sequence[rows[from]!]!, length: sum });
    from = to;
    sum = 0;
  };
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const stored = batch.end[row]! - batch.start[row]!;
    const isCompressed = (batch.flags[row]! & COMPRESSED) !== 0;
    // The size when uncompressed stands before the data, spec §2.5.
    const length = isCompressed ? believedBytes(stored, view.getUint32(batch.start[row]! - 4, isLittle)) : stored;
    if (i > from && sum + length > PART_BYTES) cut(i);
    sum += length;
  }
  if (from === 0) return null;
  cut(rows.length);
  return parts;
}

/** The rows of a chunk that belong to a part of it. */
function rowsOf(batch: Columns, part: TapeChunk): Columns {
  if (part.count === batch.length) return batch;
  const rows = new Uint32Array(batch.length);
  const end = part.sequence + part.count;
  let count = 0;
  for (let i = 0; i < batch.length; i++) {
    const sequence = batch.sequence[i]!;
    if (sequence >= part.sequence && sequence < end) rows[count++] = i;
  }
  return batch.pick(rows.subarray(0, count));
}
