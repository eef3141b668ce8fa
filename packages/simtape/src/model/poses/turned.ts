import { type AxesTransform, transformOf } from "../axes/axes-transform.ts";
import type { Axes } from "../axes/axes.ts";
import type { Column, ColumnSpec } from "../state/column.ts";
import { type Origin, TangentPlane } from "../axes/geodesy.ts";
import { PoseColumns } from "./pose-columns.ts";
import type { EntitySet } from "../state/state.ts";
import { radiansPer } from "../values/units.ts";

/** Of three or four numbers, and no way along axes. */
const UNTURNED: readonly string[] = ["color", "geodetic"];
const METRES = { kind: "f64", width: 3, unit: "m", interpolation: "linear" } as const satisfies ColumnSpec;
const METRES_PER_SECOND = { ...METRES, unit: "m/s" } as const;

/** The columns of a set that is turned to other axes. Those are left out of which nothing says how they turn. */
export function turnedSpecs(specs: Iterable<readonly [name: string, spec: ColumnSpec]>): Map<string, ColumnSpec> {
  const turned = new Map<string, ColumnSpec>();
  for (const [name, spec] of specs) {
    const meant = turnedSpec(name, spec);
    if (meant !== null) turned.set(name, meant);
  }
  if (turned.has("geodetic") && !turned.has("position")) turned.set("position", METRES);
  return turned;
}

function turnedSpec(name: string, spec: ColumnSpec): ColumnSpec | null {
  switch (name) {
    case "position":
      return METRES;
    case "velocity":
      return METRES_PER_SECOND;
    case "rotation":
    case "orientation":
      return { ...spec, kind: "f64" };
    default:
      return (spec.width === 3 || spec.width === 4) && !UNTURNED.includes(name) ? null : spec;
  }
}

/**
 * Turns sets to other axes, in metres and metres a second: positions, rotations, orientations and velocities. What is
 * geodetic is laid on the plane that touches the earth at `origin`, which its first place sets unless it is set. Of the
 * axes only `handed`, `up` and `angles` matter; velocities are along the set's.
 */
export class Turning {
  readonly #to: AxesTransform;
  readonly #origin: Origin;
  readonly #poses: PoseColumns;
  #plane: TangentPlane | null = null;

  constructor(to: Axes, origin: Origin) {
    this.#to = transformOf({ ...to, velocities: "set" });
    this.#origin = origin;
    this.#poses = new PoseColumns(origin.heading);
  }

  get axes(): Axes {
    return this.#to.axes;
  }

  /** A set of its own, in which these rows are turned; those of the others are not to be read. */
  turn(set: EntitySet, rows: Uint32Array): EntitySet {
    this.#poses.use(set);
    const columns = new Map<string, Column>();
    const specs = Array.from(set.columns, ([name, column]) => [name, { ...column, kind: "f64" }] as const);
    for (const [name, { width, unit, interpolation = "hold" }] of turnedSpecs(specs)) {
      const column = set.columns.get(name);
      const data = this.#turned(name, set.ids.length, rows, radiansPer(column?.unit ?? null));
      columns.set(name, data === null ? column! : { data, width, unit, interpolation });
    }
    return { ids: set.ids, columns, axes: this.#to.axes };
  }

  /** Null: the column stays as it is. */
  #turned(name: string, length: number, rows: Uint32Array, radians: number): Float64Array | null {
    const to = this.#to;
    const poses = this.#poses;
    const at = new Float64Array(4);
    const out = new Float64Array(length * (name === "orientation" ? 4 : 3));
    for (const row of rows) {
      switch (name) {
        case "position":
          this.#position(row, at);
          to.vectorBack(at[0]!, at[1]!, at[2]!, out, 3 * row);
          break;
        case "velocity":
          poses.velocity(row, at, 0);
          to.vectorBack(at[0]!, at[1]!, at[2]!, out, 3 * row);
          break;
        case "rotation":
          poses.orientation(row, at, 0);
          to.anglesBack(at[0]!, at[1]!, at[2]!, at[3]!, radians, out, 3 * row);
          break;
        case "orientation":
          poses.orientation(row, at, 0);
          to.orientationBack(at[0]!, at[1]!, at[2]!, at[3]!, out, 4 * row);
          break;
        default:
          return null;
      }
    }
    return out;
  }

  #position(row: number, out: Float64Array): void {
    const poses = this.#poses;
    if (!poses.isGeodetic) {
      poses.position(row, out, 0);
      return;
    }
    if (!poses.geodetic(row, out, 0)) return;
    const [latitude, longitude, altitude] = out as unknown as [number, number, number];
    if (!this.#origin.isSet) Object.assign(this.#origin, { latitude, longitude, altitude, isSet: true });
    this.#plane ??= new TangentPlane(this.#origin);
    this.#plane.fromGeodetic(latitude, longitude, altitude, out, 0);
  }
}
