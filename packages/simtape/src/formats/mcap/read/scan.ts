import type { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { FindingCode, Reporter } from "../../../model/error.ts";
import type { OpenOptions } from "../../../model/format.ts";
import { unpack } from "../layout/compression.ts";
import {
  type Header,
  type MetadataRecord,
  readAttachment,
  readAttachmentHead,
  readChunkHead,
  readDataEnd,
  readHeader,
  readMetadata,
} from "../../../codec/mcap/data.ts";
import { kindOf, MAGIC, OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import {
  type AttachmentIndex,
  FOOTER_CONTENT,
  type Footer,
  readFooter,
  readStatistics,
  type Statistics,
} from "../../../codec/mcap/summary.ts";
import { Definitions } from "./definitions.ts";
import { baseOf, chunksOf, type Draft, type Plan, statedBase, type Tally } from "./plan.ts";
import { faultOfIndex } from "./index-check.ts";
import { Unpacked } from "./unpacked.ts";
import { endOf, type Knows, nextRecord, type Sight, walkRecords } from "./walk.ts";
import { FileWindow } from "./window.ts";

/** Bytes of a run of records outside of chunks, about. */
const RUN = 1 << 20;
/** The longest record that is read as one. */
export const MOST: number = 64 << 20;
/** Bytes searched at once for the next record, and records that are found for certain across their border. */
const SEARCHED = 8 << 20;
const OVERLAP = 4 << 20;
/** Memory of a metadata record beside its texts, as a record and as the recording shows it, about. */
export const METADATA_MEMORY = 768;
/** Memory of a chunk in the list. */
const CHUNK_MEMORY = 512;
const GAP_MEMORY = 64;
const TIME_LIMIT = 2 ** 53;

/** Goes over the whole file once. */
export async function scan(
  source: ByteSource,
  size: number,
  budget: Budget,
  report: Reporter,
  options: Pick<OpenOptions, "signal" | "onProgress">,
): Promise<Plan> {
  const scanner = new Scanner(source, size, budget, report, options);
  await scanner.go();
  return scanner.plan();
}

class Scanner implements Sight, Knows {
  readonly #window: FileWindow;
  readonly #size: number;
  readonly #budget: Budget;
  readonly #report: Reporter;
  readonly #options: Pick<OpenOptions, "signal" | "onProgress">;
  readonly #definitions: Definitions;
  readonly #drafts: Draft[] = [];
  readonly #attachments: AttachmentIndex[] = [];
  readonly #metadata: MetadataRecord[] = [];
  readonly #tallies = new Map<number, Tally>();
  readonly #gaps: { from: number; to: number }[] = [];
  #header: Header | null = null;
  #statistics: Statistics | null = null;
  #footer: Footer | null = null;
  #at = MAGIC.length;
  /** CRC-32 of all bytes before `#at`; null where some were not read. */
  #crc: number | null = null;
  /** Where the summary begins, and the CRC-32 of its bytes before `#at`. */
  #summary = -1;
  #summaryCrc = 0;
  /** The draft that messages go to. */
  #draft: Draft | null = null;
  #messages = 0;
  #chunkRecords = 0;
  /** Bytes that compressed chunks had, unpacked. */
  #unpacked = 0;
  readonly #kept: Unpacked;
  /** Halves of the provisional base, the log time of the first message. */
  #high = -1;
  #low = 0;
  /** The records of the chunk before this place, while its message indexes follow; null where it has damage. */
  #indexed: Uint8Array | null = null;
  /** What `record` and `damage` are in: a chunk's records, or null for the file. */
  #inside: { readonly offset: number; readonly bytes: Uint8Array } | null = null;
  /** Of the last message: its channel, its draft, and what is counted of the channel. */
  #tallied = -1;
  #tallyDraft: Draft | null = null;
  #tally: Tally = { messages: 0, bytes: 0, first: 0, last: 0 };
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Uint8Array | null = null;

  constructor(
    source: ByteSource,
    size: number,
    budget: Budget,
    report: Reporter,
    options: Pick<OpenOptions, "signal" | "onProgress">,
  ) {
    this.#window = new FileWindow(source, size, options.signal);
    this.#size = size;
    this.#budget = budget;
    this.#report = report;
    this.#options = options;
    this.#definitions = new Definitions(budget, report);
    this.#kept = new Unpacked(budget);
  }

  async go(): Promise<void> {
    this.#crc = crc32(MAGIC);
    while (this.#at < this.#size) {
      if (this.#size - this.#at === MAGIC.length && isMagic(await this.#window.take(this.#at, MAGIC.length))) return;
      if (!(await this.#step())) await this.#lost();
      this.#options.onProgress?.(this.#at, this.#size);
      this.#options.signal?.throwIfAborted();
    }
    const message = "the file does not end with a footer and the magic: it was cut, or its writer was stopped";
    this.#report.report({ code: "unclosed", severity: "damage", message, offset: this.#size });
  }

  /** Deals with the records in the window from here on, or with one long record; false: no record is here. */
  async #step(): Promise<boolean> {
    const left = this.#size - this.#at;
    if (left < PREFIX) return false;
    const prefix = await this.#window.take(this.#at, PREFIX);
    const view = new DataView(prefix.buffer, prefix.byteOffset, PREFIX);
    const length = view.getUint32(1, true) + view.getUint32(5, true) * 0x1_0000_0000;
    const opcode = prefix[0]!;
    if (opcode === 0 || length > left - PREFIX) return false;
    if (length > MOST) return this.#long(opcode, PREFIX + length);
    await this.#window.take(this.#at, PREFIX + length);
    const bytes = this.#window.rest(this.#at);
    const inBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const origin = this.#at;
    let at = 0;
    while (at < bytes.length) {
      const end = endOf(inBytes, at, bytes.length);
      if (end < 0) break;
      if (bytes[at] === OP.chunk) await this.#chunk(bytes, at, end, origin + at);
      else if (!this.#plain(bytes, at, end, origin + at)) break;
      this.#pass(bytes, at, end);
      at = end;
    }
    return at > 0;
  }

  /** Moves behind a record. */
  #pass(bytes: Uint8Array, at: number, end: number): void {
    const record = bytes.subarray(at, end);
    if (this.#crc !== null) this.#crc = crc32(record, this.#crc);
    if (this.#summary >= 0) this.#summaryCrc = crc32(record, this.#summaryCrc);
    this.#at += end - at;
    if (bytes[at] === OP.dataEnd) {
      this.#summary = this.#at;
      this.#summaryCrc = 0;
    }
  }

  /** A record that is not a chunk; false: it cannot be read. */
  #plain(bytes: Uint8Array, at: number, end: number, offset: number): boolean {
    const opcode = bytes[at]!;
    if (opcode === OP.messageIndex) {
      const fault = this.#indexed === null ? null : faultOfIndex(bytes, at + PREFIX, end, this.#indexed);
      if (fault !== null) {
        this.#report.report({ code: "bad-index", severity: "damage", message: fault, offset, length: end - at });
      }
      return true;
    }
    this.#indexed = null;
    if (opcode === OP.message) {
      const run = this.#run(offset);
      this.#message(bytes, at + PREFIX, end, run);
      run.length = offset + (end - at) - run.offset;
      return true;
    }
    try {
      this.#other(opcode, bytes, at + PREFIX, end, offset);
      return true;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return false;
    }
  }

  #other(opcode: number, bytes: Uint8Array, start: number, end: number, offset: number): void {
    const cursor = new ByteCursor(bytes, start, end, offset - start + PREFIX);
    switch (opcode) {
      case OP.header:
        this.#header ??= readHeader(cursor);
        return;
      case OP.schema:
        this.#definitions.schema(bytes, start, end, offset);
        return;
      case OP.channel:
        this.#definitions.channel(bytes, start, end, offset);
        return;
      case OP.attachment:
        this.#attachment(cursor, end - start, offset);
        return;
      case OP.metadata:
        this.#budget.hold("its metadata", METADATA_MEMORY + end - start);
        this.#metadata.push(readMetadata(cursor));
        return;
      case OP.statistics:
        this.#statistics ??= readStatistics(cursor);
        return;
      case OP.dataEnd: {
        const stated = readDataEnd(cursor);
        if (stated === 0 || this.#crc === null || this.#gaps.length > 0 || stated === this.#crc) return;
        const message = "the checksum of the data does not match: some bytes differ from what was written";
        this.#report.report({ code: "bad-checksum", severity: "damage", message, offset });
        return;
      }
      case OP.footer:
        this.#end(readFooter(cursor), bytes, start, end, offset);
        return;
      default:
    }
  }

  #attachment(cursor: ByteCursor, length: number, offset: number): void {
    const { data, ...head } = readAttachment(cursor);
    this.#budget.hold("the list of attachments", CHUNK_MEMORY);
    this.#attachments.push({ ...head, offset, length: PREFIX + length, size: data.length });
  }

  #end(footer: Footer, bytes: Uint8Array, start: number, end: number, offset: number): void {
    this.#footer = footer;
    if (footer.crc === 0 || this.#gaps.length > 0 || this.#summary < 0) return;
    const begin = footer.summary === 0 ? offset : footer.summary;
    if (begin !== this.#summary && footer.summary !== 0) {
      const message = `the footer states a summary at ${footer.summary}, the data end at ${this.#summary}`;
      this.#report.report({ code: "bad-index", severity: "damage", message, offset });
      return;
    }
    const seed = footer.summary === 0 ? 0 : this.#summaryCrc;
    const found = crc32(bytes.subarray(start - PREFIX, end - (FOOTER_CONTENT - 16)), seed);
    if (found === footer.crc) return;
    const message = "the checksum of the summary does not match";
    this.#report.report({ code: "bad-checksum", severity: "damage", message, offset });
  }

  async #chunk(bytes: Uint8Array, at: number, end: number, offset: number): Promise<void> {
    this.#chunkRecords++;
    this.#draft = null;
    this.#indexed = null;
    const length = end - at;
    const draft = this.#begin("chunk", offset, length);
    try {
      const cursor = new ByteCursor(bytes, at + PREFIX, end, offset - at);
      const head = readChunkHead(cursor);
      if (head.stored > cursor.remaining) {
        throw new LayoutError("truncated", `a chunk states ${head.stored} bytes of records`, cursor.offset);
      }
      const records = await unpack(head.compression, cursor.view(head.stored), head.size, this.#budget);
      this.#unpacked += head.compression === "" ? 0 : records.length;
      this.#budget.expand("unpacking its chunks", this.#unpacked, this.#size);
      if (head.crc !== 0 && crc32(records) !== head.crc) {
        const message = "the checksum of a chunk does not match: what can be read of it is kept";
        this.#report.report({ code: "bad-checksum", severity: "damage", message, offset, length });
      }
      this.#draft = draft;
      this.#inside = { offset, bytes: records };
      this.#indexed = records;
      walkRecords(records, 0, records.length, this);
      if (head.compression !== "" && draft.count > 0) this.#kept.keep(offset, records);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      const message = `a chunk cannot be unpacked: ${error.message}`;
      this.#report.report({ code: "bad-compression", severity: "loss", message, offset, length });
    } finally {
      this.#draft = null;
      this.#inside = null;
    }
    if (draft.count > 0) this.#drafts.push(draft);
  }

  knows(channel: number): boolean {
    return this.#definitions.channels.has(channel);
  }

  /** Inside a chunk. */
  resume(bytes: Uint8Array, at: number, to: number): number {
    const next = nextRecord(bytes, at + 1, to, this);
    this.#budget.hold("the list of damaged places", GAP_MEMORY);
    const draft = this.#draft!;
    draft.gaps ??= new Map();
    draft.gaps.set(at, next);
    return next;
  }

  /** A record inside a chunk. */
  record(opcode: number, at: number, start: number, end: number): void {
    const { bytes, offset } = this.#inside!;
    if (opcode === OP.message) {
      this.#message(bytes, start, end, this.#draft!);
      return;
    }
    if (opcode !== OP.schema && opcode !== OP.channel) return;
    try {
      if (opcode === OP.schema) this.#definitions.schema(bytes, start, end, offset);
      else this.#definitions.channel(bytes, start, end, offset);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.#bad(`a ${kindOf(opcode)} ${at} bytes into a chunk cannot be read: ${error.message}`, offset);
    }
  }

  /** Bytes inside a chunk. */
  damage(from: number, to: number): void {
    this.#bad(`${to - from} bytes inside a chunk are no record`, this.#inside!.offset);
  }

  #bad(message: string, offset: number, code: FindingCode = "bad-record"): void {
    this.#indexed = null;
    this.#report.report({ code, severity: "loss", message, offset });
  }

  #message(bytes: Uint8Array, start: number, end: number, draft: Draft): void {
    if (bytes !== this.#viewed) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    const view = this.#view;
    const id = view.getUint16(start, true);
    const low = view.getUint32(start + 6, true);
    const high = view.getUint32(start + 10, true);
    if (this.#high < 0) {
      this.#high = high;
      this.#low = low;
    }
    const time = (high - this.#high) * 0x1_0000_0000 + (low - this.#low);
    draft.count++;
    this.#messages++;
    if (time < draft.first) draft.first = time;
    if (time > draft.last) draft.last = time;
    // messages of a channel mostly come in runs
    if (id !== this.#tallied || draft !== this.#tallyDraft) this.#tallyOf(id, draft);
    const tally = this.#tally;
    tally.messages++;
    tally.bytes += end - start - 22;
    if (time < tally.first) tally.first = time;
    if (time > tally.last) tally.last = time;
  }

  #tallyOf(id: number, draft: Draft): void {
    this.#tallied = id;
    this.#tallyDraft = draft;
    draft.ids.add(id);
    const known = this.#tallies.get(id);
    this.#tally = known ?? { messages: 0, bytes: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    if (known === undefined) this.#tallies.set(id, this.#tally);
  }

  /** The run that a message at `offset` belongs to. */
  #run(offset: number): Draft {
    const draft = this.#draft;
    if (draft !== null && offset - draft.offset < RUN) return draft;
    const made = this.#begin("run", offset, 0);
    this.#drafts.push(made);
    this.#draft = made;
    return made;
  }

  #begin(kind: Draft["kind"], offset: number, length: number): Draft {
    this.#budget.hold("the list of chunks", CHUNK_MEMORY);
    const [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const ids = new Set<number>();
    return { kind, offset, length, sequence: this.#messages, count: 0, first, last, ids, isChecked: true, gaps: null };
  }

  /** A record that is too long to be read as one: an attachment is only looked at, everything else is lost. */
  async #long(opcode: number, length: number): Promise<boolean> {
    this.#draft = null;
    const offset = this.#at;
    if (opcode <= OP.dataEnd) {
      const head = opcode === OP.attachment ? await this.#longAttachment(length) : null;
      if (head === null) return false;
      this.#attachments.push({ ...head, offset, length });
    }
    this.#crc = null;
    this.#summaryCrc = 0;
    this.#at += length;
    return true;
  }

  async #longAttachment(length: number): Promise<Omit<AttachmentIndex, "offset" | "length"> | null> {
    const bytes = await this.#window.take(this.#at + PREFIX, RUN);
    try {
      const cursor = new ByteCursor(bytes);
      const head = readAttachmentHead(cursor);
      const size = cursor.u64le();
      return PREFIX + cursor.position + size + 4 === length ? { ...head, size } : null;
    } catch (error) {
      if (error instanceof LayoutError) return null;
      throw error;
    }
  }

  /** Goes to the next record behind damage. */
  async #lost(): Promise<void> {
    this.#draft = null;
    this.#indexed = null;
    const from = this.#at;
    const hasEnd = this.#size - from >= MAGIC.length && isMagic(await this.#window.take(this.#size - 8, 8));
    const end = hasEnd ? this.#size - MAGIC.length : this.#size;
    let next = end;
    for (let at = from + 1; at < end; at += SEARCHED - OVERLAP) {
      this.#options.signal?.throwIfAborted();
      const length = Math.min(SEARCHED, end - at);
      const found = nextRecord(await this.#window.take(at, length), 0, length, this);
      if (found < length) {
        next = at + found;
        break;
      }
      if (at + length === end) break;
    }
    this.#budget.hold("the list of damaged places", GAP_MEMORY);
    this.#gaps.push({ from, to: next });
    const isEnd = next === this.#size;
    const message = isEnd ? "the last record is cut off or damaged" : `${next - from} bytes are no record`;
    const code = isEnd ? "truncated" : "damaged-bytes";
    this.#report.report({ code, severity: "damage", message, offset: from, length: next - from });
    this.#crc = null;
    this.#at = next;
  }

  plan(): Plan {
    const { channels } = this.#definitions;
    if (this.#header === null) {
      this.#report.report({ code: "bad-header", severity: "damage", message: "the file has no header", offset: 8 });
    }
    for (const id of this.#tallies.keys()) {
      if (channels.has(id)) continue;
      const message = `messages of channel ${id}, which is not defined: what they mean is not known`;
      this.#report.report({ code: "missing-channel-info", severity: "damage", message });
      channels.set(id, { id, schema: 0, topic: `channel ${id}`, encoding: "", metadata: new Map() });
    }
    this.#compare();
    const order = [...channels.keys()].sort((a, b) => a - b);
    let earliest = Number.POSITIVE_INFINITY;
    for (const { first } of this.#drafts) if (first < earliest) earliest = first;
    const provisional = (BigInt(Math.max(0, this.#high)) << 32n) + BigInt(this.#low);
    const [stated, metadata] = statedBase(this.#metadata);
    const found = earliest === Number.POSITIVE_INFINITY ? 0n : baseOf(provisional + BigInt(earliest));
    const base = stated ?? found;
    const shift = Number(provisional - base);
    for (const tally of this.#tallies.values()) {
      tally.first += shift;
      tally.last += shift;
    }
    if (Math.abs(shift) > TIME_LIMIT) {
      const message = "times lie more than a hundred days apart: they are not exact to the nanosecond";
      this.#report.report({ code: "bad-time", severity: "warning", message });
    }
    return {
      header: this.#header ?? { profile: "", library: "" },
      definitions: this.#definitions,
      chunks: chunksOf(this.#drafts, order, shift),
      base,
      order,
      attachments: this.#attachments,
      metadata,
      tallies: this.#tallies,
      unpacked: this.#kept,
      gaps: this.#gaps,
    };
  }

  /** What the statistics state, beside what was found. */
  #compare(): void {
    const stated = this.#statistics;
    if (stated === null || this.#gaps.length > 0 || this.#footer === null) return;
    const found = { messages: this.#messages, chunks: this.#chunkRecords, attachments: this.#attachments.length };
    for (const [what, count] of Object.entries(found)) {
      const says = stated[what as keyof typeof found];
      if (says === count) continue;
      const message = `the statistics count ${says} ${what}, the file has ${count}`;
      this.#report.report({ code: "bad-index", severity: "damage", message });
    }
  }
}

export function isMagic(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte);
}
