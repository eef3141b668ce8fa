import type { Numbers } from "./rotation.ts";

/** WGS 84: radius at the equator in metres, flattening, square of the eccentricity. */
const EQUATOR = 6378137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY2 = FLATTENING * (2 - FLATTENING);
const POLAR = EQUATOR * (1 - FLATTENING);
const DEGREE = Math.PI / 180;
/** Cosine of a latitude below which the distance from the axis says too little of the height. */
const NEAR_POLE = 0.01;

/**
 * Degrees north, degrees east and metres above the ellipsoid, to earth-centred x, y, z in metres (x through 0° N 0° E, z
 * through the north pole). `out` gets 3 numbers from `at` on. `items`: only those of x, y and z whose bit it has, 1, 2
 * and 4; by default all.
 */
export function toEarth(
  latitude: number,
  longitude: number,
  height: number,
  out: Numbers,
  at: number,
  items = 7,
): void {
  const sin = Math.sin(latitude * DEGREE);
  const normal = EQUATOR / Math.sqrt(1 - ECCENTRICITY2 * sin * sin);
  if ((items & 3) !== 0) {
    const cos = Math.cos(latitude * DEGREE);
    if ((items & 1) !== 0) out[at] = (normal + height) * cos * Math.cos(longitude * DEGREE);
    if ((items & 2) !== 0) out[at + 1] = (normal + height) * cos * Math.sin(longitude * DEGREE);
  }
  if ((items & 4) !== 0) out[at + 2] = (normal * (1 - ECCENTRICITY2) + height) * sin;
}

/**
 * The same of many places: latitudes become x, longitudes y and heights z. Of those that `items` does not name any numbers
 * are left. `sines` are as long at least, and written over. With all that is counted of a place in one loop Node takes twice
 * as long.
 */
export function toEarthColumns(
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
  items: number,
  [north, east]: readonly [Float64Array, Float64Array],
): void {
  for (let k = 0; k < a.length; k++) north[k] = Math.sin(a[k]! * DEGREE);
  if ((items & 3) !== 0) for (let k = 0; k < a.length; k++) a[k] = Math.cos(a[k]! * DEGREE);
  if ((items & 2) !== 0) for (let k = 0; k < b.length; k++) east[k] = Math.sin(b[k]! * DEGREE);
  if ((items & 1) !== 0) for (let k = 0; k < b.length; k++) b[k] = Math.cos(b[k]! * DEGREE);
  for (let k = 0; k < a.length; k++) {
    const sin = north[k]!;
    const height = c[k]!;
    const normal = EQUATOR / Math.sqrt(1 - ECCENTRICITY2 * sin * sin);
    const out = (normal + height) * a[k]!;
    a[k] = out * b[k]!;
    b[k] = out * east[k]!;
    c[k] = (normal * (1 - ECCENTRICITY2) + height) * sin;
  }
}

/**
 * Back from `toEarth`, by Bowring's formula repeated until it stands still: within a micrometre of the inverse, at the
 * poles too. The earth's centre is nowhere: NaN.
 */
export function fromEarth(x: number, y: number, z: number, out: Numbers, at: number): void {
  const p = Math.hypot(x, y);
  if (!(p + Math.abs(z) > 0)) {
    out[at] = out[at + 1] = out[at + 2] = Number.NaN;
    return;
  }
  let reduced = Math.atan2(z, (1 - FLATTENING) * p);
  let latitude = 0;
  for (let i = 0; i < 4; i++) {
    const sin = Math.sin(reduced);
    const cos = Math.cos(reduced);
    latitude = Math.atan2(
      z + ((ECCENTRICITY2 * EQUATOR * EQUATOR) / POLAR) * sin * sin * sin,
      p - ECCENTRICITY2 * EQUATOR * cos * cos * cos,
    );
    reduced = Math.atan2((1 - FLATTENING) * Math.sin(latitude), Math.cos(latitude));
  }
  const sin = Math.sin(latitude);
  const cos = Math.cos(latitude);
  const normal = EQUATOR / Math.sqrt(1 - ECCENTRICITY2 * sin * sin);
  out[at] = latitude / DEGREE;
  out[at + 1] = Math.atan2(y, x) / DEGREE;
  out[at + 2] = cos > NEAR_POLE ? p / cos - normal : Math.abs(z) / Math.abs(sin) - normal * (1 - ECCENTRICITY2);
}

/** Where a local plane touches the earth. Unless it is given, the first geodetic place met sets it. */
export interface Origin {
  /** Degrees north, -90 to 90. */
  latitude: number;
  /** Degrees east, -180 to 180. */
  longitude: number;
  /** Metres above the ellipsoid. */
  altitude: number;
  /** Where the y axis of the plane points: degrees clockwise from north. */
  heading: number;
  isSet: boolean;
}

/** An origin that the first geodetic place will set. */
export function unsetOrigin(): Origin {
  return { latitude: 0, longitude: 0, altitude: 0, heading: 0, isSet: false };
}

/** Throws `RangeError` for what is no place on the earth. */
export function originAt(latitude: number, longitude: number, altitude = 0, heading = 0): Origin {
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (!isPlace || !Number.isFinite(altitude) || !Number.isFinite(heading)) {
    throw new RangeError(
      `an origin is latitude -90 to 90, longitude -180 to 180, altitude in metres, heading in degrees: ${[latitude, longitude, altitude, heading].join(",")}`,
    );
  }
  return { latitude, longitude, altitude, heading, isSet: true };
}

/**
 * The plane that touches the earth at an origin, as it is when this is made: y along the origin's heading, x to the right
 * of it, z up, metres. No call allocates.
 */
export class TangentPlane {
  /** Sines and cosines of the origin's latitude, longitude and heading. */
  readonly #sp: number;
  readonly #cp: number;
  readonly #sl: number;
  readonly #cl: number;
  readonly #sh: number;
  readonly #ch: number;
  /** The origin, earth-centred. */
  readonly #x: number;
  readonly #y: number;
  readonly #z: number;

  constructor({ latitude, longitude, altitude, heading }: Omit<Origin, "isSet">) {
    const phi = (latitude * Math.PI) / 180;
    const lambda = (longitude * Math.PI) / 180;
    this.#sp = Math.sin(phi);
    this.#cp = Math.cos(phi);
    this.#sl = Math.sin(lambda);
    this.#cl = Math.cos(lambda);
    this.#sh = Math.sin((heading * Math.PI) / 180);
    this.#ch = Math.cos((heading * Math.PI) / 180);
    const normal = normalAt(phi);
    this.#x = (normal + altitude) * this.#cp * this.#cl;
    this.#y = (normal + altitude) * this.#cp * this.#sl;
    this.#z = (normal * (1 - ECCENTRICITY2) + altitude) * this.#sp;
  }

  /**
   * Degrees north, degrees east and metres above the ellipsoid, to x, y, z on the plane and above it: `out` gets 3
   * numbers from `at` on. Within a hundred kilometres of the origin they are right to centimetres.
   */
  fromGeodetic(latitude: number, longitude: number, height: number, out: Numbers, at: number): void {
    const phi = (latitude * Math.PI) / 180;
    const lambda = (longitude * Math.PI) / 180;
    const normal = normalAt(phi);
    const dx = (normal + height) * Math.cos(phi) * Math.cos(lambda) - this.#x;
    const dy = (normal + height) * Math.cos(phi) * Math.sin(lambda) - this.#y;
    const dz = (normal * (1 - ECCENTRICITY2) + height) * Math.sin(phi) - this.#z;
    const sp = this.#sp;
    const cp = this.#cp;
    const sl = this.#sl;
    const cl = this.#cl;
    const east = -sl * dx + cl * dy;
    const north = -sp * cl * dx - sp * sl * dy + cp * dz;
    out[at] = this.#ch * east - this.#sh * north;
    out[at + 1] = this.#sh * east + this.#ch * north;
    out[at + 2] = cp * cl * dx + cp * sl * dy + sp * dz;
  }

  /** Back from `fromGeodetic`. */
  toGeodetic(x: number, y: number, z: number, out: Numbers, at: number): void {
    const sp = this.#sp;
    const cp = this.#cp;
    const sl = this.#sl;
    const cl = this.#cl;
    const east = this.#ch * x + this.#sh * y;
    const north = this.#ch * y - this.#sh * x;
    const ex = this.#x - sl * east - sp * cl * north + cp * cl * z;
    const ey = this.#y + cl * east - sp * sl * north + cp * sl * z;
    const ez = this.#z + cp * north + sp * z;
    const p = Math.hypot(ex, ey);
    let latitude = Math.atan2(ez, p * (1 - ECCENTRICITY2));
    // Written tapes have these very digits: `fromEarth` rounds otherwise in the last one.
    let height = 0;
    for (let i = 0; i < 6; i++) {
      const normal = normalAt(latitude);
      height = p / Math.cos(latitude) - normal;
      latitude = Math.atan2(ez, p * (1 - (ECCENTRICITY2 * normal) / (normal + height)));
    }
    if (!(Math.cos(latitude) > NEAR_POLE)) {
      fromEarth(ex, ey, ez, out, at);
      return;
    }
    out[at] = (latitude * 180) / Math.PI;
    out[at + 1] = (Math.atan2(ey, ex) * 180) / Math.PI;
    out[at + 2] = height;
  }

  /** A vector along the plane's x and y, to east and north: `out` gets 2 numbers from `at` on. */
  toEast(x: number, y: number, out: Numbers, at: number): void {
    out[at] = this.#ch * x + this.#sh * y;
    out[at + 1] = this.#ch * y - this.#sh * x;
  }
}

/** Radius of curvature across the meridian at a latitude in radians. */
function normalAt(phi: number): number {
  return EQUATOR / Math.sqrt(1 - ECCENTRICITY2 * Math.sin(phi) ** 2);
}
