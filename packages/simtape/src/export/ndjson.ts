import { toJson } from "../model/values/json.ts";
import { jsonText } from "../model/values/visible.ts";
import type { Exporter } from "./exporter.ts";
import { rowExporter } from "./row-exporter.ts";
import { NDJSON } from "./row-facts.ts";
import type { HeaderOf, Put, RowBatch, RowCells, RowWriter, Written } from "./rows.ts";
import { utcText } from "./utc.ts";

export const ndjson: Exporter = rowExporter(NDJSON, async ({ written, header, put }) =>
  ndjsonWriter(written, header, put),
);

/** One JSON object in each line, with a member for each column; null: not there. */
export function ndjsonWriter({ columns }: Written, header: HeaderOf, put: Put): RowWriter {
  const names = columns.map((column, k) => `${k === 0 ? "{" : ","}${jsonText(header(column))}:`);
  return {
    write: ({ length, columns: all }: RowBatch) => {
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

function jsonCells({ kind, data, valid, isUtc }: RowCells): string[] {
  const cells = new Array<string>(valid.length).fill("null");
  for (let row = 0; row < cells.length; row++) {
    if (valid[row] === 0) continue;
    if (kind === "bool") cells[row] = String(data[row] === 1);
    else if (isUtc === true) cells[row] = `"${utcText(data[row] as number)}"`;
    else cells[row] = toJson(data[row]);
  }
  return cells;
}
