import type { Table } from "../model/query/table.ts";
import type { TableBatch, TableCells, TableColumn } from "../model/query/table-cells.ts";

/** How `simtape table` writes rows. */
export const TABLE_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** A column of a file of rows. */
export interface RowColumn extends TableColumn {
  /** Of kind `f64`: whole microseconds since 1970-01-01T00:00:00Z, which files hold as a time of their own kind. */
  readonly isUtc?: boolean;
  /** Of no table of a recording: whatever its name, a row may be without it, and its numbers may be any. */
  readonly isFree?: boolean;
  /** Free, of kind `f64`: whole numbers within 2^53, which Parquet holds as integers of 64 bits. */
  readonly isInteger?: boolean;
}

/** The cells of such a column. */
export type RowCells = TableCells & RowColumn;

/** Some rows, column by column. */
export interface RowBatch extends TableBatch {
  readonly columns: readonly RowCells[];
}

/** Where the pieces of a file go, one after the other. */
export type Put = (piece: string | Uint8Array) => Promise<void>;

/** What is written. */
export interface Written extends Pick<Table, "axes"> {
  readonly columns: readonly RowColumn[];
}

/** Writes rows one batch after the other. */
export interface RowWriter {
  write(batch: RowBatch): Promise<void>;
  /** Behind the last batch; of no rows, too. */
  end(): Promise<void>;
}

/** A column as it is called in a file: `position.x [cm]`. */
export type HeaderOf = (column: TableColumn) => string;

/** With its unit, where it has one. */
export const withUnit: HeaderOf = ({ name, unit }) => (unit === null ? name : `${name} [${unit}]`);

export const withoutUnit: HeaderOf = ({ name }) => name;

/** Columns of tables that every row has, and that are whole numbers. */
const OWN: readonly string[] = ["time", "sequence", "id", "record"];

/** Whether every row has a cell of it. */
export function isInEveryRow({ name, isFree }: RowColumn): boolean {
  return isFree !== true && OWN.includes(name) && name !== "record";
}

/** Whether it is a column of whole numbers that are held as doubles. */
export function isWhole({ name, kind, unit, isFree }: RowColumn): boolean {
  return isFree !== true && kind === "f64" && OWN.includes(name) && unit !== "s";
}

/** Each name once, also for readers that do not tell upper from lower case: `x`, `X (2)`. */
export function headersOf(columns: readonly RowColumn[], header: HeaderOf): string[] {
  const met = new Set<string>();
  return columns.map((column) => {
    const own = header(column);
    let name = own;
    for (let n = 2; met.has(name.toLowerCase()); n++) name = `${own} (${n})`;
    met.add(name.toLowerCase());
    return name;
  });
}

/** Units by header, for the metadata of a file. */
export function unitsOf(columns: readonly RowColumn[], headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ unit }, k) => (unit === null ? [] : [[headers[k]!, unit]])));
}

const SECOND = 1e9;

/** The columns with time in seconds. */
export function columnsInSeconds(columns: readonly TableColumn[]): TableColumn[] {
  return columns.map((column) => (isTime(column) ? { ...column, unit: "s" } : column));
}

/** Likewise a batch. */
export function batchInSeconds({ length, columns }: TableBatch): TableBatch {
  const turned = (cells: TableCells): TableCells =>
    isTime(cells) ? { ...cells, unit: "s", data: (cells.data as Float64Array).map((time) => time / SECOND) } : cells;
  return { length, columns: columns.map(turned) };
}

export function isTime({ name, unit }: TableColumn): boolean {
  return name === "time" && unit === "ns";
}
