import { type Recording, type Series, type SeriesPath, type TimeRange, thinSeries } from "simtape";
import { expressionOf } from "../plots/derived.ts";
import type { Range } from "../plots/shared.ts";
import { Breather, type Precedence } from "./breather.ts";
import { lineOf, STEPS } from "./survey.ts";

/** Points that are gathered, of those that are kept, before they are thinned. */
const GATHERED = 16;

/** Whole recordings thinned, by expression. */
const kept = new WeakMap<Recording, Map<string, Promise<Series>>>();
/** Expressions that are remembered of a recording. */
const REMEMBERED = 16;

/** A number that an expression gives, as it is drawn in a range. */
export async function derivedLine(
  recording: Recording,
  path: SeriesPath,
  range: Range,
  columns: number,
  signal: AbortSignal,
  first: Precedence,
): Promise<Series> {
  const timeline = await recording.timeline();
  const bounds = { start: timeline.start, end: Math.floor(timeline.end) + 1 };
  const whole = await wholeOf(recording, path, bounds, signal, first);
  const isCoarse = whole.moments > whole.time.length && (range.end - range.start) / columns < bounds.end / STEPS;
  if (!isCoarse) return lineOf(whole, range, columns, timeline.end);
  // a step earlier, for what is known by two moments
  const step = (bounds.end - bounds.start) / STEPS;
  const near = { start: Math.max(bounds.start, Math.floor(range.start - step)), end: Math.floor(range.end) + 1 };
  const fine = await gathered(recording, path, near, columns + 1, new Breather(signal, first), signal);
  return lineOf(fine, range, columns, timeline.end);
}

/** All values of an expression in a range, for a table. */
export async function derivedValues(
  recording: Recording,
  path: SeriesPath,
  range: Range,
  signal: AbortSignal,
): Promise<Series> {
  return gathered(recording, path, range, Number.POSITIVE_INFINITY, new Breather(signal), signal);
}

/** Gone through once for all who wait; a run that was called off is not kept. */
function wholeOf(
  recording: Recording,
  path: SeriesPath,
  bounds: Range,
  signal: AbortSignal,
  first: Precedence,
): Promise<Series> {
  const byText = kept.get(recording) ?? new Map<string, Promise<Series>>();
  kept.set(recording, byText);
  const text = expressionOf(path)!;
  const found = byText.get(text);
  if (found !== undefined) return found;
  const made = gathered(recording, path, bounds, STEPS, new Breather(signal, first), signal);
  byText.set(text, made);
  made.catch(() => byText.delete(text));
  for (const key of byText.keys()) {
    if (byText.size <= REMEMBERED) break;
    byText.delete(key);
  }
  return made;
}

async function gathered(
  recording: Recording,
  path: SeriesPath,
  range: TimeRange & Range,
  points: number,
  breather: Breather,
  signal: AbortSignal,
): Promise<Series> {
  const { ask } = await import("simtape/ask");
  const text = expressionOf(path)!;
  const question = await ask(recording, text, { ...range, signal, onProgress: () => breather.breathe() });
  if (question.type === "words") throw new RangeError(`${text} is a text: only numbers can be drawn`);
  const found: { time: Float64Array; value: Float64Array; moments: number } = {
    time: new Float64Array(0),
    value: new Float64Array(0),
    moments: 0,
  };
  let [times, values, count]: [Float64Array[], Float64Array[], number] = [[], [], 0];
  const settle = (): void => {
    found.time = joined([found.time, ...times]);
    found.value = joined([found.value, ...values]);
    [times, values, count] = [[], [], 0];
    if (found.time.length <= 4 * points) return;
    const thin = thinSeries(seriesOf(found), { ...range, points });
    found.time = thin.time;
    found.value = thin.value;
  };
  const seriesOf = ({ time, value, moments }: typeof found): Series => ({
    path,
    text,
    unit: question.unit === "" ? null : question.unit,
    kind: "number",
    interpolation: "hold",
    time,
    value,
    valid: Uint8Array.from(value, (one) => (Number.isNaN(one) ? 0 : 1)),
    texts: null,
    moments,
  });
  for await (const { time, value } of question.values()) {
    times.push(time);
    values.push(value);
    count += time.length;
    found.moments += time.length;
    if (count > GATHERED * points) settle();
  }
  settle();
  return seriesOf(found);
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
