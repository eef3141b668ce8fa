import type { CellTarget, UndoLog } from "./undo-log.ts";

/**
 * How a column or value moves between two recorded moments. Never extrapolated. `geodetic`: latitude and longitude in
 * degrees, along the shorter arc, then linear numbers such as the altitude.
 */
export type Interpolation = "hold" | "linear" | "angle-deg" | "angle-rad" | "quaternion" | "geodetic";

/** Cells of a column. */
export type ColumnData = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array | readonly string[];

/** One property of every thing in a set, as it is shown. */
export interface Column {
  /** `ids.length × width` numbers, row by row; or one string per row. NaN: not known. */
  readonly data: ColumnData;
  /** Numbers per row: 3 for a position. */
  readonly width: number;
  /** As recorded, never converted in passing: `"m"`, `"cm"`, `"nm"`, `"deg"`, `"block"`. */
  readonly unit: string | null;
  readonly interpolation: Interpolation;
}

/** Which array the cells of a column are in. */
export type ColumnKind = "f64" | "f32" | "i32" | "u32" | "u8" | "string";

/** What a column holds. */
export interface ColumnSpec {
  readonly kind: ColumnKind;
  readonly width: number;
  readonly unit: string | null;
  readonly interpolation?: Interpolation | undefined;
}

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;
type Cells = Numbers | string[];

/** One property of every thing in a set. */
export class MutableColumn implements CellTarget {
  readonly spec: ColumnSpec;
  readonly #undoLog: UndoLog;
  #data: Cells;
  #length = 0;
  /** The array came from outside and is immutable: it is copied before the first write. */
  #isShared = false;
  /** What was shown last, and in which order; null since anything was written. */
  #frozen: Column | null = null;
  #frozenOrder: Uint32Array | null = null;

  constructor(undoLog: UndoLog, spec: ColumnSpec) {
    this.spec = spec;
    this.#undoLog = undoLog;
    this.#data = room(spec.kind, 0);
  }

  /** Numbers of a cell. */
  get width(): number {
    return this.spec.width;
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
    if (this.#undoLog.isOn) this.#undoLog.number(this, at, before);
    data[at] = value;
  }

  /** Writes the first three cells of a row: a position, a rotation. */
  put3(row: number, x: number, y: number, z: number): void {
    const data = this.#own() as Numbers;
    const at = row * this.spec.width;
    if (this.#undoLog.isOn) {
      this.#undoLog.numbers3(this, at, data[at]!, data[at + 1]!, data[at + 2]!);
    }
    put3In(data, at, x, y, z);
  }

  /** The cells of a column of doubles, to be written to at once and not later; null while changes are noted. */
  direct(): Float64Array | null {
    return this.#undoLog.isOn ? null : (this.#own() as Float64Array);
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
    if (this.#undoLog.isOn) this.#undoLog.text(this, row, data[row]!);
    data[row] = text;
  }

  /** For the undo log. */
  putBack(at: number, value: number | string): void {
    (this.#own() as (number | string)[])[at] = value;
  }

  /** For the undo log: three cells from `at` on. */
  putBack3(at: number, x: number, y: number, z: number): void {
    put3In(this.#own() as Numbers, at, x, y, z);
  }

  /** Takes over a whole column: `rows × width` cells. The array must never be written to again. */
  replace(data: ColumnData): void {
    const before = this.#data;
    const wasShared = this.#isShared;
    const length = this.#length;
    if (this.#undoLog.isOn) {
      this.#undoLog.other(() => {
        this.#data = before;
        this.#isShared = wasShared;
        this.#length = length;
        this.#frozen = null;
      }, this);
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

  /** The cells of all rows that have some; to be read at once, and not to be written to. */
  cellsUsed(): ColumnData {
    if (this.#data.length === this.#length) return this.#data;
    return Array.isArray(this.#data) ? this.#data.slice(0, this.#length) : this.#data.subarray(0, this.#length);
  }

  get byteLength(): number {
    return Array.isArray(this.#data) ? this.#data.length * 24 : this.#data.byteLength;
  }

  copy(undoLog: UndoLog): MutableColumn {
    const copy = new MutableColumn(undoLog, this.spec);
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
