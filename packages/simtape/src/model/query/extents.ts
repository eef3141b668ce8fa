import type { MutableColumn } from "../state/column.ts";
import type { MutableEntitySet } from "../state/state.ts";
import type { Notes } from "./notes.ts";
import type { SeriesItem } from "../state/path.ts";

/** The least and the most finite number that was recorded. */
export interface Extent {
  readonly least: number;
  readonly most: number;
}

/** Cells that are looked at in one recording: columns are looked at as a whole at each moment. */
const MOST_CELLS = 4e9;
/** Numbers of a thing that take as much memory as one note. */
const NUMBERS_A_NOTE = 16;

/** Null: no number was met. */
export function extentOf(least: number, most: number): Extent | null {
  // 0 for -0
  return least <= most ? { least: least + 0, most: most + 0 } : null;
}

/** How many cells may still be looked at. */
export class CellLimit {
  #cells = MOST_CELLS;

  /** Whether `count` more are looked at. */
  take(count: number): boolean {
    this.#cells -= count;
    return this.#cells >= 0;
  }
}

/** Least and most of the numbers of one set, thing by thing. */
export class SetExtents {
  readonly #notes: Notes;
  readonly #limit: CellLimit;
  /** Place of each thing that ever was. */
  readonly #places = new Map<number | string, number>();
  /** Of the rows that there are. */
  #rows = new Uint32Array(0);
  readonly #columns = new Map<string, ColumnExtents>();
  readonly #gaps = new VelocityGaps();

  constructor(notes: Notes, limit: CellLimit) {
    this.#notes = notes;
    this.#limit = limit;
  }

  /** The set as it is at a moment; `isOther`: other things may be in it than at the moment before. */
  note(set: MutableEntitySet, isOther: boolean): void {
    this.#gaps.note(set);
    if (isOther || this.#rows.length !== set.size) this.#place(set.ids);
    for (const [name, column] of set.columns) {
      const { kind, width } = column.spec;
      if (kind === "string" || name.startsWith(".") || !this.#limit.take(set.size * width)) continue;
      let extents = this.#columns.get(name);
      if (extents === undefined) {
        extents = new ColumnExtents(width, isVelocity(name, width));
        this.#columns.set(name, extents);
      }
      for (let i = extents.grow(this.#places.size); i > 0; i -= NUMBERS_A_NOTE) this.#notes.add();
      extents.note(column, this.#rows);
    }
  }

  /** As `note`, where no extents are wanted: only what velocities lack. */
  noteGaps(set: MutableEntitySet): void {
    this.#gaps.note(set);
  }

  /** Whether a column of velocities had all its numbers, of every thing and at every moment; false of other columns. */
  isComplete(column: string): boolean {
    return this.#gaps.isComplete(column);
  }

  /** Null: no number was recorded, or too many cells would have been looked at. */
  of(id: number | string, column: string, item: SeriesItem): Extent | null {
    const place = this.#places.get(id);
    if (place === undefined || !this.#limit.take(0)) return null;
    return this.#columns.get(column)?.of(place, item) ?? null;
  }

  #place(ids: readonly (number | string)[]): void {
    this.#rows = new Uint32Array(ids.length);
    for (let row = 0; row < ids.length; row++) {
      let place = this.#places.get(ids[row]!);
      if (place === undefined) {
        place = this.#places.size;
        this.#places.set(ids[row]!, place);
      }
      this.#rows[row] = place;
    }
  }
}

function isVelocity(column: string, width: number): boolean {
  return width === 3 && column.endsWith("velocity");
}

/** Which columns of velocities lacked a number at a moment at which there was a thing. */
class VelocityGaps {
  /** By column: whether it lacked none so far. */
  readonly #columns = new Map<string, boolean>();
  #hadThings = false;

  note({ columns, size }: MutableEntitySet): void {
    for (const [name, column] of columns) {
      if (!isVelocity(name, column.spec.width) || name.startsWith(".")) continue;
      // things that were there before it lacked it
      const soFar = this.#columns.get(name) ?? !this.#hadThings;
      this.#columns.set(name, soFar && hasAll(column, size));
    }
    if (size === 0) return;
    this.#hadThings = true;
    for (const [name, isComplete] of this.#columns)
      if (isComplete && columns.get(name)?.spec.width !== 3) this.#columns.set(name, false);
  }

  isComplete(column: string): boolean {
    return this.#columns.get(column) === true;
  }
}

/** Whether three finite numbers are there for each of the first `rows` rows. */
function hasAll(column: MutableColumn, rows: number): boolean {
  const cells = column.cellsUsed();
  if (Array.isArray(cells) || cells.length < 3 * rows) return false;
  const numbers = cells as Float64Array;
  for (let i = 0; i < 3 * rows; i++) if (!Number.isFinite(numbers[i]!)) return false;
  return true;
}

/** Of one column: `numbers` pairs for each place, one for each cell, and one for the length of the vector. */
class ColumnExtents {
  readonly #width: number;
  readonly #hasLength: boolean;
  readonly #numbers: number;
  #least = new Float64Array(0);
  #most = new Float64Array(0);
  #cells = new Float64Array(0);

  constructor(width: number, hasLength: boolean) {
    this.#width = width;
    this.#hasLength = hasLength;
    this.#numbers = width + (hasLength ? 1 : 0);
  }

  /** Makes room for so many places; how many numbers more there is room for. */
  grow(places: number): number {
    const before = this.#least.length;
    if (places * this.#numbers <= before) return 0;
    const length = Math.max(places, 2 * (before / this.#numbers)) * this.#numbers;
    const least = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    const most = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    least.set(this.#least);
    most.set(this.#most);
    this.#least = least;
    this.#most = most;
    return length - before;
  }

  note(column: MutableColumn, places: Uint32Array): void {
    const cells = column.cellsUsed() as Exclude<ReturnType<MutableColumn["cellsUsed"]>, readonly string[]>;
    // one kind of array in the loop: it takes a fifth of the time
    if (this.#cells.length < cells.length) this.#cells = new Float64Array(2 * cells.length);
    this.#cells.set(cells);
    const rows = Math.min(places.length, Math.floor(cells.length / this.#width));
    widen(this.#least, this.#most, this.#numbers, this.#cells, this.#width, places, rows);
    if (this.#hasLength) this.#widenByLength(places, rows);
  }

  of(place: number, item: SeriesItem): Extent | null {
    // a speed is between two moments: it is not in a state
    if (item === "speed" || (item === "length" && !this.#hasLength)) return null;
    const at = place * this.#numbers + (item === null ? 0 : item === "length" ? this.#width : item);
    return extentOf(this.#least[at]!, this.#most[at]!);
  }

  #widenByLength(places: Uint32Array, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const cell = row * this.#width;
      const [x, y, z] = [this.#cells[cell]!, this.#cells[cell + 1]!, this.#cells[cell + 2]!];
      const length = Math.sqrt(x * x + y * y + z * z);
      const at = (places[row]! + 1) * this.#numbers - 1;
      if (length < this.#least[at]! && Number.isFinite(length)) this.#least[at] = length;
      if (length > this.#most[at]! && Number.isFinite(length)) this.#most[at] = length;
    }
  }
}

/** Takes `width` cells of each row into the extents, `numbers` of them for each place. */
function widen(
  least: Float64Array,
  most: Float64Array,
  numbers: number,
  cells: Float64Array,
  width: number,
  places: Uint32Array,
  rows: number,
): void {
  for (let row = 0, cell = 0; row < rows; row++) {
    let at = places[row]! * numbers;
    for (const end = cell + width; cell < end; cell++, at++) {
      const value = cells[cell]!;
      // comparisons with NaN fail
      if (value < least[at]! && Number.isFinite(value)) least[at] = value;
      if (value > most[at]! && Number.isFinite(value)) most[at] = value;
    }
  }
}
