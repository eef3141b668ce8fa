import type { SourceBundle } from "../io/source/source.ts";
import { type MessageBatch, KEYFRAME } from "../model/messages/batch.ts";
import { type Finding, RecordingError } from "../model/error.ts";
import { Growth } from "../model/state/growth.ts";
import { openBundle } from "../model/open.ts";
import { eventKinds, eventTap } from "../model/query/events.ts";
import type { RecordingEvent } from "../model/query/event.ts";
import { firstChartOf } from "../model/query/first-chart.ts";
import { type Inventory, nameFactsOf } from "../model/query/name-facts.ts";
import { CHART_POINTS, plainChart } from "../model/query/kept-chart.ts";
import type { PathInfo } from "../model/query/listing.ts";
import { PathTap } from "../model/query/paths.ts";
import { plainThings, type ThingIds } from "../model/query/thing-ids.ts";
import type { Series } from "../model/query/sinks.ts";
import type { Format, OpenOptions } from "../model/format.ts";
import type { Recording } from "../model/recording.ts";
import { type FileKey, keysOf } from "../model/side-car/key.ts";
import { type Packed, packed, writeSideCar } from "../model/side-car/layout.ts";
import { plainOf } from "../model/side-car/plain-state.ts";
import { Scans } from "../model/kept/scans.ts";
import { plainAbout } from "../model/side-car/side-car.ts";
import { stateName } from "../model/side-car/kept-states.ts";
import { MutableState, type State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import type { Value } from "../model/values/value.ts";

/** Part of the recording that its side-car may have, and bytes that it may have in any case. */
const SHARE = 0.01;
const LEAST = 64 << 10;
/** Payload bytes between two states, at first. */
const EVERY = 8 << 20;
/** Paths that are listed at most: more are none to choose from. */
const MOST_PATHS = 1 << 17;
/** Bytes of states that are held until they are written, at most. */
const STATES_BYTES = 64 << 20;
/** Part of the room that events, the chart, and paths may take, each. */
const LIST_PART = 0.25;

/** Of long lists this part is packed first: if that does not fit, the whole does not either. */
const TRIED = 16;

/** How a side-car is made. Everything is optional. */
export interface SideCarOptions extends Omit<OpenOptions, "seekIndex" | "scans"> {
  /** Payload bytes between two states at least, 8 MiB by default: about so much is folded at most after a jump. */
  readonly every?: number | undefined;
  /** Whether paths are listed also where values are decoded late, which takes several times as long; default false. */
  readonly paths?: boolean | undefined;
  /** Bytes that it may have; by default one percent of those of the recording, and 64 KiB in any case. */
  readonly room?: number | undefined;
}

/** What a side-car holds. */
export interface SideCarReport {
  /** Bytes of the recording, and of the side-car. */
  readonly recordingBytes: number;
  readonly bytes: number;
  /** States that it has, so that folding begins near every time. */
  readonly states: number;
  /** Events and paths that it lists; null: there is no room for them, or it would take too long to list them. */
  readonly events: number | null;
  readonly paths: number | null;
  /** What a scan learned is kept; false: the file has an index of its own. */
  readonly hasScan: boolean;
  /** The series of the first chart are kept; false: there is no room for them, or nothing to draw. */
  readonly hasChart: boolean;
  /** What is wrong with the recording, as far as it was read. */
  readonly findings: readonly Finding[];
}

/**
 * Makes the side-car of a recording: opens it, reads it once from start to end, and gives the bytes of the side-car.
 * Rejects with `RecordingError`: what `open` gives, `unsupported` for a recording that can have none, `source-changed`
 * when its files change meanwhile.
 */
export async function makeSideCar(
  bundle: SourceBundle,
  formats: readonly Format[],
  options: SideCarOptions = {},
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly report: SideCarReport }> {
  const scans = new Scans(null, true);
  const recording = await openBundle(bundle, formats, { ...options, scans });
  try {
    return await made(recording, bundle, formats, scans, options);
  } finally {
    await recording.close();
  }
}

async function made(
  recording: Recording,
  bundle: SourceBundle,
  formats: readonly Format[],
  scans: Scans,
  options: SideCarOptions,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly report: SideCarReport }> {
  const { format: id, bytes: size } = recording.info;
  const format = formats.find((one) => one.id === id);
  const before = await keysOfFiles(bundle, recording, options.signal);
  if (before === null || size === null || format?.variant === null) {
    const message = `cannot keep a seek index of it, because its files may grow, or are too many: ${bundle.name ?? "recording"}`;
    throw new RecordingError("unsupported", message, { format: id });
  }
  const room = options.room ?? Math.max(LEAST, Math.floor(size * SHARE));
  const sections = new Map<string, Packed>();
  const learned = scans.learned();
  const hasScan = Object.keys(learned).length > 0;
  if (hasScan) sections.set("scans", packed(learned));
  let left = room - (sections.get("scans")?.bytes.length ?? 0);
  const pass = await Pass.over(recording, options.every ?? EVERY, Math.min(left, STATES_BYTES), options);
  const fits = ({ bytes }: Packed): boolean => bytes.length <= Math.min(left, room * LIST_PART);
  const keep = (name: string, value: unknown): boolean => {
    const section = packed(value as Value);
    if (!fits(section)) return false;
    sections.set(name, section);
    left -= section.bytes.length;
    return true;
  };
  // most lists that do not fit are many times too long: packing takes longer than reading
  const mayFit = (list: readonly unknown[]): boolean =>
    list.length < TRIED || fits(packed(list.slice(0, list.length / TRIED) as Value));
  const keepAll = (name: string, list: readonly unknown[] | null): number | null =>
    list !== null && mayFit(list) && keep(name, list) ? list.length : null;
  if (pass.things !== null) keep("things", plainThings(pass.things));
  const events = keepAll("events", pass.events);
  const names = await namesOf(recording, pass, options.signal);
  if (names !== null) {
    const { named, ...outline } = names;
    if (keep("names", outline)) keep("values", named);
  }
  const chart = await chartOf(recording, options.signal);
  const hasChart = chart.length > 0 && keep("chart", plainChart(chart));
  const paths = keepAll("paths", pass.paths);
  const states = pass.fitting(left);
  for (const [index, { section }] of states.entries()) sections.set(stateName(index), section);
  const after = await keysOfFiles(bundle, recording, options.signal);
  if (JSON.stringify(before) !== JSON.stringify(after))
    throw new RecordingError("source-changed", "its files changed while they were read", { format: id });
  const about = {
    ...{ format: id, variant: format?.variant ?? null, keys: before },
    channels: recording.channels.map(({ name }) => name),
    times: Float64Array.from(states, ({ time }) => time),
  };
  const bytes = writeSideCar(plainAbout(about), sections);
  if (bytes.length > room) {
    const message = `its seek index would have ${bytes.length} bytes, ${room} are allowed`;
    throw new RecordingError("unsupported", message, { format: id });
  }
  return {
    bytes,
    report: {
      recordingBytes: size,
      bytes: bytes.length,
      states: states.length,
      events,
      paths,
      hasScan,
      hasChart,
      findings: recording.findings,
    },
  };
}

/** What expressions can name; null: there is too much of it. */
async function namesOf(
  recording: Recording,
  { paths, inventory, last, events }: Pass,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof nameFactsOf> | null> {
  if (inventory === null || last === null) return null;
  const { start } = await recording.timeline();
  const first = await recording.state(start, { signal });
  const { unitOf } = await recording.traits();
  return nameFactsOf({
    ...{ states: [first, last], paths, inventory },
    telling: { unitOf: (value) => unitOf?.(value) ?? null },
    isSound: recording.findings.length === 0,
    kinds: events === null ? null : [...new Set(events.map(({ kind }) => kind))],
    possibleKinds: await eventKinds(recording),
  });
}

/** The numbers to draw at first, by a pass of their own, which folds no more than these need. */
async function chartOf(recording: Recording, signal: AbortSignal | undefined): Promise<readonly Series[]> {
  const paths = await firstChartOf(recording, { signal });
  return recording.series(paths, { points: CHART_POINTS, signal });
}

/** The keys of the files, by sources of its own. */
async function keysOfFiles(
  bundle: SourceBundle,
  { reader }: Recording,
  signal: AbortSignal | undefined,
): Promise<readonly FileKey[] | null> {
  const main = await bundle.open();
  if (main === null) return null;
  const open = [main];
  try {
    return await keysOf(
      main,
      bundle,
      reader.siblings ?? [],
      async (name) => {
        const source = await bundle.open(name);
        if (source !== null) open.push(source);
        return source;
      },
      signal,
    );
  } finally {
    for (const source of open) await source.close();
  }
}

/** A state is held as it is folded and as it is kept at the end, and the recording has one of each kind of its own. */
const COPIES = 4;

interface PackedState {
  readonly time: Time;
  readonly section: Packed;
}

/** Goes over a recording once: folds it, packs a state now and then, and collects events. */
class Pass {
  /** Null: there are too many to be kept, or the format finds none. */
  events: RecordingEvent[] | null = [];
  /** Null: there are too many to be kept, or they take too long. */
  paths: readonly PathInfo[] | null = null;
  /** Null: they are too many. */
  things: ThingIds | null = null;
  /** What there is of values and sets; null: it is too much. */
  inventory: Inventory | null = null;
  /** The state at the end; null: there is none. */
  last: State | null = null;
  #states: PackedState[] = [];
  #every: number;
  readonly #room: number;

  private constructor(every: number, room: number) {
    this.#every = Math.max(1, every);
    this.#room = room;
  }

  static async over(recording: Recording, every: number, room: number, options: SideCarOptions): Promise<Pass> {
    const pass = new Pass(every, room);
    const { reader } = recording;
    const { signal } = options;
    const tap = await eventTap(recording, signal);
    const { start, end } = await recording.timeline();
    const size = recording.info.bytes ?? 0;
    const state = new MutableState();
    reader.state.begin?.(state);
    const growth = new Growth(reader.budget, COPIES);
    const paths = new PathTap(reader, state, MOST_PATHS, options.paths === true);
    const keyframes = new FullKeyframes(recording);
    let since = 0;
    let last: Time = Number.NEGATIVE_INFINITY;
    for await (const batch of recording.batches({ signal })) {
      if (batch.length === 0) continue;
      if (since >= pass.#every && batch.time[0]! > last) {
        state.time = last;
        pass.#lay(state);
        since = 0;
      }
      for (let from = 0; from < batch.length; ) {
        if (batch.time[from]! > last) paths.end(state, last);
        if (from > 0 && since >= pass.#every) {
          state.time = last;
          pass.#lay(state);
          since = 0;
        }
        let to = from;
        // paths are listed moment by moment
        for (; to < batch.length && since < pass.#every && batch.time[to] === batch.time[from]; to++)
          since += batch.end[to]! - batch.start[to]!;
        // a moment is not cut
        while (to < batch.length && batch.time[to] === (to === 0 ? last : batch.time[to - 1])) to++;
        paths.rows(batch, from, to);
        growth.apply(reader.state, state, batch, from, to);
        last = batch.time[to - 1]!;
        from = to;
      }
      if (await keyframes.isIn(batch)) since = 0;
      if (tap !== null) for (const found of tap.take(batch)) pass.#collect(found);
      if (end > start) options.onProgress?.((size * (last - start)) / (end - start), size);
    }
    if (tap !== null) pass.#collect(tap.rest());
    paths.end(state, last);
    state.time = last;
    pass.last = Number.isFinite(last) ? state.freeze() : null;
    pass.things = paths.things.found;
    pass.paths = await paths.list(() => recording.traits());
    pass.inventory = paths.inventory();
    return pass;
  }

  /** As many states as there is room for, evenly spread. */
  fitting(room: number): readonly PackedState[] {
    while (this.#states.length > 0 && this.#bytes() > room - ABOUT_BYTES) this.#halve();
    return this.#states;
  }

  #lay(state: MutableState): void {
    let section: Packed;
    try {
      section = packed(plainOf(state));
    } catch (error) {
      // A format of another package may keep what is no value: then folding begins at the start, as ever.
      if (!(error instanceof TypeError)) throw error;
      this.#every = Number.POSITIVE_INFINITY;
      this.#states = [];
      return;
    }
    this.#states.push({ time: state.time, section });
    while (this.#states.length > 0 && this.#bytes() > this.#room) this.#halve();
  }

  #halve(): void {
    this.#states = this.#states.filter((_, i) => i % 2 === 1);
    this.#every *= 2;
  }

  #bytes(): number {
    return this.#states.reduce((sum, { section }) => sum + section.bytes.length + ENTRY_BYTES, 0);
  }

  #collect(found: readonly RecordingEvent[]): void {
    if (this.events === null) return;
    if (this.events.length + found.length > this.#room / LEAST_EVENT) this.events = null;
    else for (const event of found) this.events.push(event);
  }
}

/** What the directory says of a section, and all the rest that it says, about. */
const ENTRY_BYTES = 48;
const ABOUT_BYTES = 16 << 10;
/** Bytes that the smallest event takes, packed. */
const LEAST_EVENT = 2;

/** Says where the file itself has places from which to fold. */
class FullKeyframes {
  readonly #recording: Recording;
  #areFull: boolean | null = null;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Whether a batch has one of which state can be built without what is before it. */
  async isIn({ flags, time, length }: MessageBatch): Promise<boolean> {
    if (this.#areFull === false) return false;
    for (let i = length - 1; i >= 0; i--) {
      if ((flags[i]! & KEYFRAME) === 0) continue;
      this.#areFull ??= (await this.#recording.keyframe(time[i]!))?.channels === null;
      return this.#areFull;
    }
    return false;
  }
}
