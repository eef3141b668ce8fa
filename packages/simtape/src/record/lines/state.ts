import * as v from "valibot";
import type { ColumnKind, ColumnSpec, Interpolation, MutableColumn } from "../../model/column.ts";
import { type Axes, transformOf } from "../../model/axes.ts";
import { areSameAxes } from "../../model/standard-axes.ts";
import { type MutableEntitySet, MutableState } from "../../model/state.ts";
import type { Value } from "../../model/value.ts";
import { boolean, dictionary, number, object, oneOf, orNull, type Shape, text, whole } from "../../model/shape.ts";
import { type Command, command, maybe, name } from "./shapes.ts";
import type { LineTarget } from "./line-protocol.ts";

type Cell = number | string | boolean | null | readonly (number | null)[];

/** Values inside values at most. */
const MOST_DEPTH = 64;

/** Anything that JSON has, within reason. */
export const value: Shape<Value> = v.pipe(
  v.any(),
  v.check((found) => !isDeeper(found, MOST_DEPTH), `at most ${MOST_DEPTH} values inside each other`),
);

const cell: Shape<Cell> = v.union([
  v.number("a number"),
  text,
  boolean,
  v.null("null"),
  v.pipe(
    v.array(orNull(v.number("a number")), "a list of numbers"),
    v.minLength(1, "a list of 1 to 256 numbers"),
    v.maxLength(256, "a list of 1 to 256 numbers"),
  ),
]);

/** A text is the unit, and all else as by default. */
type ColumnTold =
  | string
  | {
      readonly unit?: string;
      readonly width?: number;
      readonly kind?: ColumnKind;
      readonly interpolation?: Interpolation;
    };

type AxesTold = Omit<Axes, "kind"> & Partial<Pick<Axes, "kind">>;

/** What sets are: axes, and columns by name. */
export type SetsTold = Readonly<
  Record<
    string,
    {
      readonly axes?: AxesTold;
      readonly columns?: Readonly<Record<string, ColumnTold>>;
    }
  >
>;

/** Sets, things in them, and cells of those. */
type EntitiesTold = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Cell>> | null>> | null>>;

const column: Shape<ColumnTold> = v.union([
  name,
  object({
    unit: maybe(name),
    width: maybe(whole(1, 256)),
    kind: maybe(oneOf("f64", "f32", "i32", "u32", "u8", "string")),
    interpolation: maybe(oneOf("hold", "linear", "angle-deg", "angle-rad", "quaternion", "geodetic")),
  }),
]);

const direction = oneOf("x", "-x", "y", "-y", "z", "-z");
const STATED: Shape<AxesTold> = object({
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

const AXES: Shape<AxesTold> = v.pipe(
  STATED,
  v.check(
    (axes) => disagreementOf(axes) === null,
    ({ input }) => `axes that agree (${disagreementOf(input)})`,
  ),
);

/** Why these axes cannot be; null: they can. */
function disagreementOf(axes: AxesTold): string | null {
  try {
    axesOf(axes);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export const SETS: Shape<SetsTold> = dictionary(
  object({ axes: maybe(AXES), columns: maybe(dictionary(column, name)) }),
  name,
);

const ENTITIES: Shape<EntitiesTold> = dictionary(orNull(dictionary(orNull(dictionary(cell, name)))), name);

interface Declared {
  readonly axes: Axes | null;
  readonly columns: ReadonlyMap<string, ColumnTold>;
}

const UNDECLARED: Declared = { axes: null, columns: new Map() };

/** The state of any simulator, as lines change it; written at the end of each tick in which they did. */
export class StateLines {
  readonly #recorder: Pick<LineTarget, "tick" | "state" | "status">;
  readonly #state = new MutableState();
  #declared: ReadonlyMap<string, Declared> = new Map();
  #recording: string;
  #isChanged = false;

  constructor(recorder: Pick<LineTarget, "tick" | "state" | "status">) {
    this.#recorder = recorder;
    this.#recording = recorder.status.id;
  }

  /** The present tick is over, or is to be committed. A recording that has just begun gets everything. */
  tell(): void {
    const { id } = this.#recorder.status;
    if (!this.#isChanged && id === this.#recording) return;
    this.#recording = id;
    this.#isChanged = false;
    this.#recorder.state(this.#state.freeze());
  }

  reset(): void {
    this.#isChanged = true;
    this.#state.clear();
  }

  /** Null takes a value away. */
  values(values: Readonly<Record<string, Value>>): void {
    this.#isChanged = true;
    for (const [path, item] of Object.entries(values)) {
      if (item === null) this.#state.deleteValue(path);
      else this.#state.setValue(path, item);
    }
  }

  /** Throws `RangeError` for a set or column that is there and is another one. */
  declare(sets: SetsTold): void {
    const declared = new Map(this.#declared);
    for (const [set, { axes, columns = {} }] of Object.entries(sets)) {
      const before = declared.get(set) ?? UNDECLARED;
      const there = this.#state.sets.get(set);
      const told = axesOf(axes);
      if (told !== null && there !== undefined && (there.axes === null || !areSameAxes(there.axes, told)))
        throw new RangeError(`${set}.axes: the set is there already, with other axes`);
      for (const [key, told] of Object.entries(columns)) {
        const known = there?.columns.get(key);
        if (known !== undefined && !isSameSpec(known.spec, specOf(key, told, known.spec.kind, known.spec.width)))
          throw new RangeError(`${set}.columns.${key}: the column is there already, and another one`);
      }
      declared.set(set, {
        axes: told ?? before.axes,
        columns: new Map([...before.columns, ...Object.entries(columns)]),
      });
    }
    this.#declared = declared;
  }

  /**
   * Null for a set empties it, for a thing takes it away, for a cell makes it unknown. Throws `RangeError` for a cell
   * that its column does not hold; nothing of the line is taken then.
   */
  entities(sets: EntitiesTold): void {
    const mark = this.#state.savepoint();
    try {
      this.#tellEntities(sets);
      this.#isChanged = true;
    } catch (error) {
      this.#state.undo(mark);
      throw error;
    } finally {
      this.#state.forget();
    }
  }

  #tellEntities(sets: EntitiesTold): void {
    for (const [setName, things] of Object.entries(sets)) {
      const { axes, columns } = this.#declared.get(setName) ?? UNDECLARED;
      const set = this.#state.set(setName, axes);
      if (things === null) {
        set.clear();
        continue;
      }
      for (const [thing, cells] of Object.entries(things)) {
        if (cells === null) {
          set.remove(thing);
          continue;
        }
        const row = set.row(thing);
        for (const [key, item] of Object.entries(cells)) {
          const place = `${setName}.${thing}.${key}`;
          const into = columnOf(set, key, item, columns.get(key), place);
          if (into !== null) putCell(into, row, item, place);
        }
      }
    }
  }
}

export const STATE_COMMANDS: Readonly<Record<string, Command<StateLines>>> = {
  set: command(dictionary(value, name), (lines, values) => lines.values(values)),
  sets: command(SETS, (lines, sets) => lines.declare(sets)),
  entities: command(ENTITIES, (lines, sets) => lines.entities(sets)),
};

/** Throws `RangeError` for axes that contradict themselves. */
function axesOf(axes: AxesTold | undefined): Axes | null {
  return axes === undefined ? null : transformOf({ kind: "local", ...axes }).axes;
}

/** Null: nothing is known of it yet, and nothing is said. */
function columnOf(
  set: MutableEntitySet,
  key: string,
  item: Cell,
  told: ColumnTold | undefined,
  place: string,
): MutableColumn | null {
  const found = set.columns.get(key);
  if (found !== undefined) return found;
  if (item === null && told === undefined) return null;
  const kind = typeof item === "string" ? "string" : typeof item === "boolean" ? "u8" : "f64";
  const spec = specOf(key, told, kind, Array.isArray(item) ? item.length : 1);
  if (spec.kind === "string" && spec.width !== 1) throw new RangeError(`${place}: a column of text has width 1`);
  return set.column(key, spec);
}

function specOf(key: string, told: ColumnTold | undefined, kind: ColumnKind, width: number): ColumnSpec {
  const own = typeof told === "string" ? { unit: told } : (told ?? {});
  const unit = own.unit ?? null;
  return {
    kind: own.kind ?? kind,
    width: own.width ?? width,
    unit,
    interpolation: own.interpolation ?? interpolationOf(key, unit),
  };
}

/** Of the columns that mean the same everywhere (docs/state.md). */
function interpolationOf(key: string, unit: string | null): Interpolation {
  switch (key) {
    case "position":
    case "velocity":
    case "angular-velocity":
    case "acceleration":
      return "linear";
    case "rotation":
      return unit === "rad" ? "angle-rad" : "angle-deg";
    case "orientation":
      return "quaternion";
    case "geodetic":
      return "geodetic";
    default:
      return "hold";
  }
}

function isSameSpec(a: ColumnSpec, b: ColumnSpec): boolean {
  return a.kind === b.kind && a.width === b.width && a.unit === b.unit && a.interpolation === b.interpolation;
}

/** Whole numbers that columns of a kind hold. */
const RANGES: Readonly<Partial<Record<ColumnKind, readonly [least: number, most: number]>>> = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
  u8: [0, 255],
};

function putCell(into: MutableColumn, row: number, item: Cell, place: string): void {
  const { kind, width } = into.spec;
  const refuse = (expected: string): never => {
    throw new RangeError(`${place}: expected ${expected}, found ${JSON.stringify(item).slice(0, 60)}`);
  };
  if (kind === "string") {
    if (item !== null && typeof item !== "string") refuse("text");
    into.putText(row, item === null ? "" : String(item));
    return;
  }
  const unknown = kind === "f64" || kind === "f32" ? Number.NaN : 0;
  const cells = Array.isArray(item) ? (item as readonly (number | null)[]) : null;
  if (typeof item === "string" || (cells === null ? item !== null && width !== 1 : cells.length !== width))
    refuse(width === 1 ? "a number" : `${width} numbers`);
  const range = RANGES[kind];
  for (let k = 0; k < width; k++) {
    const one = cells === null ? item : cells[k]!;
    const told = one === null ? unknown : Number(one);
    if (range !== undefined && !(Number.isInteger(told) && told >= range[0] && told <= range[1]))
      refuse(`whole numbers from ${range[0]} to ${range[1]}`);
    into.put(row, told, k);
  }
}

function isDeeper(found: unknown, depth: number): boolean {
  if (typeof found !== "object" || found === null) return false;
  if (depth === 0) return true;
  for (const item of Object.values(found)) if (isDeeper(item, depth - 1)) return true;
  return false;
}
