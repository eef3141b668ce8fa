// for users whose `lib` is older
/// <reference lib="esnext.disposable" preserve="true" />
import type { SourceBundle } from "../io/source/source.ts";
import { type Annotation, annotationsOf } from "./annotation.ts";
import type { MessageBatch } from "./messages/batch.ts";
import type { Dissector } from "./dissector.ts";
import { type Finding, type Findings, RecordingError } from "./error.ts";
import { Fold } from "./fold.ts";
import { interpolateStates } from "./state/interpolate.ts";
import { type Message, Messages } from "./messages/message.ts";
import type { EventQuery, RecordingEvent } from "./query/event.ts";
import type { Table, TableOptions } from "./query/table.ts";
import type { PathInfo } from "./query/listing.ts";
import type { SeriesPath } from "./state/path.ts";
import type { PathsOptions } from "./query/paths.ts";
import type { SeriesBatchOptions, SeriesOptions } from "./query/series.ts";
import type { Series } from "./query/sinks.ts";
import type { QuerySource } from "./query/source.ts";
import type { StatesOptions } from "./query/states.ts";
import type { ThingIds } from "./query/thing-ids.ts";
import type { ThingsOptions } from "./query/things.ts";
import type { Reader } from "./reader.ts";
import type { Format } from "./format.ts";
import type { Keyframe } from "./messages/keyframe.ts";
import type { Query } from "./messages/batch-query.ts";
import type { NativeRecord } from "./native-record.ts";
import type { RecordingInfo } from "./recording-info.ts";
import type { SideCar } from "./side-car/side-car.ts";
import type { State } from "./state/state.ts";
import { after, type Time, type Timeline } from "./values/time.ts";
import { NO_TRAITS, type Traits } from "./traits.ts";
import type { Channel, ChannelInfo, ChannelStatistics, Schema, Value } from "./values/value.ts";

/** How the state at a time is made. Everything is optional. */
export interface StateOptions {
  /** Interpolates between two messages of the motion channel; off: state is as recorded. */
  readonly interpolate?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An open recording. `Channels` says what its channels decode to, by name, where the format is known when it is opened
 * (`formats: [carla]`) or asked for (`is(carla)`); any other is a recording of any format.
 */
export class Recording<Channels extends object = object, Id extends string = string> implements AsyncDisposable {
  readonly info: RecordingInfo<Id>;
  readonly channels: readonly Channel[];
  /** The side-car that it was opened with; null: none. It is closed with the recording. */
  readonly sideCar: SideCar | null;
  readonly #reader: Reader;
  readonly #findings: Pick<Findings, "list">;
  readonly #fold: Fold;
  readonly #format: Format<Channels, Id> | null;
  readonly #bundle: SourceBundle | null;
  #isClosed = false;

  /**
   * Made by `open`; `format` is the one that opened it, and null where a reader stands alone. Takes over `sideCar`.
   * `bundle` has what lies beside it; null: nothing does.
   */
  constructor(
    reader: Reader,
    findings: Pick<Findings, "list">,
    format: Format<Channels, Id> | null = null,
    sideCar: SideCar | null = null,
    bundle: SourceBundle | null = null,
  ) {
    this.#reader = reader;
    this.#findings = findings;
    this.sideCar = sideCar;
    this.#fold = new Fold(reader, undefined, undefined, undefined, sideCar?.states);
    this.#format = format;
    this.#bundle = bundle;
    const info = reader.info as RecordingInfo<Id>;
    this.info = sideCar?.scans.areUsed === true ? { ...info, seekIndex: "kept" } : info;
    this.channels = reader.channels;
  }

  /** The reader of the format, for writing, editing and repairing. It is closed with the recording. */
  get reader(): Reader {
    return this.#reader;
  }

  /** The traits of its format; see `Traits`. */
  traits(): Promise<Traits> {
    return this.#guard(async () => (await this.#format?.traits?.()) ?? NO_TRAITS);
  }

  /** Findings so far; further reading may add some. */
  get findings(): readonly Finding[] {
    return this.#findings.list();
  }

  /** The channel whose messages carry motion, when the format has one. */
  get motion(): Channel | null {
    const id = this.#reader.state.motion;
    return id === null ? null : (this.channels[id] ?? null);
  }

  /** Exact bounds. */
  timeline(): Promise<Timeline> {
    return this.#guard(() => this.#reader.timeline());
  }

  /** By channel id; reads the whole recording unless the file states them. */
  statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]> {
    return this.#guard(() => this.#reader.statistics(signal));
  }

  /**
   * Whether it is one of this format; its channels then have their types. TypeScript narrows a recording by this, and
   * not by `info.format`.
   */
  is<C extends object, I extends string>(format: Format<C, I>): this is Recording<C, I> {
    return (this.info.format as string) === format.id;
  }

  /**
   * The channel of that name. Throws `RangeError` when there is none. Its messages are decoded by `schema`, or by the
   * schema of the format.
   */
  channel<Name extends string & keyof Channels>(name: Name): Channel<Channels[Name]>;
  channel<T>(name: string, schema: Schema<T>): Channel<T>;
  channel(name: string): Channel;
  channel<T>(name: string, schema?: Schema<T>): Channel<T> | Channel {
    const found = this.channels.find((channel) => channel.name === name);
    if (found === undefined) {
      throw new RangeError(
        `no channel ${JSON.stringify(name)}; there are: ${this.channels.map((c) => c.name).join(", ")}`,
      );
    }
    return schema === undefined ? found : { ...found, schema };
  }

  /** Messages as columns, ascending by (time, sequence); see `Query`. */
  batches(query: Query = {}): AsyncGenerator<MessageBatch> {
    return this.#guarded(this.#reader.batches(query));
  }

  /**
   * Messages one by one, of one channel or of all. In reverse, the latest first.
   * Throws `RangeError` for a name that no channel has.
   */
  messages<Name extends string & keyof Channels>(
    channel: Name,
    query?: Omit<Query, "channels">,
  ): AsyncGenerator<Message<Channels[Name]>>;
  messages<T = Value>(channel?: Channel<T> | string, query?: Omit<Query, "channels">): AsyncGenerator<Message<T>>;
  messages<T = Value>(named?: Channel<T> | string, query: Omit<Query, "channels"> = {}): AsyncGenerator<Message<T>> {
    const channel = typeof named === "string" ? (this.channel(named) as unknown as Channel<T>) : named;
    const channels = channel === undefined ? undefined : [channel];
    const channelOf = (id: number): Channel<T> => channel ?? (this.channels[id] as unknown as Channel<T>);
    return new Messages(this.batches({ ...query, channels }), channelOf, query.reverse === true);
  }

  /** Notes that were kept with it, ascending by time. They are events, too. Looks beside the recording at each call. */
  annotations(): Promise<readonly Annotation[]> {
    return this.#guard(async () => annotationsOf(this.info, (await this.traits()).room, this.#bundle));
  }

  /**
   * Events: collisions, spawns, chat, marks, notes …, ascending by (time, sequence); docs/events-and-tables.md lists the
   * kinds of each format. Each array is of a few messages, and may be empty. A part of a recording has the events that
   * the whole has in that time. Only channels that can have events of `kinds` are read.
   */
  async *events(query: EventQuery = {}): AsyncGenerator<readonly RecordingEvent[]> {
    this.#check();
    const kept = query.listed === true ? null : ((await this.sideCar?.events(query.signal)) ?? null);
    const { keptEvents, readEvents } = await import("./query/events.ts");
    const { withAnnotations } = await import("./query/annotated.ts");
    const events = kept === null ? readEvents(this, query) : [keptEvents(kept, query)];
    yield* this.#guarded(withAnnotations(events, await this.annotations(), query));
  }

  /**
   * Rows of typed columns: of a set of the state, by its name, one row for each thing at each recorded moment; of a
   * channel one for each message, or for each item of those that are lists. All columns are known before the first
   * batch, as the range is read once for them; of a set only until those of `columns` are met. Numbers are as recorded,
   * unless `axes` says otherwise. Rejects with `RangeError` for a set, column or thing that is not there.
   */
  table(of: string | ChannelInfo, options: TableOptions = {}): Promise<Table> {
    return this.#guard(async () => {
      const { rowsOf, Table } = await import("./query/table.ts");
      const known = options.ids === undefined ? null : await this.sideCar?.things(options.signal);
      const rows = await rowsOf(this.#queries(), this.channels, of, options, known);
      return new Table({ ...rows, batches: () => this.#guarded(rows.batches()) });
    });
  }

  /** Every byte of the file in order, cut into records. */
  async *records(signal?: AbortSignal): AsyncGenerator<readonly NativeRecord[]> {
    this.#check();
    try {
      yield* this.#reader.records(signal);
    } catch (error) {
      throw RecordingError.from(error, this.info.format);
    }
  }

  /**
   * Names the fields of records and messages. Throws `RecordingError` for an edited recording, which has no records.
   */
  dissector(): Promise<Dissector> {
    return this.#guard(() => {
      const dissector = this.#reader.dissector?.();
      if (dissector !== undefined) return dissector;
      const { format } = this.info;
      throw new RecordingError("unsupported", "an edited recording has no bytes of its own", { format });
    });
  }

  /** The latest keyframe at or before `time`: state can be built from there. */
  keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null> {
    return this.#guard(() => this.#reader.keyframe(time, signal));
  }

  /** The state at `time`: everything recorded at or before it. */
  state(time: Time, options: StateOptions = {}): Promise<State> {
    return this.#guard(async () => {
      const state = (await this.#fold.at(time, options.signal)).freeze();
      return options.interpolate === true ? this.#interpolated(state, time, options.signal) : state;
    });
  }

  /**
   * Every number, boolean and text of values and columns, and when it is there first and last: goes through the range
   * once, and folds all of it. With `at`, what is there at that time, which takes no longer than a state.
   */
  paths(options: PathsOptions = {}): Promise<readonly PathInfo[]> {
    return this.#guard(async () => {
      const isWhole = options.at === undefined && options.start === undefined && options.end === undefined;
      const kept = isWhole ? ((await this.sideCar?.paths(options.signal)) ?? null) : null;
      return kept ?? (await import("./query/paths.ts")).pathsOf(this.#queries(), options);
    });
  }

  /**
   * Ids of all things of each set that are there at any time of the range, also those that come and go within it: goes
   * through the range once, unless a side-car has them.
   */
  things(options: ThingsOptions = {}): Promise<ThingIds> {
    return this.#guard(async () => {
      const isWhole = options.start === undefined && options.end === undefined;
      const kept = isWhole ? ((await this.sideCar?.things(options.signal)) ?? null) : null;
      return kept ?? (await import("./query/things.ts")).thingsOf(this.#queries(), options);
    });
  }

  /**
   * Numbers and texts over time, in the order asked for; texts name paths as `paths` does, which may take a pass of its
   * own for one that is there at neither end of the recording. Goes through the range once, and folds no more than the
   * paths need. Speeds are those from one message of motion to the next. Throws `PathError` for a text that is no path,
   * and `RecordingError` with code `over-budget` when more comes than the budget has: then ask for batches.
   */
  series(paths: readonly (SeriesPath | string)[], options: SeriesOptions = {}): Promise<readonly Series[]> {
    return this.#guard(async () => {
      const kept = await this.#keptSeries(paths, options);
      return kept ?? (await import("./query/series.ts")).seriesOf(this.#queries(), paths, options);
    });
  }

  /** The same in pieces, one behind the other: in each a series for every path, with the rows that came since. */
  async *seriesBatches(
    paths: readonly (SeriesPath | string)[],
    options: SeriesBatchOptions = {},
  ): AsyncGenerator<readonly Series[]> {
    const kept = await this.#keptSeries(paths, options);
    if (kept !== null) {
      yield kept;
      return;
    }
    const { seriesBatchesOf } = await import("./query/series.ts");
    yield* this.#guarded(seriesBatchesOf(this.#queries(), paths, options));
  }

  /** What `state` gives at one time after the other, folded forward once. Each is immutable. */
  async *states(options: StatesOptions = {}): AsyncGenerator<State> {
    const { statesOf } = await import("./query/states.ts");
    yield* this.#guarded(statesOf(this.#queries(), options));
  }

  /** Idempotent; reads after it reject with code `closed`. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.sideCar?.close();
    await this.#reader.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** From the side-car; null: it has not just that. */
  async #keptSeries(
    paths: readonly (SeriesPath | string)[],
    options: SeriesOptions,
  ): Promise<readonly Series[] | null> {
    if (this.sideCar?.hasChart !== true || options.points === undefined) return null;
    const { start, end } = await this.timeline();
    const isWhole = (options.start ?? start) === start && (options.end ?? after(end)) === after(end);
    const chart = isWhole ? await this.sideCar.chart(options.signal) : null;
    return chart === null ? null : (await import("./query/kept-chart.ts")).keptSeries(chart, paths, options);
  }

  async #interpolated(state: State, time: Time, signal: AbortSignal | undefined): Promise<State> {
    const { motion } = this;
    if (motion === null) return state;
    const channels = [motion];
    let from: Time | null = null;
    let to: Time | null = null;
    for await (const batch of this.#reader.batches({ end: after(time), channels, reverse: true, signal })) {
      from = batch.time[batch.length - 1]!;
      break;
    }
    for await (const batch of this.#reader.batches({ start: after(time), channels, signal })) {
      to = batch.time[0]!;
      break;
    }
    if (from === null || to === null || from === time) return state;
    const next = (await this.#fold.at(to, signal)).freeze();
    const model = this.#reader.state;
    return interpolateStates({ ...state, time: from }, next, time, (path) => model.interpolation?.(path) ?? "hold");
  }

  async *#guarded<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    this.#check();
    try {
      for await (const item of items) {
        yield item;
        this.#check();
      }
    } catch (error) {
      throw RecordingError.from(error, this.info.format);
    }
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    try {
      return await work();
    } catch (error) {
      throw RecordingError.from(error, this.info.format);
    }
  }

  #queries(): QuerySource {
    return { reader: this.#reader, fold: this.#fold, traits: () => this.traits() };
  }

  #check(): void {
    if (this.#isClosed) throw new RecordingError("closed", "the recording is closed", { format: this.info.format });
  }
}
