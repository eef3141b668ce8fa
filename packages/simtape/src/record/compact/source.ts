import type { Budget } from "../../bytes/budget.ts";
import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { hex, LayoutError } from "../../bytes/error.ts";
import { Channels } from "../../formats/hcrp/chunk/channels.ts";
import type { ChunkContext } from "../../formats/hcrp/chunk/context.ts";
import type { HcrpChunk } from "../../formats/hcrp/chunk/plan.ts";
import { decodeChunk } from "../../formats/hcrp/chunk/decode.ts";
import type { DictionaryLookup } from "../../formats/hcrp/chunk/dictionary.ts";
import {
  PALETTE,
  readBlockEdits,
  readEntities,
  readHostState,
  readInventories,
  readMetadataList,
  readPalettes,
  readSections,
  SECTION,
} from "../../formats/hcrp/layout/chunk.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import { epochOf } from "../../formats/hcrp/layout/metadata.ts";
import { VERSION_4_DATA } from "../../formats/hcrp/layout/production.ts";
import { readWorld } from "../../formats/hcrp/layout/world-events.ts";
import {
  CHUNK_RECORD_BYTES,
  chunkRecordCrc,
  FORMAT_ID,
  readChunkRecord,
  segmentName,
} from "../../formats/hcrp/layout/framing.ts";
import { NameFix, type NameFixer } from "../../formats/hcrp/chunk/names.ts";
import { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import { settled } from "../../formats/hcrp/write/settle.ts";
import { cached } from "../../io/source/cached.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../../io/source/source.ts";
import type { Columns } from "../../model/messages/batch.ts";
import { type Finding, Findings, RecordingError, type Reporter } from "../../model/error.ts";
import { type IndexMap, renumber } from "../../formats/hcrp/write/renumber.ts";
import type { Mask } from "./mask.ts";
import { transcoded } from "./transcode.ts";

/** How recordings are opened. */
export interface StrictOptions {
  readonly dictionaries?: DictionaryLookup | undefined;
  /** Brings names of older data versions up to date: chunks are given as if they were of the newest. */
  readonly fixer?: NameFixer | undefined;
  /** What an open recording may take: bytes of memory. */
  readonly budget?: Budget | number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A chunk read strictly: `problem` is the first thing wrong with it, null when it is sound. */
export interface StrictChunk {
  readonly chunk: HcrpChunk;
  readonly columns: Columns | null;
  readonly problem: string | null;
}

/** Files are read in pieces of this size, and two of them kept. */
const BLOCK = 1 << 20;

/**
 * A recording whose chunks are read one after the other, each judged by all that the format promises of it: the record
 * before it and its crcs, the frame's checksum and lengths, ticks in bounds, every event and section to its last byte,
 * every palette index there (HCRP spec §5 to §8).
 */
export class StrictSource {
  readonly reader: HcrpReader;
  readonly #bundle: SourceBundle;
  readonly #findings: Findings;
  readonly #channels: Channels;
  readonly #fixer: NameFixer | null;
  readonly #mask: Mask | null;
  readonly #fixes = new Map<number, NameFix>();
  readonly #signal: AbortSignal | undefined;
  /** The file that was read last, by segment; null: the main one. */
  #open: { readonly segment: number | null; readonly source: ByteSource } | null = null;

  private constructor(
    reader: HcrpReader,
    bundle: SourceBundle,
    findings: Findings,
    { fixer, signal, mask }: StrictOptions & { readonly mask?: Mask | undefined },
  ) {
    const { head, reserved } = reader.preamble;
    this.reader = reader;
    this.#bundle = bundle;
    this.#findings = findings;
    this.#channels = new Channels(head.dialect, reserved.events);
    this.#fixer = fixer ?? null;
    this.#mask = mask ?? null;
    this.#signal = signal;
  }

  /** Throws `RecordingError` when the recording cannot be opened at all. */
  static async open(
    bundle: SourceBundle,
    options: StrictOptions & { readonly mask?: Mask | undefined },
  ): Promise<StrictSource> {
    const findings = new Findings();
    const reader = await openReader(bundle, findings, options);
    return new StrictSource(reader, bundle, findings, options);
  }

  /** What was found while it was opened. */
  get findings(): readonly Finding[] {
    return this.#findings.list();
  }

  /** Every chunk of the index in order, those that the index itself spoils included. */
  async *chunks(): AsyncGenerator<StrictChunk> {
    for (const chunk of this.reader.chunks) {
      this.#signal?.throwIfAborted();
      yield await this.#read(chunk);
    }
  }

  async close(): Promise<void> {
    await this.#open?.source.close();
    this.#open = null;
    await this.reader.close();
  }

  async #read(chunk: HcrpChunk): Promise<StrictChunk> {
    try {
      const content = await this.#content(chunk);
      this.#mask?.chunk(content, chunk.hasKeyframe);
      const { preamble, source } = this.reader;
      const { head, reserved } = preamble;
      const { dataVersion } = chunk.entry;
      const epoch = epochOf(reserved.epochs, chunk.index);
      const data = head.dialect === 4 ? VERSION_4_DATA : (dataVersion ?? epoch?.dataVersion ?? head.dataVersion);
      const fix = head.dialect === 1 ? this.#fixOf(data) : null;
      const named = fix === null ? content : transcoded(content, chunk.hasKeyframe, fix);
      const { hasKeyframe: hasSnapshot } = chunk;
      const raw = head.dialect === 1 ? settled(named, { hasSnapshot, ...reserved }) : named;
      const { columns, problem } = decodeChunk(raw, chunk, head.dialect, data, this.#channels, source);
      if (problem !== null) return { chunk, columns, problem: problem.message };
      if (head.dialect === 1) checkContent(columns, this.#channels.snapshot);
      return { chunk, columns, problem: null };
    } catch (error) {
      // what cannot be read may be sound all the same
      if (!(error instanceof LayoutError)) throw RecordingError.from(error, FORMAT_ID);
      return { chunk, columns: null, problem: error.message };
    }
  }

  /** Null where names stay as they are. */
  #fixOf(dataVersion: number): NameFix | null {
    const newest = newestData(this.reader);
    if (this.#fixer === null || dataVersion === 0 || dataVersion === newest) return null;
    const known = this.#fixes.get(dataVersion);
    if (known !== undefined) return known;
    const fix = new NameFix(this.#fixer, dataVersion, this.#findings);
    this.#fixes.set(dataVersion, fix);
    return fix;
  }

  /** The chunk inflated. Throws `LayoutError`, `SourceError`. */
  async #content(chunk: HcrpChunk): Promise<Uint8Array> {
    const { head } = this.reader.preamble;
    const { dictionary, zstd } = this.reader;
    const source = await this.#file(chunk.segment);
    const hasRecord = chunk.segment !== null && head.dialect === 1 && head.extension !== null;
    const before = hasRecord ? CHUNK_RECORD_BYTES : 0;
    if (chunk.offset < before) throw new LayoutError("malformed", "no room for the chunk's record", chunk.offset);
    const bytes = await source.read(chunk.offset - before, before + chunk.length, this.#signal);
    if (bytes.length < before + chunk.length)
      throw new LayoutError("truncated", `the file ends within the chunk`, chunk.offset);
    const frame = bytes.subarray(before);
    if (hasRecord) this.#checkRecord(chunk, bytes.subarray(0, before), frame);
    const size = chunk.entry.uncompressedLength;
    const allowUnknownSize = head.extension === null;
    return zstd.decompress(
      frame,
      dictionary === null ? { size, allowUnknownSize } : { size, allowUnknownSize, dictionary },
    );
  }

  async #file(segment: number | null): Promise<ByteSource> {
    if (this.#open?.segment === segment) return this.#open.source;
    await this.#open?.source.close();
    this.#open = null;
    const name = segment === null ? undefined : this.#nameOf(segment);
    const source = await this.#bundle.open(name);
    if (source === null) throw new LayoutError("truncated", `there is no ${name ?? "main file"}`, 0);
    this.#open = { segment, source: cached(source, { block: BLOCK, limit: 2 * BLOCK }) };
    return this.#open.source;
  }

  #nameOf(segment: number): string {
    const name = segmentName(segment);
    // production counts with three digits
    return this.reader.siblings.find((sibling) => Number(/\d+/.exec(sibling)?.[0]) === segment) ?? name;
  }

  /** HCRP spec §8.2. */
  #checkRecord({ entry }: HcrpChunk, bytes: Uint8Array, frame: Uint8Array): void {
    const record = readChunkRecord(new ByteCursor(bytes));
    const claims = [
      ["crc32", chunkRecordCrc(bytes), record.crc],
      ["crc32 of the frame", crc32(frame), record.frameCrc],
      ["start tick", entry.startTick, record.startTick],
      ["tick count", entry.tickCount, record.tickCount],
      ["flags", entry.flags, record.flags],
      ["compressed length", entry.compressedLength, record.compressedLength],
      ["uncompressed length", entry.uncompressedLength, record.uncompressedLength],
    ] as const;
    for (const [field, expected, found] of claims) {
      if (expected === found) continue;
      const show = (value: number): string => (field.startsWith("crc") ? hex(value) : String(value));
      throw new LayoutError("malformed", `chunk record, ${field}: expected ${show(expected)}, found ${show(found)}`, 0);
    }
    const id = this.reader.preamble.head.extension!.recordingId;
    if (record.recordingId === id) return;
    throw new LayoutError("malformed", `chunk record, recording id: expected ${id}, found ${record.recordingId}`, 0);
  }
}

/** The newest data version of a recording: that of its last epoch which tells one; 0: none does. */
export function newestData({ preamble: { head, reserved } }: HcrpReader): number {
  return reserved.epochs.findLast(({ dataVersion }) => dataVersion !== 0)?.dataVersion ?? head.dataVersion;
}

/** Opens a recording; when that fails, its main file is closed again. */
export async function openReader(
  bundle: SourceBundle,
  report: Reporter,
  { signal, dictionaries, budget }: StrictOptions,
): Promise<HcrpReader> {
  const main = await bundle.open();
  if (main === null) throw new SourceError("failed", `nothing there: ${bundle.name ?? "recording"}`);
  const { name } = bundle;
  const opened: SourceBundle = {
    name,
    open: (asked) => (asked === undefined || asked === name ? Promise.resolve(main) : bundle.open(asked)),
  };
  try {
    return await HcrpReader.open(opened, report, { signal, budget }, dictionaries ?? null);
  } catch (error) {
    await main.close();
    throw RecordingError.from(error, FORMAT_ID);
  }
}

/** What decoding leaves open: sections of the snapshot, and palette indices. Throws `LayoutError`. */
function checkContent(columns: Columns, snapshot: number): void {
  const { palettes } = columns.context as ChunkContext;
  const check: IndexMap = (kind, index) => {
    if (index <= palettes.entries(kind).length) return index;
    const count = palettes.entries(kind).length;
    throw new LayoutError("malformed", `palette ${kind} has ${count} entries, index ${index} is asked for`, 0);
  };
  const cursor = new ByteCursor(columns.bytes);
  const scratch = new ByteBuilder();
  for (let i = 0; i < columns.length; i++) {
    const channel = columns.channel[i]!;
    if (channel === EVENT.move) continue;
    if (channel === snapshot) checkSnapshot(columns.payload(i), check);
    else if (channel <= EVENT.mark) {
      cursor.seek(columns.start[i]!);
      if (renumber(channel, cursor, scratch, check)) scratch.take();
    }
  }
}

function checkSnapshot(bytes: Uint8Array, check: IndexMap): void {
  const checked = (kind: number, index: number | null): void => {
    if (index !== null && index !== 0) check(kind, index);
  };
  for (const { type, body } of readSections(new ByteCursor(bytes))) {
    const cursor = new ByteCursor(body);
    switch (type) {
      case SECTION.palettes:
        readPalettes(cursor);
        break;
      case SECTION.entities:
        for (const { details } of readEntities(body)) {
          checked(PALETTE.entityType, details?.type ?? null);
          checked(PALETTE.profile, details?.profile ?? null);
        }
        break;
      case SECTION.blocks:
        for (const { block } of readBlockEdits(cursor)) checked(PALETTE.block, block);
        break;
      case SECTION.inventories:
        for (const { items } of readInventories(cursor)) for (const { item } of items) checked(PALETTE.item, item);
        break;
      case SECTION.world:
        readWorld(cursor);
        break;
      case SECTION.host:
        readHostState(cursor);
        break;
      case SECTION.metadata:
        readMetadataList(cursor);
        break;
      default:
    }
  }
}
