import { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { nbtLength } from "../../../codec/nbt.ts";
import { loadZstd, readZstdFrameHeader, ZSTD_MAGIC, type Zstd } from "../../../codec/zstd.ts";
import type { ByteSource, SourceBundle } from "../../../io/source/source.ts";
import { type Finding, RecordingError, type Reporter } from "../../../model/error.ts";
import type { OpenOptions } from "../../../model/format.ts";
import { FileSet } from "../chunk/fetch.ts";
import { type Plan, planChunks } from "../chunk/plan.ts";
import { columnar, perhapsColumnar } from "../columns/columnar.ts";
import { type DictionaryLookup, findDictionary } from "../chunk/dictionary.ts";
import {
  FIRST_READ,
  FLAG_COLUMNS,
  FLAG_FINISHED,
  FLAG_SEGMENTED,
  HEADER_BYTES,
  LIMITS,
  readIndexEntry,
  segmentName,
  TICK,
} from "../layout/framing.ts";
import { productionSegmentName } from "../layout/production.ts";
import { aboveLimits, type CheckedHead, type Head, type Preamble, readHead, readPreamble, refuse } from "./preamble.ts";
import { alignEntries, recoverEntries, soundPrefix } from "./recover.ts";
import { findFrames, magicIn } from "./resync.ts";
import {
  previousGeneration,
  type RecoveredSegments,
  recoverSegments,
  type SegmentedFiles,
  uncommittedChunks,
} from "./segment-recovery.ts";
import { isSegment } from "./segments.ts";

/** What a reader is made of. */
export interface Opened {
  readonly preamble: Preamble;
  readonly files: FileSet;
  readonly plan: Plan;
  /** Decompresses its frames to chunks, also where they hold columns. */
  readonly zstd: Zstd;
  readonly dictionary: Uint8Array | null;
  /** What was found wrong with header, metadata and index. */
  readonly faults: readonly Finding[];
}

/**
 * One read of 256 KiB, and one more for what of a larger preamble is missing. A damaged preamble is made out again from
 * the chunks as far as can be, which may read the whole file. Throws `RecordingError` when the header cannot be read or
 * is refused, when no chunk of those promised can be read, or when the dictionary is missing.
 */
export async function openFiles(
  bundle: SourceBundle,
  reporter: Reporter,
  options: OpenOptions,
  dictionaries: DictionaryLookup | null,
): Promise<Opened> {
  const source = await bundle.open();
  if (source === null) throw refuse("truncated", "there is no main file", 0);
  const opening = new Opening(bundle, source, options, dictionaries);
  const opened = await opening.run().catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  const { chunks } = opened.plan;
  const budget = Budget.of(options.budget);
  budget.hold("the index", opened.preamble.entries.length * ENTRY_MEMORY);
  let stored = 0;
  let made = 0;
  for (const { length, entry } of chunks) {
    stored += length;
    made += entry.uncompressedLength;
  }
  budget.expand("inflating its chunks", made, stored);
  for (const finding of opening.findings) reporter.report(finding);
  const faults = opening.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
  return { ...opened, faults };
}

/** Findings about the index that no longer hold once it was made out again. */
const INDEX_CODES: ReadonlySet<string> = new Set([
  "bad-index-entry",
  "chunk-count",
  "tick-count",
  "truncated",
  "no-snapshot",
]);

/** Findings after which an index without a crc is not believed. */
const INDEX_FAULTS: ReadonlySet<string> = new Set(["bad-index-checksum", "bad-index-entry", "chunk-count"]);

/** Memory of what is kept of an entry of the index and its chunk, and of a finding. */
const ENTRY_MEMORY = 1024;
const FINDING_MEMORY = 512;
/** Bytes of the smallest entry (spec §5). */
const SMALLEST_ENTRY = 13;

class Opening {
  readonly #bundle: SourceBundle;
  readonly #source: ByteSource;
  readonly #options: OpenOptions;
  readonly #dictionaries: DictionaryLookup | null;
  readonly #budget: Budget;
  findings: Finding[] = [];
  readonly #report: Reporter = {
    report: (finding) => {
      this.#budget.hold("the list of what is wrong", FINDING_MEMORY);
      this.findings.push(finding);
    },
  };

  constructor(bundle: SourceBundle, source: ByteSource, options: OpenOptions, dictionaries: DictionaryLookup | null) {
    this.#bundle = bundle;
    this.#source = source;
    this.#options = options;
    this.#budget = Budget.of(options.budget);
    this.#dictionaries = dictionaries;
  }

  async run(): Promise<Omit<Opened, "faults">> {
    const source = this.#source;
    const { signal } = this.#options;
    const first = await source.read(0, FIRST_READ, signal);
    if (isSegment(first)) return this.#fromSegment();
    const size = first.length < FIRST_READ ? first.length : await source.size();
    let checked: CheckedHead;
    try {
      checked = readHead(first, this.#report);
    } catch (error) {
      if (!RecordingError.is(error)) throw error;
      const found = await this.#segmentsOrNull(error.message);
      if (found === null) throw error;
      return found;
    }
    const { isSure } = checked;
    let { head } = checked;
    // the frames know which dictionary they need
    if (!isSure && head.extension !== null) head = { ...head, dictionaryId: await this.#dictionaryId() };
    const problem = aboveLimits(head) ?? beyondEnd(head, size);
    if (problem !== null) {
      const error = refuse(problem.startsWith("header, metadata") ? "truncated" : "malformed", problem, 49);
      this.#report.report({ code: "bad-header", severity: "damage", message: problem, offset: 49 });
      const found = isSure ? null : await this.#recovered(checked, null, first, size);
      const other = found ?? (await this.#segmentsOrNull(problem));
      if (other === null) throw error;
      return other;
    }
    const bytes = await this.#wholePreamble(first, head, size);
    this.#budget.fit("the index", countAtMost(head, bytes) * ENTRY_MEMORY);
    const preamble = this.#otherVersion(head, bytes) ?? readPreamble(head, bytes, this.#report);
    head = preamble.head;
    checked = { head, isSure };
    const isSegmented = await this.#isMetadataFile(head, isSure, size);
    checkTotalLength(head, isSegmented, size, this.#report);
    if (isSegmented) return this.#segmented(checked, preamble, bytes, size);
    const { preambleLength, tickCount } = head;
    const plan = planChunks(preamble.entries, { isSegmented, preambleLength, size, tickCount }, this.#report);
    const again = (await this.#isDoubtful(preamble, isSure, plan, size))
      ? await this.#recovered(checked, preamble, first, size)
      : null;
    if (again !== null) return again;
    // a damaged header may hide that this is a metadata file
    const isHidden = !isSure && plan.chunks.length === 0 && this.findings.length > 0;
    const other = isHidden ? await this.#segmentsOrNull("its header is damaged") : null;
    if (other !== null) return other;
    this.#mustHaveChunks(head, plan);
    const kept = first.length > preambleLength ? first : bytes;
    return {
      preamble,
      plan,
      ...(await this.#tools(checked.head, isSure, preamble.reserved)),
      files: this.#files(size, kept, null),
    };
  }

  /**
   * Formats 4 and 5 of the production dialect differ in the index: where the other one fits and this one does not, the
   * header's version is wrong.
   */
  #otherVersion(head: Head, bytes: Uint8Array): Preamble | null {
    if (head.dialect === 1) return null;
    const faultsOf = (dialect: 4 | 5): Finding[] => {
      const faults: Finding[] = [];
      const report = { report: (finding: Finding) => faults.push(finding) };
      const { entries } = readPreamble({ ...head, dialect }, bytes, report);
      // ticks are alike in one file and in segments
      const { preambleLength, tickCount } = head;
      planChunks(entries, { isSegmented: true, preambleLength, size: null, tickCount }, report);
      return faults.filter(({ code }) => INDEX_FAULTS.has(code) || code === "tick-count" || isIndexCode(code));
    };
    const other = head.dialect === 4 ? 5 : 4;
    if (faultsOf(head.dialect).length === 0 || faultsOf(other).length > 0) return null;
    const message = `header, production version: expected ${other} as the index has, found ${head.dialect}`;
    this.#report.report({ code: "production-version", severity: "damage", message, offset: 4 });
    return readPreamble({ ...head, dialect: other }, bytes, this.#report);
  }

  /** Whether the chunks are in segments. The plain profile and the production dialect tell by length (spec §3.1). */
  async #isMetadataFile(head: Head, isSure: boolean, size: number | null): Promise<boolean> {
    if (head.dialect === 1 && (head.flags & FLAG_SEGMENTED) !== 0)
      return isSure || size === null || size <= head.preambleLength;
    if (head.extension !== null || size === null || head.chunkCount === 0 || size > head.preambleLength) return false;
    if (size === head.preambleLength) return true;
    // cut, or the header is wrong: a segment beside it tells
    const nameOf = head.dialect === 1 ? segmentName : productionSegmentName;
    const segment = await this.#bundle.open(nameOf(0));
    if (segment !== this.#source) await segment?.close();
    return segment !== null;
  }

  /** Reads what the first read lacks of the preamble; what the file does not have is reported. */
  async #wholePreamble(first: Uint8Array, head: Head, size: number | null): Promise<Uint8Array> {
    const { preambleLength, metadataLength } = head;
    let bytes = first;
    if (first.length < preambleLength && first.length === FIRST_READ) {
      const wanted = Math.min(preambleLength, size ?? preambleLength) - first.length;
      const rest = await this.#source.read(first.length, Math.max(0, wanted), this.#options.signal);
      bytes = new Uint8Array(first.length + rest.length);
      bytes.set(first);
      bytes.set(rest, first.length);
    }
    const indexAt = HEADER_BYTES + metadataLength;
    if (bytes.length < preambleLength) {
      const found = head.indexLength;
      const message = `header, index length: expected at most ${bytes.length - indexAt}, found ${found}`;
      this.#report.report({ code: "index-cut", severity: "loss", message, offset: 53 });
    }
    return bytes;
  }

  // ── one file ──────────────────────────────────────────────────────────

  /** Whether chunks may be somewhere else than the index says, or the index says less than it did. */
  async #isDoubtful(
    { head, entries, isIndexSure }: Preamble,
    isSure: boolean,
    plan: Plan,
    size: number | null,
  ): Promise<boolean> {
    if (size === null) return false;
    if (head.chunkCount === 0) return !isSure && size > head.preambleLength;
    const isFaulty = this.findings.some(({ code, severity }) => {
      if (severity !== "damage" && severity !== "loss") return false;
      return INDEX_FAULTS.has(code) || isIndexCode(code);
    });
    if (isFaulty && !isIndexSure) return true;
    if (plan.chunks.length === 0) return entries.length > 0;
    const last = plan.chunks.reduce((most, chunk) => (chunk.offset > most.offset ? chunk : most));
    if (last.offset + last.length === size && plan.chunks.length === entries.length) return false;
    // the file is longer or shorter than it should be: are the chunks where they were?
    const magic = await this.#source.read(last.offset, 4, this.#options.signal);
    return magic.length < 4 || new DataView(magic.buffer, magic.byteOffset, 4).getUint32(0, true) !== ZSTD_MAGIC;
  }

  /** The recording by its chunks; null when there is none that inflates. */
  async #recovered(
    { head, isSure }: CheckedHead,
    preamble: Preamble | null,
    first: Uint8Array,
    size: number | null,
  ): Promise<Omit<Opened, "faults"> | null> {
    if (size === null) return null;
    const dictionaryId = isSure ? head.dictionaryId : await this.#dictionaryId();
    const tools = await this.#tools({ ...head, dictionaryId }, isSure, preamble?.reserved ?? null);
    const metadataLength = this.#metadataLength(head, preamble, first);
    const from = Math.min(size, HEADER_BYTES + metadataLength);
    const { signal } = this.#options;
    const isWhole = !this.findings.some(({ code }) => INDEX_FAULTS.has(code) || isIndexCode(code));
    const isTrusted = preamble !== null && preamble.entries.length > 0 && (preamble.isIndexSure || isWhole);
    const { dialect } = head;
    const frames = await findFrames(this.#source, from, size, {
      ...tools,
      dialect,
      withTicks: !isTrusted,
      signal,
      budget: this.#budget,
    });
    if (frames.length === 0) return null;
    const begin = frames[0]!.offset;
    let entries = preamble?.entries ?? [];
    let indexLength = head.indexLength;
    let message: string;
    const wrong: Finding[] = [];
    if (isTrusted) {
      entries = alignEntries(entries, frames);
      const found = entries.filter(({ offsetHigh, offsetLow }) => offsetHigh + offsetLow > 0).length;
      message = `chunks are not where the index says: ${found} of ${entries.length} were found`;
    } else {
      const area = await this.#source.read(from, Math.min(begin - from, LIMITS.index * 2), signal);
      const prefix = alignEntries(soundPrefix(preamble?.entries ?? []), frames);
      const known = new Set(prefix.map(({ offsetHigh, offsetLow }) => offsetHigh * 2 ** 32 + offsetLow));
      let last = 0;
      for (const offset of known) last = Math.max(last, offset);
      const rest = frames.filter(({ offset }) => offset > last && !known.has(offset));
      const end = prefix.length === 0 ? 0 : prefix.at(-1)!.startTick + prefix.at(-1)!.tickCount;
      const recovered = recoverEntries(area, rest, head.dialect, end, isSure ? head.tickCount : 0);
      entries = [...prefix, ...recovered.entries];
      if (!isSure || from + indexLength > begin)
        indexLength = Math.max(recovered.end, prefix.length === 0 ? 0 : Math.min(indexLength, begin - from));
      const found = frames.length - rest.length + recovered.found;
      const used = Math.max(recovered.end, entriesLength(area, prefix.length, dialect === 5));
      const isElsewhere = this.findings.some(({ code }) => code === "metadata-length");
      // the index is whole: what the header says of it is wrong
      if (found === frames.length && !isElsewhere) wrong.push(...countFaults(head, found, used));
      message = `index: ${frames.length} chunks were found in the file, ${found} of their entries in the index`;
    }
    const last = entries.at(-1);
    if (last === undefined) return null;
    const tickCount = isSure && isTrusted ? head.tickCount : last.startTick + last.tickCount;
    const preambleLength = Math.min(from + indexLength, begin);
    const whole: Head = {
      ...head,
      dictionaryId,
      metadataLength,
      indexLength: preambleLength - from,
      preambleLength,
      tickCount,
      chunkCount: entries.length,
    };
    this.findings = this.findings.filter(({ code }) => !INDEX_CODES.has(code) && !isIndexCode(code));
    this.#report.report({ code: "index-recovered", severity: "damage", message, offset: from, length: indexLength });
    for (const finding of wrong) this.#report.report(finding);
    const plan = planChunks(entries, { isSegmented: false, preambleLength, size, tickCount }, this.#report);
    if (plan.chunks.length === 0) return null;
    const known = preamble ?? readPreamble(whole, first, QUIET);
    return {
      preamble: { ...known, head: whole, entries, isIndexSure: isTrusted },
      plan,
      ...tools,
      files: this.#files(size, first, null),
    };
  }

  /** What the first frame in the file names: 0 for none. */
  async #dictionaryId(): Promise<number> {
    const bytes = await this.#source.read(HEADER_BYTES, 1 << 20, this.#options.signal);
    for (let at = magicIn(bytes, 0); at >= 0; at = magicIn(bytes, at + 1)) {
      try {
        const { kind, dictionaryId } = readZstdFrameHeader(bytes, at);
        if (kind === "data") return dictionaryId;
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
      }
    }
    return 0;
  }

  /** As the header says when metadata can be read so; else as far as they go; 0 when there are none. */
  #metadataLength(head: Head, preamble: Preamble | null, first: Uint8Array): number {
    const isIndexThere = !this.findings.some(({ code }) => INDEX_FAULTS.has(code) || isIndexCode(code));
    const isReadable = !this.findings.some(({ code }) => code === "bad-metadata");
    if (preamble !== null && (isReadable || (isIndexThere && head.chunkCount > 0))) return head.metadataLength;
    try {
      return nbtLength(first, HEADER_BYTES);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return 0;
    }
  }

  // ── segments ──────────────────────────────────────────────────────────

  async #segmented(
    { head, isSure }: CheckedHead,
    preamble: Preamble,
    bytes: Uint8Array,
    size: number | null,
  ): Promise<Omit<Opened, "faults">> {
    const files = this.#segmentFiles;
    let known = preamble;
    if (head.dialect === 1 && head.extension !== null) {
      const { isMetadataSure } = preamble;
      const isIndexFaulty = this.findings.some(({ code }) => INDEX_FAULTS.has(code) || isIndexCode(code));
      if (isIndexFaulty && !preamble.isIndexSure) {
        const found = await recoverSegments(
          files,
          { preamble, isHeadSure: isSure, isMetadataSure },
          this.#dictionaries,
        );
        const { preambleLength, tickCount } = head;
        const listed = planChunks(preamble.entries, { isSegmented: true, preambleLength, size, tickCount }, QUIET);
        if (found !== null && found.preamble.entries.length >= listed.chunks.length)
          return this.#fromRecovered(found, bytes, size);
      } else if (!isMetadataSure) {
        const before = await previousGeneration(files, head.extension.recordingId);
        if (before !== null) {
          known = { ...preamble, metadata: before.metadata, reserved: before.reserved, isMetadataSure: true };
          const message = `metadata: simtape uses those of generation ${before.head.extension?.generation}`;
          this.#report.report({ code: "metadata-recovered", severity: "damage", message, offset: HEADER_BYTES });
        }
      }
      if ((head.flags & FLAG_FINISHED) === 0) known = await this.#withUncommitted(known);
    }
    const { preambleLength, tickCount } = known.head;
    const plan = planChunks(known.entries, { isSegmented: true, preambleLength, size, tickCount }, this.#report);
    this.#mustHaveChunks(head, plan);
    const nameOf = head.dialect === 1 ? segmentName : productionSegmentName;
    return {
      preamble: known,
      plan,
      ...(await this.#tools(known.head, isSure, known.reserved)),
      files: this.#files(size, bytes, nameOf),
    };
  }

  /** With what was written, but not committed before the recorder ended (spec §8.5). */
  async #withUncommitted(preamble: Preamble): Promise<Preamble> {
    const added = await uncommittedChunks(this.#segmentFiles, preamble.head);
    const last = added.at(-1);
    if (last === undefined) return preamble;
    const { tickCount: from } = preamble.head;
    const tickCount = last.startTick + last.tickCount;
    const ticks = `ticks ${from} to ${tickCount - 1}`;
    const message = `index: ${added.length} chunks (${ticks}) were written after the last commit; simtape reads them, too`;
    this.#report.report({ code: "uncommitted-chunks", severity: "damage", message, time: from * TICK });
    const entries = [...preamble.entries, ...added];
    return { ...preamble, entries, head: { ...preamble.head, tickCount, chunkCount: entries.length } };
  }

  get #segmentFiles(): SegmentedFiles {
    return { bundle: this.#bundle, main: this.#source, signal: this.#options.signal };
  }

  async #segmentsOrNull(why: string): Promise<Omit<Opened, "faults"> | null> {
    const found = await recoverSegments(this.#segmentFiles, null, this.#dictionaries);
    if (found === null) return null;
    this.findings = [];
    const message = `the metadata file cannot be read (${why})`;
    this.#report.report({ code: "missing-metadata-file", severity: "loss", message, offset: 0 });
    return this.#fromRecovered(found, new Uint8Array(0), await this.#source.size());
  }

  /** The main file is one of the segments. */
  async #fromSegment(): Promise<Omit<Opened, "faults">> {
    const found = await recoverSegments(this.#segmentFiles, null, this.#dictionaries);
    if (found === null) throw refuse("malformed", "segments: no chunk can be found", 0);
    const message = "this is a segment: its metadata file is not used";
    this.#report.report({ code: "missing-metadata-file", severity: "loss", message, offset: 0 });
    return this.#fromRecovered(found, null, null);
  }

  /** `head` null: there is no main file but a segment. */
  async #fromRecovered(
    { preamble, dictionary, findings }: RecoveredSegments,
    head: Uint8Array | null,
    size: number | null,
  ): Promise<Omit<Opened, "faults">> {
    this.findings = this.findings.filter(({ code }) => !INDEX_CODES.has(code) && !isIndexCode(code));
    for (const finding of findings) this.#report.report(finding);
    const { tickCount, preambleLength } = preamble.head;
    const plan = planChunks(preamble.entries, { isSegmented: true, preambleLength, size, tickCount }, this.#report);
    this.#mustHaveChunks(preamble.head, plan);
    const files = new FileSet(this.#bundle, this.#source, size, head ?? new Uint8Array(0), segmentName, head === null);
    return { preamble, plan, files, dictionary, zstd: await loadZstd() };
  }

  // ── both ──────────────────────────────────────────────────────────────

  #mustHaveChunks(head: Head, plan: Plan): void {
    if (plan.chunks.length > 0 || head.chunkCount === 0) return;
    const why = this.findings.findLast(({ severity }) => severity === "damage" || severity === "loss")?.message;
    const message = `index: none of ${head.chunkCount} chunks can be read${why === undefined ? "" : `: ${why}`}`;
    throw refuse("malformed", message, HEADER_BYTES + head.metadataLength);
  }

  #files(size: number | null, head: Uint8Array, nameOf: ((segment: number) => string) | null): FileSet {
    return new FileSet(this.#bundle, this.#source, size, head, nameOf);
  }

  async #tools(
    head: Head,
    isSure: boolean,
    reserved: Preamble["reserved"] | null,
  ): Promise<Pick<Opened, "zstd" | "dictionary">> {
    // production never has one (spec §14)
    const id = head.dialect === 1 ? head.dictionaryId : 0;
    const dictionary = await findDictionary(id, reserved?.dictionarySha256 ?? null, this.#dictionaries, this.#bundle);
    return { zstd: zstdFor(head, isSure, await loadZstd()), dictionary };
  }
}

/** Spec §7.5. */
function zstdFor(head: Head, isSure: boolean, zstd: Zstd): Zstd {
  if (head.dialect !== 1) return zstd;
  // the plain profile has no crc that its flags could fail, and nothing where others have their extension
  if (!isSure && (head.extension !== null || head.padding.some((byte) => byte !== 0))) return perhapsColumnar(zstd);
  return (head.flags & FLAG_COLUMNS) === 0 ? zstd : columnar(zstd);
}

const QUIET: Reporter = { report: () => undefined };

function isIndexCode(code: string): boolean {
  return code.startsWith("index-") && code !== "index-recovered" && code !== "index-segment-order";
}

/** Bytes of so many entries at the start of an index, which are known to be sound. */
function entriesLength(index: Uint8Array, count: number, isVersioned: boolean): number {
  const cursor = new ByteCursor(index);
  for (let i = 0; i < count; i++) readIndexEntry(cursor, isVersioned);
  return cursor.position;
}

/** Entries that the index can have. */
function countAtMost(head: Head, preamble: Uint8Array): number {
  const length = Math.min(head.indexLength, preamble.length - HEADER_BYTES - head.metadataLength);
  return Math.max(0, Math.min(head.chunkCount, Math.ceil(length / SMALLEST_ENTRY)));
}

function countFaults({ indexLength, chunkCount }: Head, chunks: number, length: number): Finding[] {
  const faults: Finding[] = [];
  if (length !== indexLength) {
    const message = `header, index length: expected ${length} for ${chunks} entries, found ${indexLength}`;
    faults.push({ code: "index-length", severity: "damage", message, offset: 53 });
  }
  if (chunks !== chunkCount) {
    const message = `header, chunk count: expected ${chunks} as in the index, found ${chunkCount}`;
    faults.push({ code: "chunk-count", severity: "damage", message, offset: 61 });
  }
  return faults;
}

function beyondEnd(head: Head, size: number | null): string | null {
  if (size === null || HEADER_BYTES + head.metadataLength <= size) return null;
  const found = size - HEADER_BYTES;
  return `header, metadata length: expected at most ${found}, found ${head.metadataLength}`;
}

/** Spec §3.2. */
function checkTotalLength(head: Head, isSegmented: boolean, size: number | null, report: Reporter): void {
  if (head.extension === null || isSegmented || size === null) return;
  const { totalLength } = head.extension;
  if (totalLength === BigInt(size)) return;
  const message = `header, total length: expected ${size} as the file has, found ${totalLength}`;
  const severity = totalLength > BigInt(size) ? "loss" : "warning";
  report.report({ code: "total-length", severity, message, offset: 77 });
}
