import { Budget } from "../bytes/budget.ts";
import { ByteBuilder } from "../bytes/builder.ts";
import { LayoutError } from "../bytes/error.ts";
import { NO_BYTES } from "../io/source/gate.ts";
import { type ByteSource, SourceError } from "../io/source/source.ts";
import { ColumnBuilder, type Columns } from "./messages/batch.ts";
import { StatisticsCounter, summarize } from "./chunks.ts";
import type { Chunk } from "./messages/chunk.ts";
import type { Finding, Reporter } from "./error.ts";
import type { OpenOptions } from "./format.ts";
import type { NativeRecord } from "./native-record.ts";
import { readAll, ScanWindows } from "./messages/scan-windows.ts";
import { chunksOf, findingsOf, plainChunks, plainFindings } from "./kept/plain-chunks.ts";
import { recalled } from "./kept/scans.ts";
import { membersOf, numbersOf } from "./kept/shapes.ts";
import type { Time } from "./values/time.ts";
import type { ChannelStatistics, Value } from "./values/value.ts";

/** Bytes read at once, and so about the length of a chunk. */
const WINDOW = 1 << 20;
/** The longest record taken for one: a longer length is damage, so that a wrong one cannot ask for all memory. */
const MAX_RECORD = 64 << 20;

/**
 * One step over a file that is a run of records: the window of bytes a layout walks over, and where it puts what it
 * finds. Positions are places in `bytes`; file offset = `origin + position`.
 */
export class Walk {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** File offset of `bytes[0]`. */
  readonly origin: number;
  /** Where to begin and where the window ends, in `bytes`. */
  readonly start: number;
  readonly end: number;
  /** File offset behind the last record: what lengths are checked against. */
  readonly limit: number;
  /** Nothing follows the window: what is incomplete in it stays incomplete. */
  readonly isLast: boolean;
  /**
   * What was handed over to this walk by the one that ended where it begins, or by the damage before it; 0 where
   * nothing was. The same when the bytes are walked again: what a layout must know of what came before, if it must.
   */
  readonly carried: number;
  readonly rows: ColumnBuilder;
  /**
   * Payloads that do not lie in the file as they are, because records are compressed: what the layout unpacks goes
   * here. A layout puts the payloads of a walk either all here (`unpackedMessage`) or all in `bytes` (`message`), and
   * ends its walk before much more than it wants to hold has been unpacked.
   */
  readonly unpacked: ByteBuilder;
  /** What the layout made for the chunk being decoded; null while the file is scanned or its records are read. */
  readonly context: unknown;
  readonly #records: NativeRecord[] | null;
  readonly #damage: ((from: number, to: number, finding: Finding, carried: number) => void) | null;
  #handedOver = 0;

  constructor(
    bytes: Uint8Array,
    origin: number,
    range: { start: number; end: number; limit: number; isLast: boolean; carried?: number },
    rows: ColumnBuilder,
    records: NativeRecord[] | null,
    damage: ((from: number, to: number, finding: Finding, carried: number) => void) | null,
    unpacked: ByteBuilder = new ByteBuilder(),
    context: unknown = null,
  ) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.origin = origin;
    this.start = range.start;
    this.end = range.end;
    this.limit = range.limit;
    this.isLast = range.isLast;
    this.carried = range.carried ?? 0;
    this.rows = rows;
    this.unpacked = unpacked;
    this.context = context;
    this.#records = records;
    this.#damage = damage;
  }

  /**
   * Whether a record of `length` bytes at `position` can be dealt with: 1 it lies in the window, 0 only in a larger
   * window (return `position` and be called again), -1 never, because the file ends before it does or no record is
   * that long.
   */
  fits(position: number, length: number): 1 | 0 | -1 {
    if (position + length <= this.end) return 1;
    if (this.isLast || length > MAX_RECORD || this.origin + position + length > this.limit) return -1;
    return 0;
  }

  /** A message whose payload is `bytes[start, end)`. */
  message(time: Time, channel: number, start: number, end: number, flags = 0): void {
    this.rows.add(time, channel, start, end, flags);
  }

  /** A message whose payload is `[start, end)` of what was put into `unpacked`. */
  unpackedMessage(time: Time, channel: number, start: number, end: number, flags = 0): void {
    this.rows.add(time, channel, start, end, flags);
  }

  /** A whole record `bytes[from, to)`; records follow each other without a gap. */
  record(kind: string, from: number, to: number): void {
    if (this.#records === null) return;
    this.#records.push({ kind, offset: this.origin + from, bytes: this.bytes.subarray(from, to) });
  }

  /** Something worth telling about bytes that are nevertheless records. */
  finding(position: number, finding: Omit<Finding, "offset">): void {
    this.#damage?.(-1, -1, { ...finding, offset: this.origin + position }, 0);
  }

  /**
   * Bytes `[from, to)` that are no record. They are remembered, and later walks are given the parts around them: `to`
   * must be a place where a walk can begin without knowing what came before, but for the number `carried`.
   */
  damage(from: number, to: number, finding: Omit<Finding, "offset" | "length">, carried = 0): void {
    this.#records?.push({ kind: "damaged", offset: this.origin + from, bytes: this.bytes.subarray(from, to) });
    this.#damage?.(
      this.origin + from,
      this.origin + to,
      { ...finding, offset: this.origin + from, length: to - from },
      carried,
    );
  }

  /** What the walk that begins where this one ends is given as `carried`, now and whenever those bytes are read. */
  handOver(carried: number): void {
    this.#handedOver = carried;
  }

  get handedOver(): number {
    return this.#handedOver;
  }

  /** Forgets rows and records added since the marks were taken: a group of records that turned out incomplete. */
  rollback(rows: number, records: number): void {
    this.rows.truncate(rows);
    if (this.#records !== null) this.#records.length = records;
  }

  /** Records are asked for. */
  get keepsRecords(): boolean {
    return this.#records !== null;
  }

  get recordCount(): number {
    return this.#records?.length ?? 0;
  }
}

/** What a format supplies so that a file which is a run of records can be scanned, decoded and copied. */
export interface FlatLayout {
  /**
   * Walks whole records from `walk.start` and returns the place of the first byte it has not dealt with: `walk.end`,
   * or the start of a record (or group of records) that goes on behind the window. When it can do nothing and the
   * window is not the last, it returns `walk.start` and is called again with a larger one. On the last window it
   * always gets on, until everything is dealt with, as records or as damage. Bytes that were dealt with in one walk
   * are given to one walk again when they are decoded, with their end as the end of the last window.
   */
  walk(walk: Walk): number;
  /** Made for each chunk that is decoded, for its walks to fill: what the context of its batch is. */
  context?(chunk: Chunk): unknown;
  /**
   * What it knows after a scan that later walks need, null where that is nothing. Absent: what a scan of it finds is not
   * kept for other openings.
   */
  learned?(): Value;
  /** Takes what `learned` of another gave, when not null, in place of a scan. Throws `LayoutError` for what does not fit. */
  recall?(learned: Value): void;
}

/** How `FlatFile.scan` goes about it. */
export interface ScanOptions extends OpenOptions {
  /** Sees every message once, in file order by chunk. The bytes of the batch hold for the call only. */
  readonly onBatch?: ((batch: Columns) => void) | undefined;
  /** How many bytes are read at once, 1 MiB by default: about the length of a chunk. */
  readonly window?: number | undefined;
  /** Under which name what the scan learns is kept, where an opening keeps such (`scans`); `"records"` by default. */
  readonly name?: string | undefined;
}

/** Findings of a scan that are kept with what it learned. */
const MOST_FINDINGS = 1 << 14;
/** Memory of what is kept of a chunk, and of a damaged range. */
const CHUNK_MEMORY = 512;
const GAP_MEMORY = 96;
/** Memory of a channel in the set of those that occur in a chunk. */
const MEMBER_MEMORY = 32;
/** Memory of a row that is kept, and the most rows that are: memory does not grow with the file. */
const ROW_MEMORY = 27;
const MOST_ROWS = 1 << 19;

interface Gap {
  readonly from: number;
  readonly to: number;
  /** For the walk that begins behind it. */
  readonly carried: number;
}

interface Step {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly length: number;
  readonly rows: ColumnBuilder;
  readonly unpacked: ByteBuilder;
}

function isWithin(some: ReadonlySet<number>, all: ReadonlySet<number>): boolean {
  for (const one of some) if (!all.has(one)) return false;
  return true;
}

/** What a chunk's payloads lie in. */
function payloadsOf(bytes: Uint8Array, unpacked: ByteBuilder): Uint8Array {
  return unpacked.length > 0 ? unpacked.take() : bytes;
}

/**
 * A source whose content from `begin` to its end is a run of records. One scan finds the chunks; all else reads them.
 */
export class FlatFile {
  readonly source: ByteSource;
  readonly chunks: Chunk[] = [];
  /** File offset of the first record. */
  readonly begin: number;
  /** File offset behind the last. */
  readonly end: number;
  readonly #layout: FlatLayout;
  readonly #budget: Budget;
  readonly #counter = new StatisticsCounter();
  /** Damaged ranges in file order, so that decoding a chunk again never has to judge them again. */
  readonly #gaps: Gap[] = [];
  /** What is carried into chunks, by their offset, where it is not 0. */
  readonly #carried = new Map<number, number>();
  /** The first rows that the scan found, without their bytes, as far as the budget spares room: such chunks are not walked again. */
  readonly #kept = new Map<Chunk, Columns>();
  #keptRows = 0;
  /** What the scan reported; kept only where what it learned is. */
  readonly #findings: Finding[] = [];
  /** It was not scanned: what another opening learned is taken for true as long as it fits. */
  #isRecalled = false;

  private constructor(source: ByteSource, layout: FlatLayout, begin: number, end: number, budget: Budget) {
    this.source = source;
    this.#budget = budget;
    this.#layout = layout;
    this.begin = begin;
    this.end = end;
  }

  /**
   * Goes over `range` of the source once, or takes what `options.scans` knows of it. `sequence` numbers the first message,
   * 0 by default. Damage is reported; rejects with `LayoutError`, `SourceError` or `BudgetError`.
   */
  static async scan(
    source: ByteSource,
    layout: FlatLayout,
    range: { begin: number; end: number; sequence?: number },
    report: Reporter,
    options: ScanOptions = {},
  ): Promise<FlatFile> {
    const file = new FlatFile(source, layout, range.begin, range.end, Budget.of(options.budget));
    const { name = "records" } = options;
    // a layout that does not say what it learns has to be shown everything
    const scans = layout.learned === undefined ? undefined : options.scans;
    scans?.keep(name, () => file.#learned());
    const known = scans?.known(name);
    if (known !== undefined) {
      recalled(() => file.#recall(known, range.sequence ?? 0));
      for (const finding of file.#findings) report.report(finding);
      return file;
    }
    const keeper: Reporter = {
      report: (finding) => {
        if (file.#findings.length < MOST_FINDINGS) file.#findings.push(finding);
        report.report(finding);
      },
    };
    let sequence = range.sequence ?? 0;
    let unpacked = 0;
    for await (const step of file.#steps(
      options.window ?? WINDOW,
      options.signal,
      scans === undefined ? report : keeper,
    )) {
      file.#budget.hold("the list of chunks", CHUNK_MEMORY);
      unpacked += step.unpacked.length;
      file.#budget.expand("unpacking its records", unpacked, range.end - range.begin);
      const isPlain = step.unpacked.length === 0;
      const batch = step.rows.build(payloadsOf(step.bytes, step.unpacked), sequence);
      const chunk = { offset: step.offset, length: step.length, sequence, ...summarize(batch) };
      file.#share(chunk);
      file.chunks.push(chunk);
      file.#counter.add(batch);
      if (isPlain && layout.context === undefined) file.#keep(chunk, batch);
      options.onBatch?.(batch);
      sequence += batch.length;
      options.onProgress?.(step.offset + step.length, range.end);
    }
    return file;
  }

  get count(): number {
    const last = this.chunks.at(-1);
    return last === undefined ? 0 : last.sequence + last.count - this.chunks[0]!.sequence;
  }

  statistics(channels: number): ChannelStatistics[] {
    return this.#counter.result(channels);
  }

  async decode(chunk: Chunk, signal?: AbortSignal): Promise<Columns> {
    const bytes = await this.#read(chunk.offset, chunk.length, signal);
    const context = this.#layout.context?.(chunk) ?? null;
    const kept = context === null ? this.#kept.get(chunk) : undefined;
    if (kept !== undefined) return kept.over(bytes);
    const rows = new ColumnBuilder(chunk.count, this.#budget);
    const unpacked = new ByteBuilder();
    const walk = (): void => this.#walkSound(bytes, chunk.offset, rows, null, unpacked, context);
    if (!this.#isRecalled) walk();
    else {
      recalled(walk);
      if (rows.length !== chunk.count) {
        const found = `${rows.length} messages at ${chunk.offset}, ${chunk.count} in the index`;
        throw new SourceError("changed", `the file differs from its kept seek index, ${found}: ${this.source.name}`);
      }
    }
    return rows.build(payloadsOf(bytes, unpacked), chunk.sequence, context);
  }

  /** Walks the bytes of a chunk once more, for what its layout puts into `context` only when that is asked for. */
  walkAgain(chunk: Chunk, bytes: Uint8Array, context: unknown): void {
    const rows = new ColumnBuilder(chunk.count, this.#budget);
    this.#walkSound(bytes, chunk.offset, rows, null, new ByteBuilder(), context);
  }

  /** A chunk in which the channels of the one before it occur has the same set as that; another set is held. */
  #share(chunk: { channels: ReadonlySet<number> | null }): void {
    const { channels } = chunk;
    if (channels === null) return;
    const before = this.chunks.at(-1)?.channels ?? null;
    if (before !== null && before.size === channels.size && isWithin(channels, before)) chunk.channels = before;
    else this.#budget.hold("the channels of its chunks", channels.size * MEMBER_MEMORY);
  }

  #keep(chunk: Chunk, batch: Columns): void {
    const rows = this.#keptRows + batch.length;
    if (rows > MOST_ROWS || !this.#budget.spare(batch.length * ROW_MEMORY, this.#forget)) return;
    this.#kept.set(chunk, batch.over(NO_BYTES));
    this.#keptRows = rows;
  }

  readonly #forget = (): void => this.#kept.clear();

  /** All that decoding needs and a scan finds. */
  #learned(): Value {
    const gaps = Float64Array.from(this.#gaps.flatMap(({ from, to, carried }) => [from, to, carried]));
    return {
      begin: this.begin,
      end: this.end,
      chunks: plainChunks(this.chunks),
      gaps,
      carried: Float64Array.from([...this.#carried].flat()),
      statistics: this.#counter.learned(),
      findings: plainFindings(this.#findings),
      layout: this.#layout.learned?.() ?? null,
    };
  }

  #recall(known: Value, sequence: number): void {
    const { begin, end, chunks, gaps, carried, statistics, findings, layout } = membersOf(known);
    if (begin !== this.begin || end !== this.end) throw new LayoutError("malformed", "kept of another file", 0);
    this.#isRecalled = true;
    this.chunks.push(...chunksOf(chunks, this.begin, this.end));
    const last = this.chunks.at(-1);
    const isWhole = last === undefined ? this.begin >= this.end : last.offset + last.length === this.end;
    if (!isWhole || (this.chunks[0]?.sequence ?? sequence) !== sequence)
      throw new LayoutError("malformed", "chunks were kept of another file", 0);
    this.#budget.hold("the list of chunks", this.chunks.length * CHUNK_MEMORY);
    const places = numbersOf(gaps, Float64Array);
    let at = this.begin;
    for (let i = 0; i < places.length; i += 3) {
      const [from, to, behind] = [places[i]!, places[i + 1]!, places[i + 2]!];
      if (!(from >= at && to > from && to <= this.end)) throw new LayoutError("malformed", "a gap out of place", 0);
      this.#gaps.push({ from, to, carried: behind });
      at = to;
    }
    this.#budget.hold("the list of damaged places", this.#gaps.length * GAP_MEMORY);
    const pairs = numbersOf(carried, Float64Array);
    for (let i = 0; i + 1 < pairs.length; i += 2) this.#carried.set(pairs[i]!, pairs[i + 1]!);
    this.#counter.recall(statistics);
    this.#findings.push(...findingsOf(findings));
    if (layout !== undefined && layout !== null) this.#layout.recall?.(layout);
  }

  /** Every byte from `begin` to `end`. */
  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    for (const chunk of this.chunks) {
      const bytes = await this.#read(chunk.offset, chunk.length, signal);
      const records: NativeRecord[] = [];
      this.#walkSound(bytes, chunk.offset, new ColumnBuilder(), records, new ByteBuilder(), null);
      yield records;
    }
  }

  /** Exactly `length` bytes: the source was that long when it was opened. */
  async #read(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return readAll(this.source, offset, length, this.end, signal);
  }

  /** Walks the parts of a chunk between its damaged ranges. */
  #walkSound(
    bytes: Uint8Array,
    offset: number,
    rows: ColumnBuilder,
    records: NativeRecord[] | null,
    unpacked: ByteBuilder,
    context: unknown,
  ): void {
    let position = 0;
    let carried = this.#carried.get(offset) ?? 0;
    for (const gap of this.#gapsIn(offset, offset + bytes.length)) {
      this.#walkPart(bytes, offset, position, gap.from - offset, carried, rows, records, unpacked, context);
      records?.push({ kind: "damaged", offset: gap.from, bytes: bytes.subarray(gap.from - offset, gap.to - offset) });
      position = gap.to - offset;
      carried = gap.carried;
    }
    this.#walkPart(bytes, offset, position, bytes.length, carried, rows, records, unpacked, context);
  }

  #walkPart(
    bytes: Uint8Array,
    origin: number,
    start: number,
    end: number,
    carried: number,
    rows: ColumnBuilder,
    records: NativeRecord[] | null,
    unpacked: ByteBuilder,
    context: unknown,
  ): void {
    let handed = carried;
    for (let position = start; position < end; ) {
      const range = { start: position, end, limit: this.end, isLast: true, carried: handed };
      const walk = new Walk(bytes, origin, range, rows, records, null, unpacked, context);
      const next = this.#layout.walk(walk);
      if (next <= position) throw new RangeError(`layout left ${end - position} bytes of a chunk`);
      position = next;
      handed = walk.handedOver;
    }
  }

  #gapsIn(from: number, to: number): Gap[] {
    if (this.#gaps.length === 0) return [];
    let low = 0;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#gaps[middle]!.from < from) low = middle + 1;
      else high = middle;
    }
    const inside: Gap[] = [];
    for (let i = low; i < this.#gaps.length && this.#gaps[i]!.from < to; i++) inside.push(this.#gaps[i]!);
    return inside;
  }

  async *#steps(usual: number, signal: AbortSignal | undefined, report: Reporter): AsyncGenerator<Step> {
    const rows = new ColumnBuilder(undefined, this.#budget);
    const ahead = new ScanWindows(this.source, this.end, signal);
    let offset = this.begin;
    let window = usual;
    while (offset < this.end) {
      const wanted = Math.min(window, this.end - offset);
      if (wanted > MAX_RECORD) this.#budget.fit("a record", wanted);
      const bytes = await ahead.take(offset, wanted);
      signal?.throwIfAborted();
      const isLast = offset + bytes.length >= this.end;
      const gaps = this.#gaps.length;
      const found: Finding[] = [];
      const carried = this.#carried.get(offset) ?? 0;
      const range = { start: 0, end: bytes.length, limit: this.end, isLast, carried };
      const walk = new Walk(bytes, offset, range, rows, null, (from, to, finding, behind) => {
        if (to > from) this.#gaps.push({ from, to, carried: behind });
        found.push(finding);
      });
      const length = this.#layout.walk(walk);
      if (length === 0 && !isLast) {
        this.#gaps.length = gaps;
        rows.truncate(0);
        window *= 2;
        continue;
      }
      const next = offset + length;
      while (this.#gaps.length > gaps && this.#gaps.at(-1)!.from >= next) this.#gaps.pop();
      if (length === 0) throw new RangeError(`layout left ${bytes.length} bytes of the last window`);
      this.#budget.hold("the list of damaged places", (this.#gaps.length - gaps) * GAP_MEMORY);
      for (const finding of found) if ((finding.offset ?? 0) < next) report.report(finding);
      if (walk.handedOver !== 0 && next < this.end) this.#carried.set(next, walk.handedOver);
      yield { bytes, offset, length, rows, unpacked: walk.unpacked };
      offset += length;
      window = usual;
    }
  }
}
