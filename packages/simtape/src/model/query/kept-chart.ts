import { LayoutError } from "../../bytes/error.ts";
import { type Members, listOf, membersOf, numbersOf, textIn, wholeOf } from "../kept/shapes.ts";
import type { Value } from "../values/value.ts";
import { pathText, type SeriesPath } from "../state/path.ts";
import type { Series } from "./sinks.ts";
import type { SeriesOptions } from "./series.ts";

/** Steps of the whole recording in which a side-car has its first chart: more than any screen has columns. */
export const CHART_POINTS: number = 1 << 13;

/** The first chart of a recording as series, thinned: what `series` gives of all of it with `points: CHART_POINTS`. */
export interface KeptChart {
  readonly series: readonly Series[];
}

export function plainChart(series: readonly Series[]): Value {
  return { points: CHART_POINTS, series: series as unknown as Value };
}

/** Throws `LayoutError` for what is no chart of so many steps. */
export function chartIn(value: Value | undefined): KeptChart {
  const { points, series } = membersOf(value);
  if (wholeOf(points) !== CHART_POINTS) throw new LayoutError("malformed", "a chart of other steps", 0);
  return { series: listOf(series).map((one) => seriesIn(membersOf(one))) };
}

/** Copies of what is kept of these paths, where it is just what is asked for; null: it is not. */
export function keptSeries(
  { series }: KeptChart,
  paths: readonly (SeriesPath | string)[],
  { mode = "minmax", points, every, isAligned }: SeriesOptions,
): readonly Series[] | null {
  if (mode !== "minmax" || points !== CHART_POINTS || every !== undefined || isAligned === true) return null;
  const found = paths.flatMap((path) => {
    const wanted = typeof path === "string" ? path : pathText(path);
    return series.filter(({ text }) => text === wanted).map(copyOf);
  });
  return found.length === paths.length ? found : null;
}

function copyOf(series: Series): Series {
  return { ...series, time: series.time.slice(), value: series.value.slice(), valid: series.valid.slice() };
}

function seriesIn(series: Members): Series {
  const time = numbersOf(series["time"], Float64Array);
  numbersOf(series["value"], Float64Array, time.length);
  numbersOf(series["valid"], Uint8Array, time.length);
  textIn(series["text"]);
  wholeOf(series["moments"]);
  return series as unknown as Series;
}
