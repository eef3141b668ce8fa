import type { LapSpan } from "./laps.ts";
import type { Polyline } from "./polyline.ts";
import { Progress } from "./progress.ts";
import type { Trace } from "./trace.ts";

/** A lap that ends so near to the end of the course has gone all of it: a part of the course, and metres. */
const NEAR_PART = 0.02;
const NEAR = 5;
const ROUNDED = 1e-9;

/** A lap on a course. */
export interface TimedLap {
  /** Seconds since its beginning at each place of the course; NaN: it did not come there. */
  readonly elapsed: Float64Array;
  /** Metres along the course that it came. */
  readonly reached: number;
  /** Metres of its own way. */
  readonly distance: number;
  /** Metres away from the course at most. */
  readonly strayed: number;
}

/** `count` + 1 places from 0 to the end of a course, evenly. */
export function stationsOf(length: number, count: number): Float64Array {
  return Float64Array.from({ length: count + 1 }, (_, i) => (i === count ? length : (length * i) / count));
}

/**
 * When a lap came to each place of a course for the first time, interpolated between the points of its trace. `width`: how
 * many metres to each side are on the course.
 */
export function timeLap(
  trace: Trace,
  { start, end, isWhole }: LapSpan,
  course: Polyline,
  stations: Float64Array,
  width: number,
): TimedLap {
  const elapsed = new Float64Array(stations.length).fill(Number.NaN);
  const progress = new Progress(course, width);
  const place = new Float64Array(3);
  const before = new Float64Array(3);
  let [next, distance, strayed, time, along] = [0, 0, 0, start, 0];
  const near = Math.max(NEAR, NEAR_PART * course.length);
  const to = (now: number, isLast: boolean): void => {
    const wasOn = progress.isOn;
    progress.to(place[0]!, place[1]!, place[2]!);
    strayed = Math.max(strayed, progress.away);
    let here = progress.along;
    // lengths are sums, which round
    const isEnd = course.length - here <= (isLast && isWhole ? near : course.length * ROUNDED);
    if (isEnd) here = course.length;
    // where it comes to the course it begins; what lies before that it never came to, unless it is next to nothing
    if (!wasOn && progress.isOn) {
      const isBeginning = now === start && here <= near;
      for (; next < stations.length && stations[next]! <= here; next++) elapsed[next] = isBeginning ? 0 : Number.NaN;
    }
    while (next < stations.length && stations[next]! <= here) {
      const part = here > along ? (stations[next]! - along) / (here - along) : 1;
      elapsed[next++] = (time + Math.max(0, part) * (now - time) - start) / 1e9;
    }
    [time, along] = [now, here];
  };
  trace.placeAt(start, place);
  to(start, false);
  for (let i = trace.segmentAt(start) + 1; ; i++) {
    before.set(place);
    const isLast = i >= trace.count || trace.timeAt(i) >= end;
    if (isLast) trace.placeAt(end, place);
    else for (let k = 0; k < 3; k++) place[k] = trace.cell(i, k);
    distance += Math.hypot(place[0]! - before[0]!, place[1]! - before[1]!, place[2]! - before[2]!);
    to(isLast ? end : trace.timeAt(i), isLast);
    if (isLast) break;
  }
  return { elapsed, reached: along, distance, strayed };
}

/** The way of a lap as a polyline; null: it never moves. */
export function wayOf(trace: Trace, { start, end }: LapSpan): Float64Array | null {
  const [from, to] = [trace.segmentAt(start) + 1, trace.segmentAt(end)];
  const places = new Float64Array(3 * (Math.max(0, to - from + 1) + 2));
  const place = new Float64Array(3);
  let count = 0;
  const add = (): void => {
    const isSame = count > 0 && place.every((cell, k) => cell === places[3 * (count - 1) + k]);
    if (!isSame) places.set(place, 3 * count++);
  };
  trace.placeAt(start, place);
  add();
  for (let i = from; i <= to; i++) {
    for (let k = 0; k < 3; k++) place[k] = trace.cell(i, k);
    add();
  }
  trace.placeAt(end, place);
  add();
  return count < 2 ? null : places.slice(0, 3 * count);
}

/** Seconds at a place between two of `stations`; NaN: it did not come there. */
export function secondsAt(elapsed: Float64Array, stations: Float64Array, along: number): number {
  const step = stations[stations.length - 1]! / (stations.length - 1);
  const i = Math.min(stations.length - 2, Math.max(0, Math.floor(along / step)));
  const part = (along - stations[i]!) / (stations[i + 1]! - stations[i]!);
  if (part <= 0) return elapsed[i]!;
  if (part >= 1) return elapsed[i + 1]!;
  return elapsed[i]! + part * (elapsed[i + 1]! - elapsed[i]!);
}

/** Metres along the course after so many seconds; NaN: outside of what is known. */
export function alongAt(elapsed: Float64Array, stations: Float64Array, seconds: number): number {
  let [low, high] = [0, stations.length - 1];
  while (low < high && Number.isNaN(elapsed[low]!)) low++;
  while (high > low && Number.isNaN(elapsed[high]!)) high--;
  if (!(seconds >= elapsed[low]! && seconds <= elapsed[high]!)) return Number.NaN;
  while (low < high - 1) {
    const middle = (low + high) >> 1;
    if (elapsed[middle]! <= seconds) low = middle;
    else high = middle;
  }
  const span = elapsed[high]! - elapsed[low]!;
  const part = span > 0 ? Math.min(1, (seconds - elapsed[low]!) / span) : 1;
  return stations[low]! + part * (stations[high]! - stations[low]!);
}
