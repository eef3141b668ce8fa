import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { Budget } from "../bytes/budget.ts";
import type { ItemKind, TableCells, TableKind, TableList } from "../model/query/table-cells.ts";
import type { Value } from "../model/values/value.ts";
import type { Exporter } from "./exporter.ts";
import { int64Of, itemOf } from "./row-cells.ts";
import { rowExporter } from "./row-exporter.ts";
import { PARQUET } from "./row-facts.ts";
import {
  type HeaderOf,
  headersOf,
  isInEveryRow,
  isWhole,
  type Put,
  type RowBatch,
  type RowCells,
  type RowColumn,
  type RowWriter,
  unitsOf,
  type Written,
} from "./rows.ts";

/** Cells of a row group, about; and rows at most. */
const CELLS = 1 << 20;
const ROWS = 1 << 17;
/** Letters of a text that count as a cell. */
const LETTERS = 8;
/** Memory of an item of a list while its row group is written. */
const ITEM_MEMORY = 112;

type Data = unknown[] | TableCells["data"];

export const parquet: Exporter = rowExporter(PARQUET, async ({ written, header, put, budget }) =>
  parquetWriter(written, header, put, budget),
);

/**
 * Parquet, compressed by snappy. The file is written in one go, and no more than a row group is in memory. `budget`: what
 * one row may take; null: there is no limit.
 */
export function parquetWriter(
  { columns, axes }: Written,
  header: HeaderOf,
  put: Put,
  budget: Budget | null = null,
): RowWriter {
  const bytes = new ByteWriter();
  const names = headersOf(columns, header);
  const schema = columns.flatMap((column, k) => elementsOf(column, names[k]!));
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "table", num_children: columns.length }, ...schema],
    createdBy: "simtape",
    kvMetadata: Object.entries({ units: unitsOf(columns, names), axes }).map(([key, value]) => ({
      ...{ key, value: JSON.stringify(value) },
    })),
  });
  const most = Math.max(1, Math.min(ROWS, Math.floor(CELLS / columns.length)));
  let batches: RowBatch[] = [];
  let [rows, cells] = [0, 0];
  const drain = async (): Promise<void> => {
    const piece = bytes.getBytes().slice();
    bytes.index = 0;
    await put(piece);
  };
  const flush = async (): Promise<void> => {
    if (rows === 0) return;
    const group = batches;
    const columnData = columns.map((column, k) => ({
      name: names[k]!,
      data: joined(
        column,
        group.map((batch) => batch.columns[k]!),
        rows,
      ) as unknown[],
      offsetIndex: false,
    }));
    await writer.write({ columnData, rowGroupSize: rows });
    batches = [];
    rows = cells = 0;
    await drain();
  };
  return {
    write: async (batch) => {
      const { items, letters } = weightOf(batch);
      budget?.fit("rows of Parquet", items * ITEM_MEMORY);
      batches.push(batch);
      rows += batch.length;
      cells += items + letters / LETTERS;
      if (rows >= most || cells >= CELLS) await flush();
    },
    end: async () => {
      await flush();
      await writer.finish();
      await drain();
    },
  };
}

/** Items of lists, and letters of texts, in a batch. */
function weightOf({ columns }: RowBatch): { readonly items: number; readonly letters: number } {
  let [items, letters] = [0, 0];
  for (const { kind, data } of columns) {
    if (kind === "list") for (const list of data as readonly TableList[]) items += list.length;
    if (kind === "string") for (const text of data as readonly string[]) letters += text.length;
  }
  return { items, letters };
}

/** A column, or the three levels of a list (Parquet format, LogicalTypes, "Lists"). */
function elementsOf(column: RowColumn, name: string): SchemaElement[] {
  if (column.kind === "list")
    return [
      { name, repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "OPTIONAL", ...TYPES[column.items ?? "string"] },
    ];
  const { isUtc, isFree, isInteger } = column;
  const repetition_type = isInEveryRow(column) || (isUtc === true && isFree !== true) ? "REQUIRED" : "OPTIONAL";
  if (isUtc === true) return [{ name, repetition_type, ...UTC }];
  const isInt64 = isWhole(column) || isInteger === true;
  return [{ name, repetition_type, ...(isInt64 ? { type: "INT64" } : TYPES[column.kind]) }];
}

/** Microseconds since 1970 (Parquet format, LogicalTypes, "TIMESTAMP"). */
const UTC: Omit<SchemaElement, "name"> = {
  type: "INT64",
  converted_type: "TIMESTAMP_MICROS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
};

const TYPES: Readonly<Record<ItemKind, Omit<SchemaElement, "name">>> = {
  f64: { type: "DOUBLE" },
  f32: { type: "FLOAT" },
  i32: { type: "INT32" },
  u32: { type: "INT32", converted_type: "UINT_32" },
  u8: { type: "INT32", converted_type: "UINT_8" },
  bool: { type: "BOOLEAN" },
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  bigint: { type: "INT64" },
};

/** The cells of a column in some batches; null where one is not valid. */
function joined(column: RowColumn, parts: readonly RowCells[], rows: number): Data {
  if (isWhole(column) || column.isUtc === true || column.isInteger === true) {
    const whole = wholeNumbers(parts, rows);
    return column.isFree === true ? withNulls(whole, parts) : (whole as unknown as Data);
  }
  const { kind, name, items = "string" } = column;
  const numbers = NUMBERS[kind];
  if (numbers !== undefined && parts.every(({ valid }) => !valid.includes(0))) return numbersOf(parts, numbers(rows));
  const cells = new Array<unknown>(rows).fill(null);
  let at = 0;
  for (const { data, valid } of parts) {
    for (let row = 0; row < valid.length; row++, at++) {
      if (valid[row] === 0) continue;
      const value = data[row]!;
      if (kind === "list") cells[at] = Array.from(value as ArrayLike<Value>, (item) => itemOf(item, items, name));
      else cells[at] = kind === "bool" ? value === 1 : itemOf(value as Value, kind, name);
    }
  }
  return cells;
}

/** Null where a cell is not valid; the numbers themselves where all are. */
function withNulls(whole: BigInt64Array, parts: readonly RowCells[]): Data {
  if (parts.every(({ valid }) => !valid.includes(0))) return whole as unknown as Data;
  let at = 0;
  const cells = new Array<bigint | null>(whole.length).fill(null);
  for (const { valid } of parts)
    for (const isValid of valid) {
      if (isValid === 1) cells[at] = whole[at]!;
      at++;
    }
  return cells;
}

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Columns of numbers that every row has stay numbers, and take no memory for each. */
const NUMBERS: Readonly<Partial<Record<TableKind, (length: number) => Numbers>>> = {
  f64: (length) => new Float64Array(length),
  f32: (length) => new Float32Array(length),
  i32: (length) => new Int32Array(length),
  u32: (length) => new Uint32Array(length),
  u8: (length) => new Uint8Array(length),
};

function numbersOf(parts: readonly RowCells[], into: Numbers): Data {
  let at = 0;
  for (const { data } of parts) {
    into.set(data as Numbers, at);
    at += data.length;
  }
  return into;
}

function wholeNumbers(parts: readonly RowCells[], rows: number): BigInt64Array {
  const cells = new BigInt64Array(rows);
  let at = 0;
  for (const { data } of parts) {
    cells.set(int64Of(data as Float64Array), at);
    at += data.length;
  }
  return cells;
}
