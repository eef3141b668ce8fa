import type { Column } from "./column.ts";
import type { Axes, EntitySet, State } from "./state.ts";

/**
 * Where a thing is, in one form for all formats: metres, right-handed, z up, local. What a format cannot say is null.
 * Geodetic positions are laid onto the tangent plane at `Origin`: y along its heading, x to the right, z up.
 */
export interface Place {
  readonly set: string;
  readonly id: number | string;
  readonly kind: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Quaternion x, y, z, w of the thing's frame: x forward, y left, z up. */
  readonly orientation: readonly [number, number, number, number] | null;
  /** m/s, same axes. */
  readonly velocity: readonly [number, number, number] | null;
}

/** Where a local plane touches the earth. Unless it is given, the first geodetic place met sets it. */
export interface Origin {
  latitude: number;
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

/** Metres in one of a length unit; null for what is no length. */
function metresPer(unit: string | null): number | null {
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
      return 0.3048;
    case "km":
      return 1000;
    default:
      return null;
  }
}

/** Every thing of a state that has a position that can be told in metres. */
export function placesOf(state: State, origin: Origin): Place[] {
  const places: Place[] = [];
  for (const [name, set] of state.sets) {
    const geodetic = set.columns.get("geodetic");
    if (geodetic !== undefined) geodeticPlaces(name, set, geodetic, origin, places);
    else localPlaces(name, set, places);
  }
  return places;
}

function localPlaces(name: string, set: EntitySet, places: Place[]): void {
  const position = set.columns.get("position");
  if (position === undefined || position.width !== 3) return;
  const scale = metresPer(position.unit);
  if (scale === null) return;
  const velocity = set.columns.get("velocity");
  const speed = metresPer(velocity?.unit?.replace(/\/(s|ps|tick)$/, "") ?? null);
  const perSecond =
    velocity?.unit?.endsWith("/ps") === true ? 1e12 : velocity?.unit?.endsWith("/tick") === true ? 20 : 1;
  for (let row = 0; row < set.ids.length; row++) {
    const at = turned(position, row, set.axes, scale);
    if (at === null) continue;
    places.push({
      set: name,
      id: set.ids[row]!,
      kind: textOf(set, "kind", row),
      label: textOf(set, "label", row),
      x: at[0],
      y: at[1],
      z: at[2],
      orientation: orientationOf(set, row),
      velocity: velocity === undefined || speed === null ? null : turned(velocity, row, set.axes, speed * perSecond),
    });
  }
}

/** Three numbers of a column, turned to right-handed z-up and scaled; null when they are not known. */
function turned(column: Column, row: number, axes: Axes | null, scale: number): [number, number, number] | null {
  const data = column.data as Float64Array;
  const a = data[3 * row]! * scale;
  const b = data[3 * row + 1]! * scale;
  const c = data[3 * row + 2]! * scale;
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c)) return null;
  if (axes === null || (axes.up === "z" && axes.handed === "right")) return [a, b, c];
  if (axes.up === "z") return [a, -b, c];
  return axes.handed === "right" ? [a, -c, b] : [a, c, b];
}

function orientationOf(set: EntitySet, row: number): Place["orientation"] {
  const { axes } = set;
  const quaternion = set.columns.get("orientation");
  if (quaternion !== undefined) {
    const data = quaternion.data as Float64Array;
    const [x, y, z, w] = [data[4 * row]!, data[4 * row + 1]!, data[4 * row + 2]!, data[4 * row + 3]!];
    if (![x, y, z, w].every(Number.isFinite)) return null;
    if (axes === null || axes.up === "z") return axes?.handed === "left" ? [-x, y, -z, w] : [x, y, z, w];
    return axes.handed === "right" ? [x, -z, y, w] : [-x, -z, -y, w];
  }
  const rotation = set.columns.get("rotation");
  if (rotation === undefined || rotation.width !== 3) return null;
  const scale = rotation.unit === "rad" ? 1 : Math.PI / 180;
  const data = rotation.data as Float64Array;
  const roll = data[3 * row]! * scale;
  const pitch = data[3 * row + 1]! * scale;
  const yaw = data[3 * row + 2]! * scale;
  if (![roll, pitch, yaw].every(Number.isFinite)) return null;
  if (axes?.handed === "left" && axes.up === "z") return fromEuler(roll, -pitch, -yaw);
  // Minecraft: yaw 0 looks along +z (south) and turns clockwise seen from above; pitch is positive downwards.
  if (axes?.up === "y") return fromEuler(roll, pitch, -yaw - Math.PI / 2);
  return fromEuler(roll, pitch, yaw);
}

/** Quaternion of roll about x, then pitch about y, then yaw about z; radians, right-handed. */
export function fromEuler(roll: number, pitch: number, yaw: number): [number, number, number, number] {
  const [sr, cr] = [Math.sin(roll / 2), Math.cos(roll / 2)];
  const [sp, cp] = [Math.sin(pitch / 2), Math.cos(pitch / 2)];
  const [sy, cy] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/** Roll, pitch, yaw in radians of a quaternion x, y, z, w; right-handed. */
export function toEuler([x, y, z, w]: readonly [number, number, number, number]): [number, number, number] {
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  return [roll, pitch, yaw];
}

function geodeticPlaces(name: string, set: EntitySet, geodetic: Column, origin: Origin, places: Place[]): void {
  const data = geodetic.data as Float64Array;
  const rotation = set.columns.get("rotation")?.data as Float64Array | undefined;
  for (let row = 0; row < set.ids.length; row++) {
    const latitude = data[3 * row]!;
    const longitude = data[3 * row + 1]!;
    const altitude = data[3 * row + 2]! * 0.3048; // the column's third number is feet: docs/state.md
    if (![latitude, longitude, altitude].every(Number.isFinite)) continue;
    if (!origin.isSet) Object.assign(origin, { latitude, longitude, altitude, isSet: true });
    const [x, y, z] = toPlane(latitude, longitude, altitude, origin);
    let orientation: Place["orientation"] = null;
    if (rotation !== undefined) {
      const [roll, pitch, heading] = [rotation[3 * row]!, rotation[3 * row + 1]!, rotation[3 * row + 2]!];
      const degree = Math.PI / 180;
      const isKnown = [roll, pitch, heading].every(Number.isFinite);
      // Heading is clockwise from north, pitch positive upwards.
      if (isKnown)
        orientation = fromEuler(roll * degree, -pitch * degree, Math.PI / 2 - (heading - origin.heading) * degree);
    }
    places.push({
      set: name,
      id: set.ids[row]!,
      kind: textOf(set, "kind", row),
      label: textOf(set, "label", row),
      x,
      y,
      z,
      orientation,
      velocity: null,
    });
  }
}

/** WGS84. */
const EQUATOR = 6378137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY = FLATTENING * (2 - FLATTENING);

/** Along the axes of the plane at `origin` to east and north. */
export function toEast(x: number, y: number, { heading }: Origin): [east: number, north: number] {
  const [s, c] = [Math.sin((heading * Math.PI) / 180), Math.cos((heading * Math.PI) / 180)];
  return [c * x + s * y, c * y - s * x];
}

function fromEast(east: number, north: number, { heading }: Origin): [x: number, y: number] {
  const [s, c] = [Math.sin((heading * Math.PI) / 180), Math.cos((heading * Math.PI) / 180)];
  return [c * east - s * north, s * east + c * north];
}

/** Degrees and metres to metres on the plane at the origin; exact to centimetres within a hundred kilometres. */
function toPlane(latitude: number, longitude: number, altitude: number, origin: Origin): [number, number, number] {
  const a = toEcef(latitude, longitude, altitude);
  const b = toEcef(origin.latitude, origin.longitude, origin.altitude);
  const [dx, dy, dz] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const phi = (origin.latitude * Math.PI) / 180;
  const lambda = (origin.longitude * Math.PI) / 180;
  const [sp, cp, sl, cl] = [Math.sin(phi), Math.cos(phi), Math.sin(lambda), Math.cos(lambda)];
  const [x, y] = fromEast(-sl * dx + cl * dy, -sp * cl * dx - sp * sl * dy + cp * dz, origin);
  return [x, y, cp * cl * dx + cp * sl * dy + sp * dz];
}

/** Metres on the plane at the origin, and above it, to degrees, degrees, metres. */
export function fromPlane(x: number, y: number, z: number, origin: Origin): [number, number, number] {
  const phi = (origin.latitude * Math.PI) / 180;
  const lambda = (origin.longitude * Math.PI) / 180;
  const [sp, cp, sl, cl] = [Math.sin(phi), Math.cos(phi), Math.sin(lambda), Math.cos(lambda)];
  const b = toEcef(origin.latitude, origin.longitude, origin.altitude);
  const [east, north] = toEast(x, y, origin);
  const ex = b[0] - sl * east - sp * cl * north + cp * cl * z;
  const ey = b[1] + cl * east - sp * sl * north + cp * sl * z;
  const ez = b[2] + cp * north + sp * z;
  const p = Math.hypot(ex, ey);
  let latitude = Math.atan2(ez, p * (1 - ECCENTRICITY));
  let altitude = 0;
  for (let i = 0; i < 6; i++) {
    const n = EQUATOR / Math.sqrt(1 - ECCENTRICITY * Math.sin(latitude) ** 2);
    altitude = p / Math.cos(latitude) - n;
    latitude = Math.atan2(ez, p * (1 - (ECCENTRICITY * n) / (n + altitude)));
  }
  return [(latitude * 180) / Math.PI, (Math.atan2(ey, ex) * 180) / Math.PI, altitude];
}

function toEcef(latitude: number, longitude: number, altitude: number): [number, number, number] {
  const phi = (latitude * Math.PI) / 180;
  const lambda = (longitude * Math.PI) / 180;
  const n = EQUATOR / Math.sqrt(1 - ECCENTRICITY * Math.sin(phi) ** 2);
  return [
    (n + altitude) * Math.cos(phi) * Math.cos(lambda),
    (n + altitude) * Math.cos(phi) * Math.sin(lambda),
    (n * (1 - ECCENTRICITY) + altitude) * Math.sin(phi),
  ];
}

function textOf(set: EntitySet, name: string, row: number): string {
  const column = set.columns.get(name);
  const text = column?.data[row];
  return typeof text === "string" ? text : "";
}
