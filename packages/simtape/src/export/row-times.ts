import type { TableBatch, TableCells, TableColumn } from "../model/query/table-cells.ts";
import type { Timeline } from "../model/values/time.ts";
import { isTime, type RowBatch, type RowCells, type RowColumn } from "./rows.ts";
import { utcOf } from "./utc.ts";

const SECOND = 1e9;

/** Columns with the times that files have, and what turns batches of a table into batches of them. */
export interface RowTimes {
  readonly columns: readonly RowColumn[];
  batch(batch: TableBatch): RowBatch;
}

/**
 * Time as `t` in seconds, or as `time` in nanoseconds as the table has it; then `utc`, where the recording says when it
 * was made. A column of the table that has one of these names keeps it, and the time is called `t#2`, `utc#2`.
 */
export function rowTimes(columns: readonly TableColumn[], timeline: Timeline, unit: "ns" | "s"): RowTimes {
  const toUtc = utcOf(timeline);
  const taken = new Set(columns.map(({ name }) => name));
  const utc: RowColumn = { name: free("utc", taken), unit: null, kind: "f64", isUtc: true };
  const t: RowColumn = { name: free("t", taken), unit: "s", kind: "f64" };
  const timesOf = (column: TableColumn): RowColumn[] => [unit === "s" ? t : column, ...(toUtc === null ? [] : [utc])];
  return {
    columns: columns.flatMap((column) => (isTime(column) ? timesOf(column) : [column])),
    batch: ({ length, columns: all }) => {
      const turned = (cells: TableCells): RowCells[] => {
        if (!isTime(cells)) return [cells];
        const { valid } = cells;
        const data = cells.data as Float64Array;
        const time: RowCells = unit === "s" ? { ...t, data: data.map((at) => at / SECOND), valid } : cells;
        return toUtc === null ? [time] : [time, { ...utc, data: data.map(toUtc), valid }];
      };
      return { length, columns: all.flatMap(turned) };
    },
  };
}

function free(name: string, taken: ReadonlySet<string>): string {
  let found = name;
  for (let n = 2; taken.has(found); n++) found = `${name}#${n}`;
  return found;
}
