import { type Origin, TangentPlane } from "../../model/axes/geodesy.ts";
import { PoseColumns } from "../../model/poses/pose-columns.ts";
import { fromEuler, multiply, type Numbers, toEuler } from "../../model/axes/rotation.ts";
import type { EntitySet } from "../../model/state/state.ts";

/** Numbers of a fix, and which is where. */
export const FIX_WIDTH = 8;
/** Nanoseconds of the recording. */
export const TIME = 0;
/** Degrees north, -90 to 90; degrees east, -180 to 180; metres above what the recording counts from. */
export const LATITUDE = 1;
export const LONGITUDE = 2;
export const HEIGHT = 3;
/** Degrees, NaN where nothing tells: right side down; nose up; clockwise from north, 0 to 360. */
export const ROLL = 4;
export const PITCH = 5;
export const HEADING = 6;
/** Metres a second over ground, NaN where nothing tells. */
export const SPEED = 7;

const DEGREES = 180 / Math.PI;
/** Metres, and metres a second, beyond which a number is no height or speed: damage, which no decimal text holds. */
const MOST = 1e12;

/** Reads fixes off the rows of sets: geodetic ones as they are, others laid on the plane at an origin. */
export class FixReader {
  readonly #poses: PoseColumns = new PoseColumns();
  readonly #plane: TangentPlane | null;
  /** Turns the plane's axes to earth-centred ones. */
  readonly #planeTurn: Float64Array = new Float64Array(4);
  readonly #a: Float64Array = new Float64Array(4);
  readonly #b: Float64Array = new Float64Array(4);

  constructor(origin: Origin | null) {
    this.#plane = origin === null ? null : new TangentPlane(origin);
    if (origin === null) return;
    const turn = this.#planeTurn;
    earthTurn(origin.latitude, origin.longitude, turn, 0);
    const half = -origin.heading / DEGREES / 2;
    multiply(turn[0]!, turn[1]!, turn[2]!, turn[3]!, 0, 0, Math.sin(half), Math.cos(half), turn, 0);
  }

  /** Reads this set from now on. */
  use(set: EntitySet): Fits {
    if (!this.#poses.use(set) || isTiny(set)) return "not";
    return this.#poses.isGeodetic ? "geodetic" : this.#plane === null ? "local" : "laid";
  }

  /** All of a fix but its time, to `out` from `at` on; false: the place of the row is not known. */
  read(row: number, out: Float64Array, at: number): boolean {
    return this.#poses.isGeodetic ? this.#geodetic(row, out, at) : this.#laid(row, out, at);
  }

  #geodetic(row: number, out: Float64Array, at: number): boolean {
    if (!this.#poses.geodetic(row, out, at + LATITUDE)) return false;
    if (Math.abs(out[at + LATITUDE]!) > 90 || Math.abs(out[at + HEIGHT]!) > MOST) return false;
    const longitude = out[at + LONGITUDE]!;
    if (longitude < -180 || longitude >= 180)
      out[at + LONGITUDE] = longitude - 360 * Math.floor((longitude + 180) / 360);
    const q = this.#a;
    this.#poses.orientation(row, q, 0);
    putAngles(q, out, at);
    this.#putSpeed(row, out, at);
    return true;
  }

  #laid(row: number, out: Float64Array, at: number): boolean {
    const p = this.#b;
    if (!this.#poses.position(row, p, 0)) return false;
    this.#plane!.toGeodetic(p[0]!, p[1]!, p[2]!, out, at + LATITUDE);
    const q = this.#a;
    if (this.#poses.orientation(row, q, 0)) {
      const turn = this.#planeTurn;
      multiply(turn[0]!, turn[1]!, turn[2]!, turn[3]!, q[0]!, q[1]!, q[2]!, q[3]!, q, 0);
      earthTurn(out[at + LATITUDE]!, out[at + LONGITUDE]!, p, 0);
      multiply(-p[0]!, -p[1]!, -p[2]!, p[3]!, q[0]!, q[1]!, q[2]!, q[3]!, q, 0);
    }
    putAngles(q, out, at);
    this.#putSpeed(row, out, at);
    return Number.isFinite(out[at + LATITUDE]! + out[at + LONGITUDE]!) && Math.abs(out[at + HEIGHT]!) <= MOST;
  }

  #putSpeed(row: number, out: Float64Array, at: number): void {
    const v = this.#b;
    const speed = this.#poses.velocity(row, v, 0) ? Math.hypot(v[0]!, v[1]!) : Number.NaN;
    out[at + SPEED] = speed <= MOST ? speed : Number.NaN;
  }
}

/**
 * Whether a set has places: on the earth; on a plane that an origin lays on the earth; on one that nothing lays there;
 * none, or those of molecules.
 */
export type Fits = "geodetic" | "laid" | "local" | "not";

function isTiny(set: EntitySet): boolean {
  return !set.columns.has("geodetic") && set.columns.get("position")?.unit === "nm";
}

/** Quaternion of x forward, y left, z up over x east, y north, z up, to roll, pitch and heading; NaN stays NaN. */
function putAngles(q: Float64Array, out: Float64Array, at: number): void {
  toEuler(q[0]!, q[1]!, q[2]!, q[3]!, out, at + ROLL);
  out[at + ROLL]! *= DEGREES;
  out[at + PITCH]! *= -DEGREES;
  const heading = 90 - out[at + HEADING]! * DEGREES;
  out[at + HEADING] = heading < 0 ? heading + 360 : heading;
}

/**
 * The quaternion that takes x east, y north, z up at a place to earth-centred axes: 4 numbers. Degrees. A quarter turn and
 * the longitude about z, behind what leaves of a quarter turn when the latitude is taken off about x.
 */
export function earthTurn(latitude: number, longitude: number, out: Numbers, at: number): void {
  fromEuler((90 - latitude) / DEGREES, 0, (longitude + 90) / DEGREES, out, at);
}

/** The quaternion that takes x forward, y left, z up of a thing to earth-centred axes; NaN where its angles are. */
export function earthOrientation(fix: Float64Array, at: number, out: Float64Array): void {
  fromEuler(fix[at + ROLL]! / DEGREES, -fix[at + PITCH]! / DEGREES, (90 - fix[at + HEADING]!) / DEGREES, out, 0);
  const [x, y, z, w] = out as unknown as [number, number, number, number];
  earthTurn(fix[at + LATITUDE]!, fix[at + LONGITUDE]!, out, 0);
  multiply(out[0]!, out[1]!, out[2]!, out[3]!, x, y, z, w, out, 0);
}
