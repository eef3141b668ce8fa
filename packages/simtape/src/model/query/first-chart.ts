import { Budget } from "../../bytes/budget.ts";
import type { Recording } from "../recording.ts";
import { HERO, type Showing } from "../showing.ts";
import type { State } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import { numericPaths, type PathInfo } from "./listing.ts";
import type { SeriesPath } from "../state/path.ts";
import { numberAt } from "./probe.ts";

/** Moments that are looked at for what varies, spread over at most so many bytes of the recording. */
const MOMENTS = 12;
const BYTES = 64 << 20;
/** The part of the budget that their states may take, beyond the first and the last. */
const SHARE = 8;
const LEAST_STATES = 2;
/** Things of a set that are looked at for one that moves. */
const THINGS = 64;

type Chart = NonNullable<Showing["charts"]>[number];

/** How the chart to begin with is chosen. Everything is optional. */
export interface FirstChartOptions {
  /** First moment that is looked at; absent: the start. */
  readonly from?: Time | undefined;
  /** Whether later moments are read, too, to see what varies; default true. */
  readonly isReading?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Waited for after every moment. */
  readonly onMoment?: (() => Promise<void>) | undefined;
}

/**
 * The numbers to draw at first: those that the format names and that vary; none of one moment. What a side-car has is
 * taken from there.
 */
export async function firstChartOf(
  recording: Recording,
  { from, isReading = true, signal, onMoment }: FirstChartOptions = {},
): Promise<readonly SeriesPath[]> {
  const kept = (await recording.sideCar?.chart(signal)) ?? null;
  if (kept !== null) return kept.series.map(({ path }) => path);
  const { showing = {} } = await recording.traits();
  const { start, end } = await recording.timeline();
  if (start >= end) return [];
  const first = from ?? start;
  const part = Math.min(1, BYTES / (recording.info.bytes ?? BYTES));
  const step = isReading ? ((end - first) * part) / (MOMENTS - 1) : 0;
  const times = new Set<Time>(Array.from({ length: MOMENTS }, (_, i) => Math.round(first + i * step)));
  const room = (recording.reader.budget ?? new Budget()).limit / SHARE;
  const states: State[] = [];
  let held = 0;
  for (const time of times) {
    const state = await recording.state(time, { signal });
    held += weightOf(state);
    // of states that are large the first ones and the last are enough
    if (held > room && states.length >= LEAST_STATES) states.pop();
    states.push(state);
    await onMoment?.();
  }
  return firstChart(states, showing);
}

/** Memory of the sets of a state, in bytes, about. */
function weightOf({ sets }: State): number {
  let bytes = 0;
  for (const { ids, columns } of sets.values()) {
    bytes += ids.length * 8;
    for (const { data } of columns.values()) bytes += ArrayBuffer.isView(data) ? data.byteLength : data.length * 8;
  }
  return bytes;
}

/**
 * The first of the charts of which anything varies from state to state, with what of it does; where nothing varies, the
 * first of which anything is there.
 */
export function firstChart(states: readonly State[], { charts = [] }: Showing): readonly SeriesPath[] {
  const candidates: readonly Chart[] = [...charts.filter((chart) => chart !== "any"), "any"];
  for (const isWanted of [varies, isThere]) {
    for (const chart of candidates) {
      const paths = chart === "any" ? anyOf(states, isWanted) : chart.map((path) => heroic(states, path));
      const wanted = paths.filter((path) => isWanted(states, path));
      if (wanted.length > 0) return wanted;
    }
  }
  return [];
}

/** The first number of a state for which something is so. */
function anyOf(states: readonly State[], isWanted: typeof varies): SeriesPath[] {
  for (const state of new Set([states.at(-1), states[0]])) {
    const found = state === undefined ? undefined : first(numericPaths(state), ({ path }) => isWanted(states, path));
    if (found !== undefined) return [found.path];
  }
  return [];
}

function first(paths: Iterable<PathInfo>, isWanted: (path: PathInfo) => boolean): PathInfo | undefined {
  for (const path of paths) if (isWanted(path)) return path;
  return undefined;
}

/** A path of the hero, else of a thing of which it varies, else of the first thing. */
function heroic(states: readonly State[], path: SeriesPath): SeriesPath {
  if (!("set" in path) || path.id !== HERO) return path;
  const ids = new Set<number | string>();
  for (const state of states) {
    const set = state.sets.get(path.set);
    const hero = set?.columns.get("label")?.data.indexOf("hero" as never) ?? -1;
    if (hero >= 0) return { ...path, id: set!.ids[hero]! };
    for (const id of set?.ids ?? []) if (ids.size < THINGS) ids.add(id);
  }
  const all = [...ids].map((id) => ({ ...path, id }));
  return all.find((one) => varies(states, one)) ?? all[0] ?? path;
}

function varies(states: readonly State[], path: SeriesPath): boolean {
  return candidatesOf(path).some((candidate) => {
    const numbers = states.map((state) => numberAt(state, candidate)).filter((number) => !Number.isNaN(number));
    return numbers.some((number) => number !== numbers[0]);
  });
}

function isThere(states: readonly State[], path: SeriesPath): boolean {
  return states.some((state) => !Number.isNaN(numberAt(state, candidatesOf(path)[0]!)));
}

/** What states tell of it: of a speed the place. */
function candidatesOf(path: SeriesPath): readonly SeriesPath[] {
  return "set" in path && path.item === "speed" ? [0, 1, 2].map((item) => ({ ...path, item })) : [path];
}
