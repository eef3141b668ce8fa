import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../http/problem.ts";

const LINE = Type.Object(
  {
    id: Type.Number(),
    at: Type.String(),
    who: Type.Union([Type.String(), Type.Null()], { description: "id of the user; null: was not signed in" }),
    name: Type.Union([Type.String(), Type.Null()], { description: "of the user, as it is now" }),
    role: Type.String(),
    action: Type.String(),
    recording: Type.Union([Type.String(), Type.Null()]),
    request: Type.Union([Type.String(), Type.Null()], { description: "id, as in the log" }),
    address: Type.Union([Type.String(), Type.Null()]),
    details: Type.Unknown(),
  },
  { $id: "AuditLine" },
);

const SEARCH = Type.Object({
  who: Type.Optional(Type.String({ maxLength: 200, description: "id or name of a user" })),
  recording: Type.Optional(Type.String({ maxLength: 64 })),
  action: Type.Optional(Type.String({ maxLength: 100, description: "as read, sign-in failed, user changed" })),
  from: Type.Optional(Type.String({ format: "date-time" })),
  until: Type.Optional(Type.String({ format: "date-time" })),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 40 })),
});

const PAGE = Type.Object({
  lines: Type.Array(Type.Ref("AuditLine")),
  cursor: Type.Union([Type.String(), Type.Null()], { description: "for the next page; null: this is the last" }),
});

/** The log of who did what, the newest first. */
export function auditRoutes(app: FastifyInstance, { query }: Context): void {
  app.addSchema(LINE);

  app.get<{ Querystring: Static<typeof SEARCH> }>(
    "/api/audit",
    {
      config: { role: "staff" },
      schema: { summary: "search who did what", querystring: SEARCH, response: { 200: PAGE } },
    },
    async (request) => {
      const { who, recording, action, from, until, limit, cursor } = request.query;
      let rows = query
        .selectFrom("audit")
        .leftJoin("users", "users.id", "audit.who")
        .select(["audit.id", "at", "who", "users.name", "audit.role", "action", "recording", "request", "address"])
        .select("details")
        .orderBy("audit.id", "desc")
        .limit(limit + 1);
      if (who !== undefined) {
        const named = query.selectFrom("users").select("id").where("name", "=", who);
        rows = rows.where(({ or, eb }) => or([eb("who", "=", who), eb("who", "in", named)]));
      }
      if (recording !== undefined) rows = rows.where("recording", "=", recording);
      if (action !== undefined) rows = rows.where("action", "=", action);
      if (from !== undefined) rows = rows.where("at", ">=", new Date(from));
      if (until !== undefined) rows = rows.where("at", "<", new Date(until));
      if (cursor !== undefined) {
        if (!/^\d{1,15}$/.test(cursor)) throw new Problem(400, "the cursor is none that this server gave");
        rows = rows.where("audit.id", "<", Number(cursor));
      }
      const found = await rows.execute();
      const lines = found.slice(0, limit).map(({ at, ...line }) => ({ ...line, at: at.toISOString() }));
      const last = lines.at(-1);
      return { lines, cursor: found.length > limit && last !== undefined ? String(last.id) : null };
    },
  );
}
