/** Errors of the system when the database cannot be reached, or no longer. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ENOENT", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
/**
 * Errors of PostgreSQL: classes of connections (08) and of interventions by an operator (57P), too many clients, and a
 * standby.
 */
const REFUSED = /^(08...|57P0[1-5]|53300|25006)$/;
/** Messages of the client that have no code: the connection broke before or during a query. */
const BROKEN =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** Whether a query failed because the database cannot be reached, so that it may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === "string" && REFUSED.test(code)) return true;
  // a missing file is no sign that the database is away
  if (UNREACHED.has(code)) return code !== "ENOENT" || syscall === "connect";
  return BROKEN.test(error.message);
}
