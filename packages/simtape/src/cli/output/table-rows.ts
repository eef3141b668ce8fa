import type { Table } from "../../model/query/table.ts";
import type { TableBatch, TableCells, TableColumn } from "../../model/query/table-cells.ts";

/** How rows are written. */
export const TABLE_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Where the pieces of a file go, one after the other. */
export type Put = (piece: string | Uint8Array) => Promise<void>;

/** What is written. */
export type Written = Pick<Table, "columns" | "axes">;

/** Writes rows one batch after the other. */
export interface RowWriter {
  write(batch: TableBatch): Promise<void>;
  /** Behind the last batch; of no rows, too. */
  end(): Promise<void>;
}

/** A column as it is called in a file: `position.x [cm]`. */
export type HeaderOf = (column: TableColumn) => string;

/** With its unit, where it has one. */
export const withUnit: HeaderOf = ({ name, unit }) => (unit === null ? name : `${name} [${unit}]`);

export const withoutUnit: HeaderOf = ({ name }) => name;

/** Columns that every row has, and that are whole numbers. */
export const OWN: readonly string[] = ["time", "sequence", "id", "record"];

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

function isTime({ name, unit }: TableColumn): boolean {
  return name === "time" && unit === "ns";
}
