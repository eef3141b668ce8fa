import { HERO, type PathInfo, type SeriesPath, type Showing, type State, type Time } from "simtape";
import { numberAt, numericPaths } from "../plots/paths.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";

/** Moments that are looked at for what varies, spread over at most so many bytes of the recording. */
const MOMENTS = 12;
const BYTES = 64 << 20;
/** Things of a set that are looked at for one that moves. */
const THINGS = 64;

type Chart = NonNullable<Showing["charts"]>[number];

/** The chart to begin with. */
export const charts: Query<"charts"> = async (engine, { recording: id, from, isReading }, signal) => {
  const recording = engine.recording(id);
  const { showing = {} } = await recording.traits();
  const { start, end } = await recording.timeline();
  if (start >= end) return [];
  const part = Math.min(1, BYTES / (recording.info.bytes ?? BYTES));
  const step = isReading ? ((end - from) * part) / (MOMENTS - 1) : 0;
  const times = new Set<Time>(Array.from({ length: MOMENTS }, (_, i) => Math.round(from + i * step)));
  const states: State[] = [];
  const breather = new Breather(signal, engine);
  for (const time of times) {
    states.push(await recording.state(time, { signal }));
    await breather.breathe();
  }
  return firstChart(states, showing);
};

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
  return toldOf(path).some((told) => {
    const numbers = states.map((state) => numberAt(state, told)).filter((number) => !Number.isNaN(number));
    return numbers.some((number) => number !== numbers[0]);
  });
}

function isThere(states: readonly State[], path: SeriesPath): boolean {
  return states.some((state) => !Number.isNaN(numberAt(state, toldOf(path)[0]!)));
}

/** What states tell of it: of a speed the place. */
function toldOf(path: SeriesPath): readonly SeriesPath[] {
  return "set" in path && path.item === "speed" ? [0, 1, 2].map((item) => ({ ...path, item })) : [path];
}
