import { jsonOf } from "../model/query/value-text.ts";
import type { TableKind } from "../model/query/table-cells.ts";
import type { Value } from "../model/values/value.ts";
import { visible } from "../model/values/visible.ts";
import type { Exporter } from "./exporter.ts";
import { rowExporter } from "./row-exporter.ts";
import { CSV } from "./row-facts.ts";
import type { HeaderOf, Put, RowCells, RowWriter, Written } from "./rows.ts";
import { utcText } from "./utc.ts";

export const csv: Exporter = rowExporter(CSV, ({ written, header, put }) => csvWriter(written, header, put));

/** CSV: a line of headers, then a line for each row. A cell that is not there is empty. */
export async function csvWriter({ columns }: Written, header: HeaderOf, put: Put): Promise<RowWriter> {
  await put(csvRow(columns.map((column) => textCell(header(column)))));
  return {
    write: ({ length, columns: all }) => put(linesOf(length, all.map(csvCells))),
    end: async () => undefined,
  };
}

function linesOf(length: number, columns: readonly (readonly string[])[]): string {
  let text = "";
  for (let row = 0; row < length; row++) {
    let line = columns[0]?.[row] ?? "";
    for (let k = 1; k < columns.length; k++) line += `,${columns[k]![row]!}`;
    text += `${line}\n`;
  }
  return text;
}

/** Cells as they stand in a row. Values often repeat, and to write a number takes long: the last text is used again. */
function csvCells({ kind, data, valid, isUtc }: RowCells): string[] {
  const textOf = isUtc === true ? (value: unknown) => utcText(value as number) : TEXTS[kind];
  const cells = new Array<string>(valid.length).fill("");
  let known: unknown;
  let text = "";
  for (let row = 0; row < cells.length; row++) {
    if (valid[row] === 0) continue;
    const value = data[row]!;
    if (!Object.is(value, known)) {
      known = value;
      text = textOf(value);
    }
    cells[row] = text;
  }
  return cells;
}

const number = (value: unknown): string => (Object.is(value, -0) ? "-0" : String(value as number | bigint));
const TEXTS: Readonly<Record<TableKind, (value: unknown) => string>> = {
  string: (value) => quoted(textCell(value as string)),
  list: (value) => quoted(textCell(jsonOf(value as Value))),
  bool: (value) => (value === 1 ? "true" : "false"),
  f64: number,
  f32: number,
  i32: number,
  u32: number,
  u8: number,
  bigint: number,
};

/** A row as RFC 4180 has it, but for its end of line, which is of Unix. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * A text as a cell that a spreadsheet takes for text: what it would calculate has an apostrophe before it, which is how
 * one writes text there. Control characters are shown; numbers, and lists of numbers, are as they are.
 */
export function textCell(text: string): string {
  const shown = visible(text);
  return /^[=+\-@\t\n＝＋－＠]/.test(shown) && !NUMBERS.test(shown) ? `'${shown}` : shown;
}

/** A number, or several with commas or semicolons between: nothing that is calculated. */
const NUMBERS = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:[,;] ?|$))+$/i;
