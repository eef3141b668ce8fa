import { type Origin, TangentPlane } from "../axes/geodesy.ts";
import { type PoseColumns, posesOf } from "./pose-columns.ts";
import type { EntitySet, State } from "../state/state.ts";

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
  /** m/s, same axes; of what is geodetic, those of the ground where it is, turned to the plane's heading. */
  readonly velocity: readonly [number, number, number] | null;
}

/**
 * Every thing of a state that has a position in a length, set by set in the order of rows. An origin that is not set is
 * put to the first geodetic place.
 */
export function placesOf(state: State, origin: Origin): Place[] {
  const places: Place[] = [];
  for (const [name, set] of state.sets) {
    const poses = posesOf(set, origin.heading);
    if (poses !== null) addPlaces(name, set, poses, origin, places);
  }
  return places;
}

function addPlaces(name: string, set: EntitySet, poses: PoseColumns, origin: Origin, places: Place[]): void {
  const cells: number[] = [0, 0, 0, 0];
  let plane: TangentPlane | null = null;
  for (let row = 0; row < set.ids.length; row++) {
    if (!(poses.isGeodetic ? poses.geodetic(row, cells, 0) : poses.position(row, cells, 0))) continue;
    if (poses.isGeodetic) {
      const [latitude, longitude, altitude] = cells as [number, number, number];
      if (!origin.isSet) Object.assign(origin, { latitude, longitude, altitude, isSet: true });
      plane ??= new TangentPlane(origin);
      plane.fromGeodetic(latitude, longitude, altitude, cells, 0);
    }
    const [x, y, z] = cells as [number, number, number];
    places.push({
      set: name,
      id: set.ids[row]!,
      kind: textOf(set, "kind", row),
      label: textOf(set, "label", row),
      x,
      y,
      z,
      orientation: poses.orientation(row, cells, 0) ? (cells.slice() as [number, number, number, number]) : null,
      velocity: poses.velocity(row, cells, 0) ? (cells.slice(0, 3) as [number, number, number]) : null,
    });
  }
}

function textOf(set: EntitySet, name: string, row: number): string {
  const column = set.columns.get(name);
  const text = column?.data[row];
  return typeof text === "string" ? text : "";
}
