import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isDatabaseAway } from "./database/away.ts";
import { type Log, shownAddress } from "./log.ts";

/** An error whose text is meant for the client: RFC 9457 problem details. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly more: Readonly<Record<string, unknown>>;

  /** `more`: further members of the answer. */
  constructor(status: number, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, `${what} does not exist, or you may not see it`);
}

/** Seconds after which a client may try again when a service is away. */
const RETRY_AFTER = 2;

/** Sends the error; a fault of the server itself is sent without its details. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const { status, detail, more } = problemOf(error);
  if (status >= 500)
    log.error({ request: request.id, url: shownAddress(request.url), error: textOf(error) }, "request failed");
  const body = {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail,
    request: request.id,
    ...more,
  };
  if (status === 503 && !reply.hasHeader("retry-after")) void reply.header("retry-after", RETRY_AFTER);
  void reply.code(status).type("application/problem+json; charset=utf-8").send(JSON.stringify(body));
}

/** The error as the client sees it. */
export function problemOf(error: unknown): { status: number; detail: string; more: Readonly<Record<string, unknown>> } {
  if (error instanceof Problem) return { status: error.status, detail: error.message, more: error.more };
  const { statusCode, message, validation } = error as FastifyError;
  if (validation !== undefined) return { status: 400, detail: message, more: {} };
  if (statusCode !== undefined && statusCode < 500) return { status: statusCode, detail: message, more: {} };
  const code = (error as { code?: unknown }).code;
  if (isDatabaseAway(error)) return { status: 503, detail: "the database cannot be reached now; try again", more: {} };
  // errors of a value: a character that PostgreSQL cannot store, a number or date out of range
  if (typeof code === "string" && /^22[0-9A-Z]{3}$/.test(code))
    return {
      status: 400,
      detail: "a value cannot be stored: it has an invalid character or is out of range",
      more: {},
    };
  if (code === "ENOSPC" || code === "53100")
    return { status: 507, detail: "the disk is full: nothing was written", more: {} };
  return { status: 500, detail: "the server has failed; its log has more under this request", more: {} };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
