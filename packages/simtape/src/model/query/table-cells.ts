import type { Column, ColumnData } from "../state/column.ts";
import type { Value } from "../values/value.ts";
import { jsonOf } from "./value-text.ts";
import type { Axes } from "../axes/axes.ts";

/** What a single value is. `"bool"`: 0 or 1 in bytes. `"bigint"`: whole numbers of any size. */
export type ItemKind = "f64" | "f32" | "i32" | "u32" | "u8" | "bool" | "string" | "bigint";

/** What the cells of a column are. `"list"`: single values, in each row as many as there are. */
export type TableKind = ItemKind | "list";

/** A column, as it is known before the first row. */
export interface TableColumn {
  /** Each name once in a table: `time`, `id`, `position.x`. */
  readonly name: string;
  /** As recorded, never converted: `"m"`, `"cm"`, `"deg"`; null: nothing tells. */
  readonly unit: string | null;
  readonly kind: TableKind;
  /** Of a column of lists: what their items are. */
  readonly items?: ItemKind;
}

/** A cell of a column of lists: numbers as they were decoded, booleans, texts. Not to be changed. */
export type TableList = Extract<Value, ArrayLike<unknown> & object>;

/** The cells of a column, row by row. A typed array belongs to its batch: copy what you change. */
export type TableData =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Uint8Array
  | readonly string[]
  | readonly bigint[]
  | readonly TableList[];

/** The cells of a column in one batch of rows. */
export interface TableCells extends TableColumn {
  /** One for each row; NaN, 0, "" or an empty list where it is not valid. The caller's own. */
  readonly data: TableData;
  /** 1 for each row whose cell is there, else 0. */
  readonly valid: Uint8Array;
}

/** Some rows of a table, column by column. */
export interface TableBatch {
  /** Rows, at least one. */
  readonly length: number;
  /** As the table has them, in the same order. */
  readonly columns: readonly TableCells[];
}

/** Rows of a batch, cells of it, and letters in it, at most and about; there are always a few rows. */
const ROWS = 4096;
const CELLS = 1 << 20;
const LETTERS = 4 << 20;
/** Letters that an item of a list counts as: both are held in memory. */
const ITEM_LETTERS = 8;
/** In rows that have no list. */
const NO_LIST: TableList = [];
const FEW = 64;

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Collects the cells of one column. */
export class CellBuilder {
  readonly column: TableColumn;
  /** Null: texts, bigints or lists. */
  readonly numbers: Numbers | null;
  readonly others: (string | bigint | TableList)[];
  readonly valid: Uint8Array;

  /** Room for so many rows. */
  constructor(column: TableColumn, rows: number) {
    this.column = column;
    this.numbers = numbersOf(column.kind, rows);
    this.others = this.numbers === null ? new Array<string | bigint | TableList>(rows).fill(this.#blank) : [];
    this.valid = new Uint8Array(rows);
  }

  /** Puts a value that fits the kind into a row; one that does not leaves it not valid. Gives the letters it takes. */
  put(row: number, value: Value): number {
    const { kind } = this.column;
    if (value === null) return 0;
    if (kind === "list") {
      if (!isList(value)) return 0;
      this.others[row] = value;
      this.valid[row] = 1;
      return value.length * ITEM_LETTERS;
    }
    if (kind === "string") {
      const text = typeof value === "string" ? value : jsonOf(value);
      this.others[row] = text;
      this.valid[row] = 1;
      return text.length;
    }
    if (kind === "bigint") {
      const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
      if (!isWhole) return 0;
      this.others[row] = BigInt(value as number | bigint);
    } else {
      const fits = kind === "bool" ? typeof value === "boolean" : typeof value === "number";
      if (!fits) return 0;
      this.numbers![row] = Number(value);
    }
    this.valid[row] = 1;
    return 0;
  }

  /**
   * Cell `item` of some rows of a column of a set, into rows from `at` on. What nothing was said of, which is NaN, is left
   * not valid. Gives the letters they take.
   */
  copy(at: number, { data, width }: Column, item: number, rows: Uint32Array): number {
    if (item >= width) return 0;
    const { numbers, valid } = this;
    let letters = 0;
    if (numbers === null || isTexts(data)) {
      for (let n = 0; n < rows.length; n++) letters += this.put(at + n, data[rows[n]! * width + item]!);
      return letters;
    }
    for (let n = 0; n < rows.length; n++) {
      const value = data[rows[n]! * width + item]!;
      if (Number.isNaN(value)) continue;
      numbers[at + n] = value;
      valid[at + n] = 1;
    }
    return 0;
  }

  /** The first `rows` of them, its own no more. */
  take(rows: number): TableCells {
    const data = (this.numbers ?? this.others).slice(0, rows) as TableData;
    return { ...this.column, data, valid: this.valid.slice(0, rows) };
  }

  clear(): void {
    this.numbers?.fill(this.column.kind === "f64" || this.column.kind === "f32" ? Number.NaN : 0);
    this.others.fill(this.#blank);
    this.valid.fill(0);
  }

  get #blank(): string | bigint | TableList {
    const { kind } = this.column;
    return kind === "bigint" ? 0n : kind === "list" ? NO_LIST : "";
  }
}

function numbersOf(kind: TableKind, rows: number): Numbers | null {
  switch (kind) {
    case "f64":
      return new Float64Array(rows).fill(Number.NaN);
    case "f32":
      return new Float32Array(rows).fill(Number.NaN);
    case "i32":
      return new Int32Array(rows);
    case "u32":
      return new Uint32Array(rows);
    case "u8":
    case "bool":
      return new Uint8Array(rows);
    case "string":
    case "bigint":
    case "list":
      return null;
    default:
      return kind satisfies never;
  }
}

/** Collects rows into batches. */
export class RowBuilder {
  readonly cells: readonly CellBuilder[];
  readonly #capacity: number;
  /** Rows begun; the last is the one that is filled. */
  #rows = 0;
  #letters = 0;

  constructor(columns: readonly TableColumn[]) {
    const capacity = Math.max(FEW, Math.min(ROWS, Math.floor(CELLS / columns.length)));
    this.#capacity = capacity;
    this.cells = columns.map((column) => new CellBuilder(column, capacity));
  }

  get isFull(): boolean {
    return this.#rows === this.#capacity || this.#letters >= LETTERS;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /** Rows that there is room for. */
  get room(): number {
    return this.#capacity - this.#rows;
  }

  /** Begins so many rows, for which there must be room; gives the place of the first in the batch. */
  begin(count = 1): number {
    this.#rows += count;
    return this.#rows - count;
  }

  copy(column: number, at: number, from: Column, item: number, rows: Uint32Array): void {
    this.#letters += this.cells[column]!.copy(at, from, item, rows);
  }

  put(column: number, row: number, value: Value): void {
    this.#letters += this.cells[column]!.put(row, value);
  }

  /** The rows collected so far; then there are none. */
  take(): TableBatch {
    const length = this.#rows;
    const columns = this.cells.map((cells) => cells.take(length));
    for (const cells of this.cells) cells.clear();
    this.#rows = 0;
    this.#letters = 0;
    return { length, columns };
  }
}

function isTexts(data: ColumnData): data is readonly string[] {
  return Array.isArray(data);
}

export function isList(value: Value): value is TableList {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/** The kind that holds values of both; text holds all. */
export function joinedKind(a: ItemKind, b: ItemKind): ItemKind {
  if (a === b) return a;
  return isNumeric(a) && isNumeric(b) ? "f64" : "string";
}

function isNumeric(kind: ItemKind): boolean {
  return kind !== "bool" && kind !== "string" && kind !== "bigint";
}

/** Columns that are known, and what reads their rows. */
export interface RowSource {
  readonly columns: readonly TableColumn[];
  /** What the numbers mean; null: nothing tells. */
  readonly axes: Axes | null;
  batches(): AsyncGenerator<TableBatch>;
}
