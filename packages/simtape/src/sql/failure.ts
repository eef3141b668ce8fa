import { SqlError } from "./error.ts";

/** What DuckDB says, in one line. */
export function failureOf(error: unknown): SqlError {
  if (SqlError.is(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split(/\n\s*\n|\nLINE |\s*Candidate (?:functions|macros):/)[0]!.replace(/\s*\n\s*/g, " ");
  const isMemory = /^Out of Memory Error/i.test(line);
  if (isMemory) return new SqlError("limit", `over the limit of memory: ${line.slice(line.indexOf(":") + 2)}`, error);
  return new SqlError("failed", line, error);
}
