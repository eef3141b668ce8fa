import type * as DuckDB from "@duckdb/node-api";
import type { TableData } from "../model/query/table-cells.ts";
import {
  isListKind,
  itemsOf,
  type SqlBatch,
  type SqlCells,
  type SqlColumn,
  type SqlKind,
  storedType,
} from "./kinds.ts";
import { literal } from "./names.ts";

type Api = typeof DuckDB;

/** Rows of a chunk (DuckDB's STANDARD_VECTOR_SIZE). */
const ROWS = 2048;
/** Recordings whose names are numbered; the type has all of them, and more would take longer to make than texts to copy. */
const MOST_NUMBERED = 10_000;

/** Names of recordings, as DuckDB holds them: numbers of an ENUM, or texts where there are very many. */
export class Names {
  readonly type: DuckDB.DuckDBType;
  /** The type in a statement. */
  readonly sql: string;
  readonly #codes: ReadonlyMap<string, number> | null;

  constructor(api: Api, names: readonly string[]) {
    const isNumbered = names.length > 0 && names.length <= MOST_NUMBERED;
    this.type = isNumbered ? api.ENUM(names) : api.VARCHAR;
    this.sql = isNumbered ? `ENUM (${names.map(literal).join(", ")})` : "VARCHAR";
    this.#codes = isNumbered ? new Map(names.map((name, code) => [name, code])) : null;
  }

  /** Null: they are texts. */
  get codes(): ReadonlyMap<string, number> | null {
    return this.#codes;
  }
}

/** The columns of a table in DuckDB, and from which cells each is filled; null: from none. */
export type Filled = readonly {
  readonly column: SqlColumn;
  readonly from: { readonly place: number; readonly kind: SqlKind } | null;
}[];

/** Puts rows behind those of a table. */
export class Appender {
  readonly #api: Api;
  readonly #names: Names;
  readonly #appender: DuckDB.DuckDBAppender;

  constructor(api: Api, names: Names, appender: DuckDB.DuckDBAppender) {
    this.#api = api;
    this.#names = names;
    this.#appender = appender;
  }

  append({ length, cells }: SqlBatch, columns: Filled): void {
    const types = columns.map(({ column }) => this.#typeOf(column.kind));
    for (let at = 0; at < length; at += ROWS) {
      const rows = Math.min(ROWS, length - at);
      const chunk = this.#api.DuckDBDataChunk.create(types, rows);
      for (const [k, { column, from }] of columns.entries()) {
        const vector = chunk.getColumnVector(k) as unknown as Vector;
        if (from !== null) this.#fill(vector, cells[from.place]!, at, rows, from.kind, column.kind);
        else for (let row = 0; row < rows; row++) vector.setItem(row, null);
        vector.flush();
      }
      this.#appender.appendDataChunk(chunk);
    }
  }

  /** Makes the rows a part of the table. */
  close(): void {
    this.#appender.closeSync();
  }

  #fill(vector: Vector, { data, valid }: SqlCells, at: number, rows: number, from: SqlKind, to: SqlKind): void {
    const { items } = vector;
    const { codes } = this.#names;
    if (to === "recording" && codes !== null && items !== undefined) {
      for (let row = 0; row < rows; row++) items[row] = codes.get(data[at + row] as string)!;
    } else if (items !== undefined && isNumbers(data) && isNumeric(from) && isNumeric(to)) {
      items.set(data.subarray(at, at + rows));
      if (valid !== null) markValid(vector, valid, at, rows);
    } else {
      const turned = turnedOf(this.#api, from, to);
      for (let row = 0; row < rows; row++) {
        const cell = data[at + row];
        if (valid !== null && valid[at + row] === 0) vector.setItem(row, null);
        else vector.setItem(row, turned === null ? cell : turned(cell));
      }
    }
  }

  #typeOf(kind: SqlKind): DuckDB.DuckDBType {
    if (kind === "recording") return this.#names.type;
    if (isListKind(kind)) return this.#api.LIST(this.#typeOf(itemsOf(kind)));
    return (this.#api as unknown as Record<string, DuckDB.DuckDBType>)[storedType(kind)]!;
  }
}

/**
 * A vector of a chunk of this very version of DuckDB's package: its numbers, and a bit for each row that has a value. They are
 * filled in one piece, since a call for each cell takes longer than reading it.
 */
interface Vector {
  /** Of numbers, and of ENUM. */
  readonly items?: Numbers;
  readonly validity: { data: BigUint64Array | null };
  setItem(row: number, value: unknown): void;
  flush(): void;
}

type Numbers = Exclude<TableData, readonly unknown[]>;

function isNumbers(data: TableData): data is Numbers {
  return ArrayBuffer.isView(data);
}

function isNumeric(kind: SqlKind): boolean {
  return ["f64", "f32", "i32", "u32", "u8", "whole", "instant"].includes(kind);
}

/** Which rows have a value: 1 for each that has one. */
function markValid(vector: Vector, valid: Uint8Array, at: number, rows: number): void {
  const first = valid.indexOf(0, at);
  if (first < 0 || first >= at + rows) return;
  const bits = new Uint8Array(Math.ceil(rows / 64) * 8);
  for (let row = 0; row < rows; row++) if (valid[at + row] !== 0) bits[row >> 3]! |= 1 << (row & 7);
  vector.validity.data = new BigUint64Array(bits.buffer);
}

/** What a cell of one kind is in a column of another; null: the same. */
function turnedOf(api: Api, from: SqlKind, to: SqlKind): ((cell: unknown) => unknown) | null {
  if (isListKind(from) && isListKind(to)) {
    const item = itemsOf(to);
    const turned = item === "string" ? textOf : item === "bigint" ? wholeOf : item === "bool" ? Boolean : Number;
    return (cell) =>
      api.listValue(Array.from(cell as ArrayLike<unknown>, (one) => (one === null ? null : turned(one))));
  }
  if (to === "string") return from === "string" ? null : textOf;
  if (to === "bool") return (cell) => cell === 1;
  if (to === "bigint") return wholeOf;
  return from === "bigint" ? Number : null;
}

function textOf(cell: unknown): string {
  if (typeof cell === "string") return cell;
  return typeof cell === "object"
    ? JSON.stringify(Array.from(cell as ArrayLike<unknown>))
    : String(cell as number | bigint);
}

/** As 128 bits, which no number of a recording goes beyond. */
function wholeOf(cell: unknown): bigint {
  return BigInt.asIntN(128, BigInt(cell as number | bigint));
}
