import { type AxesTransform, transformOf } from "../axes/axes-transform.ts";
import type { Column } from "../state/column.ts";
import { multiply, type Numbers, rotate } from "../axes/rotation.ts";
import { standardAxes } from "../axes/standard-axes.ts";
import type { EntitySet } from "../state/state.ts";
import { metresPer, metresPerSecond, radiansPer } from "../values/units.ts";

type Cells = Readonly<Record<number, number>>;

const NOTHING: Cells = new Float64Array(0);

/** Null when nothing in the set can be somewhere. `heading` is that of the plane on which geodetic things come to lie. */
export function posesOf(set: EntitySet, heading = 0): PoseColumns | null {
  const poses = new PoseColumns(heading);
  return poses.use(set) ? poses : null;
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
 * it gives false, and writes NaN, where something is not known. `posesOf` makes one for a set; who reads a set again and
 * again keeps one and lets it `use` each.
 */
export class PoseColumns {
  readonly #plane: number;
  #transform: AxesTransform = transformOf(null);
  #isGeodetic = false;
  #position: Cells = NOTHING;
  /** Metres in one of the position, or of the height. */
  #metres = Number.NaN;
  #velocity: Cells | null = null;
  #speed = Number.NaN;
  /** Velocities are along the axes of the things. */
  #isOwn = false;
  #quaternion: Cells | null = null;
  #rotation: Cells | null = null;
  #radians = Number.NaN;
  /** What yaw or heading is where a thing looks along y of the plane: the plane's heading in the column's unit. */
  #heading = 0;
  /** How the plane lies on the compass: z and w of a quaternion. */
  #isTurned = false;
  readonly #planeZ: number;
  readonly #planeW: number;
  readonly #scratch: Float64Array = new Float64Array(4);

  /** `plane`: the heading of the plane on which geodetic things come to lie, degrees clockwise from north. */
  constructor(plane = 0) {
    this.#plane = plane;
    this.#planeZ = Math.sin((plane * Math.PI) / 360);
    this.#planeW = Math.cos((plane * Math.PI) / 360);
  }

  /** Reads this set from now on; false when nothing in it can be somewhere, and then nothing is known of any row. */
  use(set: EntitySet): boolean {
    const { columns, axes } = set;
    const geodetic = wide(columns.get("geodetic"), 3);
    const position = geodetic ?? wide(columns.get("position"), 3);
    const unit = geodetic === null ? (position?.unit ?? null) : heightUnit(geodetic.unit);
    const metres = position === null ? null : metresPer(unit);
    this.#isGeodetic = geodetic !== null;
    // Where a column is geodetic, what the axes say of local angles is not meant.
    const isOther = geodetic !== null && axes?.kind !== "geodetic";
    this.#transform = transformOf(isOther ? standardAxes("right", "z", "geodetic") : axes);
    this.#position = metres === null ? NOTHING : (position!.data as Cells);
    this.#metres = metres ?? Number.NaN;
    const velocity = wide(columns.get("velocity"), 3);
    const { velocities, tickRate, angles } = this.#transform.axes;
    const speed = metresPerSecond(velocity?.unit ?? null, tickRate);
    this.#velocity = velocity === null || speed === null ? null : (velocity.data as Cells);
    this.#speed = speed ?? Number.NaN;
    this.#isOwn = velocities === "own";
    const quaternion = wide(columns.get("orientation"), 4);
    const rotation = quaternion === null ? wide(columns.get("rotation"), 3) : null;
    this.#quaternion = (quaternion?.data ?? null) as Cells | null;
    this.#rotation = (rotation?.data ?? null) as Cells | null;
    this.#radians = radiansPer(rotation?.unit ?? null);
    this.#isTurned = this.#isGeodetic && this.#plane !== 0;
    const heading = rotation?.unit === "rad" ? (this.#plane * Math.PI) / 180 : this.#plane;
    this.#heading = this.#isTurned ? (angles!.yaw === "right" ? heading : -heading) : 0;
    return metres !== null;
  }

  /** `geodetic` says where things are, not `position`. */
  get isGeodetic(): boolean {
    return this.#isGeodetic;
  }

  /** Metres along standard axes, of a local set: 3 numbers. */
  position(row: number, out: Numbers, at: number): boolean {
    const from = 3 * row;
    const metres = this.#metres;
    const cells = this.#position;
    this.#transform.vector(cells[from]! * metres, cells[from + 1]! * metres, cells[from + 2]! * metres, out, at);
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
    const rotation = this.#rotation;
    if (rotation === null) return this.#byQuaternion(row, out, at);
    const from = 3 * row;
    const yaw = rotation[from + 2]! - this.#heading;
    this.#transform.angles(rotation[from]!, rotation[from + 1]!, yaw, this.#radians, out, at);
    return this.#isKnown(true, out, at, 4);
  }

  #byQuaternion(row: number, out: Numbers, at: number): boolean {
    const cells = this.#quaternion;
    if (cells === null) return this.#isKnown(false, out, at, 4);
    const from = 4 * row;
    this.#transform.orientation(cells[from]!, cells[from + 1]!, cells[from + 2]!, cells[from + 3]!, out, at);
    if (this.#isTurned)
      multiply(0, 0, this.#planeZ, this.#planeW, out[at]!, out[at + 1]!, out[at + 2]!, out[at + 3]!, out, at);
    return this.#isKnown(true, out, at, 4);
  }

  /** Metres a second along standard axes: 3 numbers. */
  velocity(row: number, out: Numbers, at: number): boolean {
    const cells = this.#velocity;
    if (cells === null) return this.#isKnown(false, out, at, 3);
    if (this.#isOwn) return this.#ownVelocity(row, cells, out, at);
    const from = 3 * row;
    const speed = this.#speed;
    this.#transform.vector(cells[from]! * speed, cells[from + 1]! * speed, cells[from + 2]! * speed, out, at);
    if (this.#isTurned) rotate(0, 0, this.#planeZ, this.#planeW, out, at);
    return this.#isKnown(true, out, at, 3);
  }

  #ownVelocity(row: number, cells: Cells, out: Numbers, at: number): boolean {
    const q = this.#scratch;
    const isTurned = this.orientation(row, q, 0);
    const from = 3 * row;
    const speed = this.#speed;
    this.#transform.ownVector(cells[from]! * speed, cells[from + 1]! * speed, cells[from + 2]! * speed, out, at);
    rotate(q[0]!, q[1]!, q[2]!, q[3]!, out, at);
    return this.#isKnown(isTurned, out, at, 3);
  }

  #isKnown(has: boolean, out: Numbers, at: number, count: number): boolean {
    // What is finite leaves 0 of itself.
    let rest = 0;
    for (let k = at; k < at + count; k++) rest += out[k]! - out[k]!;
    if (has && rest === 0) return true;
    for (let k = at; k < at + count; k++) out[k] = Number.NaN;
    return false;
  }
}
