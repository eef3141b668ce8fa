import type { Axes, EntitySet } from "simtape";

/**
 * From a recording's axes and units to the scene's: metres, right-handed, y up. A thing's own axes there: x forward, y up,
 * z to its right. Nothing here allocates; results go into `out` from `at` on.
 */
type Numbers = Float32Array | Float64Array | number[];

const DEGREE = Math.PI / 180;
const FOOT = 0.3048;

/** Metres in one of a length unit; null for what is no length. A block is a metre. */
export function metresPer(unit: string | null): number | null {
  switch (unit) {
    case "m":
    case "block":
    case null:
      return 1;
    case "cm":
      return 0.01;
    case "mm":
      return 0.001;
    case "nm":
      return 1e-9;
    case "ft":
      return FOOT;
    case "km":
      return 1000;
    default:
      return null;
  }
}

/** A vector along the axes of a set. */
export function turnVector(axes: Axes | null, a: number, b: number, c: number, out: Numbers, at: number): void {
  const isMirrored = axes?.handed === "left";
  out[at] = a;
  if (axes === null || axes.up === "z") {
    out[at + 1] = c;
    out[at + 2] = isMirrored ? b : -b;
  } else {
    out[at + 1] = b;
    out[at + 2] = isMirrored ? -c : c;
  }
}

/** A quaternion x, y, z, w of a set. Where y is up, the thing's own axes stay what they are there. */
export function turnQuaternion(
  axes: Axes | null,
  x: number,
  y: number,
  z: number,
  w: number,
  out: Numbers,
  at: number,
): void {
  const sign = axes?.handed === "left" ? -1 : 1;
  out[at] = sign * x;
  if (axes === null || axes.up === "z") {
    out[at + 1] = sign * z;
    out[at + 2] = -y;
  } else {
    out[at + 1] = sign * y;
    out[at + 2] = z;
  }
  out[at + 3] = w;
}

/** Roll, pitch, yaw as the axes of a set mean them (docs/state.md); `scale` makes radians of them. */
export function turnAngles(
  axes: Axes | null,
  roll: number,
  pitch: number,
  yaw: number,
  scale: number,
  out: Numbers,
  at: number,
): void {
  const r = roll * scale;
  const p = pitch * scale;
  const y = yaw * scale;
  if (axes?.kind === "geodetic") fromEuler(r, -p, Math.PI / 2 - y, out, at);
  else if (axes?.up === "y") fromEuler(r, p, -y - Math.PI / 2, out, at);
  else if (axes?.handed === "left") fromEuler(r, -p, -y, out, at);
  else fromEuler(r, p, y, out, at);
}

/** Radians in one of a rotation column's unit. */
export function radiansPer(unit: string | null): number {
  return unit === "rad" ? 1 : DEGREE;
}

/** Roll about x, then pitch about y, then yaw about z, right-handed with z up; turned to y up. */
function fromEuler(roll: number, pitch: number, yaw: number, out: Numbers, at: number): void {
  const sr = Math.sin(roll / 2);
  const cr = Math.cos(roll / 2);
  const sp = Math.sin(pitch / 2);
  const cp = Math.cos(pitch / 2);
  const sy = Math.sin(yaw / 2);
  const cy = Math.cos(yaw / 2);
  out[at] = sr * cp * cy - cr * sp * sy;
  out[at + 1] = cr * cp * sy - sr * sp * cy;
  out[at + 2] = -(cr * sp * cy + sr * cp * sy);
  out[at + 3] = cr * cp * cy + sr * sp * sy;
}

/** Coordinates beyond this are laid to an origin of their own: in 32 bits they would tremble. */
const NEAR = 2000;
/** WGS84. */
const EQUATOR = 6378137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY = FLATTENING * (2 - FLATTENING);

/**
 * Where the scene's zero is in the recording's world. The first position met decides; recording and ghosts share one,
 * so that they lie as they were. Geodetic places come onto the plane that touches sea level there: x east, y up, -z north.
 */
export class Origin {
  #isSet = false;
  #isGeodetic = false;
  readonly #offset = new Float64Array(3);
  /** Earth-centred place of the origin, then sine and cosine of its latitude and longitude. */
  readonly #earth = new Float64Array(3);
  #sp = 0;
  #cp = 1;
  #sl = 0;
  #cl = 1;

  /** Scene metres, already turned, to metres from the origin. */
  local(out: Numbers, at: number): void {
    const offset = this.#offset;
    const isKnown = Number.isFinite(out[at]! + out[at + 1]! + out[at + 2]!);
    if (!this.#isSet && isKnown) {
      this.#isSet = true;
      for (let k = 0; k < 3; k++) {
        const value = out[at + k]!;
        offset[k] = Math.abs(value) > NEAR ? Math.round(value / 1000) * 1000 : 0;
      }
    }
    for (let k = 0; k < 3; k++) out[at + k] = out[at + k]! - offset[k]!;
  }

  /** Degrees, degrees and feet to metres from the origin. */
  geodetic(latitude: number, longitude: number, feet: number, out: Numbers, at: number): void {
    const altitude = feet * FOOT;
    if (!this.#isGeodetic && Number.isFinite(latitude + longitude)) {
      this.#isGeodetic = true;
      this.#sp = Math.sin(latitude * DEGREE);
      this.#cp = Math.cos(latitude * DEGREE);
      this.#sl = Math.sin(longitude * DEGREE);
      this.#cl = Math.cos(longitude * DEGREE);
      toEarth(latitude, longitude, 0, this.#earth);
    }
    toEarth(latitude, longitude, altitude, EARTH);
    const dx = EARTH[0]! - this.#earth[0]!;
    const dy = EARTH[1]! - this.#earth[1]!;
    const dz = EARTH[2]! - this.#earth[2]!;
    const outwards = this.#cl * dx + this.#sl * dy;
    out[at] = -this.#sl * dx + this.#cl * dy;
    out[at + 1] = this.#cp * outwards + this.#sp * dz;
    out[at + 2] = this.#sp * outwards - this.#cp * dz;
  }
}

const EARTH = new Float64Array(3);

function toEarth(latitude: number, longitude: number, altitude: number, out: Float64Array): void {
  const phi = latitude * DEGREE;
  const lambda = longitude * DEGREE;
  const sine = Math.sin(phi);
  const n = EQUATOR / Math.sqrt(1 - ECCENTRICITY * sine * sine);
  out[0] = (n + altitude) * Math.cos(phi) * Math.cos(lambda);
  out[1] = (n + altitude) * Math.cos(phi) * Math.sin(lambda);
  out[2] = (n * (1 - ECCENTRICITY) + altitude) * sine;
}

/** Whether the things of a set are somewhere. */
export function hasPlaces({ columns }: EntitySet): boolean {
  if (columns.has("geodetic")) return true;
  const position = columns.get("position");
  return position !== undefined && position.width === 3 && metresPer(position.unit) !== null;
}
