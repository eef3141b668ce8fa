/** Why a question has no answer. */
export type SqlErrorCode =
  /** The text is no SQL. */
  | "syntax"
  /** More than one statement, one that is no SELECT, or one with parameters. */
  | "statement"
  | "no-table"
  | "no-column"
  /** It is SQL, and has no answer whatever the rows are: a function that does not exist, wrong types, no GROUP BY. */
  | "invalid"
  /** It failed while it ran: a text of a row is no number. */
  | "failed"
  /** Over the limit of memory or time. */
  | "limit"
  /** DuckDB is not installed. */
  | "missing";

const BRAND = Symbol.for("simtape.SqlError");

/** The error of a question; one line. Test for it with `SqlError.is`. */
export class SqlError extends Error {
  readonly code: SqlErrorCode;
  /** Where the statement is wrong: UTF-16 units from its start; null: no place is known. */
  readonly at: number | null;

  constructor(code: SqlErrorCode, message: string, cause?: unknown, at: number | null = null) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SqlError";
    Object.defineProperty(this, BRAND, { value: true });
    this.code = code;
    this.at = at;
  }

  static is(error: unknown): error is SqlError {
    return typeof error === "object" && error !== null && BRAND in error;
  }
}
