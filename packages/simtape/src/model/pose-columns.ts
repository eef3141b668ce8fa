import { type AxesTransform, transformOf } from "./axes.ts";
import type { Column } from "./column.ts";
import { multiply, type Numbers, rotate } from "./rotation.ts";
import { standardAxes } from "./standard-axes.ts";
import type { EntitySet } from "./state.ts";
import { metresPer, metresPerSecond, radiansPer } from "./units.ts";

type Cells = Readonly<Record<number, number>>;

/** Null when nothing in the set can be somewhere. `heading` is that of the plane on which geodetic things come to lie. */
export function posesOf(set: EntitySet, heading = 0): PoseColumns | null {
  const geodetic = wide(set.columns.get("geodetic"), 3);
  const position = geodetic ?? wide(set.columns.get("position"), 3);
  if (position === null) return null;
  const metres = geodetic === null ? metresPer(position.unit) : metresPer(heightUnit(position.unit));
  return metres === null ? null : new PoseColumns(set, position, metres, heading);
}

/** Of "deg deg ft" the last; feet unless it is said. */
function heightUnit(unit: string | null): string {
  return unit?.split(" ")[2] ?? "ft";
}

function wide(column: Column | undefined, width: number): Column | null {
  return column !== undefined && column.width === width ? column : null;
}

/**
 * Where the things of a set are, how they lie and how fast they go, row by row, in standard axes and metres whatever the
 * set means. A thing's own axes are x forward, y left, z up. Each call writes to `out` from `at` on and allocates nothing;
 * it gives false, and writes NaN, where something is not known. Made by `posesOf`.
 */
export class PoseColumns {
  readonly transform: AxesTransform;
  /** `geodetic` says where things are, not `position`. */
  readonly isGeodetic: boolean;
  readonly #position: Cells;
  /** Metres in one of the position, or of the height. */
  readonly #metres: number;
  readonly #velocity: Cells | null;
  readonly #speed: number;
  readonly #quaternion: Cells | null;
  readonly #rotation: Cells | null;
  readonly #radians: number;
  /** What yaw or heading is where a thing looks along y of the plane: the plane's heading in the column's unit. */
  readonly #heading: number;
  /** How the plane lies on the compass. */
  readonly #plane: readonly [z: number, w: number] | null;
  readonly #scratch: Float64Array = new Float64Array(4);

  /** `position` and `metres` as `posesOf` finds them. */
  constructor({ columns, axes }: EntitySet, position: Column, metres: number, heading: number) {
    this.isGeodetic = position === columns.get("geodetic");
    // Where the column says that it is geodetic, what the axes say of local angles is not meant.
    const isOther = this.isGeodetic && axes?.kind !== "geodetic";
    this.transform = transformOf(isOther ? standardAxes("right", "z", "geodetic") : axes);
    this.#position = position.data as Cells;
    this.#metres = metres;
    const velocity = wide(columns.get("velocity"), 3);
    const speed = metresPerSecond(velocity?.unit ?? null, this.transform.axes.tickRate);
    this.#velocity = velocity === null || speed === null ? null : (velocity.data as Cells);
    this.#speed = speed ?? Number.NaN;
    const quaternion = wide(columns.get("orientation"), 4);
    const rotation = quaternion === null ? wide(columns.get("rotation"), 3) : null;
    this.#quaternion = (quaternion?.data ?? null) as Cells | null;
    this.#rotation = (rotation?.data ?? null) as Cells | null;
    this.#radians = radiansPer(rotation?.unit ?? null);
    const isTurned = this.isGeodetic && heading !== 0;
    const half = (heading * Math.PI) / 360;
    this.#plane = isTurned ? [Math.sin(half), Math.cos(half)] : null;
    const inUnit = rotation?.unit === "rad" ? 2 * half : heading;
    this.#heading = isTurned ? (this.transform.axes.angles!.yaw === "right" ? inUnit : -inUnit) : 0;
  }

  /** Metres along standard axes, of a local set: 3 numbers. */
  position(row: number, out: Numbers, at: number): boolean {
    const from = 3 * row;
    const metres = this.#metres;
    const cells = this.#position;
    this.transform.vector(cells[from]! * metres, cells[from + 1]! * metres, cells[from + 2]! * metres, out, at);
    return this.#isKnown(!this.isGeodetic, out, at, 3);
  }

  /** Degrees north, degrees east and metres above the ellipsoid, of a geodetic set: what `TangentPlane` lays on a plane. */
  geodetic(row: number, out: Numbers, at: number): boolean {
    const from = 3 * row;
    out[at] = this.#position[from]!;
    out[at + 1] = this.#position[from + 1]!;
    out[at + 2] = this.#position[from + 2]! * this.#metres;
    return this.#isKnown(this.isGeodetic, out, at, 3);
  }

  /** Quaternion x, y, z, w: 4 numbers. Of a geodetic set, on the plane with the heading that was given. */
  orientation(row: number, out: Numbers, at: number): boolean {
    const quaternion = this.#quaternion;
    const rotation = this.#rotation;
    if (rotation !== null) {
      const from = 3 * row;
      const yaw = rotation[from + 2]! - this.#heading;
      this.transform.angles(rotation[from]!, rotation[from + 1]!, yaw, this.#radians, out, at);
    } else if (quaternion !== null) {
      const from = 4 * row;
      this.transform.orientation(
        quaternion[from]!,
        quaternion[from + 1]!,
        quaternion[from + 2]!,
        quaternion[from + 3]!,
        out,
        at,
      );
      const plane = this.#plane;
      if (plane !== null)
        multiply(0, 0, plane[0], plane[1], out[at]!, out[at + 1]!, out[at + 2]!, out[at + 3]!, out, at);
    }
    return this.#isKnown(rotation !== null || quaternion !== null, out, at, 4);
  }

  /** Metres a second along standard axes: 3 numbers. */
  velocity(row: number, out: Numbers, at: number): boolean {
    const cells = this.#velocity;
    if (cells === null) return this.#isKnown(false, out, at, 3);
    const s = this.#scratch;
    const from = 3 * row;
    const speed = this.#speed;
    const isOwn = this.transform.axes.velocities === "own";
    if (isOwn)
      this.transform.ownVector(cells[from]! * speed, cells[from + 1]! * speed, cells[from + 2]! * speed, out, at);
    else this.transform.vector(cells[from]! * speed, cells[from + 1]! * speed, cells[from + 2]! * speed, out, at);
    const isTurned = !isOwn || this.orientation(row, s, 0);
    if (isOwn) rotate(s[0]!, s[1]!, s[2]!, s[3]!, out, at);
    else if (this.#plane !== null) rotate(0, 0, this.#plane[0], this.#plane[1], out, at);
    return this.#isKnown(isTurned, out, at, 3);
  }

  #isKnown(has: boolean, out: Numbers, at: number, count: number): boolean {
    let isKnown = has;
    for (let k = 0; k < count; k++) isKnown &&= Number.isFinite(out[at + k]!);
    if (!isKnown) for (let k = 0; k < count; k++) out[at + k] = Number.NaN;
    return isKnown;
  }
}
