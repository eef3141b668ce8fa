import { SqlError } from "./error.ts";

/** What DuckDB says, in one line; `sql`: the statement that it was given. */
export function failureOf(error: unknown, sql: string | null = null): SqlError {
  if (SqlError.is(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split(/\n\s*\n|\nLINE |\s*Candidate (?:functions|macros):/)[0]!.replace(/\s*\n\s*/g, " ");
  if (/failed to offload/.test(line))
    return new SqlError("limit", "over the limit of memory, and the disk has no room for the rest (TMPDIR)", error);
  const isMemory = /^Out of Memory Error/i.test(line);
  if (isMemory) return new SqlError("limit", `over the limit of memory: ${line.slice(line.indexOf(":") + 2)}`, error);
  return new SqlError("failed", line, error, sql === null ? null : placeIn(sql, text));
}

const CUT = "...";

/** The place under DuckDB's caret: `LINE 2: ...b from vehicles`, and below it spaces and `^`. */
function placeIn(sql: string, message: string): number | null {
  const found = /\n(LINE (\d+): )(.*)\n( *)\^/.exec(message);
  if (found === null) return null;
  const [, head, number, shown, spaces] = found as unknown as [string, string, string, string, string];
  const lines = sql.split("\n");
  const line = lines[Number(number) - 1];
  if (line === undefined) return null;
  const isCut = shown.startsWith(CUT) && !line.startsWith(CUT);
  const start = isCut ? line.indexOf(shown.slice(CUT.length).replace(/\.\.\.$/, "")) : 0;
  const column = spaces.length - head.length - (isCut ? CUT.length : 0) + start;
  if (start < 0 || column < 0 || column > line.length) return null;
  return lines.slice(0, Number(number) - 1).reduce((sum, one) => sum + one.length + 1, column);
}
