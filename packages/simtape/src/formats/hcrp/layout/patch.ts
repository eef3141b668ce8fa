import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Axes } from "../../../model/axes/axes.ts";
import type { Column, ColumnData, ColumnKind, Interpolation } from "../../../model/state/column.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import { type EntitySet, type MutableEntitySet, MutableState, type State } from "../../../model/state/state.ts";
import type { Value } from "../../../model/values/value.ts";
import { readAxes, writeAxes } from "./axes.ts";
import { readString, readVarInt, writeString, writeVarInt } from "./framing.ts";
import { readCells, readIds, readName, readValue, writeCells, writeIds, writeName, writeValue } from "./values.ts";

/*
 * Changes of state as bytes: how values and sets of any recording go through HCRP, exactly. A run of operations, each
 * a byte and what belongs to it; those of a set follow the one that names it, those of a column likewise.
 */
export const OP = {
  /** name, value */
  value: 0,
  /** name */
  delete: 1,
  /** name, axes (`axes.ts`): the set that the following is about, made when new */
  set: 2,
  /** ids */
  removeRows: 3,
  /** ids */
  addRows: 4,
  /** VarInt count: ids are 0 … count - 1, all columns are dropped */
  dense: 5,
  /** name, u8 kind and interpolation, VarInt width, unit: the column that the following is about, made when new */
  column: 6,
  /** VarInt count, as many cells: of all rows, ascending by id */
  cells: 7,
  /** ids, cells of those rows */
  someCells: 8,
  /** name */
  dropColumn: 9,
  /** all rows and columns go */
  clear: 10,
} as const;

/** Index of a name in the chunk's text palette, put there when new; 0: the name itself is written. */
export type IndexOf = (name: string) => number;
/** What `IndexOf` undoes; null for an index that is not there. */
export type NameAt = (index: number) => string | null;

/** One change of a value. */
export function writeValueChange(builder: ByteBuilder, path: string, value: Value | undefined, indexOf: IndexOf): void {
  builder.u8(value === undefined ? OP.delete : OP.value);
  writeName(builder, path, indexOf(path));
  if (value !== undefined) writeValue(builder, value);
}

export const KINDS: readonly ColumnKind[] = ["f64", "f32", "i32", "u32", "u8", "string"];
const INTERPOLATIONS: readonly Interpolation[] = ["hold", "linear", "angle-deg", "angle-rad", "quaternion", "geodetic"];

/**
 * Everything that makes `after` out of `before`; null is a set that is not there. Writes nothing when they are equal.
 */
export function writeSetChange(
  builder: ByteBuilder,
  name: string,
  before: EntitySet | null,
  after: EntitySet | null,
  indexOf: IndexOf,
): void {
  let isNamed = false;
  const named = (): ByteBuilder => {
    if (isNamed) return builder;
    isNamed = true;
    builder.u8(OP.set);
    writeName(builder, name, indexOf(name));
    writeAxes(builder, (after ?? before)?.axes ?? null);
    return builder;
  };
  if (before === null && after !== null) named();
  if (after === null) {
    if (before !== null && (before.ids.length > 0 || before.columns.size > 0)) named().u8(OP.clear);
    return;
  }
  let known: ReadonlyMap<string, Column> = before?.columns ?? NO_COLUMNS;
  const { ids, columns } = after;
  if (before === null || !sameIds(before.ids, ids)) {
    known = writeRows(named(), before, after, known);
  } else {
    for (const column of known.keys()) {
      if (columns.has(column)) continue;
      named().u8(OP.dropColumn);
      writeName(builder, column, indexOf(column));
    }
  }
  for (const [columnName, column] of columns) {
    const old = known.get(columnName) ?? null;
    if (old !== null && isSameSpec(old, column) && sameData(old.data, column.data)) continue;
    named();
    writeColumnChange(builder, columnName, old, column, ids, indexOf);
  }
}

const NO_COLUMNS: ReadonlyMap<string, Column> = new Map();

/** Gives the columns as they are behind the change of rows, in the order of the new ids; none when all were dropped. */
function writeRows(
  builder: ByteBuilder,
  before: EntitySet | null,
  after: EntitySet,
  columns: ReadonlyMap<string, Column>,
): ReadonlyMap<string, Column> {
  const { ids } = after;
  if (isDense(ids) && (before === null || isDense(before.ids))) {
    builder.u8(OP.dense);
    writeVarInt(builder, ids.length);
    return NO_COLUMNS;
  }
  const old = before?.ids ?? [];
  const wanted = new Set(ids);
  const had = new Map(old.map((id, row) => [id, row]));
  const gone = old.filter((id) => !wanted.has(id));
  const come = ids.filter((id) => !had.has(id));
  const isRebuilt = before !== null && [...columns.keys()].some((name) => !after.columns.has(name));
  if (isRebuilt) {
    builder.u8(OP.clear).u8(OP.addRows);
    writeIds(builder, ids);
    return NO_COLUMNS;
  }
  if (gone.length > 0) {
    builder.u8(OP.removeRows);
    writeIds(builder, gone);
  }
  if (come.length > 0) {
    builder.u8(OP.addRows);
    writeIds(builder, come);
  }
  const moved = new Map<string, Column>();
  const rows = ids.map((id) => had.get(id) ?? -1);
  for (const [name, column] of columns) moved.set(name, { ...column, data: gathered(column, rows) });
  return moved;
}

/** Cells of rows in a new order; -1 is a row about which nothing is known. */
function gathered({ data, width }: Column, rows: readonly number[]): ColumnData {
  if (Array.isArray(data)) return rows.map((row) => (row < 0 ? "" : (data as readonly string[])[row]!));
  const numbers = data as Float64Array;
  const result = new (numbers.constructor as Float64ArrayConstructor)(rows.length * width);
  const unknown = numbers instanceof Float64Array || (numbers as unknown) instanceof Float32Array ? Number.NaN : 0;
  rows.forEach((row, i) => {
    for (let k = 0; k < width; k++) result[i * width + k] = row < 0 ? unknown : numbers[row * width + k]!;
  });
  return result;
}

function writeColumnChange(
  builder: ByteBuilder,
  name: string,
  old: Column | null,
  column: Column,
  ids: readonly (number | string)[],
  indexOf: IndexOf,
): void {
  const isSame = old !== null && isSameSpec(old, column);
  if (old !== null && !isSame) {
    builder.u8(OP.dropColumn);
    writeName(builder, name, indexOf(name));
  }
  builder.u8(OP.column);
  writeName(builder, name, indexOf(name));
  builder.u8(KINDS.indexOf(kindOf(column.data)) | (INTERPOLATIONS.indexOf(column.interpolation) << 4));
  writeVarInt(builder, column.width);
  builder.u8(column.unit === null ? 0 : 1);
  if (column.unit !== null) writeString(builder, column.unit);
  if (ids.length === 0) return;
  const changed = isSame ? changedRows(old, column, ids.length) : null;
  if (changed === null) {
    builder.u8(OP.cells);
    writeVarInt(builder, column.data.length);
    writeCells(builder, column.data);
    return;
  }
  if (changed.length === 0) return;
  builder.u8(OP.someCells);
  writeIds(
    builder,
    changed.map((row) => ids[row]!),
  );
  writeCells(builder, gathered(column, changed));
}

/** Rows that differ; null when they are so many that the whole column is shorter. */
function changedRows(old: Column, column: Column, count: number): number[] | null {
  const { width } = column;
  const a = old.data as ArrayLike<number | string>;
  const b = column.data as ArrayLike<number | string>;
  const rows: number[] = [];
  const most = count >> 1;
  for (let row = 0; row < count; row++) {
    for (let k = row * width; k < (row + 1) * width; k++) {
      if (Object.is(a[k], b[k])) continue;
      if (rows.length === most) return null;
      rows.push(row);
      break;
    }
  }
  return rows;
}

/** Carries the operations out. Throws `LayoutError` at the first that does not fit; those before it are done. */
export function applyPatch(state: MutableState, cursor: ByteCursor, nameAt: NameAt): void {
  walkPatch(cursor, nameAt, {
    value: (path, value) => {
      if (value === undefined) state.deleteValue(path);
      else state.setValue(path, value);
    },
    set: (name, axes) => new SetPatcher(state.set(name, axes)),
  });
}

/** Indices of the names that the operations have by index. */
export function namesIn(patch: Uint8Array): ReadonlySet<number> {
  const found = new Set<number>();
  const nothing = (): undefined => undefined;
  const set: PatchedSet = {
    clear: nothing,
    dense: nothing,
    removeRows: nothing,
    addRows: nothing,
    column: nothing,
    dropColumn: nothing,
    cells: nothing,
  };
  const nameAt = (index: number): string => {
    found.add(index);
    return "";
  };
  walkPatch(new ByteCursor(patch), nameAt, { value: nothing, set: () => set });
  return found;
}

/** Receives what the operations say. */
export interface PatchTarget {
  /** `undefined` takes the value away. */
  value(path: string, value: Value | undefined): void;
  set(name: string, axes: Axes | null): PatchedSet;
}

interface ColumnHead {
  readonly kind: ColumnKind;
  readonly width: number;
  readonly unit: string | null;
  readonly interpolation: Interpolation;
}

export interface PatchedSet {
  clear(): void;
  dense(count: number): void;
  removeRows(ids: readonly (number | string)[]): void;
  addRows(ids: readonly (number | string)[]): void;
  column(name: string, head: ColumnHead): void;
  dropColumn(name: string): void;
  /** Of all rows, ascending by id, when `ids` is null. */
  cells(ids: readonly (number | string)[] | null, cells: ColumnData): void;
}

/** Things of one set that a file may name: memory is asked for before the cells come. */
const MAX_ROWS = 1 << 24;

/** Goes over the operations. Throws `LayoutError` at the first that does not fit. */
export function walkPatch(cursor: ByteCursor, nameAt: NameAt, target: PatchTarget): void {
  let set: PatchedSet | null = null;
  let column: ColumnHead | null = null;
  while (cursor.remaining > 0) {
    const at = cursor.offset;
    const op = cursor.u8();
    if (op > OP.set && set === null) throw new LayoutError("malformed", "no set is named", at);
    switch (op) {
      case OP.value: {
        const path = readName(cursor, nameAt);
        target.value(path, readValue(cursor));
        break;
      }
      case OP.delete:
        target.value(readName(cursor, nameAt), undefined);
        break;
      case OP.set: {
        const name = readName(cursor, nameAt);
        set = target.set(name, readAxes(cursor));
        column = null;
        break;
      }
      case OP.removeRows:
        set!.removeRows(readIds(cursor));
        break;
      case OP.addRows:
        set!.addRows(readIds(cursor));
        break;
      case OP.dense: {
        const count = readVarInt(cursor);
        if (count > MAX_ROWS) throw new LayoutError("malformed", `a set of ${count} things`, at);
        set!.dense(count);
        break;
      }
      case OP.column:
        column = readColumn(cursor, nameAt, set!);
        break;
      case OP.cells: {
        if (column === null) throw new LayoutError("malformed", "no column is named", at);
        set!.cells(null, readCells(cursor, column.kind, readVarInt(cursor)));
        break;
      }
      case OP.someCells: {
        if (column === null) throw new LayoutError("malformed", "no column is named", at);
        const ids = readIds(cursor);
        set!.cells(ids, readCells(cursor, column.kind, ids.length * column.width));
        break;
      }
      case OP.dropColumn:
        set!.dropColumn(readName(cursor, nameAt));
        break;
      case OP.clear:
        set!.clear();
        break;
      default:
        throw new LayoutError("malformed", `unknown operation ${op}`, at);
    }
  }
}

function readColumn(cursor: ByteCursor, nameAt: NameAt, set: PatchedSet): ColumnHead {
  const name = readName(cursor, nameAt);
  const at = cursor.offset;
  const bits = cursor.u8();
  const kind = KINDS[bits & 15];
  const interpolation = INTERPOLATIONS[bits >> 4];
  const width = readVarInt(cursor);
  if (kind === undefined || interpolation === undefined || width < 1 || width > 4096) {
    throw new LayoutError("malformed", "a column of unknown kind", at);
  }
  if (kind === "string" && width !== 1) throw new LayoutError("malformed", "a column of texts is one wide", at);
  const unit = cursor.u8() === 0 ? null : readString(cursor);
  const head = { kind, width, unit, interpolation };
  set.column(name, head);
  return head;
}

class SetPatcher implements PatchedSet {
  readonly #set: MutableEntitySet;
  #column: ReturnType<MutableEntitySet["column"]> | null = null;

  constructor(set: MutableEntitySet) {
    this.#set = set;
  }

  clear(): void {
    this.#set.clear();
  }

  dense(count: number): void {
    // also with the same count: what was known of the columns goes
    this.#set.clear();
    this.#set.dense(count);
  }

  removeRows(ids: readonly (number | string)[]): void {
    for (const id of ids) this.#set.remove(id);
  }

  addRows(ids: readonly (number | string)[]): void {
    for (const id of ids) this.#set.row(id);
  }

  column(name: string, head: ColumnHead): void {
    const { kind, width, unit, interpolation } = head;
    const known = this.#set.columns.get(name);
    if (known !== undefined) {
      const { spec } = known;
      const isSame =
        spec.kind === kind &&
        spec.width === width &&
        spec.unit === unit &&
        (spec.interpolation ?? "hold") === interpolation;
      if (!isSame) this.#set.deleteColumn(name);
    }
    this.#column = this.#set.column(name, { kind, width, unit, interpolation });
  }

  dropColumn(name: string): void {
    this.#set.deleteColumn(name);
  }

  cells(ids: readonly (number | string)[] | null, cells: ColumnData): void {
    const set = this.#set;
    const column = this.#column!;
    const count = (ids?.length ?? set.size) * column.spec.width;
    if (cells.length !== count) throw new LayoutError("malformed", `${cells.length} cells, expected ${count}`, 0);
    if (ids === null && isAscending(set.ids)) {
      column.replace(cells);
      return;
    }
    const order = ids ?? [...set.ids].sort(compareIds);
    const { width } = column.spec;
    order.forEach((id, i) => {
      const row = set.find(id);
      if (row < 0) return;
      if (Array.isArray(cells)) column.putText(row, (cells as readonly string[])[i]!);
      else for (let k = 0; k < width; k++) column.put(row, (cells as Float64Array)[i * width + k]!, k);
    });
  }
}

function kindOf(data: ColumnData): ColumnKind {
  if (data instanceof Float64Array) return "f64";
  if (data instanceof Float32Array) return "f32";
  if (data instanceof Int32Array) return "i32";
  if (data instanceof Uint32Array) return "u32";
  return data instanceof Uint8Array ? "u8" : "string";
}

function isSameSpec(a: Column, b: Column): boolean {
  return (
    a.width === b.width && a.unit === b.unit && a.interpolation === b.interpolation && kindOf(a.data) === kindOf(b.data)
  );
}

function sameData(a: ColumnData, b: ColumnData): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

function sameIds(a: readonly (number | string)[], b: readonly (number | string)[]): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((id, i) => Object.is(id, b[i]));
}

function isDense(ids: readonly (number | string)[]): boolean {
  for (let i = 0; i < ids.length; i++) if (ids[i] !== i) return false;
  return ids.length > 0;
}

function isAscending(ids: readonly (number | string)[]): boolean {
  for (let i = 1; i < ids.length; i++) if (compareIds(ids[i - 1]!, ids[i]!) >= 0) return false;
  return true;
}

/** The order of rows in a frozen set: numbers before text, each in its own order. */
function compareIds(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

/** Whether two values are the same to the last bit. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return false;
    return sameData(a as Float64Array, b as Float64Array);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameValue(item as Value, (b as readonly Value[])[i]));
  }
  const left = a as { readonly [key: string]: Value };
  const right = b as { readonly [key: string]: Value };
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => sameValue(left[key], right[key]));
}

/** Everything that makes `after` out of `before`. */
export function writeStateChange(builder: ByteBuilder, before: State, after: State, indexOf: IndexOf): void {
  for (const path of before.values.keys()) {
    if (!after.values.has(path)) writeValueChange(builder, path, undefined, indexOf);
  }
  for (const [path, value] of after.values) {
    if (!sameValue(before.values.get(path), value)) writeValueChange(builder, path, value, indexOf);
  }
  for (const [name, set] of before.sets) {
    if (!after.sets.has(name)) writeSetChange(builder, name, set, null, indexOf);
  }
  for (const [name, set] of after.sets) writeSetChange(builder, name, before.sets.get(name) ?? null, set, indexOf);
}

/** A state with what is the fold's own. */
export function exposed(state: MutableState): State {
  const sets = new Map<string, EntitySet>();
  for (const [name, set] of state.sets) {
    const { ids, axes } = set.freeze();
    const order = Uint32Array.from(ids, (id) => set.find(id));
    const columns = new Map([...set.columns].map(([column, cells]) => [column, cells.freeze(ids.length, order)]));
    sets.set(name, { ids, columns, axes });
  }
  return { time: state.time, values: state.values, sets };
}

/** Patch that makes the values and sets of `state`, but for the fold's own, out of those that a fold begins with. */
export function carriedState(model: StateModel, state: MutableState): Uint8Array {
  const begun = new MutableState();
  model.begin?.(begun);
  const builder = new ByteBuilder();
  writeStateChange(builder, withoutOwn(begun), withoutOwn(state), () => 0);
  return builder.take();
}

function withoutOwn(state: MutableState): State {
  const { time, values, sets } = exposed(state);
  const isCarried = ([name]: readonly [string, unknown]): boolean => !name.startsWith(".");
  return { time, values: new Map([...values].filter(isCarried)), sets: new Map([...sets].filter(isCarried)) };
}
