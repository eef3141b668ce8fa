import type { Axes } from "../../model/axes/axes.ts";
import type { ColumnKind, ColumnSpec, Interpolation, MutableColumn } from "../../model/state/column.ts";
import { areSameAxes } from "../../model/axes/standard-axes.ts";
import { type MutableEntitySet, MutableState } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";
import type { LiveTarget } from "./live-target.ts";
import { axesOf, type Cell, type DeclaredColumn, type DeclaredSets, type EntityCells } from "./state-shapes.ts";

interface Declared {
  readonly axes: Axes | null;
  readonly columns: ReadonlyMap<string, DeclaredColumn>;
}

const UNDECLARED: Declared = { axes: null, columns: new Map() };

/** The state of any simulator, as events change it; written at the end of each tick in which they did. */
export class StateEvents {
  readonly #recorder: Pick<LiveTarget, "tick" | "state" | "status">;
  readonly #state = new MutableState();
  #declared: ReadonlyMap<string, Declared> = new Map();
  #recording: string;
  #isChanged = false;

  constructor(recorder: Pick<LiveTarget, "tick" | "state" | "status">) {
    this.#recorder = recorder;
    this.#recording = recorder.status.id;
  }

  /** The present tick is over, or is to be committed. A recording that has just begun gets everything. */
  write(): void {
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
  declare(sets: DeclaredSets): void {
    const declared = new Map(this.#declared);
    for (const [set, { axes, columns = {} }] of Object.entries(sets)) {
      const before = declared.get(set) ?? UNDECLARED;
      const there = this.#state.sets.get(set);
      const given = axesOf(axes);
      if (given !== null && there !== undefined && (there.axes === null || !areSameAxes(there.axes, given)))
        throw new RangeError(`${set}.axes: the set is there already, with other axes`);
      for (const [key, column] of Object.entries(columns)) {
        const known = there?.columns.get(key);
        if (known !== undefined && !isSameSpec(known.spec, specOf(key, column, known.spec.kind, known.spec.width)))
          throw new RangeError(`${set}.columns.${key}: the column is there already, and another one`);
      }
      declared.set(set, {
        axes: given ?? before.axes,
        columns: new Map([...before.columns, ...Object.entries(columns)]),
      });
    }
    this.#declared = declared;
  }

  /**
   * Null for a set empties it, for a thing takes it away, for a cell makes it unknown. Throws `RangeError` for a cell
   * that its column does not hold; nothing of the event is recorded then.
   */
  entities(sets: EntityCells): void {
    const mark = this.#state.savepoint();
    try {
      this.#putEntities(sets);
      this.#isChanged = true;
    } catch (error) {
      this.#state.undo(mark);
      throw error;
    } finally {
      this.#state.forget();
    }
  }

  #putEntities(sets: EntityCells): void {
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

/** Null: nothing is known of it yet, and nothing is said. */
function columnOf(
  set: MutableEntitySet,
  key: string,
  item: Cell,
  declared: DeclaredColumn | undefined,
  place: string,
): MutableColumn | null {
  const found = set.columns.get(key);
  if (found !== undefined) return found;
  if (item === null && declared === undefined) return null;
  const kind = typeof item === "string" ? "string" : typeof item === "boolean" ? "u8" : "f64";
  const spec = specOf(key, declared, kind, Array.isArray(item) ? item.length : 1);
  if (spec.kind === "string" && spec.width !== 1) throw new RangeError(`${place}: a column of text has width 1`);
  return set.column(key, spec);
}

function specOf(key: string, declared: DeclaredColumn | undefined, kind: ColumnKind, width: number): ColumnSpec {
  const own = typeof declared === "string" ? { unit: declared } : (declared ?? {});
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
    const cell = one === null ? unknown : Number(one);
    if (range !== undefined && !(Number.isInteger(cell) && cell >= range[0] && cell <= range[1]))
      refuse(`whole numbers from ${range[0]} to ${range[1]}`);
    into.put(row, cell, k);
  }
}
