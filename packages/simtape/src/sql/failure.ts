import { SqlError, type SqlErrorCode } from "./error.ts";
import { missingColumn, type MissingColumn, type Wording, wordingOf } from "./wordings.ts";

/** The statement that DuckDB was given. */
export interface Given {
  readonly sql: string;
  /** Texts that stand in it as constants. */
  readonly texts: readonly string[];
  /** It fails whatever the rows are; absent: not known. */
  readonly isWrong?: boolean;
}

/** Kinds of error that a statement has whatever the rows are. */
const OF_STATEMENT =
  /^(?:Binder|Catalog|Parser|Syntax|Permission|Not implemented|Missing Extension|Extension Autoloading|Autoloading)$/i;

/** What DuckDB says, in one plain line. Of no statement of a user `given` is null. */
export function failureOf(error: unknown, given: Given | null = null): SqlError {
  if (SqlError.is(error)) return error;
  const text = textOf(error);
  const { kind, line } = saidBy(text);
  if (/failed to offload/.test(line))
    return new SqlError("limit", "over the limit of memory, and the disk has no room for the rest (TMPDIR)", error);
  if (/^Out of Memory$/i.test(kind)) return new SqlError("limit", `over the limit of memory: ${line}`, error);
  const wording = wordingOf(line, candidatesIn(text));
  const { message, code } = wording;
  const isOwn = given !== null && (given.isWrong === true || isIn(given.texts, wording, line));
  const usual = OF_STATEMENT.test(kind) ? "invalid" : "failed";
  const found: SqlErrorCode = isOwn && (code ?? usual) === "failed" ? "invalid" : (code ?? usual);
  return new SqlError(found, message, error, given === null ? null : placeIn(given.sql, text));
}

/** The column that DuckDB did not find, where a failure is that. */
export function missingIn({ cause }: SqlError): MissingColumn | null {
  return missingColumn(saidBy(textOf(cause)).line);
}

/** Whether what is wrong is a constant of the statement, and not of a row. */
function isIn(texts: readonly string[], { wrong, isPart }: Wording, line: string): boolean {
  if (wrong === null || wrong === "" || line.includes(" when casting from source column ")) return false;
  return texts.some((text) => (isPart ? text.includes(wrong) : text === wrong));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `Binder Error: ...`, without what is pointed at or proposed below it. */
function saidBy(text: string): { readonly kind: string; readonly line: string } {
  const [first] = text.split(/\n\s*\n|\nLINE |\s*Candidate (?:functions|macros):/);
  const line = first!.replace(/\s*\n\s*/g, " ").replace(/^.+ (?=Binder Error: )/, "");
  const [, kind = "", rest = line] = /^([A-Z][A-Za-z ]*?) Error: (.*)$/.exec(line) ?? [];
  return { kind, line: rest };
}

/** Functions of the same name, each with the types that it takes. */
function candidatesIn(text: string): string[] {
  const [, list = ""] = /Candidate (?:functions|macros):\n([\s\S]*?)(?:\n\s*\n|$)/.exec(text) ?? [];
  return list
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "");
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
