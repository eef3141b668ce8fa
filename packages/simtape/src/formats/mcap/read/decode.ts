import type { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type ByteSource, SourceError } from "../../../io/source/source.ts";
import { ColumnBuilder, Columns } from "../../../model/messages/batch.ts";
import type { Finding, Reporter } from "../../../model/error.ts";
import { unpack } from "../layout/compression.ts";
import { MESSAGE_HEAD, readChunkHead } from "../../../codec/mcap/data.ts";
import { OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import { McapContext } from "./context.ts";
import type { McapChunk, Plan } from "./plan.ts";
import type { Unpacked } from "./unpacked.ts";
import { faultOfIndex } from "./index-check.ts";
import { endOf, type Knows, nextRecord, type Sight, walkRecords } from "./walk.ts";

/** Ids of the file are 16 bits. */
const IDS = 0x1_0000;
const NONE = 0xffff_ffff;

/** Decodes chunks. What is wrong with one that was never looked at is reported once. */
export class Decoder {
  readonly #source: ByteSource;
  readonly #budget: Budget;
  readonly #report: Reporter;
  /** By id of the file: the channel. */
  readonly #dense: Uint32Array;
  readonly #high: number;
  readonly #low: number;
  readonly #reported = new Set<number>();
  readonly #kept: Unpacked | null;

  constructor(source: ByteSource, plan: Pick<Plan, "order" | "base" | "unpacked">, budget: Budget, report: Reporter) {
    this.#source = source;
    this.#budget = budget;
    this.#report = report;
    this.#kept = plan.unpacked;
    this.#dense = new Uint32Array(1 + plan.order.reduce((most, id) => Math.max(most, id), 0)).fill(NONE);
    for (const [i, id] of plan.order.entries()) this.#dense[id] = i;
    this.#high = Number(plan.base >> 32n);
    this.#low = Number(plan.base & 0xffff_ffffn);
  }

  readonly decode = async (chunk: McapChunk, signal?: AbortSignal): Promise<Columns> => {
    const kept = this.#kept?.take(chunk.offset) ?? null;
    const stored = kept ?? (await this.#read(chunk, signal));
    const rows = new ColumnBuilder(chunk.count, this.#budget);
    const found: Omit<Finding, "offset" | "length">[] = [];
    const bytes = kept ?? (chunk.kind === "run" ? stored : await this.#unpack(chunk, stored, found));
    if (bytes !== null) {
      if (!chunk.isChecked) checkIndexes(stored, bytes, found);
      walkRecords(bytes, 0, bytes.length, new Rows(bytes, rows, this.#dense, this.#high, this.#low, found, chunk.gaps));
    }
    this.#compare(chunk, rows, found);
    const columns = rows.build(bytes ?? stored, chunk.sequence);
    this.#tell(chunk, found);
    return withContext(columns, chunk.sequence);
  };

  async #read({ offset, length }: McapChunk, signal: AbortSignal | undefined): Promise<Uint8Array> {
    this.#budget.fit("a chunk", length);
    const stored = await this.#source.read(offset, length, signal);
    if (stored.length === length) return stored;
    throw new SourceError("changed", `${length} bytes at ${offset} are not there any more: ${this.#source.name}`);
  }

  /** The records of a chunk; null where they cannot be had. */
  async #unpack(
    { isChecked }: McapChunk,
    stored: Uint8Array,
    found: Omit<Finding, "offset" | "length">[],
  ): Promise<Uint8Array | null> {
    try {
      const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
      const end = endOf(view, 0, stored.length);
      if (stored[0] !== OP.chunk || end < 0) {
        throw new LayoutError("malformed", "no chunk is where the index says", 0);
      }
      const cursor = new ByteCursor(stored, PREFIX, end);
      const head = readChunkHead(cursor);
      const records = await unpack(head.compression, cursor.view(head.stored), head.size, this.#budget);
      if (!isChecked && head.crc !== 0 && crc32(records) !== head.crc) {
        const message = "the checksum of a chunk does not match: what can be read of it is kept";
        found.push({ code: "bad-checksum", severity: "damage", message });
      }
      return records;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      found.push({
        code: "bad-compression",
        severity: "loss",
        message: `a chunk cannot be unpacked: ${error.message}`,
      });
      return null;
    }
  }

  /** A chunk may not have more messages than the index says: those behind it have their numbers. */
  #compare(chunk: McapChunk, rows: ColumnBuilder, found: Omit<Finding, "offset" | "length">[]): void {
    if (chunk.isChecked || rows.length === chunk.count) return;
    const message = `a chunk has ${rows.length} messages, the index says ${chunk.count}`;
    found.push({ code: "bad-index", severity: "loss", message });
    if (rows.length > chunk.count) rows.truncate(chunk.count);
  }

  #tell({ isChecked, offset, length }: McapChunk, found: readonly Omit<Finding, "offset" | "length">[]): void {
    if (isChecked || found.length === 0 || this.#reported.has(offset)) return;
    this.#reported.add(offset);
    for (const finding of found) this.#report.report({ ...finding, offset, length });
  }
}

/** Looks at the message indexes behind a chunk, which are the rest of `stored`. */
function checkIndexes(stored: Uint8Array, records: Uint8Array, found: Omit<Finding, "offset" | "length">[]): void {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  for (let at = endOf(view, 0, stored.length); at < stored.length; ) {
    const end = endOf(view, at, stored.length);
    const isIndex = end > 0 && stored[at] === OP.messageIndex;
    const fault = isIndex ? faultOfIndex(stored, at + PREFIX, end, records) : "bytes that are no message index";
    if (fault !== null) {
      found.push({ code: "bad-index", severity: "damage", message: fault });
      return;
    }
    at = end;
  }
}

function withContext(columns: Columns, first: number): Columns {
  const { time, channel, sequence, flags, bytes, start, end } = columns;
  return new Columns(time, channel, sequence, flags, bytes, start, end, new McapContext(bytes, columns, first));
}

/** Puts the messages of records into rows. */
class Rows implements Sight, Knows {
  readonly #view: DataView;
  readonly #rows: ColumnBuilder;
  readonly #dense: Uint32Array;
  readonly #high: number;
  readonly #low: number;
  readonly #found: Omit<Finding, "offset" | "length">[];
  readonly #gaps: ReadonlyMap<number, number> | null;
  #isUnknownReported = false;

  constructor(
    bytes: Uint8Array,
    rows: ColumnBuilder,
    dense: Uint32Array,
    high: number,
    low: number,
    found: Omit<Finding, "offset" | "length">[],
    gaps: ReadonlyMap<number, number> | null,
  ) {
    this.#gaps = gaps;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#rows = rows;
    this.#dense = dense;
    this.#high = high;
    this.#low = low;
    this.#found = found;
  }

  knows(id: number): boolean {
    return id < IDS && (this.#dense[id] ?? NONE) !== NONE;
  }

  resume(bytes: Uint8Array, at: number, to: number): number {
    return this.#gaps === null ? nextRecord(bytes, at + 1, to, this) : (this.#gaps.get(at) ?? to);
  }

  record(opcode: number, _at: number, start: number, end: number): void {
    if (opcode !== OP.message) return;
    const view = this.#view;
    const channel = this.#dense[view.getUint16(start, true)] ?? NONE;
    if (channel === NONE) {
      this.#unknown();
      return;
    }
    const low = view.getUint32(start + 6, true) - this.#low;
    const time = (view.getUint32(start + 10, true) - this.#high) * 0x1_0000_0000 + low;
    this.#rows.add(time, channel, start + MESSAGE_HEAD, end, 0);
  }

  damage(from: number, to: number): void {
    const message = `${to - from} bytes inside a chunk are no record`;
    this.#found.push({ code: "bad-record", severity: "loss", message });
  }

  #unknown(): void {
    if (this.#isUnknownReported) return;
    this.#isUnknownReported = true;
    const message = "a chunk has messages of a channel that the summary does not define";
    this.#found.push({ code: "missing-channel-info", severity: "loss", message });
  }
}
