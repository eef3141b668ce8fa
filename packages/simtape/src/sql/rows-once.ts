import { LateColumnError } from "../model/query/late-column.ts";
import type { TablePart } from "./elsewhere.ts";
import { type Described, isFact } from "./facts.ts";
import type { SqlRows } from "./kinds.ts";
import type { NamedRecording } from "./rows.ts";
import { rowsOf } from "./tables.ts";
import type { Wanted } from "./wanted.ts";

/**
 * The rows of a recording for a table, read once where that is possible: the columns are settled by the first messages, and
 * only where a later one needs others are all messages met first, and then read again. Nothing: it has no such table.
 */
export async function* partsOf(
  of: NamedRecording,
  table: string,
  described: Omit<Described, "tables"> | null,
  wanted: Wanted,
): AsyncGenerator<TablePart, void> {
  if (mayTry(table, wanted)) {
    const rows = await rowsOf(of, table, described, { ...wanted, isEarly: true, isTried: true });
    if (rows !== null) {
      try {
        yield* parts(rows, true);
        return;
      } catch (error) {
        if (!(error instanceof LateColumnError)) throw error;
        yield { how: "again" };
      }
    }
  }
  const rows = await rowsOf(of, table, described, wanted);
  if (rows !== null) yield* parts(rows, false);
}

/** Things that are asked for by id are looked for first: rows of all others would be more than is read twice. */
function mayTry(table: string, { ids, isLearnedWhole }: Wanted): boolean {
  return !isFact(table.toLowerCase()) && ids === null && isLearnedWhole !== true;
}

async function* parts({ columns, batches }: SqlRows, isTried: boolean): AsyncGenerator<TablePart, void> {
  yield { how: "columns", columns, isTried };
  for await (const batch of batches()) yield { how: "rows", batch };
}
