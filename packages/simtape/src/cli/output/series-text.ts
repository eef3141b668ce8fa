import type { Series } from "../../model/query/sinks.ts";
import { csvRow, textCell } from "../../export/csv.ts";

/** A series as JSON has it. */
export interface PlainSeries {
  readonly path: string;
  readonly unit: string | null;
  readonly kind: Series["kind"];
  readonly interpolation: Series["interpolation"];
  readonly time: Float64Array;
  /** Null where the path does not exist, or has no number. */
  readonly value: readonly (number | string | null)[];
}

/** Lists of times and values in place of typed arrays. */
export function plainSeries({ unit, kind, interpolation, time, value, valid, texts, text }: Series): PlainSeries {
  const valueAt = (row: number): number | string | null => {
    if (valid[row] === 0) return null;
    if (texts !== null) return texts[value[row]!] ?? null;
    return Number.isNaN(value[row]!) ? null : value[row]!;
  };
  return { path: text, unit, kind, interpolation, time, value: Array.from(time, (_, row) => valueAt(row)) };
}

/** The first line of `seriesRows`. */
export const SERIES_HEADER = "path,time,value\n";

/** CSV: a line for each value that exists. */
export function seriesRows(all: readonly PlainSeries[]): string {
  const rows: string[] = [];
  for (const { path, time, value } of all) {
    for (const [row, one] of value.entries())
      if (one !== null) rows.push(csvRow([textCell(path), String(time[row]), textCell(String(one))]));
  }
  return rows.join("");
}
