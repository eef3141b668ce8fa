import { UnavailableError } from "../../codec/unavailable.ts";
import { loadZstd } from "../../codec/zstd.ts";
import type { ByteSink } from "../../io/sink/sink.ts";
import type { Fold } from "../../model/fold.ts";
import { type Origin, unsetOrigin } from "../../model/axes/geodesy.ts";
import { type Bounds, boundsOf } from "../../model/query/source.ts";
import { type Stops, Walk } from "../../model/query/walk.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Recording } from "../../model/recording.ts";
import type { MutableState } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import type { Lost } from "../../model/writer.ts";
import type { ExportOptions, ExportReport } from "../exporter.ts";
import { ABOUT, aboutTexts } from "./about.ts";
import { ChannelMessages } from "./channels.ts";
import { Clock } from "./clock.ts";
import { EventMessages } from "./events.ts";
import { carryOriginals } from "./original.ts";
import { LaserScans } from "./scans.ts";
import { StateMessages } from "./state.ts";
import { Topics } from "./topics.ts";
import { McapWriter } from "./writer.ts";

/** zstd's fastest level: the rest of the work is slower than it. */
const LEVEL = 1;

/** Everything that writes into the file. */
interface Parts {
  readonly writer: McapWriter;
  readonly clock: Clock;
  readonly channels: ChannelMessages;
  readonly scans: LaserScans;
  readonly state: StateMessages;
  readonly events: EventMessages | null;
}

/** One pass over a recording, from the start of the range to its end, that writes a file of it. */
export class Pass {
  readonly #recording: Recording;
  readonly #fold: Fold;
  readonly #options: ExportOptions;
  readonly #bounds: Bounds;
  readonly #parts: Parts;
  readonly #origin: Origin;
  /** By id of the recording's channels: whether its messages are written. */
  readonly #isWanted: readonly boolean[];
  readonly #notes: string[];

  private constructor(
    recording: Recording,
    fold: Fold,
    options: ExportOptions,
    bounds: Bounds,
    parts: Parts,
    origin: Origin,
    notes: string[],
  ) {
    this.#recording = recording;
    this.#fold = fold;
    this.#options = options;
    this.#bounds = bounds;
    this.#parts = parts;
    this.#origin = origin;
    const { set, channel } = options;
    this.#isWanted = recording.channels.map(({ name }) => set === undefined && (channel ?? name) === name);
    this.#notes = notes;
  }

  /** Writes the beginning of the file to `sink`, which the caller closes. */
  static async begin(recording: Recording, fold: Fold, sink: ByteSink, options: ExportOptions): Promise<Pass> {
    const { reader } = recording;
    const bounds = await boundsOf({ reader, fold, traits: () => recording.traits() }, options);
    const { epoch } = await recording.timeline();
    const { clock, isUnix } = Clock.of(epoch, Math.min(bounds.start, bounds.first), Math.max(bounds.end, bounds.start));
    const notes = isUnix ? [] : [noEpoch(epoch, clock)];
    const zstd = await compressor(notes);
    const writer = await McapWriter.begin(sink, clock, { zstd });
    const topics = new Topics(writer);
    const scans = new LaserScans(topics, clock);
    const { motion, channels } = recording;
    if (motion !== null) scans.frame = `poses/${motion.name}`;
    const { set, channel, signal } = options;
    const origin = options.origin ?? unsetOrigin();
    const { start, end } = bounds;
    const isAll = set === undefined && channel === undefined;
    const range = { start: options.start, end: options.end, signal };
    const events = isAll ? new EventMessages(topics, clock, recording.events(range), start, writer) : null;
    const parts: Parts = {
      writer,
      clock,
      channels: new ChannelMessages(topics, recording.info.format, channels, scans),
      scans,
      state: new StateMessages(topics, clock, origin, channel === undefined ? set : "", reader.budget ?? null),
      events,
    };
    return new Pass(recording, fold, options, { ...bounds, end: Math.max(start, end) }, parts, origin, notes);
  }

  async run(): Promise<ExportReport> {
    const { writer, events, state } = this.#parts;
    try {
      await this.#walk();
      await events?.writeUntil(Number.POSITIVE_INFINITY);
    } finally {
      await events?.close();
    }
    const { set } = this.#options;
    if (set !== undefined && !state.names.includes(set)) {
      throw new RangeError(`no set ${JSON.stringify(set)} that has things with places in this range`);
    }
    const lost = [...this.#undecoded(), ...(await this.#finish())];
    const of = [...state.names, ...this.#parts.channels.names];
    return { of, count: writer.messages, unit: "message", lost, notes: this.#notes };
  }

  async #walk(): Promise<void> {
    const { every, signal, onProgress } = this.#options;
    const { start, end, first } = this.#bounds;
    const { writer } = this.#parts;
    let step = 0;
    // of the batch: the first row that is not written, and the first that is not folded
    let written = 0;
    let folded = 0;
    const stops: Stops = {
      until: (next) => (every === undefined ? next : start + step * every),
      rows: (_batch, _from, to) => {
        folded = to;
      },
    };
    const walk = await Walk.begin(this.#recording.reader, this.#fold, { start, end }, first, {
      signal,
      onProgress: onProgress === undefined ? undefined : (done) => onProgress(start + done),
    });
    // a range that begins later has the state that it begins with
    if (start > first) this.#moment(walk.state, start);
    for await (const batch of walk.batches()) {
      written = 0;
      folded = 0;
      for (const next of walk.fold(batch, stops)) {
        const waiting = this.#writeRows(batch, written, folded);
        if (waiting !== null) await waiting;
        written = folded;
        if (every === undefined) this.#moment(walk.state, walk.from);
        else for (; start + step * every < next; step++) this.#moment(walk.state, Math.round(start + step * every));
        const { events } = this.#parts;
        if (events?.isDue(walk.from) === true) await events.writeUntil(walk.from);
        if (writer.isFull) await writer.drain();
      }
      await this.#writeRows(batch, written, folded);
      // a moment may have the messages of many batches
      if (writer.isFull) await writer.drain();
    }
    if (every === undefined) this.#moment(walk.state, walk.from);
    else {
      for (; start + step * every < end; step++) {
        this.#moment(walk.state, Math.round(start + step * every));
        if (writer.isFull) await writer.drain();
      }
    }
  }

  /** Writes rows `[from, to)`, of which one moment may have any number; null: the chunk had room for all of them. */
  #writeRows(batch: MessageBatch, from: number, to: number): Promise<void> | null {
    const next = this.#fill(batch, from, to);
    return next === to ? null : this.#writeDrained(batch, next, to);
  }

  async #writeDrained(batch: MessageBatch, from: number, to: number): Promise<void> {
    for (let next = from; next < to; next = this.#fill(batch, next, to)) await this.#parts.writer.drain();
  }

  /** Writes rows `[from, to)` until the chunk is overfull; gives the first that is not written. */
  #fill(batch: MessageBatch, from: number, to: number): number {
    const { channels, writer } = this.#parts;
    for (let i = from; i < to; i++) {
      if (!this.#isWanted[batch.channel[i]!]!) continue;
      if (writer.isOverfull) return i;
      channels.write(batch, i);
    }
    return to;
  }

  #moment(state: MutableState, time: Time): void {
    if (this.#options.channel === undefined) this.#parts.state.write(state, time);
  }

  #undecoded(): readonly Lost[] {
    const reason = "the payload does not fit the channel's schema, so the message has its bytes only";
    return [...this.#parts.channels.undecoded].map(([path, count]) => ({ path, count, reason }));
  }

  /** The files of the recording, what is known of it, and the end of the file. */
  async #finish(): Promise<readonly Lost[]> {
    const { writer, clock } = this.#parts;
    const { original } = this.#options;
    const recording = this.#recording;
    if (original != null) {
      const { bundle, limit = Number.POSITIVE_INFINITY } = original;
      const { files, bytes } = await carryOriginals(writer, recording, bundle, limit, this.#bounds.start);
      if (files.length === 0) {
        const why = bytes === null ? "their size is not known" : `they have ${bytes} bytes, and the limit is ${limit}`;
        this.#notes.push(`the files of the recording are not carried inside: ${why}`);
      }
    }
    const { texts, lost } = aboutTexts(recording, clock, await recording.timeline(), this.#origin);
    await writer.metadata(ABOUT, texts);
    await writer.finish();
    this.#noteShown();
    return lost;
  }

  #noteShown(): void {
    const { state, scans } = this.#parts;
    const { enlarged, crowds, withoutTopic } = state;
    if (enlarged.length > 0) this.#notes.push(`${enlarged.join(", ")}: one metre of the scene is one nanometre`);
    const others = crowds.filter((name) => !enlarged.includes(name));
    if (others.length > 0)
      this.#notes.push(`${others.join(", ")}: one entity of many shapes, without a frame for each`);
    for (const [name, count] of withoutTopic)
      this.#notes.push(`${name}: ${count} things have a frame, and no topic of their own`);
    if (scans.count > 0)
      this.#notes.push(
        `scans lie in the frame ${scans.frame}: the recording does not say where on it the sensor is; rays without a measured range are infinite`,
      );
  }
}

function noEpoch(epoch: bigint | null, { base }: Clock): string {
  const why = epoch === null ? "the recording does not say at which time of day it began" : "its time is before 1970";
  const moved = base === 0n ? "" : `, moved by ${base} ns`;
  return `${why}: times are those since its start${moved}`;
}

/** zstd, or null and a note where it cannot be loaded. */
async function compressor(notes: string[]): Promise<((bytes: Uint8Array) => Uint8Array) | null> {
  try {
    const zstd = await loadZstd();
    return (bytes) => zstd.compress(bytes, { level: LEVEL, checksum: false });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    notes.push("chunks are not compressed: zstd could not be loaded");
    return null;
  }
}
