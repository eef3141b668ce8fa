import { type Axes, posesOf, type Series, type SeriesPath } from "simtape";
import type { Thing } from "../../subject.ts";
import type { Origin } from "../things/origin.ts";
import { turnVectorUp } from "../drawing/y-up.ts";

/** The whole way of a thing: where it is at each time that is known, in time's order. */
export interface Course {
  /** Nanoseconds since the start of its recording. */
  readonly times: Float64Array;
  /** Three for each time, scene metres. */
  readonly places: Float32Array;
}

/** A thing, and its way. */
export interface Going extends Thing {
  readonly course: Course;
}

/** What to ask for to know the way of a thing. */
export function coursePaths(set: string, id: number | string, column: string): SeriesPath[] {
  return [0, 1, 2].map((item) => ({ set, id, column, item }));
}

/** Points of a course. */
const POINTS = 1500;

/** A course of the three lines of one position column, in the axes of its set. Null when it never is anywhere. */
export function courseOf(lines: readonly [Series, Series, Series], axes: Axes | null, origin: Origin): Course | null {
  const [a, b, c] = lines;
  const name = "column" in a.path && a.path.column === "geodetic" ? "geodetic" : "position";
  const data = new Float64Array(3);
  const unit = name === "geodetic" ? `deg deg ${c.unit ?? "ft"}` : a.unit;
  const column = { data, width: 3, unit, interpolation: "hold" } as const;
  const columns = posesOf({ ids: [0], columns: new Map([[name, column]]), axes });
  if (columns === null) return null;
  const start = Math.max(...lines.map(({ time }) => time[0] ?? Number.NaN));
  const end = Math.min(...lines.map(({ time }) => time.at(-1) ?? Number.NaN));
  if (!(end > start)) return null;
  const [x, y, z] = [new Along(a), new Along(b), new Along(c)];
  const times: number[] = [];
  const places: number[] = [];
  for (let i = 0; i < POINTS; i++) {
    const time = start + ((end - start) * i) / (POINTS - 1);
    const [px, py, pz] = [x.at(time), y.at(time), z.at(time)];
    if (!Number.isFinite(px + py + pz)) continue;
    data[0] = px;
    data[1] = py;
    data[2] = pz;
    if (columns.isGeodetic) {
      columns.geodetic(0, PLACE, 0);
      origin.geodetic(PLACE[0]!, PLACE[1]!, PLACE[2]!, PLACE, 0);
    } else {
      columns.position(0, PLACE, 0);
      turnVectorUp(PLACE, 0);
      origin.local(PLACE, 0);
    }
    times.push(time);
    places.push(PLACE[0]!, PLACE[1]!, PLACE[2]!);
  }
  return times.length < 2 ? null : { times: Float64Array.from(times), places: Float32Array.from(places) };
}

/** Goes along a line from left to right. */
class Along {
  readonly #line: Series;
  #next = 1;

  constructor(line: Series) {
    this.#line = line;
  }

  /** The number at a time, not before the one asked for last; NaN where nothing is known. */
  at(at: number): number {
    const { time, value, interpolation } = this.#line;
    while (this.#next < time.length - 1 && time[this.#next]! < at) this.#next++;
    const from = this.#next - 1;
    const span = time[this.#next]! - time[from]!;
    if (interpolation === "hold" || !(span > 0)) return value[at >= time[this.#next]! ? this.#next : from]!;
    const part = Math.max(0, Math.min(1, (at - time[from]!) / span));
    return value[from]! + part * (value[this.#next]! - value[from]!);
  }
}

/** Faster than so many times the usual speed, it was put there. */
const LEAP = 20;

/** First and last points of the parts of it without a leap. */
export function runsOf({ times, places }: Course): (readonly [first: number, last: number])[] {
  const speeds: number[] = [];
  for (let i = 0; i + 1 < times.length; i++) {
    const at = 3 * i;
    const length = Math.hypot(
      places[at + 3]! - places[at]!,
      places[at + 4]! - places[at + 1]!,
      places[at + 5]! - places[at + 2]!,
    );
    speeds.push(length / (times[i + 1]! - times[i]!));
  }
  const moving = speeds.filter((speed) => speed > 0).sort((one, other) => one - other);
  const limit = LEAP * (moving[moving.length >> 1] ?? 0);
  const runs: (readonly [number, number])[] = [];
  let first = 0;
  for (let i = 0; i <= speeds.length; i++) {
    if (i < speeds.length && speeds[i]! <= limit) continue;
    if (i > first) runs.push([first, i]);
    first = i + 1;
  }
  return runs;
}

const PLACE = new Float64Array(3);
