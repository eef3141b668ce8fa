import type { Axes } from "../axes/axes.ts";
import { LayoutError } from "../../bytes/error.ts";
import type { ColumnData, ColumnKind, ColumnSpec } from "../state/column.ts";
import { MutableState } from "../state/state.ts";
import type { Value } from "../values/value.ts";
import { isRecord, listOf } from "../kept/shapes.ts";

/**
 * All of a state as a value: what is the fold's own is in it, too, and late values are made. Shares arrays with the
 * state.
 */
export function plainOf(state: MutableState): Value {
  const values = [...state.values].map(([path, value]): Value => [path, value]);
  const sets = [...state.sets].map(([name, set]): Value => {
    const columns = [...set.columns].map(([key, column]): Value => {
      const { kind, width, unit, interpolation } = column.spec;
      return [key, kind, width, unit, interpolation ?? null, column.cellsUsed() as Value];
    });
    const ids: Value = set.isDense ? set.size : idsOf(set.ids);
    return [name, set.axes as unknown as Value, ids, columns];
  });
  return { time: state.time, values, sets };
}

/** The state that such a value is of; its arrays are the state's from then on. Throws `LayoutError` for any other value. */
export function stateOf(plain: Value): MutableState {
  const state = new MutableState();
  if (!isRecord(plain) || typeof plain["time"] !== "number") throw bad("no state");
  for (const pair of listOf(plain["values"])) {
    const [path, value] = listOf(pair);
    if (typeof path !== "string" || value === undefined) throw bad("a value without a path");
    state.setValue(path, value);
  }
  for (const item of listOf(plain["sets"])) {
    const [name, axes, ids, columns] = listOf(item);
    if (typeof name !== "string" || axes === undefined || ids === undefined) throw bad("a set without a name");
    const set = state.set(name, axes as unknown as Axes | null);
    if (typeof ids === "number") set.dense(count(ids));
    else set.add([...idsIn(ids)]);
    for (const column of listOf(columns)) {
      const [key, kind, width, unit, interpolation, cells] = listOf(column);
      if (typeof key !== "string" || !isCells(kind, cells)) throw bad("a column without cells");
      const spec = { kind, width, unit, ...(interpolation === null ? {} : { interpolation }) } as ColumnSpec;
      if (!(spec.width > 0)) throw bad("a column without room");
      set.column(key, spec).replace(cells);
    }
  }
  state.time = plain["time"];
  return state;
}

/** The most things in a set of a state that was kept. */
const MOST = 1 << 24;

function count(size: number): number {
  if (!Number.isInteger(size) || size < 0 || size > MOST) throw bad(`${size} things`);
  return size;
}

/** Numbers lie together where all ids are numbers. */
function idsOf(ids: readonly (number | string)[]): Value {
  return ids.every((id) => typeof id === "number") ? Float64Array.from(ids) : ids.slice();
}

function idsIn(ids: Value): Iterable<number | string> {
  if (ids instanceof Float64Array) return ids;
  return listOf(ids).map((id) => {
    if (typeof id === "string" || typeof id === "number") return id;
    throw bad("an id that is none");
  });
}

const KINDS: Readonly<Record<Exclude<ColumnKind, "string">, new () => ColumnData>> = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
};

function isCells(kind: Value | undefined, cells: Value | undefined): cells is ColumnData & Value {
  if (typeof kind !== "string" || typeof cells !== "object" || cells === null) return false;
  if (kind === "string") return Array.isArray(cells) && cells.every((cell) => typeof cell === "string");
  return Object.hasOwn(KINDS, kind) && cells instanceof KINDS[kind as keyof typeof KINDS];
}

function bad(message: string): LayoutError {
  return new LayoutError("malformed", message, 0);
}
