import type { Axes } from "../../model/axes/axes.ts";
import { transformOf } from "../../model/axes/axes-transform.ts";
import type { ColumnKind, Interpolation } from "../../model/state/column.ts";
import {
  boolean,
  dictionary,
  list,
  maybe,
  none,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  shape,
  text,
  union,
  whole,
} from "../../model/shape.ts";
import { name } from "./shapes.ts";

export type Cell = number | string | boolean | null | readonly (number | null)[];

// JSON has numbers that are infinite here, such as 1e999
const real: Shape<number> = shape({ type: "number" }, "a number", (found) => typeof found === "number");
const cell: Shape<Cell> = union(real, text, boolean, none, list(orNull(real), 1, 256, "a list of 1 to 256 numbers"));

/** A text is the unit, and all else as by default. */
export type DeclaredColumn =
  | string
  | {
      readonly unit?: string;
      readonly width?: number;
      readonly kind?: ColumnKind;
      readonly interpolation?: Interpolation;
    };

export type DeclaredAxes = Omit<Axes, "kind"> & Partial<Pick<Axes, "kind">>;

/** What sets are: axes, and columns by name. */
export type DeclaredSets = Readonly<
  Record<
    string,
    {
      readonly axes?: DeclaredAxes;
      readonly columns?: Readonly<Record<string, DeclaredColumn>>;
    }
  >
>;

/** Sets, things in them, and cells of those. */
export type EntityCells = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, Cell>> | null>> | null>
>;

const column: Shape<DeclaredColumn> = union(
  name,
  object({
    unit: maybe(name),
    width: maybe(whole(1, 256)),
    kind: maybe(oneOf("f64", "f32", "i32", "u32", "u8", "string")),
    interpolation: maybe(oneOf("hold", "linear", "angle-deg", "angle-rad", "quaternion", "geodetic")),
  }),
);

const direction = oneOf("x", "-x", "y", "-y", "z", "-z");
const STATED: Shape<DeclaredAxes> = object({
  handed: oneOf("right", "left"),
  up: direction,
  kind: maybe(oneOf("local", "geodetic")),
  angles: maybe(
    object({
      order: oneOf(
        "yaw-pitch-roll",
        "yaw-roll-pitch",
        "pitch-yaw-roll",
        "pitch-roll-yaw",
        "roll-yaw-pitch",
        "roll-pitch-yaw",
      ),
      roll: oneOf("right", "left"),
      pitch: oneOf("up", "down"),
      yaw: oneOf("right", "left"),
      zero: oneOf("x", "-x", "y", "-y", "z", "-z", "north", "east", "south", "west"),
    }),
  ),
  own: maybe(object({ forward: direction, up: direction })),
  velocities: maybe(oneOf("set", "own")),
  tickRate: maybe(number),
});

const AXES: Shape<DeclaredAxes> = {
  ...STATED,
  problemIn: (axes) => {
    const problem = STATED.problemIn(axes);
    const why = problem === null ? disagreementOf(axes as DeclaredAxes) : null;
    return why === null ? problem : { path: "", expected: `axes that agree (${why})`, found: axes };
  },
};

/** Why these axes cannot be; null: they can. */
function disagreementOf(axes: DeclaredAxes): string | null {
  try {
    axesOf(axes);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export const SETS: Shape<DeclaredSets> = dictionary(
  object({ axes: maybe(AXES), columns: maybe(dictionary(column, name)) }),
  name,
);

export const ENTITIES: Shape<EntityCells> = dictionary(orNull(dictionary(orNull(dictionary(cell, name)))), name);

/** Throws `RangeError` for axes that contradict themselves. */
export function axesOf(axes: DeclaredAxes | undefined): Axes | null {
  return axes === undefined ? null : transformOf({ kind: "local", ...axes }).axes;
}
