import type { TableBatch, TableCells } from "../../model/query/table-cells.ts";
import type { Value } from "../../model/value.ts";
import { jsonOf } from "../../model/query/value-text.ts";
import { csvRow, textCell } from "./csv.ts";
import { toJson } from "./json.ts";
import type { HeaderOf, Put, RowWriter, Written } from "./table-rows.ts";
import { jsonText } from "../run/visible.ts";

/** CSV: a line of headers, then a line for each row. A cell that is not there is empty. */
export async function csvWriter({ columns }: Written, header: HeaderOf, put: Put): Promise<RowWriter> {
  await put(csvRow(columns.map((column) => textCell(header(column)))));
  return {
    write: ({ length, columns: all }) => put(linesOf(length, all.map(csvCells))),
    end: async () => undefined,
  };
}

/** One JSON object in each line, with a member for each column; null: not there. */
export function ndjsonWriter({ columns }: Written, header: HeaderOf, put: Put): RowWriter {
  const names = columns.map((column, k) => `${k === 0 ? "{" : ","}${jsonText(header(column))}:`);
  return {
    write: ({ length, columns: all }: TableBatch) => {
      const cells = all.map(jsonCells);
      let text = "";
      for (let row = 0; row < length; row++) {
        for (let k = 0; k < cells.length; k++) text += names[k]! + cells[k]![row]!;
        text += "}\n";
      }
      return put(text);
    },
    end: async () => undefined,
  };
}

function linesOf(length: number, columns: readonly (readonly string[])[]): string {
  let text = "";
  for (let row = 0; row < length; row++) text += csvRow(columns.map((cells) => cells[row]!));
  return text;
}

function csvCells({ kind, data, valid }: TableCells): string[] {
  const cells = new Array<string>(valid.length).fill("");
  for (let row = 0; row < cells.length; row++) {
    if (valid[row] === 0) continue;
    const value = data[row]!;
    if (typeof value === "string") cells[row] = textCell(value);
    else if (kind === "list") cells[row] = textCell(jsonOf(value as Value));
    else if (kind === "bool") cells[row] = value === 1 ? "true" : "false";
    else cells[row] = Object.is(value, -0) ? "-0" : String(value as number | bigint);
  }
  return cells;
}

function jsonCells({ kind, data, valid }: TableCells): string[] {
  const cells = new Array<string>(valid.length).fill("null");
  for (let row = 0; row < cells.length; row++) {
    if (valid[row] === 0) continue;
    cells[row] = kind === "bool" ? String(data[row] === 1) : toJson(data[row]);
  }
  return cells;
}
