import type { Recording } from "simtape";
import type { Buckets } from "../plots/envelope.ts";
import { labelOf } from "../plots/paths.ts";
import { Checkpoints, Sampler, Survey, Trace, Walk } from "../plots/survey.ts";
import type { Series, SeriesPath } from "../protocol.ts";
import type { Query } from "../worker.ts";

/** Of each number that was asked for: 512 kB. Where these are too few, that part of the recording is gone through again. */
const BUCKETS = 1 << 14;
/** Numbers that are remembered, of all that were asked for. */
const REMEMBERED = 64;
/** Between two reports of what is there so far, milliseconds. */
const REPORT_EVERY = 100;

interface Surveyed {
  readonly buckets: Buckets;
  readonly checkpoints: Checkpoints;
  /** By the path's label, those asked for last at the end. */
  readonly byLabel: Map<string, Survey>;
}

const surveys = new WeakMap<Recording, Promise<Surveyed>>();

/** Numbers over time as lines. Progress is what is known so far. */
export const series: Query<"series"> = async (engine, ask, signal, report) => {
  const { recording: id, paths, columns } = ask;
  const recording = engine.recording(id);
  const surveyed = await surveyedOf(recording);
  const asked = [...surveysOf(recording, surveyed, paths)];
  const { start, end } = surveyed.buckets;
  const wanted = new Set(paths.map(labelOf));
  const lines = (): Series[] =>
    asked.flatMap(({ sampler }) => sampler.lines(ask, columns, (path) => wanted.has(labelOf(path))));
  let reported = 0;
  const tell = (time: number): void => {
    const now = performance.now();
    if (now - reported < REPORT_EVERY) return;
    reported = now;
    report({ done: time - start, total: end - start, partial: lines() });
  };
  for (const survey of asked) await survey.complete(tell, signal);
  if (asked[0]?.sampler.isCoarse(ask, columns) === true) return closer(recording, surveyed, ask, signal);
  return lines();
};

/** The same range, gone through again with all buckets for it alone: the first and last are for what lies beside it. */
async function closer(
  recording: Recording,
  { checkpoints }: Surveyed,
  { paths, start, end, columns }: Parameters<typeof series>[1],
  signal: AbortSignal,
): Promise<Series[]> {
  const width = (end - start) / columns;
  const buckets = { start: start - width, end: end + width, count: columns + 2 };
  const sampler = new Sampler(recording, paths, buckets);
  let before: Parameters<Sampler["take"]> | null = null;
  const walk = new Walk(recording, checkpoints, start);
  await walk.go(
    (state, time, isMotion) => {
      const numbers = sampler.read(state, isMotion);
      if (time < start) {
        if (isMotion || before === null) before = [time, numbers, isMotion];
        return false;
      }
      if (before !== null) sampler.take(...before);
      before = null;
      sampler.take(time, numbers, isMotion);
      return time >= end && isMotion;
    },
    () => undefined,
    signal,
  );
  return sampler.lines({ start, end }, columns);
}

/** Those that sample the paths: numbers that are new go through the recording together. */
function surveysOf(recording: Recording, surveyed: Surveyed, paths: readonly SeriesPath[]): Set<Survey> {
  const { byLabel, buckets, checkpoints } = surveyed;
  const unknown = paths.filter((path) => !byLabel.has(labelOf(path)));
  const made = unknown.length === 0 ? null : new Survey(recording, unknown, buckets, checkpoints);
  const found = new Set<Survey>();
  for (const path of paths) {
    const label = labelOf(path);
    const survey = byLabel.get(label) ?? made!;
    found.add(survey);
    byLabel.delete(label);
    byLabel.set(label, survey);
  }
  for (const label of byLabel.keys()) {
    if (byLabel.size <= Math.max(REMEMBERED, paths.length)) break;
    byLabel.delete(label);
  }
  return found;
}

/** Of a recording, whose bounds are asked for once. */
function surveyedOf(recording: Recording): Promise<Surveyed> {
  let found = surveys.get(recording);
  if (found === undefined) {
    found = recording.timeline().then(({ start, end }) => ({
      buckets: { start, end, count: BUCKETS },
      checkpoints: new Checkpoints(end - start),
      byLabel: new Map(),
    }));
    surveys.set(recording, found);
  }
  return found;
}

/** A row for each moment of the range, as CSV: seconds, then a number for each path, empty where there is none. */
export const table: Query<"table"> = async (engine, { recording: id, paths, start, end }, signal, report) => {
  const recording = engine.recording(id);
  const { checkpoints } = await surveyedOf(recording);
  const traces = paths.map((path) => new Trace(path, recording, 0));
  const parts: Blob[] = [];
  let lines: string[] = [];
  const walk = new Walk(recording, checkpoints, start);
  await walk.go(
    (state, time, isMotion) => {
      if (time >= end) return true;
      const numbers = traces.map((trace) => trace.read(state, isMotion));
      if (time < start) return false;
      lines.push(`${time / 1e9},${numbers.map((number) => (Number.isNaN(number) ? "" : number)).join(",")}\n`);
      return false;
    },
    (time) => {
      parts.push(new Blob(lines));
      lines = [];
      report({ done: time - start, total: end - start });
    },
    signal,
  );
  const names = traces.map(({ path, unit }) => (unit === null ? labelOf(path) : `${labelOf(path)} [${unit}]`));
  const header = `${["time [s]", ...names].map(quoted).join(",")}\n`;
  return new Blob([header, ...parts, ...lines], { type: "text/csv" });
};

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
