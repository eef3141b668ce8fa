import { type Cell, factBatch, factColumns } from "./facts.ts";
import type { SqlRows } from "./kinds.ts";
import type { Wanted } from "./wanted.ts";

/**
 * What is known of a recording without opening it: cells of its row of `recordings`, by column. Times are in seconds, `epoch`
 * in microseconds since 1970, `metadata` is JSON.
 */
export type KnownCells = Readonly<Record<string, Cell>>;

/** A recording of which something may be known. */
interface Knowing {
  readonly name: string;
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly known?: KnownCells | undefined;
  readonly more?: Readonly<Record<string, string | null>> | undefined;
}

/** Its row of `recordings`, if all cells that are wanted of it are known; else null. */
export function knownRow(source: Knowing, wanted: Wanted, more: readonly string[]): KnownCells | null {
  const { name, file = name, tags = [], known } = source;
  if (known === undefined) return null;
  const row: Record<string, Cell> = { ...known, ...source.more, recording: name, file, tags };
  const columns = factColumns("recordings", wanted, more);
  return columns.every((column) => row[column.name] !== undefined || more.includes(column.name)) ? row : null;
}

/** Rows of `recordings` that are known. */
export function knownRows(rows: readonly KnownCells[], wanted: Wanted, more: readonly string[]): SqlRows {
  const columns = factColumns("recordings", wanted, more);
  return {
    columns,
    batches: async function* () {
      yield factBatch(columns, rows);
    },
  };
}
