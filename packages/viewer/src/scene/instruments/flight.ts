import { type EntitySet, type Numbers, posesOf, type State, standardAxes, transformOf } from "simtape";
import type { Course } from "../ways/course.ts";
import type { Origin } from "../things/origin.ts";

/** A number that an instrument shows, in a unit that pilots read. */
export interface Gauge {
  readonly value: number;
  readonly unit: "kt" | "m/s" | "ft" | "m" | "ft/min";
  /** What it is, where it was recorded or derived: "airspeed", "speed over ground, from the path". */
  readonly words: string;
  /** The same in so few letters as fit below it: "air", "ground", "path". */
  readonly short: string;
}

/** What the primary flight instruments show of one aircraft at one time. Null: nothing says it. */
export interface Flight {
  /** Degrees: right wing down, nose up, clockwise from north in `[0, 360)`. */
  readonly attitude: { readonly roll: number; readonly pitch: number } | null;
  readonly heading: number | null;
  readonly speed: Gauge | null;
  readonly altitude: Gauge | null;
  readonly climb: Gauge | null;
  /** Of the ball, positive to the right, in widths of the ball. */
  readonly slip: number | null;
}

const FOOT = 0.3048;
const KNOT = 1852 / 3600;
const DEGREE = Math.PI / 180;
const FLYING = transformOf(standardAxes("right", "z", "geodetic"));

/** Values of the aircraft that records, by the names of its properties: the first that is a number is shown. */
const AIRSPEEDS = ["/velocities/airspeed-kt", "/instrumentation/airspeed-indicator/indicated-speed-kt"];
const CLIMBS: readonly (readonly [name: string, factor: number])[] = [
  ["/velocities/vertical-speed-fps", 60],
  ["/instrumentation/vertical-speed-indicator/indicated-speed-fpm", 1],
];
const SLIP = "/instrumentation/slip-skid-ball/indicated-slip-skid";
/** Whose values those are. */
const SELF = "self";

/**
 * The instruments of one row of a set: as it was recorded where that says it, else from its path. `recorded` has the
 * numbers, `shown` the attitude as it is in the picture; `course`: its way, if it is known.
 */
export function flightOf(
  set: string,
  id: number | string,
  recorded: State,
  shown: State,
  course: Course | null,
  origin: Origin,
): Flight {
  const entities = recorded.sets.get(set);
  const row = entities?.ids.indexOf(id) ?? -1;
  if (entities === undefined || row < 0) return NONE;
  const value = (name: string): number => {
    const own = id === SELF ? recorded.values.get(name) : undefined;
    return typeof own === "number" ? own : Number.NaN;
  };
  const path = course === null ? null : ratesAt(course, shown.time, origin);
  const altitude = altitudeOf(entities, row);
  const isInFeet = altitude?.unit !== "m";
  const slip = value(SLIP);
  return {
    attitude: attitudeOf(shown.sets.get(set), id),
    heading: headingOf(entities, row),
    speed: speedOf(entities, row, AIRSPEEDS.map(value), path?.speed ?? Number.NaN, isInFeet),
    altitude,
    climb: climbOf(
      CLIMBS.map(([name, factor]) => factor * value(name)),
      path?.climb ?? Number.NaN,
      isInFeet,
    ),
    // It is the sideways acceleration that the seat feels: the ball rolls the other way.
    slip: Number.isFinite(slip) ? -slip : null,
  };
}

/** Metres a second over ground and upwards around a time; null outside of the course. */
export function ratesAt(
  { times, places }: Course,
  time: number,
  origin: Origin,
): { readonly speed: number; readonly climb: number } | null {
  if (!(time >= times[0]! && time <= times.at(-1)!)) return null;
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  const seconds = (times[high]! - times[low]!) / 1e9;
  if (!(seconds > 0)) return null;
  const [from, to] = [heightAt(places, low, origin), heightAt(places, high, origin)];
  const along = Math.hypot(places[3 * high]! - places[3 * low]!, places[3 * high + 2]! - places[3 * low + 2]!);
  return { speed: along / seconds, climb: (to - from) / seconds };
}

function heightAt(places: Float32Array, point: number, origin: Origin): number {
  for (let k = 0; k < 3; k++) PLACE[k] = places[3 * point + k]!;
  origin.toRecording(PLACE, 0);
  return PLACE[2]!;
}

function attitudeOf(entities: EntitySet | undefined, id: number | string): Flight["attitude"] {
  const row = entities?.ids.indexOf(id) ?? -1;
  return row < 0 || !anglesOf(entities!, row) ? null : { roll: ANGLES[0], pitch: ANGLES[1] };
}

function headingOf(entities: EntitySet, row: number): number | null {
  return anglesOf(entities, row) ? (((ANGLES[2] % 360) + 360) % 360) % 360 : null;
}

/** Roll, pitch and heading into `ANGLES`; false: it has no attitude. */
function anglesOf(entities: EntitySet, row: number): boolean {
  if (posesOf(entities)?.orientation(row, ANGLES, 0) !== true) return false;
  FLYING.anglesBack(...ANGLES, DEGREE, ANGLES, 0);
  return Number.isFinite(ANGLES[0] + ANGLES[1] + ANGLES[2]);
}

/** In the unit in which it is recorded. */
function altitudeOf(entities: EntitySet, row: number): Gauge | null {
  const poses = posesOf(entities);
  const isKnown = poses?.isGeodetic === true ? poses.geodetic(row, PLACE, 0) : poses?.position(row, PLACE, 0);
  if (isKnown !== true || !Number.isFinite(PLACE[2]!)) return null;
  const column = entities.columns.get(poses!.isGeodetic ? "geodetic" : "position");
  const isInFeet = column?.unit?.split(" ").at(-1) === "ft";
  const words = poses!.isGeodetic ? "altitude" : "height";
  return isInFeet
    ? { value: PLACE[2]! / FOOT, unit: "ft", words, short: words }
    : { value: PLACE[2]!, unit: "m", words, short: words };
}

function speedOf(
  entities: EntitySet,
  row: number,
  recorded: readonly number[],
  fromPath: number,
  isInKnots: boolean,
): Gauge | null {
  const airspeed = recorded.find(Number.isFinite);
  if (airspeed !== undefined) return { value: airspeed, unit: "kt", words: "airspeed", short: "air" };
  const inUnit = (speed: number, words: string, short: string): Gauge =>
    isInKnots ? { value: speed / KNOT, unit: "kt", words, short } : { value: speed, unit: "m/s", words, short };
  if (posesOf(entities)?.velocity(row, PLACE, 0) === true) {
    const speed = Math.hypot(PLACE[0]!, PLACE[1]!, PLACE[2]!);
    if (Number.isFinite(speed)) return inUnit(speed, "speed", "speed");
  }
  return Number.isFinite(fromPath) ? inUnit(fromPath, "speed over ground, from the path", "path") : null;
}

function climbOf(recorded: readonly number[], fromPath: number, isInFeet: boolean): Gauge | null {
  const climb = recorded.find(Number.isFinite);
  if (climb !== undefined) return { value: climb, unit: "ft/min", words: "vertical speed", short: "" };
  if (!Number.isFinite(fromPath)) return null;
  const words = "vertical speed, from the path";
  return isInFeet
    ? { value: (fromPath / FOOT) * 60, unit: "ft/min", words, short: "path" }
    : { value: fromPath, unit: "m/s", words, short: "path" };
}

const NONE: Flight = { attitude: null, heading: null, speed: null, altitude: null, climb: null, slip: null };
const PLACE: Numbers & Float64Array = new Float64Array(3);
const ANGLES: [number, number, number, number] = [0, 0, 0, 0];
