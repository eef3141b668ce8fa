import { pathText, type Recording, type Series, type SeriesPath } from "simtape";
import { expressionOf } from "../plots/derived.ts";
import type { Range } from "../plots/shared.ts";
import type { Query } from "./query.ts";
import { Breather, type Precedence } from "./breather.ts";
import { lineOf, Survey, withNeighbours } from "./survey.ts";

/** Numbers that are remembered, of all that were asked for. */
const REMEMBERED = 64;
/** Between two reports of what is there so far, milliseconds. */
const REPORT_EVERY = 100;

interface Surveyed {
  readonly bounds: Range;
  /** By the path's text, those asked for last at the end. */
  readonly byText: Map<string, SurveyedPath>;
}

/** The survey that has a path, and as which of its paths. */
interface SurveyedPath {
  readonly survey: Survey;
  readonly index: number;
}

const surveys = new WeakMap<Recording, Promise<Surveyed>>();

/** Numbers over time as lines. Progress is what is known so far, of those that are recorded. */
export const series: Query<"series"> = async (engine, ask, signal, report) => {
  const { paths } = ask;
  const derived = paths.filter((path) => expressionOf(path) !== null);
  if (derived.length === 0) return recorded(engine, ask, signal, report);
  const recording = engine.recording(ask.recording);
  const { derivedLine } = await import("./derived.ts");
  const own = paths.filter((path) => expressionOf(path) === null);
  const lines = own.length === 0 ? [] : [...(await recorded(engine, { ...ask, paths: own }, signal, report))];
  for (const path of derived) lines.push(await derivedLine(recording, path, ask, ask.columns, signal, engine));
  const byText = new Map(lines.map((line) => [pathText(line.path), line]));
  return paths.flatMap((path) => byText.get(pathText(path)) ?? []);
};

const recorded: Query<"series"> = async (engine, ask, signal, report) => {
  const { recording: id, paths, columns } = ask;
  const recording = engine.recording(id);
  const surveyed = await surveyedOf(recording);
  const places = surveyedPathsOf(recording, surveyed, paths, engine);
  const { start, end } = surveyed.bounds;
  const known = (): Series[] =>
    places.flatMap(({ survey, index }) => {
      const found = survey.series(index);
      return found === null ? [] : [lineOf(found, ask, columns, Math.min(end - 1, survey.reached))];
    });
  let reported = 0;
  const tell = (time: number): void => {
    const now = performance.now();
    if (now - reported < REPORT_EVERY) return;
    reported = now;
    report({ done: time - start, total: end - start, partial: known() });
  };
  for (const survey of new Set(places.map((place) => place.survey))) await survey.complete(tell, signal);
  return isCoarse(places, ask) ? closer(recording, places, ask, signal) : known();
};

/** Whether a finer look at the range could show more than its steps do. */
function isCoarse(places: readonly SurveyedPath[], { start, end, columns }: Parameters<typeof series>[1]): boolean {
  return places.some(({ survey, index }) => {
    const found = survey.series(index);
    return found !== null && found.moments > found.time.length && (end - start) / survey.step < columns;
  });
}

/** The same range, with all steps for it alone; what stands beside it is that of the survey. */
async function closer(
  recording: Recording,
  places: readonly SurveyedPath[],
  { paths, start, end, columns }: Parameters<typeof series>[1],
  signal: AbortSignal,
): Promise<Series[]> {
  const { step } = places[0]!.survey;
  const { start: first, end: last } = (await surveyedOf(recording)).bounds;
  // whole steps of the survey: before and behind them it has the nearest moments there are
  const from = first + Math.floor((start - first) / step) * step;
  const to = first + Math.ceil((end + 1 - first) / step) * step;
  const breather = new Breather(signal);
  const found = await recording.series(paths, {
    start: from,
    end: to,
    mode: "minmax",
    every: Math.max(1, end - start) / columns,
    signal,
    onProgress: () => breather.breathe(),
  });
  return found.map((inner, i) => {
    const { survey, index } = places[i]!;
    const outer = survey.series(index);
    const whole = outer === null ? inner : withNeighbours(inner, outer, { start: from, end: to });
    return lineOf(whole, { start, end }, columns, last - 1);
  });
}

/** Where the paths are: numbers that are new go through the recording together. */
function surveyedPathsOf(
  recording: Recording,
  { byText, bounds }: Surveyed,
  paths: readonly SeriesPath[],
  first: Precedence,
): SurveyedPath[] {
  const unknown = new Map(paths.map((path) => [pathText(path), path]));
  for (const text of byText.keys()) unknown.delete(text);
  if (unknown.size > 0) {
    const survey = new Survey(recording, [...unknown.values()], bounds, first);
    for (const [index, text] of [...unknown.keys()].entries()) byText.set(text, { survey, index });
  }
  const places = paths.map((path) => {
    const text = pathText(path);
    const place = byText.get(text)!;
    byText.delete(text);
    byText.set(text, place);
    return place;
  });
  for (const text of byText.keys()) {
    if (byText.size <= Math.max(REMEMBERED, paths.length)) break;
    byText.delete(text);
  }
  return places;
}

/** Of a recording, whose bounds are asked for once. */
function surveyedOf(recording: Recording): Promise<Surveyed> {
  let found = surveys.get(recording);
  if (found === undefined) {
    found = recording.timeline().then(({ start, end }) => ({
      bounds: { start, end: Math.floor(end) + 1 },
      byText: new Map(),
    }));
    surveys.set(recording, found);
  }
  return found;
}

/**
 * A row for each moment of the range, as CSV: seconds, then a number for each path, empty where there is none. What an
 * expression gives is what it was at that moment; moments are those of recorded numbers, if there are any.
 */
export const table: Query<"table"> = async (engine, { recording: id, paths, start, end }, signal, report) => {
  const recording = engine.recording(id);
  const breather = new Breather(signal);
  const own = paths.filter((path) => expressionOf(path) === null);
  const derived: Series[] = [];
  if (own.length < paths.length) {
    const { derivedValues } = await import("./derived.ts");
    for (const path of paths) {
      if (expressionOf(path) !== null) derived.push(await derivedValues(recording, path, { start, end }, signal));
    }
  }
  const parts: Blob[] = [];
  let names = derived.map(nameOf);
  const held = derived.map((series) => new Held(series));
  const add = (batch: readonly Series[], times: Float64Array): void => {
    const lines: string[] = [];
    for (const [row, time] of times.entries()) {
      const cells = [...batch.map(({ value }) => value[row]!), ...held.map((one) => one.at(time))];
      lines.push(`${time / 1e9},${cells.map((value) => (Number.isNaN(value) ? "" : value)).join(",")}\n`);
    }
    parts.push(new Blob(lines));
  };
  if (own.length === 0) add([], derived[0]?.time ?? new Float64Array(0));
  else {
    const batches = recording.seriesBatches(own, {
      start,
      end,
      isAligned: true,
      signal,
      onProgress: (done, total) => {
        report({ done, total });
        return breather.breathe();
      },
    });
    for await (const batch of batches) {
      add(batch, batch[0]?.time ?? new Float64Array(0));
      names = [...batch, ...derived].map(nameOf);
    }
  }
  const header = `${["time [s]", ...names].map(quoted).join(",")}\n`;
  return new Blob([header, ...parts], { type: "text/csv" });
};

function nameOf({ text, unit }: Series): string {
  return unit === null ? text : `${text} [${unit}]`;
}

/** What a series is at times that rise. */
class Held {
  readonly #series: Series;
  #row = -1;

  constructor(series: Series) {
    this.#series = series;
  }

  at(now: number): number {
    const { time, value } = this.#series;
    while (this.#row + 1 < time.length && time[this.#row + 1]! <= now) this.#row++;
    return value[this.#row] ?? Number.NaN;
  }
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
