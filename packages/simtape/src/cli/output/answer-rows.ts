import type { TableBatch, TableCells } from "../../model/query/table-cells.ts";
import type { Answer, AnswerBatch, AnswerCells } from "../../sql/answer.ts";
import { type Put, type RowWriter, withoutUnit } from "../../export/rows.ts";
import { toJson } from "../../model/values/json.ts";
import { jsonText, visibleLine } from "../../model/values/visible.ts";

/** How answers are written. */
export const ANSWER_FORMATS = ["table", "csv", "json", "ndjson", "parquet", "arrow"] as const;
/** A name of `ANSWER_FORMATS`. */
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** Writes an answer to its end; gives its rows. */
export async function writeAnswer(answer: Answer, format: AnswerFormat, put: Put): Promise<number> {
  const writer = await writerOf(answer, format, put);
  let rows = 0;
  for await (const batch of answer) {
    await writer.write(isBinary(format) ? batch : withNumbers(batch));
    rows += batch.length;
  }
  await writer.end();
  return rows;
}

/** Whether it is no text for a terminal. */
export function isBinary(format: AnswerFormat): boolean {
  return format === "parquet" || format === "arrow";
}

async function writerOf({ columns }: Answer, format: AnswerFormat, put: Put): Promise<RowWriter> {
  const written = { columns: columns.map((column) => ({ ...column, isFree: true })), axes: null };
  switch (format) {
    case "table":
      return alignedWriter(columns, put);
    case "json":
      return jsonWriter(columns, put);
    case "parquet":
      return (await import("../../export/parquet.ts")).parquetWriter(written, withoutUnit, put);
    case "arrow":
      return (await import("../../export/arrow.ts")).arrowWriter(written, withoutUnit, put, "file");
    case "csv":
      return (await import("../../export/csv.ts")).csvWriter(written, withoutUnit, put);
    case "ndjson":
      return (await import("../../export/ndjson.ts")).ndjsonWriter(written, withoutUnit, put);
    default:
      return format satisfies never;
  }
}

/** Whole numbers that a double holds are numbers in JSON; larger ones stay as they are. */
function withNumbers({ length, columns }: AnswerBatch): TableBatch {
  const isSafe = (value: bigint): boolean => Number.isSafeInteger(Number(value));
  const turned = (cells: AnswerCells): TableCells => {
    if (cells.kind !== "bigint") return cells;
    const values = cells.data as readonly bigint[];
    return values.every(isSafe) ? { ...cells, kind: "f64", data: Float64Array.from(values, Number) } : cells;
  };
  return { length, columns: columns.map(turned) };
}

/** One JSON array with an object for each row. */
function jsonWriter(columns: Answer["columns"], put: Put): RowWriter {
  const names = columns.map(({ name }, k) => `${k === 0 ? "{" : ","}${jsonText(name)}:`);
  let isFirst = true;
  return {
    write: async ({ length, columns: cells }) => {
      let text = "";
      for (let row = 0; row < length; row++) {
        text += isFirst ? "[\n" : ",\n";
        isFirst = false;
        for (let k = 0; k < cells.length; k++) text += names[k]! + jsonCell(cells[k]!, row);
        text += "}";
      }
      await put(text);
    },
    end: () => put(isFirst ? "[]\n" : "\n]\n"),
  };
}

function jsonCell({ kind, data, valid }: TableCells, row: number): string {
  if (valid[row] === 0) return "null";
  return kind === "bool" ? String(data[row] === 1) : toJson(data[row]);
}

/** Rows that are looked at for the widths of columns, and letters of a cell at most. */
const LOOKED_AT = 2048;
const WIDEST = 80;

/** Text in aligned columns: numbers to the right, a line below the names. */
function alignedWriter(columns: Answer["columns"], put: Put): RowWriter {
  const isNumeric = columns.map(({ kind }) => kind !== "string" && kind !== "list" && kind !== "bool");
  let held: string[][] = [];
  let widths: number[] | null = null;
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, k) => (isNumeric[k]! ? cell.padStart(widths![k]!) : cell.padEnd(widths![k]!)))
      .join("  ")
      .trimEnd();
  const flush = async (): Promise<void> => {
    if (widths === null) {
      const names = columns.map(({ name }) => visibleLine(name));
      widths = names.map((name, k) => held.reduce((most, row) => Math.max(most, row[k]!.length), name.length));
      await put(`${lineOf(names)}\n${widths.map((width) => "-".repeat(width)).join("  ")}\n`);
    }
    if (held.length > 0) await put(`${held.map(lineOf).join("\n")}\n`);
    held = [];
  };
  return {
    write: async ({ length, columns: cells }) => {
      for (let row = 0; row < length; row++) held.push(cells.map((one) => textCell(one, row)));
      if (held.length >= LOOKED_AT) await flush();
    },
    end: flush,
  };
}

/** For people: numbers to twelve digits, as the last ones of a double say nothing. */
function textCell({ kind, data, valid }: TableCells, row: number): string {
  if (valid[row] === 0) return "";
  const value = data[row];
  if (kind === "bool") return value === 1 ? "true" : "false";
  if (typeof value === "number") return String(Number(value.toPrecision(kind === "f32" ? 7 : 12)));
  const text = typeof value === "object" ? toJson(value) : String(value);
  const line = visibleLine(text);
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
