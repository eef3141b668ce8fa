/** Of the system, when there is no way to the database, or no longer. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ENOENT", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
/** Of PostgreSQL: classes of connections (08) and of what an operator ends (57P), too many clients, and a standby. */
const REFUSED = /^(08...|57P0[1-5]|53300|25006)$/;
/** What the client says without a code: its connection broke in the middle of a query, or before it. */
const BROKEN =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** Whether a query failed because the database cannot be reached, and would be answered if it could. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === "string" && REFUSED.test(code)) return true;
  // a file that is not there is no database
  if (UNREACHED.has(code)) return code !== "ENOENT" || syscall === "connect";
  return BROKEN.test(error.message);
}
