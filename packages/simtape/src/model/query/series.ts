import type { Reader } from "../reader.ts";
import { channelsOf, scopeOf } from "../scope.ts";
import type { Time, TimeRange } from "../values/time.ts";
import { Room } from "./line.ts";
import type { Telling } from "./listing.ts";
import { findPath, type Named, type SeriesPath } from "../state/path.ts";
import { isCounted, Probe } from "./probe.ts";
import { Reading } from "./reading.ts";
import { AllSink, type Group, isSpeed, MinmaxSink, SampleSink, type Series, type Sink, type Steps } from "./sinks.ts";
import { type Bounds, boundsOf, checkEvery, type QuerySource, tellingOf } from "./source.ts";
import { type OnProgress, Walk } from "./walk.ts";

/** Rows of a batch of series, all paths together, by default. */
const ROWS = 1 << 16;

/** Which times a series has. */
export type SeriesMode =
  /** Every recorded moment at which there is a message of a channel that can change the path. */
  | "all"
  /** Of these, in each step, the first, the lowest, the highest and the last one: all that shows in a line. */
  | "minmax"
  /** The beginnings of steps, and what held there. */
  | "sample";

/** Over which range and in which steps numbers are read. Everything is optional. */
export interface SeriesOptions extends TimeRange {
  /** Absent: `"sample"` with `every`, `"minmax"` with `points`, else `"all"`. */
  readonly mode?: SeriesMode | undefined;
  /** Length of a step, nanoseconds. */
  readonly every?: Time | undefined;
  /** Steps of the range; instead of `every`. */
  readonly points?: number | undefined;
  /** In mode `"all"`: all paths have the same times, those at which any of them may have changed. */
  readonly isAligned?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** The same for series that come in batches. */
export interface SeriesBatchOptions extends SeriesOptions {
  /** About so many rows in each batch, all paths together. Default 65,536. */
  readonly rows?: number | undefined;
}

/** See `Recording.series`. */
export async function seriesOf(
  source: QuerySource,
  paths: readonly (SeriesPath | string)[],
  options: SeriesOptions,
): Promise<readonly Series[]> {
  const plan = await planOf(source, paths, options);
  const sink = sinkOf(source, plan, Number.POSITIVE_INFINITY);
  for await (const _ of passes(source, plan, sink, options));
  return sink.drain();
}

/** See `Recording.seriesBatches`. */
export async function* seriesBatchesOf(
  source: QuerySource,
  paths: readonly (SeriesPath | string)[],
  options: SeriesBatchOptions,
): AsyncGenerator<readonly Series[]> {
  const { rows = ROWS } = options;
  if (!(rows > 0)) throw new RangeError(`rows is a number above 0, not ${rows}`);
  const plan = await planOf(source, paths, options);
  const sink = sinkOf(source, plan, rows);
  for await (const _ of passes(source, plan, sink, options)) yield sink.drain();
  yield sink.drain();
  options.signal?.throwIfAborted();
}

interface Plan {
  readonly mode: SeriesMode;
  readonly steps: Steps;
  readonly bounds: Bounds;
  readonly groups: readonly Group[];
  /** In the order in which they were asked for. */
  readonly probes: readonly Probe[];
}

async function planOf(
  source: QuerySource,
  given: readonly (SeriesPath | string)[],
  options: SeriesOptions,
): Promise<Plan> {
  const { every, points, isAligned = false } = options;
  const { mode = every !== undefined ? "sample" : points !== undefined ? "minmax" : "all" } = options;
  if (every !== undefined && points !== undefined) throw new TypeError("a series has either every or points");
  if (mode !== "all" && every === undefined && points === undefined)
    throw new TypeError(`mode ${JSON.stringify(mode)} needs every or points`);
  checkEvery(every);
  if (points !== undefined && !(points > 0 && Number.isInteger(points)))
    throw new RangeError(`points is a whole number above 0, not ${points}`);
  options.signal?.throwIfAborted();
  const bounds = await boundsOf(source, options);
  const { start, end } = bounds;
  const length = Math.max(0, end - start);
  const step = every ?? (points === undefined ? Number.NaN : length / points);
  const steps = { start, end, every: step, count: points ?? Math.max(1, Math.ceil(length / step)) };
  const telling = await tellingOf(source);
  const paths = await resolved(source, given, bounds, options.signal);
  const { groups, probes } = groupsOf(source.reader, paths, telling, mode, isAligned);
  return { mode, steps, bounds, groups, probes };
}

/** Paths in place of texts. Only what is at neither end of the recording is looked for in all of it. */
async function resolved(
  source: QuerySource,
  given: readonly (SeriesPath | string)[],
  { first, end }: Bounds,
  signal: AbortSignal | undefined,
): Promise<SeriesPath[]> {
  const found = new Map<string, SeriesPath>();
  let missing = given.filter((path) => typeof path === "string");
  const look = (state: Named): void => {
    missing = missing.filter((text) => {
      const path = findPath(text, state);
      if (path !== null) found.set(text, path);
      return path === null;
    });
  };
  for (const time of [first, end]) {
    if (missing.length > 0) look(await source.fold.at(time, signal));
  }
  if (missing.length > 0) {
    const { findInAll } = await import("./paths.ts");
    for (const [text, path] of await findInAll(source, missing, signal)) found.set(text, path);
  }
  return given.map((path) => (typeof path === "string" ? found.get(path)! : path));
}

function sinkOf({ reader }: QuerySource, { mode, steps, groups, probes }: Plan, most: number): Sink {
  const kinds = { all: AllSink, minmax: MinmaxSink, sample: SampleSink };
  return new kinds[mode](groups, probes, steps, new Room(reader.budget), most);
}

/**
 * Probes for all paths, and groups of those that are read at the same moments. What is sampled is not read at moments, but
 * for speeds. The numbers of a group lie one behind the other; behind all of them those from which others are counted.
 */
function groupsOf(
  reader: Reader,
  paths: readonly SeriesPath[],
  telling: Telling,
  mode: SeriesMode,
  isAligned: boolean,
): Pick<Plan, "groups" | "probes"> {
  const found = new Map<string, { readonly channels: Set<number>; readonly paths: number[]; isEven: boolean }>();
  for (const [n, path] of paths.entries()) {
    const channels = momentsOf(reader, path, mode);
    const key = isAligned && mode === "all" ? "" : `${isSpeed(path)} ${channels.join(" ")}`;
    const group = found.get(key) ?? { channels: new Set(channels), paths: [], isEven: true };
    found.set(key, group);
    group.isEven &&= channels.length === group.channels.size && channels.every((id) => group.channels.has(id));
    for (const channel of channels) group.channels.add(channel);
    group.paths.push(n);
  }
  const numbers = new Float64Array(paths.length + 3 * paths.filter(isCounted).length);
  const probes: Probe[] = [];
  let place = 0;
  let parts = paths.length;
  const groups = Array.from(found.values(), ({ channels, paths: members, isEven }): Group => {
    const own = members.map((n) => {
      const path = paths[n]!;
      const probe = Probe.of(path, telling, { numbers, place: place++, parts });
      if (isCounted(path)) parts += 3;
      probes[n] = probe;
      return probe;
    });
    return { channels: [...channels], isEven, probes: own };
  });
  return { groups, probes };
}

/** Ids of the channels whose messages are moments of a path: of a speed those of motion, if it depends on them. */
function momentsOf(reader: Reader, path: SeriesPath, mode: SeriesMode): readonly number[] {
  if (!isSpeed(path)) return mode === "sample" ? [] : channelsOf(reader, path);
  const channels = channelsOf(reader, path);
  const { motion } = reader.state;
  return motion !== null && channels.includes(motion) ? [motion] : channels;
}

/** Goes through the range; comes back each time the sink is full. */
async function* passes(
  { reader, fold }: QuerySource,
  { steps, bounds, probes }: Plan,
  sink: Sink,
  options: SeriesOptions,
): AsyncGenerator<void> {
  const { start, end } = steps;
  if (probes.length === 0 || start >= end) return;
  const paths = probes.map(({ path }) => path);
  const narrowed = fold.narrowed(
    scopeOf(
      reader,
      paths,
      probes.map(({ text }) => text),
    ),
  );
  const speeds = paths.filter(isSpeed);
  const begin = await warmUpFrom(reader, speeds, bounds, options.signal);
  const walk = await Walk.begin(reader, narrowed, { start: begin, end }, bounds.first, options);
  const columnar = narrowed.scope.model.columns === undefined ? null : await import("./columnar.ts");
  const reading = new Reading(reader, narrowed.scope, walk, sink, probes, columnar);
  for await (const batch of walk.batches(reading.isReading ? () => reading.settle() : undefined)) {
    for (let i = reading.advance(batch, 0); i < batch.length; i = reading.advance(batch, i)) yield;
  }
  while (reading.end(end)) yield;
  sink.finish();
}

/** Where to begin so that speeds at the beginning are known: two moments of theirs before. */
async function warmUpFrom(
  reader: Reader,
  speeds: readonly SeriesPath[],
  { start, first }: Bounds,
  signal: AbortSignal | undefined,
): Promise<Time> {
  if (speeds.length === 0 || start <= first) return start;
  const ids = new Set(speeds.flatMap((path) => momentsOf(reader, path, "all")));
  let begin = start;
  for (const id of ids) {
    const channels = reader.channels.filter((channel) => channel.id === id);
    const times = new Set<Time>();
    looking: for await (const batch of reader.batches({ end: start, channels, reverse: true, signal })) {
      for (let i = batch.length - 1; i >= 0; i--) {
        times.add(batch.time[i]!);
        if (times.size === 2) break looking;
      }
    }
    begin = Math.min(begin, ...times);
  }
  return begin;
}
