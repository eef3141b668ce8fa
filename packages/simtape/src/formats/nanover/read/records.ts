import { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../../../io/source/source.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import { type Finding, RecordingError, type Reporter } from "../../../model/error.ts";
import { FlatFile } from "../../../model/flat.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { recalled } from "../../../model/kept/scans.ts";
import type { ChannelStatistics } from "../../../model/values/value.ts";
import { FRAME, STATE } from "../layout/layout.ts";
import { frameIndexOf } from "../layout/protobuf.ts";
import {
  type Content,
  contentBehindDamage,
  contentOf,
  HEADER_BYTES,
  isDamagedHeader,
  isDamagedVersion,
  readFileHeader,
  siblingName,
  sniffHeaderless,
  startsWithMagic,
  VERSION,
} from "../layout/record.ts";
import { Overview } from "./overview.ts";
import { type Messages, NanoverReader } from "./reader.ts";
import { type Container, frameSchema } from "../meaning/schema.ts";
import { RecordWalk } from "./walk-records.ts";

/** Bytes at the beginning of a file that tell what is in it. */
const HEAD_BYTES = 64 << 10;

/** A `.traj` or `.state`: what its beginning tells. */
interface RecordFile {
  readonly source: ByteSource;
  readonly size: number;
  readonly version: number;
  /** The file header; empty in v1. */
  readonly header: Uint8Array;
  /** Null: no message that tells. */
  readonly content: Content | null;
}

/**
 * Opens a v1 or v2 recording: the main file of the bundle, and the one beside it with the other extension when it holds
 * the other kind of messages. The two are distinguished by content, not by name (spec §1).
 * Throws `LayoutError` when the header cannot be read, `RecordingError` for a version that is not known.
 */
export async function openRecords(
  source: ByteSource,
  from: SourceBundle,
  report: Reporter,
  options: OpenOptions,
): Promise<NanoverReader> {
  const main = await look(source, options.signal);
  const other = from.name === null ? null : siblingName(from.name, main.content);
  const beside = other === null ? null : await openSibling(from, other, main, report, options.signal);
  try {
    return await read(main, beside, from.name, other, report, options);
  } catch (error) {
    await beside?.source.close().catch(() => undefined);
    throw error;
  }
}

async function read(
  main: RecordFile,
  beside: RecordFile | null,
  name: string | null,
  besideName: string | null,
  report: Reporter,
  options: OpenOptions,
): Promise<NanoverReader> {
  const budget = Budget.of(options.budget);
  const content = main.content ?? opposite(beside?.content ?? null) ?? contentByName(name) ?? "frame";
  const files = beside === null ? [main] : [main, beside];
  // Versions may be mixed: updates are the same in both, and the frames' is that of the recording.
  const frameFile = content === "frame" ? main : (beside ?? main);
  const container: Container = frameFile.version === VERSION ? "2" : "1";
  const overview = new Overview(frameSchema(container));
  const total = files.reduce((bytes, { size }) => bytes + size, 0);
  const { scans } = options;
  const seen = scans?.known("overview");
  if (seen !== undefined) recalled(() => overview.recall(seen));
  scans?.keep("overview", () => overview.learned());
  const parts: FlatFile[] = [];
  let frames: FlatFile | null = null;
  let states: FlatFile | null = null;
  let sequence = 0;
  let done = 0;
  // Frames are numbered first: they come first where times are equal (spec §4.3).
  for (const kind of ["frame", "state"] as const) {
    const file = kind === content ? main : beside;
    if (file === null) continue;
    const before = done;
    const layout = new RecordWalk(file.header.length, kind, file.version);
    const range = { begin: file.header.length, end: file.size, sequence };
    const part = await FlatFile.scan(file.source, layout, range, file === main ? report : named(report, file.source), {
      signal: options.signal,
      budget,
      scans: options.scans,
      name: kind,
      onProgress: (bytes) => options.onProgress?.(before + bytes, total),
      ...(kind === "frame" ? { onBatch: (batch: Columns) => survey(batch, overview, file.version) } : {}),
    });
    if (kind === "frame") frames = part;
    else states = part;
    parts.push(part);
    sequence += part.count;
    done += file.size;
  }
  const messages = new RecordMessages(files, frames, states);
  const both = frames !== null && states !== null;
  const word = both ? "traj+state" : frames !== null ? "traj" : "state";
  return new NanoverReader(
    container,
    messages,
    files.map((file) => file.source),
    { bytes: total, seekIndex: "built", metadata: overview.metadata(word) },
    undefined,
    beside === null || besideName === null ? [] : [besideName],
    budget,
  );
}

async function look(source: ByteSource, signal: AbortSignal | undefined): Promise<RecordFile> {
  const size = await source.size();
  if (size === null) throw new SourceError("failed", `size is not known: ${source.name}`);
  const head = await source.read(0, HEAD_BYTES, signal);
  let version = 1;
  let isDamaged = false;
  if (startsWithMagic(head)) {
    version = versionIn(head);
    isDamaged = isDamagedVersion(version);
    if (version !== VERSION && !isDamaged) {
      const message = `NanoVer recording of version ${version}; ${VERSION} is the only one known: ${source.name}`;
      throw new RecordingError("unsupported", message, { format: "nanover", offset: 8 });
    }
  } else if (sniffHeaderless(head.subarray(0, 4096), size) === null) {
    if (!isDamagedHeader(head)) {
      throw new LayoutError("malformed", "neither a NanoVer header nor records without one", 0);
    }
    isDamaged = true;
  }
  if (isDamaged) {
    // No header: it is passed over as bytes that are no record.
    return { source, size, version: VERSION, header: NO_BYTES, content: contentBehindDamage(head, size, VERSION) };
  }
  const header = head.slice(0, version === VERSION ? HEADER_BYTES : 0);
  return { source, size, version, header, content: contentOf(head, header.length, size, version) };
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** A number that is no version where the header's is beyond all sense, or cut. */
function versionIn(head: Uint8Array): number {
  try {
    return readFileHeader(new ByteCursor(head));
  } catch (error) {
    if (error instanceof LayoutError && error.reason === "malformed") return 0;
    throw error;
  }
}

/** The other file of a pair; null when it is not there, cannot be read, or does not go with `main`. */
async function openSibling(
  from: SourceBundle,
  name: string,
  main: RecordFile,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<RecordFile | null> {
  let source: ByteSource | null = null;
  let why: string;
  try {
    source = await from.open(name);
    if (source === null) return null;
    const file = await look(source, signal);
    const isOther = file.content === null || main.content === null || file.content !== main.content;
    if (isOther) return file;
    why = `it holds ${file.content} messages too`;
  } catch (error) {
    const isKnown = error instanceof LayoutError || error instanceof RecordingError || error instanceof SourceError;
    if (!isKnown) {
      await source?.close().catch(() => undefined);
      throw error;
    }
    why = error.message;
  }
  await source?.close().catch(() => undefined);
  report.report({ code: "sibling-unusable", severity: "warning", message: `${name} was left out: ${why}` });
  return null;
}

function contentByName(name: string | null): Content | null {
  if (name === null) return null;
  return /\.state$/i.test(name) ? "state" : /\.traj$/i.test(name) ? "frame" : null;
}

function opposite(content: Content | null): Content | null {
  return content === null ? null : content === "frame" ? "state" : "frame";
}

/** Findings of the second file say which file they are about. */
function named(report: Reporter, source: ByteSource): Reporter {
  return { report: (finding) => report.report({ ...finding, message: `${source.name}: ${finding.message}` }) };
}

function survey(batch: Columns, overview: Overview, version: number): void {
  for (let i = 0; i < batch.length; i++) {
    const index = version === VERSION ? frameIndexOf(batch.bytes, batch.start[i]!, batch.end[i]!) : null;
    if (overview.count(index)) overview.look(batch.payload(i));
  }
}

/** Frames of one file, states of another, or only one of both. */
class RecordMessages implements Messages {
  readonly chunks: readonly Chunk[];
  readonly #files: readonly RecordFile[];
  readonly #frames: FlatFile | null;
  readonly #states: FlatFile | null;
  /** Sequence of the first state message. */
  readonly #border: number;

  constructor(files: readonly RecordFile[], frames: FlatFile | null, states: FlatFile | null) {
    this.#files = files;
    this.#frames = frames;
    this.#states = states;
    this.#border = frames?.count ?? 0;
    this.chunks = [...(frames?.chunks ?? []), ...(states?.chunks ?? [])].filter(({ count }) => count > 0);
  }

  decode(chunk: Chunk, signal?: AbortSignal): Promise<Columns> {
    const file = chunk.sequence < this.#border ? this.#frames : this.#states;
    return file!.decode(chunk, signal);
  }

  origin(chunk: Chunk): number {
    return chunk.offset;
  }

  get broken(): readonly Finding[] {
    const headless = this.#files.filter(({ version, header }) => version === VERSION && header.length === 0);
    return headless.map(({ source }) => ({
      ...{ code: "bad-header", severity: "damage", offset: 0 },
      message: `the header of ${source.name} is damaged`,
    }));
  }

  get gone(): readonly Finding[] {
    return [];
  }

  inflated(): null {
    return null;
  }

  statistics(channels: number): readonly ChannelStatistics[] {
    const frames = this.#frames?.statistics(channels);
    const states = this.#states?.statistics(channels);
    const none: ChannelStatistics = { messages: 0, bytes: 0, first: null, last: null };
    return Array.from(
      { length: channels },
      (_, id) => (id === FRAME ? frames : id === STATE ? states : null)?.[id] ?? none,
    );
  }

  /** The main file, then the one beside it. */
  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    for (const { source, header } of this.#files) {
      const flat = this.#frames?.source === source ? this.#frames : this.#states!;
      const kind = flat === this.#frames ? "traj-header" : "state-header";
      if (header.length > 0) yield [{ kind, offset: 0, bytes: header }];
      yield* flat.records(signal);
    }
  }
}
