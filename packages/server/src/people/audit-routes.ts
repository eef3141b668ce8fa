import { Readable } from "node:stream";
import { csvRow, textCell } from "simtape/serving";
import type { FastifyInstance } from "fastify";
import { type Expression, sql, type SqlBool } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { Problem } from "../problem.ts";
import { Audit } from "./audit.ts";

const LINE = Type.Object(
  {
    id: Type.Number(),
    at: Type.String(),
    who: Type.Union([Type.String(), Type.Null()], { description: "id of the user; null: not signed in" }),
    name: Type.Union([Type.String(), Type.Null()], { description: "present name of the user" }),
    role: Type.String(),
    action: Type.String(),
    recording: Type.Union([Type.String(), Type.Null()]),
    request: Type.Union([Type.String(), Type.Null()], { description: "id of the request in the log" }),
    address: Type.Union([Type.String(), Type.Null()]),
    details: Type.Unknown(),
  },
  { $id: "AuditLine" },
);

const FILTER = Type.Object({
  who: Type.Optional(Type.String({ maxLength: 200, description: "id or name of a user" })),
  about: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "id or name of a person whom it was done to, or who did it: also failed sign-ins and requests to erase",
    }),
  ),
  recording: Type.Optional(Type.String({ maxLength: 64 })),
  action: Type.Optional(Type.String({ maxLength: 100, description: "such as read, sign-in failed, user changed" })),
  from: Type.Optional(Type.String({ format: "date-time" })),
  until: Type.Optional(Type.String({ format: "date-time" })),
});

const SEARCH = Type.Object({
  ...FILTER.properties,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 40 })),
});

const PAGE = Type.Object({
  lines: Type.Array(Type.Ref("AuditLine")),
  cursor: Type.Union([Type.String(), Type.Null()], { description: "leads to the next page; null on the last page" }),
});

const COLUMNS = ["id", "at", "who", "name", "role", "action", "recording", "request", "address", "details"] as const;
/** Lines that one query of an export reads. */
const TABLE_PAGE = 1000;

/** The log of who did what, the newest line first. */
export function auditRoutes(app: FastifyInstance, { query }: Context): void {
  const audit = new Audit(query);
  app.addSchema(LINE);

  app.get<{ Querystring: Static<typeof SEARCH> }>(
    "/api/audit",
    {
      config: { role: "staff" },
      schema: {
        summary: "List the audit",
        description:
          "Gives the lines of the audit that match, the newest first: who did what, when, and with which recording.",
        querystring: SEARCH,
        response: { 200: PAGE },
      },
    },
    async ({ query: asked }) => {
      const { limit, cursor } = asked;
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
        throw new Problem(400, "this cursor does not come from this server");
      const found = await linesOf(query, asked, limit + 1, cursor === undefined ? null : Number(cursor));
      const lines = found.slice(0, limit);
      const last = lines.at(-1);
      return { lines, cursor: found.length > limit && last !== undefined ? String(last.id) : null };
    },
  );

  app.get<{ Querystring: Static<typeof FILTER> }>(
    "/api/audit.csv",
    {
      config: { role: "staff" },
      schema: {
        summary: "Download the audit as CSV",
        description: "Sends all lines that match, as a table.",
        querystring: FILTER,
        produces: ["text/csv"],
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      // the line of this request stays for good, so it does not contain the name of the person
      const { who: _, about: __, ...details } = request.query;
      await audit.note(request, { action: "audit exported", details });
      void reply.header("content-disposition", 'attachment; filename="audit.csv"');
      return reply.type("text/csv; charset=utf-8").send(Readable.from(tableOf(query, request.query)));
    },
  );
}

/** The newest line first; `before`: only lines with a lower id. */
async function linesOf(
  query: Query,
  { who, about, recording, action, from, until }: Static<typeof FILTER>,
  limit: number,
  before: number | null,
) {
  let rows = query
    .selectFrom("audit")
    .leftJoin("users", "users.id", "audit.who")
    .select(["audit.id", "at", "who", "users.name", "audit.role", "action", "recording", "request", "address"])
    .select("details")
    .leftJoin("users as whom", (join) =>
      join.on(sql`case when action = 'user made' then details ->> 'user' end`, "=", sql.ref("whom.id")),
    )
    .select("whom.name as whomName")
    .orderBy("audit.id", "desc")
    .limit(limit);
  if (who !== undefined) {
    const named = query.selectFrom("users").select("id").where("name", "=", who);
    rows = rows.where(({ or, eb }) => or([eb("who", "=", who), eb("who", "in", named)]));
  }
  if (about !== undefined) rows = rows.where(isAbout(about, query));
  if (recording !== undefined) rows = rows.where("recording", "=", recording);
  if (action !== undefined) rows = rows.where("action", "=", action);
  if (from !== undefined) rows = rows.where("at", ">=", new Date(from));
  if (until !== undefined) rows = rows.where("at", "<", new Date(until));
  if (before !== null) rows = rows.where("audit.id", "<", before);
  // the line has the id of the account: show the present name of the account
  return (await rows.execute()).map(({ at, whomName, details, ...line }) => ({
    ...line,
    details: whomName === null ? details : { ...details, name: whomName },
    at: at.toISOString(),
  }));
}

/**
 * Whether a person did the action or was its object: compares the id, the present name, and the name of a failed
 * sign-in.
 */
function isAbout(person: string, query: Query): Expression<SqlBool> {
  const names = query
    .selectFrom("users")
    .select(sql<string>`unnest(array[id, name])`.as("called"))
    .where(({ or, eb }) => or([eb("id", "=", person), eb("name", "=", person)]));
  return sql<boolean>`audit_people(who, action, details) && array(${names} union select ${person}::text)`;
}

/** Yields the lines as a table, a page at a time. */
async function* tableOf(query: Query, asked: Static<typeof FILTER>): AsyncGenerator<string> {
  yield csvRow(COLUMNS);
  for (let before: number | null = null; ; ) {
    const lines: Awaited<ReturnType<typeof linesOf>> = await linesOf(query, asked, TABLE_PAGE, before);
    const cells = lines.map((line) => COLUMNS.map((column) => cellOf(line[column])));
    yield cells.map(csvRow).join("");
    if (lines.length < TABLE_PAGE) return;
    before = lines.at(-1)!.id;
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return textCell(typeof value === "object" ? JSON.stringify(value) : String(value as string | number));
}
