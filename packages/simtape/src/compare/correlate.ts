import type { Series } from "../model/query/sinks.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";
import { CompareError } from "./error.ts";

/** Samples of the longer one. */
const SAMPLES = 2048;
/** Samples around the greatest change by which the shift is found to the moment. */
const FINE = 400;
/** Steps before and behind that change that are looked at first. */
const REACH = 256;
/** Part of the shorter one that must lie on the longer one. */
const OVERLAP = 0.5;

interface Line {
  readonly time: Float64Array;
  readonly number: Float64Array;
}

/**
 * What is added to times of B so that a path fits that of A best: least mean square of what is apart, where at least half of
 * the shorter one lies on the longer one. Throws `CompareError` where it never changes, and `PathError` for no path.
 */
export async function shiftByPath(a: Recording, b: Recording, path: string, signal?: AbortSignal): Promise<Time> {
  const [one, other] = [await a.timeline(), await b.timeline()];
  const step = Math.max(1, Math.ceil(Math.max(one.end - one.start, other.end - other.start) / SAMPLES));
  const [coarseA, coarseB] = [await sampled(a, path, step, signal), await sampled(b, path, step, signal)];
  for (const [name, { number }] of [["first", coarseA] as const, ["second", coarseB] as const]) {
    if (!changes(number))
      throw new CompareError(
        "alignment",
        `correlate:${path} finds no shift: it never changes in the ${name} recording`,
      );
  }
  const lag = bestLag(coarseA.number, coarseB.number);
  const coarse = coarseA.time[0]! - coarseB.time[0]! + lag * step;
  return fine(a, b, path, coarse, step, steepest(coarseB), signal);
}

async function sampled(
  recording: Recording,
  path: string,
  every: Time,
  signal: AbortSignal | undefined,
): Promise<Line> {
  const [found] = await recording.series([path], { every, signal });
  return lineOf(found!);
}

function lineOf({ time, value, valid, texts, text }: Series): Line {
  if (texts !== null) throw new CompareError("alignment", `correlate:${text} finds no shift: it is a text`);
  return { time, number: value.map((number, i) => (valid[i] === 1 ? number : Number.NaN)) };
}

function changes(numbers: Float64Array): boolean {
  const first = numbers.find((number) => !Number.isNaN(number));
  return first !== undefined && numbers.some((number) => !Number.isNaN(number) && number !== first);
}

function bestLag(a: Float64Array, b: Float64Array): number {
  const least = Math.max(2, Math.floor(Math.min(a.length, b.length) * OVERLAP));
  let best = 0;
  let bestApart = Number.POSITIVE_INFINITY;
  for (let lag = least - b.length; lag <= a.length - least; lag++) {
    let [sum, count] = [0, 0];
    const to = Math.min(a.length, b.length + lag);
    for (let i = Math.max(0, lag); i < to; i++) {
      const apart = a[i]! - b[i - lag]!;
      if (Number.isNaN(apart)) continue;
      sum += apart * apart;
      count++;
    }
    // of what fits alike the smaller shift
    const mean = count < least / 2 ? Number.POSITIVE_INFINITY : sum / count;
    if (mean < bestApart || (mean === bestApart && Math.abs(lag) < Math.abs(best))) [best, bestApart] = [lag, mean];
  }
  return best;
}

/** The time at which it changes most. */
function steepest({ time, number }: Line): Time {
  let best = 0;
  let most = -1;
  for (let i = 1; i < number.length; i++) {
    const change = Math.abs(number[i]! - number[i - 1]!);
    if (change > most) [best, most] = [i, change];
  }
  return time[best]!;
}

/** Among the shifts that put moments of B on moments of A, near the coarse one, that which fits best. */
async function fine(
  a: Recording,
  b: Recording,
  path: string,
  coarse: Time,
  step: Time,
  around: Time,
  signal: AbortSignal | undefined,
): Promise<Time> {
  const read = async (recording: Recording, from: Time, to: Time): Promise<Line> => {
    const [found] = await recording.series([path], { start: from, end: to, signal });
    return lineOf(found!);
  };
  let reach = REACH * step;
  let lineB = await read(b, around - reach, around + reach);
  for (; lineB.time.length > FINE && reach > 1; lineB = await read(b, around - reach, around + reach)) reach /= 2;
  const lineA = await read(a, around + coarse - reach - 3 * step, around + coarse + reach + 3 * step);
  if (lineA.time.length === 0 || lineB.time.length === 0) return coarse;
  // the first moment of a part says again what held before, at a time of its own: several are tried
  const some = [0.25, 0.5, 0.75, 1].map((part) => lineB.time[Math.ceil((lineB.time.length - 1) * part)]!);
  const shifts = some
    .flatMap((one) => Array.from(lineA.time, (time) => time - one))
    .filter((shift) => Math.abs(shift - coarse) <= 2 * step);
  let best = coarse;
  let least = apartAt(lineA, lineB, coarse);
  for (const shift of shifts) {
    const apart = apartAt(lineA, lineB, shift);
    if (apart < least || (apart === least && best === coarse)) [best, least] = [shift, apart];
  }
  return best;
}

/** Mean square of what is apart at the times of B, where both are known; each value holds until the next. */
function apartAt(a: Line, b: Line, shift: Time): number {
  let [sum, count, row] = [0, 0, -1];
  for (let i = 0; i < b.time.length; i++) {
    const time = b.time[i]! + shift;
    while (row + 1 < a.time.length && a.time[row + 1]! <= time) row++;
    const apart = row < 0 ? Number.NaN : a.number[row]! - b.number[i]!;
    if (Number.isNaN(apart)) continue;
    sum += apart * apart;
    count++;
  }
  return count * 2 < b.time.length ? Number.POSITIVE_INFINITY : sum / count;
}
