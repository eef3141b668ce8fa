import { RowIndex } from "./row-index.ts";
import { type CellTarget, Journal, type RowTarget, type StateTarget } from "./journal.ts";
import { given, type Kept, type Late, LateValues } from "./late.ts";
import type { Time } from "./time.ts";
import type { Value } from "./value.ts";

/**
 * How a column or value moves between two recorded moments. Never extrapolated. `geodetic`: latitude and longitude in
 * degrees, along the shorter arc, then linear numbers such as the altitude.
 */
export type Interpolation = "hold" | "linear" | "angle-deg" | "angle-rad" | "quaternion" | "geodetic";

export type ColumnData = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array | readonly string[];

export interface Column {
  /** `ids.length × width` numbers, row by row; or one string per row. NaN: not known. */
  readonly data: ColumnData;
  /** Numbers per row: 3 for a position. */
  readonly width: number;
  /** As recorded, never converted in passing: `"m"`, `"cm"`, `"nm"`, `"deg"`, `"block"`. */
  readonly unit: string | null;
  readonly interpolation: Interpolation;
}

/** Axes of the positions in a set; turning them is a step one asks for. */
export interface Axes {
  readonly handed: "right" | "left";
  readonly up: "y" | "z";
  readonly kind: "local" | "geodetic";
}

/** Things of one kind, as columns; row i of every column is the thing `ids[i]`. Rows ascend by id. */
export interface EntitySet {
  readonly ids: readonly (number | string)[];
  readonly columns: ReadonlyMap<string, Column>;
  readonly axes: Axes | null;
}

/** Everything that holds at a time. Vocabulary of names and units: docs/state.md. */
export interface State {
  readonly time: Time;
  readonly values: ReadonlyMap<string, Value>;
  readonly sets: ReadonlyMap<string, EntitySet>;
}

export type ColumnKind = "f64" | "f32" | "i32" | "u32" | "u8" | "string";

export interface ColumnSpec {
  readonly kind: ColumnKind;
  readonly width: number;
  readonly unit: string | null;
  readonly interpolation?: Interpolation | undefined;
}

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;
type Cells = Numbers | string[];
type Id = number | string;

/**
 * State while it is folded. Every change is journalled while a mark is set, so that playing backwards is undoing.
 * Values and sets whose name begins with `.` are the fold's own and do not show in `freeze()`.
 */
export class MutableState implements StateTarget {
  time: Time = 0;
  readonly #values = new Map<string, Kept>();
  /** Whether any value was ever late. */
  #isLate = false;
  readonly #sets = new Map<string, MutableEntitySet>();
  readonly #journal: Journal = new Journal(this);
  /** The values as they were shown last; null since one was written. */
  #frozen: ReadonlyMap<string, Value> | null = null;

  get values(): ReadonlyMap<string, Value> {
    return this.#asValues(this.#values);
  }

  get sets(): ReadonlyMap<string, MutableEntitySet> {
    return this.#sets;
  }

  /** Another number whenever sets or columns have come or gone: what was looked up by name holds until then. */
  get shape(): number {
    return this.#journal.shape;
  }

  value(path: string): Value | undefined {
    const kept = this.#values.get(path);
    return kept === undefined ? undefined : given(kept);
  }

  setValue(path: string, value: Value): void {
    this.#put(path, value);
  }

  /** A value that is made when it is looked at. */
  setLate(path: string, late: Late): void {
    this.#isLate = true;
    this.#put(path, late);
  }

  #put(path: string, value: Kept): void {
    if (this.#journal.isOn) this.#journal.value(path, this.#values.get(path));
    this.#values.set(path, value);
    this.#frozen = null;
  }

  deleteValue(path: string): void {
    const before = this.#values.get(path);
    if (before === undefined) return;
    if (this.#journal.isOn) this.#journal.value(path, before);
    this.#values.delete(path);
    this.#frozen = null;
  }

  /** For the journal: sets or deletes a value without noting it. */
  putBackValue(path: string, before: Kept | undefined): void {
    if (before === undefined) this.#values.delete(path);
    else this.#values.set(path, before);
    this.#frozen = null;
  }

  /** The set of that name, made empty when new. */
  set(name: string, axes: Axes | null = null): MutableEntitySet {
    const found = this.#sets.get(name);
    if (found !== undefined) return found;
    const made = new MutableEntitySet(this.#journal, axes);
    this.#journal.shape++;
    if (this.#journal.isOn) this.#journal.other(() => this.#sets.delete(name));
    this.#sets.set(name, made);
    return made;
  }

  /** Drops everything: what a snapshot begins with. */
  clear(): void {
    for (const path of this.#values.keys()) this.deleteValue(path);
    for (const set of this.#sets.values()) set.clear();
  }

  /** Starts journalling, when it is not on, and names this moment. */
  mark(): number {
    return this.#journal.mark();
  }

  /**
   * Takes back every change made since the mark, that of `time` included. The mark stays, marks after it are gone.
   * Throws `RangeError` when there is no such mark.
   */
  undo(mark: number): void {
    this.#journal.undo(mark);
  }

  /** Stops journalling and forgets all marks. */
  forget(): void {
    this.#journal.forget();
  }

  /** A copy that shares nothing mutable. */
  clone(): MutableState {
    const copy = new MutableState();
    copy.time = this.time;
    for (const [path, value] of this.#values) copy.#values.set(path, value);
    copy.#isLate = this.#isLate;
    for (const [name, set] of this.#sets) copy.#sets.set(name, set.copy(copy.#journal));
    return copy;
  }

  /** Bytes held, about: what checkpoints are kept by. */
  get byteLength(): number {
    let bytes = this.#values.size * 64;
    for (const set of this.#sets.values()) bytes += set.byteLength;
    return bytes;
  }

  /** What users see: immutable, rows ascending by id, unused room cut off. */
  freeze(): State {
    const sets = new Map<string, EntitySet>();
    for (const [name, set] of this.#sets) if (!name.startsWith(".")) sets.set(name, set.freeze());
    this.#frozen ??= this.#asValues(shown(this.#values));
    return { time: this.time, values: this.#frozen, sets };
  }

  #asValues(kept: ReadonlyMap<string, Kept>): ReadonlyMap<string, Value> {
    return this.#isLate ? new LateValues(kept) : (kept as ReadonlyMap<string, Value>);
  }
}

/** Things of one kind while they are folded. Row numbers hold until the next `remove` or `clear`. */
export class MutableEntitySet implements RowTarget {
  readonly axes: Axes | null;
  readonly #journal: Journal;
  readonly #columns = new Map<string, MutableColumn>();
  #ids: Id[] = [];
  #rows = new RowIndex();
  /** Ids are 0 … n-1 and row = id: no map is kept. */
  #isDense = false;
  /** The ids as they were shown last, and the rows in that order when it is another; null since they changed. */
  #frozen: { readonly ids: readonly Id[]; readonly order: Uint32Array | null } | null = null;

  constructor(journal: Journal, axes: Axes | null) {
    this.#journal = journal;
    this.axes = axes;
  }

  get size(): number {
    return this.#ids.length;
  }

  get ids(): readonly Id[] {
    return this.#ids;
  }

  get columns(): ReadonlyMap<string, MutableColumn> {
    return this.#columns;
  }

  /** Row of `id`, or -1. */
  find(id: Id): number {
    if (this.#isDense)
      return typeof id === "number" && id >= 0 && id < this.#ids.length && Number.isInteger(id) ? id : -1;
    return this.#rows.get(id);
  }

  /** Row of `id`, added when new with every cell unknown (NaN, 0 or ""). */
  row(id: Id): number {
    const found = this.find(id);
    if (found >= 0) return found;
    this.#undense();
    const row = this.#ids.length;
    this.#ids.push(id);
    this.#frozen = null;
    this.#rows.set(id, row);
    for (const column of this.#columns.values()) column.grow(row + 1);
    if (this.#journal.isOn) this.#journal.row(this);
    return row;
  }

  /** Rows for many that are not there yet, each once, at a time; what `row` does for one. */
  add(ids: readonly Id[]): void {
    this.#undense();
    for (const column of this.#columns.values()) column.grow(this.#ids.length + ids.length);
    for (const id of ids) {
      this.#rows.set(id, this.#ids.length);
      this.#ids.push(id);
      if (this.#journal.isOn) this.#journal.row(this);
    }
    this.#frozen = null;
  }

  /** For the journal. */
  takeBackRow(): void {
    const id = this.#ids.pop();
    this.#frozen = null;
    if (id !== undefined) this.#rows.delete(id);
    for (const column of this.#columns.values()) column.shrink(this.#ids.length);
  }

  /** Takes `id` out; the last row moves into its place. */
  remove(id: Id): void {
    const row = this.find(id);
    if (row < 0) return;
    this.#undense();
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last]!;
    if (this.#journal.isOn) {
      const saved = [...this.#columns.values()].map((column) => [column, column.cells(row)] as const);
      this.#journal.other(() => {
        this.#ids.push(lastId);
        this.#ids[row] = id;
        this.#frozen = null;
        this.#rows.set(lastId, last);
        this.#rows.set(id, row);
        for (const column of this.#columns.values()) {
          column.grow(last + 1);
          column.move(row, last);
        }
        for (const [column, cells] of saved) column.restore(row, cells);
      });
    }
    for (const column of this.#columns.values()) {
      column.move(last, row);
      column.shrink(last);
    }
    this.#ids[row] = lastId;
    this.#frozen = null;
    this.#rows.set(lastId, row);
    this.#ids.pop();
    this.#rows.delete(id);
  }

  /** Takes everything out, columns included. */
  clear(): void {
    if (this.#ids.length === 0 && this.#columns.size === 0) return;
    this.#journal.shape++;
    if (this.#journal.isOn) {
      const ids = this.#ids;
      const rows = this.#rows;
      const isDense = this.#isDense;
      const columns = [...this.#columns];
      this.#journal.other(() => {
        this.#ids = ids;
        this.#frozen = null;
        this.#rows = rows;
        this.#isDense = isDense;
        this.#columns.clear();
        for (const [name, column] of columns) this.#columns.set(name, column);
      });
    }
    this.#ids = [];
    this.#frozen = null;
    this.#rows = new RowIndex();
    this.#isDense = false;
    this.#columns.clear();
  }

  /** Makes the ids 0 … count-1, dropping all columns when the count changes: things that are told apart by place. */
  dense(count: number): void {
    if (this.#isDense && this.#ids.length === count) return;
    this.clear();
    if (this.#journal.isOn) {
      this.#journal.other(() => {
        this.#ids = [];
        this.#frozen = null;
        this.#rows = new RowIndex();
        this.#isDense = false;
      });
    }
    this.#ids = Array.from({ length: count }, (_, i) => i);
    this.#frozen = null;
    this.#isDense = true;
  }

  /** The column of that name, made when new. The spec of an existing one is kept. */
  column(name: string, spec: ColumnSpec): MutableColumn {
    const found = this.#columns.get(name);
    if (found !== undefined) return found;
    const made = new MutableColumn(this.#journal, spec);
    made.grow(this.#ids.length);
    this.#journal.shape++;
    if (this.#journal.isOn) this.#journal.other(() => this.#columns.delete(name));
    this.#columns.set(name, made);
    return made;
  }

  deleteColumn(name: string): void {
    const column = this.#columns.get(name);
    if (column === undefined) return;
    this.#journal.shape++;
    if (this.#journal.isOn) this.#journal.other(() => this.#columns.set(name, column));
    this.#columns.delete(name);
  }

  get byteLength(): number {
    let bytes = this.#ids.length * (this.#isDense ? 8 : 48);
    for (const column of this.#columns.values()) bytes += column.byteLength;
    return bytes;
  }

  copy(journal: Journal): MutableEntitySet {
    const copy = new MutableEntitySet(journal, this.axes);
    copy.#ids = this.#isDense ? this.#ids : this.#ids.slice();
    copy.#rows = this.#rows.clone();
    copy.#isDense = this.#isDense;
    for (const [name, column] of this.#columns) copy.#columns.set(name, column.copy(journal));
    return copy;
  }

  freeze(): EntitySet {
    this.#frozen ??= frozenIds(this.#ids);
    const { ids, order } = this.#frozen;
    const columns = new Map<string, Column>();
    for (const [name, column] of this.#columns) {
      if (!name.startsWith(".")) columns.set(name, column.freeze(ids.length, order));
    }
    return { ids, columns, axes: this.axes };
  }

  #undense(): void {
    if (!this.#isDense) return;
    this.#isDense = false;
    this.#ids = this.#ids.slice();
    this.#rows = new RowIndex();
    for (const [row, id] of this.#ids.entries()) this.#rows.set(id, row);
  }
}

/** One property of every thing in a set. */
export class MutableColumn implements CellTarget {
  readonly spec: ColumnSpec;
  readonly #journal: Journal;
  #data: Cells;
  #length = 0;
  /** The array came from outside and is immutable: it is copied before the first write. */
  #isShared = false;
  /** What was shown last, and in which order; null since anything was written. */
  #frozen: Column | null = null;
  #frozenOrder: Uint32Array | null = null;

  constructor(journal: Journal, spec: ColumnSpec) {
    this.spec = spec;
    this.#journal = journal;
    this.#data = room(spec.kind, 0);
  }

  /** Cell `k` of `row`; undefined for a row that is not there. */
  number(row: number, k = 0): number {
    return this.#data[row * this.spec.width + k] as number;
  }

  text(row: number): string {
    return this.#data[row] as string;
  }

  /** Writes one cell of a numeric column. */
  put(row: number, value: number, k = 0): void {
    const at = row * this.spec.width + k;
    const before = this.#data[at] as number;
    // much of what is recorded says what is known
    if (Object.is(before, value)) return;
    const data = this.#own() as Numbers;
    if (this.#journal.isOn) this.#journal.number(this, at, before);
    data[at] = value;
  }

  /** Writes the first three cells of a row: a position, a rotation. */
  put3(row: number, x: number, y: number, z: number): void {
    const data = this.#own() as Numbers;
    const at = row * this.spec.width;
    if (this.#journal.isOn) {
      this.#journal.numbers3(this, at, data[at]!, data[at + 1]!, data[at + 2]!);
    }
    put3In(data, at, x, y, z);
  }

  /** The cells of a column of doubles, to be written to at once and not later; null while changes are journalled. */
  direct(): Float64Array | null {
    return this.#journal.isOn ? null : (this.#own() as Float64Array);
  }

  /**
   * The cells of a column of numbers, for rows that were added by this change; to be written to at once and not later.
   * What takes those rows back takes what they hold with them.
   */
  added(): Numbers {
    return this.#own() as Numbers;
  }

  putText(row: number, text: string): void {
    const data = this.#own() as string[];
    if (this.#journal.isOn) this.#journal.text(this, row, data[row]!);
    data[row] = text;
  }

  /** For the journal. */
  putBack(at: number, value: number | string): void {
    (this.#own() as (number | string)[])[at] = value;
  }

  /** For the journal: three cells from `at` on. */
  putBack3(at: number, x: number, y: number, z: number): void {
    put3In(this.#own() as Numbers, at, x, y, z);
  }

  /** Takes over a whole column: `rows × width` cells. The array must never be written to again. */
  replace(data: ColumnData): void {
    const before = this.#data;
    const wasShared = this.#isShared;
    const length = this.#length;
    if (this.#journal.isOn) {
      this.#journal.other(() => {
        this.#data = before;
        this.#isShared = wasShared;
        this.#length = length;
        this.#frozen = null;
      });
    }
    this.#data = data as Cells;
    this.#isShared = true;
    this.#length = data.length;
    this.#frozen = null;
  }

  /** For the set: room for `rows` rows, new cells unknown. */
  grow(rows: number): void {
    const need = rows * this.spec.width;
    if (need > this.#data.length) {
      const grown = room(this.spec.kind, Math.max(need, this.#data.length * 2, 8 * this.spec.width));
      copyInto(grown, this.#data, this.#length);
      this.#data = grown;
      this.#isShared = false;
    }
    if (need <= this.#length) return;
    this.#own();
    this.#length = need;
  }

  shrink(rows: number): void {
    const length = rows * this.spec.width;
    // what is behind the last row is unknown, always: a row that comes needs no more than room
    if (length < this.#length) blank(this.#own(), length, this.#length);
    this.#length = length;
  }

  move(from: number, to: number): void {
    if (from === to) return;
    const { width } = this.spec;
    this.#own().copyWithin(to * width, from * width, (from + 1) * width);
  }

  cells(row: number): Cells {
    return this.#data.slice(row * this.spec.width, (row + 1) * this.spec.width) as Cells;
  }

  restore(row: number, cells: Cells): void {
    const data = this.#own() as (string | number)[];
    for (let k = 0; k < cells.length; k++) data[row * this.spec.width + k] = cells[k]!;
  }

  get byteLength(): number {
    return Array.isArray(this.#data) ? this.#data.length * 24 : this.#data.byteLength;
  }

  copy(journal: Journal): MutableColumn {
    const copy = new MutableColumn(journal, this.spec);
    copy.#data = this.#isShared ? this.#data : (this.#data.slice() as Cells);
    copy.#isShared = this.#isShared;
    copy.#length = this.#length;
    return copy;
  }

  freeze(rows: number, order: Uint32Array | null): Column {
    const { width, unit, interpolation } = this.spec;
    const length = rows * width;
    if (this.#frozen !== null && this.#frozen.data.length === length && this.#frozenOrder === order)
      return this.#frozen;
    // A column that was replaced by one with too few rows: the rest is not known.
    if (this.#length < length) this.grow(rows);
    let data: Cells;
    if (order === null) {
      data = this.#isShared && this.#data.length === length ? this.#data : (this.#data.slice(0, length) as Cells);
    } else {
      data = room(this.spec.kind, length);
      const from = this.#data as (string | number)[];
      const to = data as (string | number)[];
      for (let i = 0; i < rows; i++) for (let k = 0; k < width; k++) to[i * width + k] = from[order[i]! * width + k]!;
    }
    this.#frozen = { data, width, unit, interpolation: interpolation ?? "hold" };
    this.#frozenOrder = order;
    return this.#frozen;
  }

  #own(): Cells {
    this.#frozen = null;
    if (this.#isShared) {
      this.#data = this.#data.slice() as Cells;
      this.#isShared = false;
    }
    return this.#data;
  }
}

/** Almost all columns of three are of doubles, and writing is fast where only those come. */
function put3In(data: Numbers, at: number, x: number, y: number, z: number): void {
  if (data instanceof Float64Array) {
    data[at] = x;
    data[at + 1] = y;
    data[at + 2] = z;
  } else {
    data[at] = x;
    data[at + 1] = y;
    data[at + 2] = z;
  }
}

/** Cells that are all unknown. */
function room(kind: ColumnKind, length: number): Cells {
  switch (kind) {
    case "f64":
      return new Float64Array(length).fill(Number.NaN);
    case "f32":
      return new Float32Array(length).fill(Number.NaN);
    case "i32":
      return new Int32Array(length);
    case "u32":
      return new Uint32Array(length);
    case "u8":
      return new Uint8Array(length);
    case "string":
      return new Array<string>(length).fill("");
    default:
      return kind satisfies never;
  }
}

function blank(cells: Cells, from: number, to: number): void {
  if (Array.isArray(cells)) cells.fill("", from, to);
  else cells.fill(cells instanceof Float64Array || cells instanceof Float32Array ? Number.NaN : 0, from, to);
}

function copyInto(to: Cells, from: Cells, length: number): void {
  const target = to as (string | number)[];
  for (let i = 0; i < length; i++) target[i] = from[i]!;
}

/** What names of the fold's own begin with. */
const DOT = ".".charCodeAt(0);

function shown(values: ReadonlyMap<string, Kept>): ReadonlyMap<string, Kept> {
  const copy = new Map(values);
  for (const path of values.keys()) if (path.charCodeAt(0) === DOT) copy.delete(path);
  return copy;
}

function frozenIds(ids: readonly Id[]): { ids: readonly Id[]; order: Uint32Array | null } {
  let isSorted = true;
  for (let i = 1; i < ids.length && isSorted; i++) isSorted = compareIds(ids[i - 1]!, ids[i]!) < 0;
  if (isSorted) return { ids: ids.slice(), order: null };
  const order = Uint32Array.from(ids.keys()).sort((a, b) => compareIds(ids[a]!, ids[b]!));
  return { ids: Array.from(order, (row) => ids[row]!), order };
}

/** Numbers before text, each in its own order. */
function compareIds(a: Id, b: Id): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
