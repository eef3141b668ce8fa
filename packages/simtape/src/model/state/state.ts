import { transformOf } from "../axes/axes-transform.ts";
import type { Axes } from "../axes/axes.ts";
import { RowIndex } from "./row-index.ts";
import { type Column, type ColumnSpec, MutableColumn } from "./column.ts";
import { type Changed, UndoLog, type RowTarget, type StateTarget } from "./undo-log.ts";
import { given, type Kept, Late, LateValues } from "./late.ts";
import { keepTeleports, TELEPORT, TELEPORT_SPEC } from "./teleports.ts";
import type { Time } from "../values/time.ts";
import { Touched } from "./touched.ts";
import type { Value } from "../values/value.ts";

/** Things of one kind, as columns; row i of every column is the thing `ids[i]`. Rows ascend by id. */
export interface EntitySet {
  /** Ascending: numbers before texts. */
  readonly ids: readonly (number | string)[];
  readonly columns: ReadonlyMap<string, Column>;
  /** What the numbers mean; `transformOf` converts them. Null: right-handed, z up, local. */
  readonly axes: Axes | null;
}

/** The state at a time: values by path, and sets of things. docs/state.md lists names and units. */
export interface State {
  readonly time: Time;
  readonly values: ReadonlyMap<string, Value>;
  readonly sets: ReadonlyMap<string, EntitySet>;
}

type Id = number | string;

/**
 * State while it is folded. While a savepoint is set, the undo log records every change, so that playing backwards is
 * undoing. Values and sets whose name begins with `.` are the fold's own and do not show in `freeze()`.
 */
export class MutableState implements StateTarget {
  time: Time = 0;
  readonly #values = new Map<string, Kept>();
  /** Whether any value was ever late. */
  #isLate = false;
  /** Whether there ever was a value of the fold's own. */
  #hasOwn = false;
  readonly #sets = new Map<string, MutableEntitySet>();
  readonly #undoLog: UndoLog = new UndoLog(this);
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
    return this.#undoLog.shape;
  }

  value(path: string): Value | undefined {
    const kept = this.#values.get(path);
    return kept === undefined ? undefined : given(kept);
  }

  /** As it is kept: a late value is not made for it. */
  kept(path: string): Kept | undefined {
    return this.#values.get(path);
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
    if (this.#undoLog.isOn) this.#undoLog.value(path, this.#values.get(path));
    this.#undoLog.touched?.values.add(path);
    this.#values.set(path, value);
    if (isOwn(path)) this.#hasOwn = true;
    this.#frozen = null;
  }

  deleteValue(path: string): void {
    const before = this.#values.get(path);
    if (before === undefined) return;
    if (this.#undoLog.isOn) this.#undoLog.value(path, before);
    this.#undoLog.touched?.values.add(path);
    this.#values.delete(path);
    this.#frozen = null;
  }

  /** Whether any value was ever late: to look at all of them takes much longer than to fold them. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** For the undo log: sets or deletes a value without noting it. */
  putBackValue(path: string, before: Kept | undefined): void {
    if (before === undefined) this.#values.delete(path);
    else this.#values.set(path, before);
    this.#frozen = null;
  }

  /** The set of that name; a new one is empty. Throws `RangeError` for axes that contradict themselves. */
  set(name: string, axes: Axes | null = null): MutableEntitySet {
    const found = this.#sets.get(name);
    if (found !== undefined) return found;
    const made = new MutableEntitySet(this.#undoLog, axes);
    this.#undoLog.shape++;
    if (this.#undoLog.isOn) this.#undoLog.other(() => this.#sets.delete(name));
    this.#sets.set(name, made);
    return made;
  }

  /** Removes everything, as before a snapshot. */
  clear(): void {
    for (const path of this.#values.keys()) this.deleteValue(path);
    for (const set of this.#sets.values()) set.clear();
  }

  /** From now on notes which values were written to or went, and which things came or went; undoing is not noted. */
  touch(): Touched {
    this.#undoLog.touched ??= new Touched();
    return this.#undoLog.touched;
  }

  /** Starts noting, when it is not on, and names this moment. */
  savepoint(): number {
    return this.#undoLog.savepoint();
  }

  /**
   * Undoes every change since the savepoint, also that of `time`. The savepoint stays; later savepoints are gone.
   * Throws `RangeError` when there is no such savepoint.
   */
  undo(savepoint: number): void {
    this.#undoLog.undo(savepoint);
  }

  /**
   * What messages since the first savepoint said and later ones of the same channel said otherwise, counted by path.
   * One savepoint was set before each message; `channels` are theirs.
   */
  overwritten(channels: readonly number[]): ReadonlyMap<string, number> {
    const counts = new Map<Changed, number>();
    const last = new Map<Changed, Map<number, Said>>();
    const counted = new Map<Changed, Map<number, number>>();
    this.#undoLog.changes((of, place, before, savepoints) => {
      const message = savepoints - 1;
      const channel = channels[message]!;
      const places = entryOf(last, of);
      const said = places.get(place);
      if (said === undefined) places.set(place, { message, before, channels: [channel] });
      else if (said.message !== message) {
        const row = of instanceof MutableColumn && place >= 0 ? Math.floor(place / of.spec.width) : place;
        const isCounted = entryOf(counted, of).get(row) === message;
        if (said.channels.includes(channel)) {
          if (!isCounted && !Object.is(said.before, before)) {
            entryOf(counted, of).set(row, message);
            counts.set(of, (counts.get(of) ?? 0) + 1);
          }
        } else said.channels.push(channel);
        said.message = message;
        said.before = before;
      }
    });
    return counts.size === 0 ? NOTHING : this.#named(counts);
  }

  /** By path, of what users see. */
  #named(counts: ReadonlyMap<Changed, number>): ReadonlyMap<string, number> {
    const paths = new Map<string, number>();
    for (const [of, count] of counts) if (typeof of === "string" && !of.startsWith(".")) paths.set(of, count);
    for (const [name, { columns }] of this.#sets) {
      if (name.startsWith(".")) continue;
      for (const [key, column] of columns) {
        const count = counts.get(column);
        if (count !== undefined && !key.startsWith(".")) paths.set(`${name}/${key}`, count);
      }
    }
    return paths;
  }

  /** Stops recording changes and forgets all savepoints. */
  forget(): void {
    this.#undoLog.forget();
  }

  /** A copy that shares nothing mutable. */
  clone(): MutableState {
    const copy = new MutableState();
    copy.time = this.time;
    for (const [path, value] of this.#values) copy.#values.set(path, value);
    copy.#isLate = this.#isLate;
    copy.#hasOwn = this.#hasOwn;
    for (const [name, set] of this.#sets) copy.#sets.set(name, set.copy(copy.#undoLog));
    return copy;
  }

  /** Bytes held, about: what checkpoints are kept by. */
  get byteLength(): number {
    let bytes = this.#values.size * 64;
    for (const set of this.#sets.values()) bytes += set.byteLength;
    return bytes;
  }

  /** Bytes held, about, looking into values: dearer than `byteLength`. */
  weigh(): number {
    let bytes = this.byteLength;
    for (const [path, kept] of this.#values) bytes += 160 + path.length + (kept instanceof Late ? 256 : weightOf(kept));
    return bytes;
  }

  /** The state for users: immutable, rows ascending by id, without unused room. */
  freeze(): State {
    this.#frozen ??= this.#asValues(this.#hasOwn ? withoutOwn(this.#values) : new Map(this.#values));
    return { time: this.time, values: this.#frozen, sets: this.freezeSets(() => true) };
  }

  /** The sets of it whose names are wanted. */
  freezeSets(isWanted: (name: string) => boolean): Map<string, EntitySet> {
    const sets = new Map<string, EntitySet>();
    for (const [name, set] of this.#sets) if (!name.startsWith(".") && isWanted(name)) sets.set(name, set.freeze());
    return sets;
  }

  #asValues(kept: ReadonlyMap<string, Kept>): ReadonlyMap<string, Value> {
    return this.#isLate ? new LateValues(kept) : (kept as ReadonlyMap<string, Value>);
  }
}

/** Things of one kind while they are folded. Row numbers hold until the next `remove` or `clear`. */
export class MutableEntitySet implements RowTarget {
  /** Complete: what was not stated is as `standardAxes` has it. */
  readonly axes: Axes | null;
  readonly #undoLog: UndoLog;
  readonly #columns = new Map<string, MutableColumn>();
  #ids: Id[] = [];
  #rows = new RowIndex();
  /** Ids are 0 … n-1 and row = id: no map is kept. */
  #isDense = false;
  /** The ids as they were shown last, and the rows in that order when it is another; null since they changed. */
  #frozen: { readonly ids: readonly Id[]; readonly order: Uint32Array | null } | null = null;

  constructor(undoLog: UndoLog, axes: Axes | null) {
    this.#undoLog = undoLog;
    this.axes = axes === null ? null : transformOf(axes).axes;
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

  /** Its ids are 0 … size-1, each its own row. */
  get isDense(): boolean {
    return this.#isDense;
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
    this.#undoLog.touched?.thing(this, id);
    for (const column of this.#columns.values()) column.grow(row + 1);
    if (this.#undoLog.isOn) this.#undoLog.row(this);
    return row;
  }

  /**
   * Says that the thing in `row` was put to its place at `time` and did not move there: it has no speed then, and is nowhere
   * in between.
   */
  teleport(row: number, time: Time): void {
    this.column(TELEPORT, TELEPORT_SPEC).put(row, time);
  }

  /** Rows for many that are not there yet, each once, at a time; what `row` does for one. */
  add(ids: readonly Id[]): void {
    this.#undense();
    for (const column of this.#columns.values()) column.grow(this.#ids.length + ids.length);
    for (const id of ids) {
      this.#rows.set(id, this.#ids.length);
      this.#ids.push(id);
      this.#undoLog.touched?.thing(this, id);
      if (this.#undoLog.isOn) this.#undoLog.row(this);
    }
    this.#frozen = null;
  }

  /** For the undo log. */
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
    this.#undoLog.touched?.thing(this, id);
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last]!;
    if (this.#undoLog.isOn) {
      const saved = [...this.#columns.values()].map((column) => [column, column.cells(row)] as const);
      this.#undoLog.other(() => {
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
    this.#undoLog.shape++;
    this.#undoLog.touched?.things(this, this.#ids);
    if (this.#undoLog.isOn) {
      const ids = this.#ids;
      const rows = this.#rows;
      const isDense = this.#isDense;
      const columns = [...this.#columns];
      this.#undoLog.other(() => {
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

  /**
   * Makes the ids 0 … count-1, dropping all columns when the count changes: things that are distinguished by their
   * index.
   */
  dense(count: number): void {
    if (this.#isDense && this.#ids.length === count) return;
    this.clear();
    if (this.#undoLog.isOn) {
      this.#undoLog.other(() => {
        this.#ids = [];
        this.#frozen = null;
        this.#rows = new RowIndex();
        this.#isDense = false;
      });
    }
    this.#ids = Array.from({ length: count }, (_, i) => i);
    this.#undoLog.touched?.things(this, this.#ids);
    this.#frozen = null;
    this.#isDense = true;
  }

  /** The column of that name, made when new. The spec of an existing one is kept. */
  column(name: string, spec: ColumnSpec): MutableColumn {
    const found = this.#columns.get(name);
    if (found !== undefined) return found;
    const made = new MutableColumn(this.#undoLog, spec);
    made.grow(this.#ids.length);
    this.#undoLog.shape++;
    if (this.#undoLog.isOn) this.#undoLog.other(() => this.#columns.delete(name));
    this.#columns.set(name, made);
    return made;
  }

  deleteColumn(name: string): void {
    const column = this.#columns.get(name);
    if (column === undefined) return;
    this.#undoLog.shape++;
    if (this.#undoLog.isOn) this.#undoLog.other(() => this.#columns.set(name, column));
    this.#columns.delete(name);
  }

  get byteLength(): number {
    let bytes = this.#ids.length * (this.#isDense ? 8 : 48);
    for (const column of this.#columns.values()) bytes += column.byteLength;
    return bytes;
  }

  copy(undoLog: UndoLog): MutableEntitySet {
    const copy = new MutableEntitySet(undoLog, this.axes);
    copy.#ids = this.#isDense ? this.#ids : this.#ids.slice();
    copy.#rows = this.#rows.clone();
    copy.#isDense = this.#isDense;
    for (const [name, column] of this.#columns) copy.#columns.set(name, column.copy(undoLog));
    return copy;
  }

  freeze(): EntitySet {
    this.#frozen ??= frozenIds(this.#ids);
    const { ids, order } = this.#frozen;
    const columns = new Map<string, Column>();
    for (const [name, column] of this.#columns) {
      if (!name.startsWith(".")) columns.set(name, column.freeze(ids.length, order));
    }
    const frozen = { ids, columns, axes: this.axes };
    const teleports = this.#columns.get(TELEPORT);
    if (teleports !== undefined) keepTeleports(frozen, teleports.freeze(ids.length, order));
    return frozen;
  }

  #undense(): void {
    if (!this.#isDense) return;
    this.#isDense = false;
    this.#ids = this.#ids.slice();
    this.#rows = new RowIndex();
    for (const [row, id] of this.#ids.entries()) this.#rows.set(id, row);
  }
}

/** The last change of a cell: by which message, what was there before, and the channels of all that changed it. */
interface Said {
  message: number;
  before: unknown;
  readonly channels: number[];
}

const NOTHING: ReadonlyMap<string, number> = new Map();

function entryOf<T>(map: Map<Changed, Map<number, T>>, key: Changed): Map<number, T> {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = new Map<number, T>();
  map.set(key, made);
  return made;
}

/** Whether nothing was written to any set between the two, which were frozen one after the other. */
export function areSameSets(before: State["sets"], after: State["sets"]): boolean {
  if (before.size !== after.size) return false;
  for (const [name, set] of after) {
    const old = before.get(name);
    if (old === undefined || !isSameSet(old, set)) return false;
  }
  return true;
}

/** Whether nothing was written to a set between the two times it was frozen. */
export function isSameSet(before: EntitySet, after: EntitySet): boolean {
  if (before.ids !== after.ids || before.columns.size !== after.columns.size) return false;
  for (const [key, column] of after.columns) if (before.columns.get(key) !== column) return false;
  return true;
}

/** Of objects and lists that were weighed: they never change, and a large state is weighed for every mebibyte folded. */
const WEIGHTS = new WeakMap<object, number>();

/** Memory of a value beside the place it is in, about. */
function weightOf(value: Value): number {
  if (typeof value === "string") return 24 + value.length;
  if (typeof value === "bigint") return 24;
  if (typeof value !== "object" || value === null) return 8;
  if (ArrayBuffer.isView(value)) return 128 + value.byteLength;
  let bytes = WEIGHTS.get(value);
  if (bytes === undefined) {
    bytes = contentOf(value);
    WEIGHTS.set(value, bytes);
  }
  return bytes;
}

function contentOf(value: object): number {
  let bytes = 128;
  if (Array.isArray(value)) for (const item of value as readonly Value[]) bytes += 8 + weightOf(item);
  else for (const item of Object.values(value as Readonly<Record<string, Value>>)) bytes += 48 + weightOf(item);
  return bytes;
}

/** What names of the fold's own begin with. */
const DOT = ".".charCodeAt(0);

function withoutOwn(values: ReadonlyMap<string, Kept>): ReadonlyMap<string, Kept> {
  const copy = new Map(values);
  for (const path of values.keys()) if (isOwn(path)) copy.delete(path);
  return copy;
}

function isOwn(path: string): boolean {
  return path.charCodeAt(0) === DOT;
}

function frozenIds(ids: readonly Id[]): { ids: readonly Id[]; order: Uint32Array | null } {
  let isSorted = true;
  for (let i = 1; i < ids.length && isSorted; i++) isSorted = compareIds(ids[i - 1]!, ids[i]!) < 0;
  if (isSorted) return { ids: ids.slice(), order: null };
  const order = Uint32Array.from(ids.keys()).sort((a, b) => compareIds(ids[a]!, ids[b]!));
  return { ids: Array.from(order, (row) => ids[row]!), order };
}

/** Numbers before text, each in its own order. */
export function compareIds(a: Id, b: Id): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
