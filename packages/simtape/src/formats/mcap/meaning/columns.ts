import type { Axes } from "../../../model/axes/axes.ts";
import type { ColumnSpec } from "../../../model/state/column.ts";
import type { MutableEntitySet } from "../../../model/state/state.ts";
import { type Members, numberIn } from "./members.ts";

/** Robots: right-handed, z up, a thing's own x forward; velocities are along its own axes (spec §7). */
export const AXES: Axes = { handed: "right", up: "z", kind: "local", velocities: "own" };
/** Latitude, longitude, altitude. */
export const EARTH: Axes = { handed: "right", up: "z", kind: "geodetic" };

export const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
/** Quaternion x, y, z, w. */
export const ORIENTATION: ColumnSpec = { kind: "f64", width: 4, unit: null, interpolation: "quaternion" };
export const VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "m/s", interpolation: "linear" };
export const ANGULAR_VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "rad/s", interpolation: "linear" };
export const GEODETIC: ColumnSpec = { kind: "f64", width: 3, unit: "deg deg m", interpolation: "geodetic" };
export const SIZE: ColumnSpec = { kind: "f64", width: 3, unit: "m" };
export const TEXT: ColumnSpec = { kind: "string", width: 1, unit: null };

export function putVector(set: MutableEntitySet, name: string, spec: ColumnSpec, row: number, of: Members): void {
  set.column(name, spec).put3(row, numberIn(of["x"]), numberIn(of["y"]), numberIn(of["z"]));
}

export function putQuaternion(set: MutableEntitySet, name: string, row: number, of: Members): void {
  const column = set.column(name, ORIENTATION);
  column.put(row, numberIn(of["x"]), 0);
  column.put(row, numberIn(of["y"]), 1);
  column.put(row, numberIn(of["z"]), 2);
  column.put(row, numberIn(of["w"]), 3);
}
