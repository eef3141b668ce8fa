import { Budget } from "../../../bytes/budget.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { ColumnBuilder, type Columns, KEYFRAME } from "../../../model/messages/batch.ts";
import { StatisticsCounter, summarize } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Reporter, FindingCode } from "../../../model/error.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelStatistics } from "../../../model/values/value.ts";
import { readExactly } from "../../../io/zip/zip-directory.ts";
import { FRAME, MICROSECOND } from "../layout/layout.ts";
import { ARRAY_HEADER_BYTES, findIndexEntry, type IndexEntry, readArraySize, readIndexEntry } from "../layout/index.ts";
import { type MessageOutline, outlineOf } from "../layout/messagepack.ts";
import type { Overview } from "./overview.ts";
import { EntryList } from "./realign.ts";
import { MAX_TIME } from "../meaning/times.ts";
import { Types } from "../layout/types.ts";

/** A chunk ends when its messages have this many bytes, or are this many. */
const CHUNK_BYTES = 1 << 20;
const CHUNK_ENTRIES = 8192;
/** Bytes of the index read at once, and the most that one entry is looked for in. */
const WINDOW = 256 << 10;
const MAX_WINDOW = 1 << 20;
/** Messages of a chunk are read as one when what lies between them is no more than they are, and this. */
const SPARE_BYTES = 64 << 10;
/** Messages above this are asked for before they are read. */
const LONG = 16 << 20;
/** Memory of what is kept of a chunk. */
const CHUNK_MEMORY = 768;
/** Frames read at once for the overview. */
const PROBES_AT_ONCE = 16;

/** Bits of an entry's mask beside the channels': what only the message itself tells. */
const TYPES_UNKNOWN = 1 << 30;
const INDEX_UNKNOWN = 1 << 29;

/** A chunk of messages, and the slice of the index that tells where they are. */
interface IndexedChunk extends Chunk {
  readonly indexOffset: number;
  readonly indexLength: number;
  /** Time of the entry before the first. */
  readonly before: Time;
  /** Its messages follow each other without gap or overlap. */
  readonly isRun: boolean;
}

/** The members of a zip, inflated if need be. */
export interface ZipContent {
  readonly messages: ByteSource;
  readonly messagesSize: number;
  /** Bytes of the messages as the zip states them: more, when some are gone. */
  readonly statedSize: number;
  readonly index: ByteSource;
  readonly indexSize: number;
  /** Place of the index in the file; what findings speak of. 0 for a deflated one. */
  readonly indexOrigin: number;
}

/** Messages that an index tells about (spec §4). Of the index only chunks are kept; their slices are read again. */
export class IndexedMessages {
  readonly chunks: IndexedChunk[] = [];
  /** Rows of all chunks. */
  count = 0;
  /** Messages that the index names and that are gone: the zip states them, and the member ends before. */
  gone = 0;
  /** Something in the index could not be read, is not there, or points to where no message can be. */
  isDamaged = false;
  /** CRC-32 of the index. */
  crc = 0;
  readonly #content: ZipContent;
  readonly #types: Types;
  readonly #report: Reporter;
  readonly #budget: Budget;
  /** Bytes of messages that entries name, those that several name as often. */
  #named = 0;
  readonly #counter = new StatisticsCounter();
  /** Time and sequence of the earliest frame, in whatever order the index names them; -1: none met. */
  #firstFrame = -1;
  #firstFrameTime: Time = Number.POSITIVE_INFINITY;
  #clock: Time = 0;
  /** Where entries go instead, when only they are wanted. */
  #list: EntryList | null = null;

  private constructor(content: ZipContent, types: Types, report: Reporter, budget: Budget) {
    this.#budget = budget;
    this.#content = content;
    this.#types = types;
    this.#report = report;
  }

  /** Reads the index once. Damage in it is reported and passed over, and sets `isDamaged`. */
  static async scan(
    content: ZipContent,
    types: Types,
    overview: Overview,
    report: Reporter,
    options: OpenOptions,
  ): Promise<IndexedMessages> {
    const messages = new IndexedMessages(content, types, report, Budget.of(options.budget));
    await messages.#scan(overview, options);
    return messages;
  }

  /** Every entry that can be read, wherever it points; damage is passed over. */
  static async entries(content: ZipContent, options: OpenOptions): Promise<EntryList> {
    const messages = new IndexedMessages(content, new Types(), { report: () => undefined }, Budget.of(options.budget));
    messages.#list = new EntryList();
    await messages.#scan(null, options);
    return messages.#list;
  }

  statistics(channels: number): readonly ChannelStatistics[] {
    return this.#counter.result(channels);
  }

  async decode(chunk: IndexedChunk, signal?: AbortSignal): Promise<Columns> {
    const table = await this.#table(chunk, signal);
    const { bytes, starts } = await this.#load(table, signal);
    return this.#columns(table, bytes, starts, chunk.sequence, null).build(bytes, chunk.sequence);
  }

  /** Bytes `[0, end)` of the messages, one record for each that an entry names; `origin` is their place in the file. */
  async *records(origin: number, end: number, signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    let at = 0;
    for await (const table of this.#inPlace(signal)) {
      const { bytes, starts } = await this.#load(table, signal);
      let records: NativeRecord[] = [];
      for (let i = 0; i < table.size; i++) {
        const place = table.offset[i]!;
        const to = Math.min(end, place + table.length[i]!);
        // Entries may name the same bytes.
        const from = Math.max(at, place);
        if (to <= from) continue;
        if (from > at) {
          yield records;
          records = [];
          yield* this.#unindexed(origin, at, from, signal);
        }
        const start = starts[i]! - place;
        records.push({ kind: "message", offset: origin + from, bytes: bytes.subarray(start + from, start + to) });
        at = to;
      }
      yield records;
    }
    yield* this.#unindexed(origin, at, end, signal);
  }

  /** The entries in the order of the messages' places. */
  async *#inPlace(signal: AbortSignal | undefined): AsyncGenerator<EntryTable> {
    const isInPlace = this.chunks.every(
      ({ isRun, offset }, i, { [i - 1]: last }) => isRun && (last === undefined || offset >= last.offset + last.length),
    );
    if (isInPlace) {
      for (const chunk of this.chunks) yield await this.#table(chunk, signal);
      return;
    }
    const all = new EntryTable();
    for (const chunk of this.chunks) all.addAll(await this.#table(chunk, signal));
    const rows = Uint32Array.from({ length: all.size }, (_, i) => i).sort((a, b) => all.offset[a]! - all.offset[b]!);
    let table = new EntryTable();
    for (const i of rows) {
      table.add(all.offset[i]!, all.length[i]!, all.time[i]!, 0, Number.NaN);
      if (!table.isFull) continue;
      yield table;
      table = new EntryTable();
    }
    yield table;
  }

  async *#unindexed(
    origin: number,
    from: number,
    to: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly NativeRecord[]> {
    for (let at = from; at < to; at += CHUNK_BYTES) {
      const bytes = await readExactly(this.#content.messages, at, Math.min(CHUNK_BYTES, to - at), signal);
      yield [{ kind: "unindexed", offset: origin + at, bytes }];
    }
  }

  async #scan(overview: Overview | null, options: OpenOptions): Promise<void> {
    const { index, indexSize, indexOrigin } = this.#content;
    const survey = overview === null ? null : new Survey(overview);
    const stated = await this.#arrayHeader(options.signal);
    let table = new EntryTable();
    let tableAt = stated.bytes;
    let before = this.#clock;
    let entries = 0;
    const close = async (end: number, next: number): Promise<void> => {
      if (table.size > 0) await this.#add(table, tableAt, end, before, survey, options.signal);
      table = new EntryTable();
      tableAt = next;
      before = this.#clock;
    };
    let window = WINDOW;
    for (let at = stated.bytes; at < indexSize; ) {
      const bytes = await readExactly(index, at, Math.min(window, indexSize - at), options.signal);
      const isLast = at + bytes.length >= indexSize;
      this.#checksum(bytes, at);
      const cursor = new ByteCursor(bytes, 0, bytes.length, indexOrigin + at);
      let again = -1;
      while (cursor.remaining > 0) {
        const start = cursor.position;
        try {
          this.#take(readIndexEntry(cursor), table, indexOrigin + at + start);
          entries++;
        } catch (error) {
          if (!(error instanceof LayoutError)) throw error;
          if (!isLast && error.reason === "truncated" && (start > 0 || window < MAX_WINDOW)) {
            again = start;
            break;
          }
          const found = findIndexEntry(bytes, start + 1, bytes.length);
          const next = found >= 0 ? found : isLast ? bytes.length : Math.max(start + 1, bytes.length - 8);
          await close(at + start, at + next);
          this.#damage("bad-index", `index cannot be read: ${error.message}`, indexOrigin + at + start, next - start);
          cursor.seek(next);
          continue;
        }
        if (table.isFull) await close(at + cursor.position, at + cursor.position);
      }
      window = again === 0 ? window * 2 : WINDOW;
      at += again >= 0 ? again : bytes.length;
      options.onProgress?.(at, indexSize);
    }
    await close(indexSize, indexSize);
    if (entries !== stated.entries && !this.isDamaged) {
      const message = `index states ${stated.entries} entries but has ${entries}`;
      this.#damage("index-count", message, indexOrigin, stated.bytes);
    }
    if (this.gone > 0) {
      const message = `${this.gone} messages that the index names are missing: the data ends before them`;
      this.#report.report({ code: "missing-messages", severity: "loss", message, offset: indexOrigin });
    }
    await survey?.look(this.#content.messages, options.signal);
  }

  async #arrayHeader(signal: AbortSignal | undefined): Promise<{ entries: number; bytes: number }> {
    const { index, indexOrigin } = this.#content;
    const head = await index.read(0, ARRAY_HEADER_BYTES, signal);
    const cursor = new ByteCursor(head, 0, head.length, indexOrigin);
    try {
      const entries = readArraySize(cursor);
      this.#checksum(head.subarray(0, cursor.position), 0);
      return { entries, bytes: cursor.position };
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.#damage("bad-index", error.message, indexOrigin, 1);
      return { entries: 0, bytes: 0 };
    }
  }

  #checked = 0;

  /** Windows overlap where an entry went on behind one of them. */
  #checksum(bytes: Uint8Array, at: number): void {
    const from = Math.min(bytes.length, Math.max(0, this.#checked - at));
    this.crc = crc32(bytes.subarray(from), this.crc);
    this.#checked = Math.max(this.#checked, at + bytes.length);
  }

  #damage(code: FindingCode, message: string, offset: number, length: number): void {
    this.isDamaged = true;
    this.#report.report({ code, severity: "damage", message, offset, length });
  }

  /** Puts an entry into `table` when its message is there; `offset` is its place, null when it was reported before. */
  #take(entry: IndexEntry, table: EntryTable, offset: number | null): void {
    const { messagesSize, statedSize } = this.#content;
    if (this.#list !== null) {
      this.#list.add(entry);
      return;
    }
    if (entry.length === 0 || entry.offset + entry.length > messagesSize) {
      if (offset === null) return;
      if (entry.length > 0 && entry.offset + entry.length <= statedSize) {
        this.isDamaged = true;
        this.gone++;
        return;
      }
      const place = `${entry.length} bytes at ${hex(entry.offset)}`;
      const message = `index entry at ${hex(offset)} points to ${place} of the messages, which have ${messagesSize}`;
      this.#damage("bad-index-entry", message, offset, 0);
      return;
    }
    if (entry.length > LONG) this.#budget.fit("a message", entry.length * 2);
    let time = entry.timestamp === null ? Number.NaN : Math.round(entry.timestamp * MICROSECOND) + 0;
    if (!(Math.abs(time) <= MAX_TIME)) {
      time = this.#clock;
      if (offset !== null) {
        const message = `index entry at ${hex(offset)} has no time; simtape uses that of the entry before it`;
        this.#report.report({ code: "missing-timestamp", severity: "loss", message, offset });
      }
    }
    this.#clock = time;
    let mask = entry.types === null ? 0 : this.#types.mask(entry.types);
    if (mask === 0) mask = TYPES_UNKNOWN;
    else if ((mask & (1 << FRAME)) !== 0 && entry.frameIndex === null) mask |= INDEX_UNKNOWN;
    table.add(entry.offset, entry.length, time, mask, entry.frameIndex ?? Number.NaN);
  }

  async #add(
    table: EntryTable,
    indexOffset: number,
    indexEnd: number,
    before: Time,
    survey: Survey | null,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#budget.hold("the list of chunks", CHUNK_MEMORY);
    this.#named += table.bytes;
    this.#budget.expand("reading what entries of the index name", this.#named, this.#content.messagesSize);
    const { bytes, starts } = table.needsMessages ? await this.#load(table, signal) : NOTHING;
    const sequence = this.count;
    const batch = this.#columns(table, bytes, starts, sequence, survey).build(bytes, sequence);
    this.chunks.push({
      offset: table.first,
      length: table.isRun ? table.end - table.first : table.bytes,
      sequence,
      ...summarize(batch),
      indexOffset,
      indexLength: indexEnd - indexOffset,
      before,
      isRun: table.isRun,
    });
    this.#counter.add(batch);
    this.count += batch.length;
  }

  /** The entries of a chunk, as they were taken when the index was scanned. */
  async #table(chunk: IndexedChunk, signal: AbortSignal | undefined): Promise<EntryTable> {
    const bytes = await readExactly(this.#content.index, chunk.indexOffset, chunk.indexLength, signal);
    const table = new EntryTable();
    const cursor = new ByteCursor(bytes, 0, bytes.length, chunk.indexOffset);
    this.#clock = chunk.before;
    while (cursor.remaining > 0) this.#take(readIndexEntry(cursor), table, null);
    return table;
  }

  /** Reads the messages of `table`: as one where they lie together, else each on its own. */
  async #load(table: EntryTable, signal: AbortSignal | undefined): Promise<Loaded> {
    const { messages } = this.#content;
    const starts = new Uint32Array(table.size);
    const span = table.end - table.first;
    if (span <= 2 * table.bytes + SPARE_BYTES) {
      const bytes = await readExactly(messages, table.first, span, signal);
      for (let i = 0; i < table.size; i++) starts[i] = table.offset[i]! - table.first;
      return { bytes, starts };
    }
    const bytes = new Uint8Array(table.bytes);
    const reads: Promise<void>[] = [];
    let place = 0;
    for (let i = 0; i < table.size; i++) {
      const start = place;
      starts[i] = start;
      place += table.length[i]!;
      const read = readExactly(messages, table.offset[i]!, table.length[i]!, signal);
      reads.push(read.then((message) => bytes.set(message, start)));
    }
    await Promise.all(reads);
    return { bytes, starts };
  }

  /**
   * Rows of the entries, a row for each part of a message. Without `starts` only lengths are right, which is enough to
   * count; `survey` sees the frames.
   */
  #columns(
    table: EntryTable,
    bytes: Uint8Array,
    starts: Uint32Array | null,
    sequence: number,
    survey: Survey | null,
  ): ColumnBuilder {
    const rows = new ColumnBuilder();
    for (let i = 0; i < table.size; i++) {
      const start = starts === null ? 0 : starts[i]!;
      const end = start + table.length[i]!;
      let mask = table.mask[i]!;
      let index = table.index[i]!;
      if (mask >= INDEX_UNKNOWN) {
        const outline = outlined(bytes, start, end);
        // A message that cannot be read stays a frame: reading it tells what is wrong.
        if ((mask & TYPES_UNKNOWN) !== 0) mask = outline === null ? 1 << FRAME : this.#types.mask(outline.types);
        index = outline?.frameIndex ?? Number.NaN;
        mask &= ~INDEX_UNKNOWN;
      }
      for (let id = 0; mask >>> id !== 0; id++) {
        if (((mask >>> id) & 1) === 0) continue;
        let flags = 0;
        if (id === FRAME) {
          const place = sequence + rows.length;
          if (survey !== null && table.time[i]! < this.#firstFrameTime) {
            this.#firstFrame = place;
            this.#firstFrameTime = table.time[i]!;
          }
          if (index === 0 || place === this.#firstFrame) flags = KEYFRAME;
          survey?.frame(index, table.offset[i]!, table.length[i]!);
        }
        rows.add(table.time[i]!, id, start, end, flags);
      }
    }
    return rows;
  }
}

interface Loaded {
  readonly bytes: Uint8Array;
  /** Place of each message in `bytes`. */
  readonly starts: Uint32Array;
}

/** Messages that were not read. */
const NOTHING: { readonly bytes: Uint8Array; readonly starts: null } = { bytes: new Uint8Array(0), starts: null };

function outlined(bytes: Uint8Array, start: number, end: number): MessageOutline | null {
  try {
    return outlineOf(bytes, start, end);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/** Index entries of one chunk, as columns. */
class EntryTable {
  size = 0;
  /** Sum of lengths. */
  bytes = 0;
  /** Place of the first byte, and behind the last, of all messages. */
  first: number = Number.POSITIVE_INFINITY;
  end = 0;
  isRun = true;
  needsMessages = false;
  offset: Float64Array = new Float64Array(256);
  length: Float64Array = new Float64Array(256);
  time: Float64Array = new Float64Array(256);
  mask: Uint32Array = new Uint32Array(256);
  /** Index of the frame, NaN where there is none. */
  index: Float64Array = new Float64Array(256);

  get isFull(): boolean {
    return this.bytes >= CHUNK_BYTES || this.size >= CHUNK_ENTRIES;
  }

  add(offset: number, length: number, time: Time, mask: number, index: number): void {
    const i = this.size;
    if (i === this.offset.length) this.#grow();
    if (i > 0 && offset !== this.end) this.isRun = false;
    if (mask >= INDEX_UNKNOWN) this.needsMessages = true;
    this.offset[i] = offset;
    this.length[i] = length;
    this.time[i] = time;
    this.mask[i] = mask;
    this.index[i] = index;
    this.size = i + 1;
    this.bytes += length;
    this.first = Math.min(this.first, offset);
    this.end = Math.max(this.end, offset + length);
  }

  addAll({ size, offset, length, time, mask, index }: EntryTable): void {
    for (let i = 0; i < size; i++) this.add(offset[i]!, length[i]!, time[i]!, mask[i]!, index[i]!);
  }

  #grow(): void {
    const capacity = this.offset.length * 2;
    const grown = (from: Float64Array): Float64Array => {
      const to = new Float64Array(capacity);
      to.set(from);
      return to;
    };
    this.offset = grown(this.offset);
    this.length = grown(this.length);
    this.time = grown(this.time);
    this.index = grown(this.index);
    const mask = new Uint32Array(capacity);
    mask.set(this.mask);
    this.mask = mask;
  }
}

/** Remembers which frames the overview wants to see, and shows them when the index is read. */
class Survey {
  readonly #overview: Overview;
  readonly #wanted: { readonly offset: number; readonly length: number }[] = [];

  constructor(overview: Overview) {
    this.#overview = overview;
  }

  frame(index: number, offset: number, length: number): void {
    if (this.#overview.count(Number.isNaN(index) ? null : index)) this.#wanted.push({ offset, length });
  }

  async look(messages: ByteSource, signal: AbortSignal | undefined): Promise<void> {
    for (let from = 0; from < this.#wanted.length; from += PROBES_AT_ONCE) {
      const probes = this.#wanted.slice(from, from + PROBES_AT_ONCE);
      const payloads = await Promise.all(
        probes.map(({ offset, length }) => readExactly(messages, offset, length, signal)),
      );
      for (const payload of payloads) this.#overview.look(payload);
    }
  }
}
