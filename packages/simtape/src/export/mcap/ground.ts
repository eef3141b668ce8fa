import { type Origin, TangentPlane } from "../../model/axes/geodesy.ts";
import type { PoseColumns } from "../../model/poses/pose-columns.ts";
import type { Numbers } from "../../model/axes/rotation.ts";

/** Lays places on the plane at an origin, which the first geodetic place sets unless it is set. */
export class Ground {
  readonly origin: Origin;
  #plane: TangentPlane | null = null;

  constructor(origin: Origin) {
    this.origin = origin;
  }

  /** Metres, right-handed, z up: 3 numbers from `at` on; false, and NaN: not known. */
  place(poses: PoseColumns, row: number, out: Numbers, at: number): boolean {
    if (!poses.isGeodetic) return poses.position(row, out, at);
    if (!poses.geodetic(row, out, at)) return false;
    const [latitude, longitude, altitude] = [out[at]!, out[at + 1]!, out[at + 2]!];
    if (!this.origin.isSet) Object.assign(this.origin, { latitude, longitude, altitude, isSet: true });
    this.#plane ??= new TangentPlane(this.origin);
    this.#plane.fromGeodetic(latitude, longitude, altitude, out, at);
    return true;
  }
}
