import { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type SourceBundle, SourceError } from "../../../io/source/source.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { boundsOf, readChunks } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Dissector } from "../../../model/dissector.ts";
import { type Finding, RecordingError, type Reporter } from "../../../model/error.ts";
import type { Reader } from "../../../model/reader.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import { numbersOf } from "../../../model/kept/shapes.ts";
import type { Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics, Value } from "../../../model/values/value.ts";
import { encodingMetadata, type EncodingSample, settleEncodings } from "../meaning/encoding.ts";
import { type FileHeader, readFileHeader } from "../layout/layout.ts";
import type { SeenChannel } from "./observer.ts";
import { toHex } from "../meaning/payload.ts";
import { probe, readDamagedHeader } from "./probe.ts";
import { calibrate, type Profile, profileMetadata } from "./profile.ts";
import { TapeSchema } from "../meaning/schema.ts";
import { TapeState } from "../meaning/state.ts";
import { Tape } from "./tape.ts";
import { type PayloadSchema, TypeRegistry } from "../meaning/types.ts";

/** Bytes looked at to find out how a tape is laid out. */
const PROBE_BYTES = 64 << 10;
/** Findings that a reader keeps for repairing. */
const MAX_FINDINGS = 4096;
/** Scans of a tape in which messages with damaged data lie over others. */
const MAX_ROUNDS = 4;

/** Reads a tape: one walk over the file, then chunk by chunk. */
export class TapeReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: TapeState;
  readonly budget: Budget;
  /** Which reading of the open points the tape uses. */
  readonly profile: Profile;
  readonly header: FileHeader;
  /** What stands before the first chunk is no header; `header` holds what could be read of it. */
  readonly isHeaderLost: boolean;
  /** For writing and repairing. */
  readonly tape: Tape;
  /** What opening found wrong, the first few thousand of it. */
  readonly findings: readonly Finding[];
  /** By file offset of a message: the time by its index, where its own cannot be right. */
  readonly mistimed: ReadonlyMap<number, number>;

  private constructor(
    tape: Tape,
    header: FileHeader,
    isHeaderLost: boolean,
    profile: Profile,
    channels: readonly Channel[],
    info: RecordingInfo,
    findings: readonly Finding[],
    mistimed: ReadonlyMap<number, number>,
    budget: Budget,
  ) {
    this.budget = budget;
    this.tape = tape;
    this.header = header;
    this.isHeaderLost = isHeaderLost;
    this.findings = findings;
    this.mistimed = mistimed;
    this.profile = profile;
    this.channels = channels;
    this.info = info;
    this.state = new TapeState(channels);
  }

  /** Values and poses go by the names of their channels. */
  stateOf(channels: readonly Channel[]): TapeState {
    return new TapeState(channels);
  }

  /** Throws `LayoutError` when the file is no tape. */
  static async open(
    from: SourceBundle,
    schemas: readonly PayloadSchema[],
    reporter: Reporter,
    given: OpenOptions,
  ): Promise<TapeReader> {
    const budget = Budget.of(given.budget);
    const options = { ...given, budget };
    const report = new HeldReporter(reporter);
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "nothing there");
    const size = await source.size();
    if (size === null)
      throw new RecordingError("unsupported", `the length must be known: ${source.name}`, { format: "mira" });
    const head = await source.read(0, PROBE_BYTES, options.signal);
    const found = probe(head, size);
    if (found === null)
      throw new LayoutError(head.length < 32 ? "truncated" : "malformed", "no header of a MIRA tape", 0);
    const { dialect, isHeaderLost } = found;
    const header = isHeaderLost ? readDamagedHeader(head, dialect) : readFileHeader(new ByteCursor(head), dialect);
    if (isHeaderLost) {
      report.report({
        code: "bad-header",
        severity: "damage",
        message: `the first ${dialect.headerBytes} bytes are no file header; chunks begin behind them`,
        offset: 0,
        length: dialect.headerBytes,
      });
    }
    const known = given.scans?.known("distrusted");
    const distrusted = new Set<number>(known === undefined ? [] : numbersOf(known, Float64Array));
    given.scans?.keep("distrusted", () => Float64Array.from(distrusted));
    let tape: Tape;
    let codec: string | null;
    for (let round = 1; ; round++) {
      const before = report.count;
      tape = await Tape.scan(source, size, dialect, report, options, distrusted);
      codec = await tape.codec(options.signal);
      const doubtful = [...tape.doubtful].filter((offset) => !distrusted.has(offset));
      const isSettled = doubtful.length === 0 || round === MAX_ROUNDS || known !== undefined;
      if (isSettled || !report.takeBack(before)) break;
      for (const offset of doubtful) distrusted.add(offset);
    }
    report.release();
    const { observer, table } = tape;
    reportEnds(isHeaderLost ? null : header, tape, report);
    const mistimed = new Map<number, number>();
    const facts = { source, size, header, dialect, table, seen: observer, report, mistimed, signal: options.signal };
    const profile = await calibrate(facts, codec);
    const registry = new TypeRegistry(schemas);
    const seen = Array.from(table.names, (_, id) => observer.channels[id]!);
    const samples: EncodingSample[] = [];
    for (const { info, samples: stored } of seen) {
      const layouts = registry.layouts(info?.type ?? "");
      samples.push({ layouts, payloads: layouts.length === 0 ? [] : await tape.plain(stored) });
    }
    const encodings = settleEncodings(samples, dialect.isLittle);
    const channels = seen.map((channel, id): Channel => {
      const schema = new TapeSchema(channel.info?.type ?? "unknown", encodings.channels[id] ?? null);
      return { id, name: table.names[id]!, metadata: channelMetadata(channel), schema };
    });
    const info: RecordingInfo = {
      format: "mira",
      version: String(header.version),
      bytes: size,
      seekIndex: "built",
      metadata: {
        ...timeMetadata(header),
        blocks: observer.blocks,
        messages: observer.messages,
        channels: channels.map(({ name, schema }, id) => ({
          name,
          type: schema.name,
          metaBytes: seen[id]!.info?.metaLength ?? 0,
          messages: seen[id]!.messages,
          storedBytes: seen[id]!.storedBytes,
        })),
        profile: { ...profileMetadata(profile), payload: encodingMetadata(encodings.tape) },
      },
    };
    return new TapeReader(tape, header, isHeaderLost, profile, channels, info, report.kept, mistimed, budget);
  }

  get chunks(): readonly Chunk[] {
    return this.tape.chunks;
  }

  async timeline(): Promise<Timeline> {
    return { ...boundsOf(this.tape.chunks), epoch: this.header.start, tick: null };
  }

  /**
   * Bytes are those after decompression; where a large tape claims sizes that decompression belies, as far as it was
   * read.
   */
  async statistics(): Promise<readonly ChannelStatistics[]> {
    return this.tape.statistics();
  }

  batches(query: Query): AsyncIterable<MessageBatch> {
    return readChunks(this.tape.chunks, (chunk, signal) => this.tape.decode(chunk, signal), query);
  }

  async keyframe(): Promise<Keyframe | null> {
    return null;
  }

  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    yield* this.tape.records(this.isHeaderLost, signal);
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).TapeDissector(this);
  }

  close(): Promise<void> {
    return this.tape.source.close();
  }
}

/** Holds findings back while a scan may have to be made again, and keeps them for repairing. */
class HeldReporter implements Reporter {
  readonly #to: Reporter;
  readonly kept: Finding[] = [];
  #isHolding = true;

  constructor(to: Reporter) {
    this.#to = to;
  }

  get count(): number {
    return this.kept.length;
  }

  report(finding: Finding): void {
    if (this.#isHolding && this.kept.length >= MAX_FINDINGS) this.release();
    if (this.kept.length < MAX_FINDINGS) this.kept.push(finding);
    if (!this.#isHolding) this.#to.report(finding);
  }

  /** Forgets findings from the `count`th on; false when they are reported already. */
  takeBack(count: number): boolean {
    if (!this.#isHolding) return false;
    this.kept.length = count;
    return true;
  }

  release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    for (const finding of this.kept) this.#to.report(finding);
  }
}

/** Reports a tape that was not closed, and what the header says that is not so. */
function reportEnds(header: FileHeader | null, tape: Tape, report: Reporter): void {
  const { observer, table } = tape;
  const infos = observer.channels.filter(({ info }) => info !== null);
  const signs: string[] = [];
  if (header?.blocks === 0 && observer.blocks > 0 && observer.messages > 0)
    signs.push(`its header counts no block, ${observer.blocks} were found`);
  if (header?.firstChannel === 0n && infos.length > 0) signs.push("its header names no channel info");
  if (observer.unpatched > 0) signs.push(`${observer.unpatched} block without its counts`);
  if (signs.length > 0) {
    report.report({
      code: "unclosed",
      severity: "damage",
      message: `the tape was not closed: ${signs.join("; ")}`,
      offset: 0,
    });
  }
  if (header !== null && header.blocks !== observer.blocks && (header.blocks !== 0 || signs.length === 0)) {
    report.report({
      code: "block-count-mismatch",
      severity: header.blocks > observer.blocks ? "loss" : "damage",
      message: `the file header counts ${header.blocks} blocks, ${observer.blocks} were found`,
      offset: tape.headerBytes - 12,
    });
  }
  table.names.forEach((name, id) => {
    const { info, messages } = observer.channels[id]!;
    if (info === null) {
      report.report({
        code: "missing-channel-info",
        severity: "loss",
        message: `channel ${JSON.stringify(name)} has messages and no channel info: its type is not known`,
      });
    } else if (observer.orphans.has(id)) {
      report.report({
        code: "late-channel-info",
        severity: "warning",
        message: `the channel info of ${JSON.stringify(name)} comes after its first message`,
        offset: info.offset,
      });
    }
    if (messages > 0 && observer.tables.length > 0 && info !== null && info.index === 0n) {
      report.report({
        code: "missing-index",
        severity: "damage",
        message: `channel ${JSON.stringify(name)} has no index table`,
        offset: info.offset,
      });
    }
  });
  if (observer.messages > 0 && observer.tables.length === 0) {
    const pointing = infos.filter(({ info }) => info!.index !== 0n).length;
    const hint = pointing === 0 ? "" : `, though ${pointing} of its channel infos point at one`;
    report.report({ code: "missing-index", severity: "damage", message: `the tape has no index table${hint}` });
  }
}

function timeMetadata(header: FileHeader): Readonly<Record<string, Value>> {
  const { start, zoneOffset } = header;
  return {
    startNs: start,
    start: start === null ? null : isoTime(start),
    zoneOffsetNs: zoneOffset === null ? null : Number(zoneOffset),
    // Local minus UTC, positive east of it: the sign is unverified, spec §9, A9.
    localStart: start === null || zoneOffset === null ? null : isoTime(start + zoneOffset).replace("Z", ""),
  };
}

/** ISO 8601 with nanoseconds; the number itself where a calendar does not reach. */
function isoTime(time: bigint): string {
  const milliseconds = Number(time / 1_000_000n - (time % 1_000_000n < 0n ? 1n : 0n));
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return `${time} ns`;
  const below = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return date.toISOString().replace(/\.\d+Z$/, `.${below.toString().padStart(9, "0")}Z`);
}

function channelMetadata({ info }: SeenChannel): Readonly<Record<string, string>> {
  if (info === null) return { type: "", metaBytes: "0" };
  const metadata: Record<string, string> = { type: info.type, metaBytes: String(info.metaLength) };
  if (info.meta !== null && info.metaLength > 0) metadata["meta"] = toHex(info.meta);
  if (info.metaText.length > 0) metadata["metaText"] = info.metaText.join("\n");
  return metadata;
}
