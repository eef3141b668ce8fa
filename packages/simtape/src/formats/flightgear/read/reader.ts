import { Budget } from "../../../bytes/budget.ts";
import { isGzip } from "../../../bytes/gzip.ts";
import { propertyChild } from "../../../codec/properties.ts";
import { type InflatedSource, inflated } from "../../../io/zip/inflated.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { boundsOf, readChunks } from "../../../model/chunks.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Dissector } from "../../../model/dissector.ts";
import type { Reporter } from "../../../model/error.ts";
import { FlatFile } from "../../../model/flat.ts";
import type { Reader } from "../../../model/reader.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { Keyframe } from "../../../model/messages/keyframe.ts";
import type { Query } from "../../../model/messages/batch-query.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import type { Timeline } from "../../../model/values/time.ts";
import type { Channel, ChannelStatistics, Value } from "../../../model/values/value.ts";
import { playsIn } from "./dialects.ts";
import type { TapeLayout } from "../layout/frame-table.ts";
import { readTapeHeader, type TapeHeader, textAt, treeValue } from "../layout/header.ts";
import { MAGIC_BYTES } from "../layout/magic.ts";
import { schemaOf } from "../meaning/schema.ts";
import { continuousShape, normalShape, type TapeShape } from "./shape.ts";
import { FlightGearState } from "../meaning/state.ts";
import { FrameWalker } from "./walk.ts";

/** Native times above this are Unix time, not seconds of a session (spec §7). */
const UNIX_TIME = 1e9;
/** Durations in headers have 10 digits; Normal tapes hold some hours at most. */
const SAME_DURATION = 1e-5;
const LONGEST = 1e6;

/** A FlightGear tape: Normal, Continuous or Recovery; channels for signals, multiplayer, extra properties and others. */
export class FlightGearReader implements Reader {
  readonly info: RecordingInfo;
  readonly channels: readonly Channel[];
  readonly state: StateModel;
  readonly budget: Budget;
  readonly header: TapeHeader;
  readonly shape: TapeShape;
  readonly layout: TapeLayout;
  /** What a Normal tape should hold beyond its end, in words; null when it is all there. */
  readonly missing: string | null;
  /** Native times of the earliest and the latest frame; null when there is none. */
  readonly bounds: readonly [earliest: number, latest: number] | null;
  readonly #source: ByteSource;
  readonly #file: FlatFile;
  readonly #frames: number;
  readonly #epoch: bigint | null;

  private constructor(
    source: ByteSource,
    bytes: number,
    isPacked: boolean,
    header: TapeHeader,
    shape: TapeShape,
    file: FlatFile,
    walker: FrameWalker,
    layout: TapeLayout,
    missing: string | null,
    budget: Budget,
  ) {
    this.budget = budget;
    const { earliest, latest } = walker;
    this.#source = source;
    this.header = header;
    this.shape = shape;
    this.layout = layout;
    this.missing = missing;
    this.bounds = earliest === null || latest === null ? null : [earliest, latest];
    this.#file = file;
    this.#frames = walker.frames;
    this.#epoch = layout.zero > UNIX_TIME ? nanoseconds(layout.zero) : null;
    this.channels = shape.channels.map((name, id) => ({
      id,
      name,
      schema: schemaOf(name, header.signals),
      metadata: {},
    }));
    const aircraft = textAt(header.meta, "aircraft-type");
    this.state = new FlightGearState(this.channels, header.signals, aircraft, !walker.isFaulty);
    const kind = kindOf(header, walker.frames);
    const release = textAt(header.meta, "version/flightgear");
    const generation = kind === "normal" ? ` ${shape.generation}` : header.layout === "first" ? " (first layout)" : "";
    this.info = {
      format: "flightgear",
      version: `${kind}${generation}${release === "" ? "" : ` (${release})`}`,
      bytes,
      seekIndex: "built",
      metadata: metadataOf(header, shape, walker, kind, isPacked, layout),
    };
  }

  static async open(file: ByteSource, report: Reporter, given: OpenOptions): Promise<FlightGearReader> {
    const budget = Budget.of(given.budget);
    const options = { ...given, budget };
    const { signal, spool } = options;
    const bytes = (await file.size()) ?? 0;
    const head = await file.read(0, MAGIC_BYTES, signal);
    const packed: InflatedSource | null = isGzip(head) ? inflated(file, { spool, budget, size: bytes }) : null;
    const source: ByteSource = packed ?? file;
    const size = (await source.size()) ?? 0;
    if (packed !== null && packed.damage !== null) {
      const { offset, message } = packed.damage;
      report.report({
        code: "bad-gzip",
        severity: "damage",
        message: `${message}; ${size} bytes could be inflated before it`,
        offset,
      });
    }
    const isNormal = packed !== null || head[0] === 0x44;
    const header = await readTapeHeader(source, size, isNormal, report, signal);
    const begin = header.bytes.length;
    const found = isNormal
      ? await normalShape(source, size, header, options)
      : { ...(await continuousShape(source, size, header, report, signal)), walked: null };
    const earliest = found.walked === null ? null : zeroOf(found.walked, header);
    const walker = new FrameWalker(found.shape, found.recordSize, earliest);
    const flat = await FlatFile.scan(source, walker, { begin, end: size }, report, options);
    const { channels, frames, data } = found;
    const zero = walker.zero ?? 0;
    const { signals } = header;
    const recordBytes = found.recordBytes;
    const layout: TapeLayout = { frames, data, recordBytes, signals, channels, zero };
    walker.settle(layout);
    const missing = tellWhatIsMissing(walker, header, size, report);
    return new FlightGearReader(source, bytes, packed !== null, header, found, flat, walker, layout, missing, budget);
  }

  get chunks(): readonly Chunk[] {
    return this.#file.chunks;
  }

  async timeline(): Promise<Timeline> {
    const { start, end } = boundsOf(this.#file.chunks);
    return { start, end, epoch: this.#epoch, tick: { name: "frame", count: this.#frames, duration: null } };
  }

  async statistics(): Promise<readonly ChannelStatistics[]> {
    return this.#file.statistics(this.channels.length);
  }

  batches(query: Query): ReturnType<typeof readChunks> {
    return readChunks(this.#file.chunks, (chunk, signal) => this.#file.decode(chunk, signal), query);
  }

  /** There is none: signals are whole in each frame, other items are differences from the start. */
  async keyframe(): Promise<Keyframe | null> {
    return null;
  }

  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    yield [{ kind: "header", offset: 0, bytes: this.header.bytes }];
    yield* this.#file.records(signal);
  }

  async review(report: Reporter, signal?: AbortSignal): Promise<void> {
    await (await import("./review.ts")).review(this, report, signal);
  }

  async dissector(): Promise<Dissector> {
    return new (await import("../fields/fields.ts")).FlightGearDissector(this);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

/**
 * Native time at time 0 of a Normal tape: of its earliest frame, or of where it began by its duration, when the oldest
 * frames are gone or damage makes the earliest time doubtful.
 */
function zeroOf(walker: FrameWalker, header: TapeHeader): number | null {
  const { earliest, latest, newest } = walker;
  if (earliest === null || latest === null) return null;
  const duration = Number(textAt(header.meta, "tape-duration"));
  const end = newest ?? latest;
  const begin = end - duration;
  const isKnown = duration > 0 && duration <= LONGEST && Math.abs(begin - earliest) > SAME_DURATION;
  const isDamaged = walker.doubtfulBytes > 0 || walker.left !== 0 || walker.buffers < 3;
  return isKnown && (isDamaged ? newest !== null || begin < earliest : begin < earliest) ? begin : earliest;
}

type Kind = "normal" | "continuous" | "recovery";

/** A Recovery tape is a Continuous one of one frame, signals alone, whose header does not speak of compression (spec §4.3). */
function kindOf(header: TapeHeader, frames: number): Kind {
  if (header.layout === "normal") return "normal";
  const isRecovery =
    frames === 1 &&
    header.layout === "current" &&
    header.data.length === 1 &&
    header.data[0] === "signals" &&
    propertyChild(header.meta, "continuous-compression") === undefined;
  return isRecovery ? "recovery" : "continuous";
}

function metadataOf(
  header: TapeHeader,
  shape: TapeShape,
  walker: FrameWalker,
  kind: Kind,
  isPacked: boolean,
  { frames, zero }: TapeLayout,
): Record<string, Value> {
  const { signals, meta } = header;
  return {
    kind,
    generation: shape.generation,
    playsIn: playsIn(frames, shape.generation),
    compression: isPacked ? "gzip" : shape.shape.name === "deflate" ? "deflate" : "none",
    aircraft: textAt(meta, "aircraft-type"),
    description: textAt(meta, "aircraft-description"),
    airport: textAt(meta, "closest-airport-id"),
    flightgear: textAt(meta, "version/flightgear"),
    recorder: header.recorder,
    frames: walker.frames,
    timeOrigin: zero,
    startTime: walker.earliest,
    endTime: walker.latest,
    signals: signals.signals.length,
    signalTypes: { ...signals.counts },
    recordSize: signals.declaredSize ?? signals.recordSize,
    data: shape.channels,
    meta: treeValue(meta),
  };
}

/** What a Normal tape should hold beyond its end; null when nothing. */
function tellWhatIsMissing(walker: FrameWalker, header: TapeHeader, size: number, report: Reporter): string | null {
  let missing: string | null = null;
  const { left, buffers } = walker;
  if (header.layout === "normal" && (buffers < 3 || (left !== 0 && left !== null))) {
    const frames = left === null || left === 0 ? "" : `${left} frames of its buffer ${buffers} and `;
    missing = `the tape ends early: ${frames}${3 - buffers} of 3 buffers are missing`;
    report.report({ code: "missing-frames", severity: "loss", message: missing, offset: size });
  }
  if (header.layout === "current" && header.data.length === 0) {
    report.report({
      code: "no-data-items",
      severity: "warning",
      message: "the header names no data item: frames cannot hold anything",
      offset: header.bytes.length,
    });
  }
  if (walker.frames === 0) {
    const message = "the tape holds no frame";
    report.report({ code: "no-frames", severity: "note", message, offset: header.bytes.length });
  }
  return missing;
}

/** Unix seconds as nanoseconds, without losing what a double holds. */
function nanoseconds(seconds: number): bigint {
  const whole = Math.floor(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e9));
}
