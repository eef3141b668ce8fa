import type { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Reporter } from "../../../model/error.ts";
import {
  type Header,
  INDEX_ENTRY,
  INDEX_HEAD,
  type MetadataRecord,
  readHeader,
  readMetadata,
} from "../../../codec/mcap/data.ts";
import { MAGIC, OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import {
  type AttachmentIndex,
  type ChunkIndex,
  FOOTER_CONTENT,
  type MetadataIndex,
  readAttachmentIndex,
  readChunkIndex,
  readFooter,
  readMetadataIndex,
  readStatistics,
  type Statistics,
  TAIL,
} from "../../../codec/mcap/summary.ts";
import { Definitions } from "./definitions.ts";
import { baseOf, chunksOf, type Draft, type Plan, statedBase } from "./plan.ts";
import { isMagic, METADATA_MEMORY } from "./scan.ts";
import { endOf } from "./walk.ts";

/** The longest summary that is read. */
const MOST = 64 << 20;
/** Bytes outside of chunks, attachments and metadata that are looked at; where they are more, the file is scanned. */
const LOOSE = 1 << 20;
/** Memory of one entry of an index. */
const ENTRY_MEMORY = 512;

/**
 * Opens a file by its summary (spec §1). Null where the summary does not say enough: the file must be scanned. A summary
 * that contradicts itself is reported.
 */
export async function openIndexed(
  source: ByteSource,
  size: number,
  budget: Budget,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<Plan | null> {
  const held: Parameters<Reporter["report"]>[0][] = [];
  try {
    const index = new Index(source, size, budget, { report: (finding) => held.push(finding) }, signal);
    const plan = await index.plan();
    if (plan !== null) for (const finding of held) report.report(finding);
    return plan;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const message = `the summary cannot be used, and the file is scanned: ${error.message}`;
    report.report({ code: "bad-index", severity: "damage", message, offset: error.offset });
    return null;
  }
}

class Index {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #budget: Budget;
  readonly #signal: AbortSignal | undefined;
  readonly #definitions: Definitions;
  readonly #chunks: ChunkIndex[] = [];
  readonly #attachments: AttachmentIndex[] = [];
  readonly #places: MetadataIndex[] = [];
  #statistics: Statistics | null = null;
  #header: Header | null = null;

  constructor(source: ByteSource, size: number, budget: Budget, report: Reporter, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#size = size;
    this.#budget = budget;
    this.#signal = signal;
    this.#definitions = new Definitions(budget, report);
  }

  async plan(): Promise<Plan | null> {
    const start = await this.#summaryStart();
    if (start === null) return null;
    await this.#summary(start);
    const statistics = this.#statistics;
    if (statistics === null || !this.#isComplete(statistics)) return null;
    const drafts = this.#drafts(statistics);
    if (drafts === null || !(await this.#looseRecords(start))) return null;
    if (!this.#hasSchemas()) return null;
    const order = [...this.#definitions.channels.keys()].sort((a, b) => a - b);
    const [stated, metadata] = statedBase(await this.#metadata());
    const base = stated ?? baseOf(this.#earliest(drafts));
    for (const [i, draft] of drafts.entries()) {
      draft.first = Number(this.#chunks[i]!.start - base);
      draft.last = Number(this.#chunks[i]!.end - base);
    }
    return {
      header: this.#header!,
      definitions: this.#definitions,
      chunks: chunksOf(
        drafts.filter(({ count }) => count > 0),
        order,
        0,
      ),
      base,
      order,
      attachments: this.#attachments,
      metadata,
      tallies: null,
      unpacked: null,
      gaps: [],
    };
  }

  /** Whether every schema that a channel has is defined outside of chunks: a summary need not repeat them. */
  #hasSchemas(): boolean {
    const { channels, schemas } = this.#definitions;
    return [...channels.values()].every(({ schema }) => schema === 0 || schemas.has(schema));
  }

  #earliest(drafts: readonly Draft[]): bigint {
    let earliest: bigint | null = null;
    for (const [i, { count }] of drafts.entries()) {
      const { start } = this.#chunks[i]!;
      if (count > 0 && (earliest === null || start < earliest)) earliest = start;
    }
    return earliest ?? 0n;
  }

  async #read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = await this.#source.read(offset, length, this.#signal);
    if (bytes.length !== length) throw new LayoutError("truncated", `${length} bytes are not there`, offset);
    return bytes;
  }

  /** Where the summary begins; null where none does. Its checksum matches. */
  async #summaryStart(): Promise<number | null> {
    if (this.#size < 2 * MAGIC.length + TAIL) return null;
    const at = this.#size - TAIL;
    const tail = await this.#read(at, TAIL);
    const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
    const isFooter = tail[0] === OP.footer && endOf(view, 0, TAIL) === PREFIX + FOOTER_CONTENT;
    if (!isFooter || !isMagic(tail.subarray(TAIL - MAGIC.length))) return null;
    const { summary, crc } = readFooter(new ByteCursor(tail, PREFIX, TAIL, at));
    if (summary === 0) return null;
    if (summary < MAGIC.length || summary > at) {
      throw new LayoutError("malformed", `the footer states a summary at ${summary}`, at);
    }
    if (at - summary > MOST) return null;
    this.#budget.fit("its summary", at - summary);
    const bytes = await this.#read(summary, at - summary);
    const found = crc32(tail.subarray(0, PREFIX + 16), crc32(bytes));
    if (crc !== 0 && crc !== found) throw new LayoutError("malformed", "its checksum does not match", at);
    return summary;
  }

  async #summary(start: number): Promise<void> {
    const bytes = await this.#read(start, this.#size - TAIL - start);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < bytes.length) {
      const end = endOf(view, at, bytes.length);
      if (end < 0) throw new LayoutError("malformed", "bytes that are no record", start + at);
      this.#entry(bytes, at, end, start);
      at = end;
    }
    this.#chunks.sort((a, b) => a.offset - b.offset);
  }

  #entry(bytes: Uint8Array, at: number, end: number, start: number): void {
    const cursor = new ByteCursor(bytes, at + PREFIX, end, start);
    switch (bytes[at]) {
      case OP.schema:
        this.#definitions.schema(bytes, at + PREFIX, end, start + at);
        return;
      case OP.channel:
        this.#definitions.channel(bytes, at + PREFIX, end, start + at);
        return;
      case OP.chunkIndex:
        this.#budget.hold("its index", ENTRY_MEMORY);
        this.#chunks.push(readChunkIndex(cursor));
        return;
      case OP.attachmentIndex:
        this.#budget.hold("its index", ENTRY_MEMORY);
        this.#attachments.push(readAttachmentIndex(cursor));
        return;
      case OP.metadataIndex:
        this.#budget.hold("its index", ENTRY_MEMORY);
        this.#places.push(readMetadataIndex(cursor));
        return;
      case OP.statistics:
        this.#statistics ??= readStatistics(cursor);
        return;
      default:
    }
  }

  /** Whether every chunk, attachment and metadata record has its place in the summary. */
  #isComplete({ chunks, attachments, metadata }: Statistics): boolean {
    return (
      chunks === this.#chunks.length && attachments === this.#attachments.length && metadata === this.#places.length
    );
  }

  /** The chunks, with their messages counted by the lengths of their message indexes; null where they do not say it. */
  #drafts(statistics: Statistics): Draft[] | null {
    const byChannel = new Map<number, number>();
    const drafts: Draft[] = [];
    let sequence = 0;
    for (const index of this.#chunks) {
      let count = 0;
      for (const [id, messages] of countsOf(index)) {
        if (messages < 0) return null;
        byChannel.set(id, (byChannel.get(id) ?? 0) + messages);
        count += messages;
      }
      const { offset } = index;
      const length = index.length + index.indexLength;
      const ids = new Set(index.indexes.keys());
      if (count === 0 && (index.start !== 0n || index.end !== 0n)) return null;
      drafts.push({
        kind: "chunk",
        offset,
        length,
        sequence,
        count,
        first: 0,
        last: 0,
        ids,
        isChecked: false,
        gaps: null,
      });
      sequence += count;
    }
    if (sequence !== statistics.messages) return null;
    for (const [id, messages] of byChannel) {
      if (!this.#definitions.channels.has(id)) return null;
      if (statistics.byChannel.size > 0 && statistics.byChannel.get(id) !== messages) return null;
    }
    return drafts;
  }

  /**
   * Looks at all records that the index does not name: definitions and the ends. False where a message is among them, or
   * where they are too many to look at.
   */
  async #looseRecords(summary: number): Promise<boolean> {
    const named = [
      ...this.#chunks.map(({ offset, length, indexLength }) => [offset, length + indexLength] as const),
      ...this.#attachments.map(({ offset, length }) => [offset, length] as const),
      ...this.#places.map(({ offset, length }) => [offset, length] as const),
      [summary, 0] as const,
    ].sort((a, b) => a[0] - b[0]);
    let at: number = MAGIC.length;
    let loose = 0;
    for (const [offset, length] of named) {
      if (offset < at) throw new LayoutError("malformed", "records that it names overlap", offset);
      loose += offset - at;
      if (loose > LOOSE) return false;
      if (offset > at && !this.#isKnown(await this.#read(at, offset - at), at)) return false;
      at = offset + length;
    }
    return this.#header !== null && at === summary;
  }

  #isKnown(bytes: Uint8Array, origin: number): boolean {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const end = endOf(view, at, bytes.length);
      if (end < 0) throw new LayoutError("malformed", "bytes that are no record", origin + at);
      const [opcode, start] = [bytes[at]!, at + PREFIX];
      if (opcode === OP.header) this.#header ??= readHeader(new ByteCursor(bytes, start, end, origin));
      else if (opcode === OP.schema) this.#definitions.schema(bytes, start, end, origin + at);
      else if (opcode === OP.channel) this.#definitions.channel(bytes, start, end, origin + at);
      else if (opcode !== OP.dataEnd && opcode <= OP.dataEnd) return false;
      at = end;
    }
    return true;
  }

  async #metadata(): Promise<MetadataRecord[]> {
    const records: MetadataRecord[] = [];
    for (const { offset, length } of this.#places) {
      if (length > MOST) throw new LayoutError("malformed", `metadata of ${length} bytes`, offset);
      this.#budget.hold("its metadata", METADATA_MEMORY + length);
      const bytes = await this.#read(offset, length);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (bytes[0] !== OP.metadata || endOf(view, 0, length) !== length) {
        throw new LayoutError("malformed", "no metadata record is where the index says", offset);
      }
      records.push(readMetadata(new ByteCursor(bytes, PREFIX, length, offset)));
    }
    return records;
  }
}

/** Messages of each channel in a chunk, by the distance of its message index from the next; negative: not possible. */
function* countsOf({ offset, length, indexes, indexLength }: ChunkIndex): Generator<readonly [number, number]> {
  const sorted = [...indexes].sort((a, b) => a[1] - b[1]);
  const [begin, end] = [offset + length, offset + length + indexLength];
  if (sorted.length > 0 && sorted[0]![1] !== begin) yield [sorted[0]![0], -1];
  for (const [i, [id, at]] of sorted.entries()) {
    const messages = ((sorted[i + 1]?.[1] ?? end) - at - PREFIX - INDEX_HEAD) / INDEX_ENTRY;
    yield [id, Number.isInteger(messages) ? messages : -1];
  }
}
