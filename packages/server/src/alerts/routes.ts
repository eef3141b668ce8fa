import type { FastifyInstance } from "fastify";
import { type SelectQueryBuilder, sql } from "kysely";
import { type Static, Type } from "typebox";
import { visibleTo } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import type { Tables } from "../database/tables.ts";
import type { Person } from "../people/person.ts";
import { notFound, Problem } from "../problem.ts";

/** A recording that a watched search has found. Times in seconds since its start, dates as ISO 8601. */
const ALERT = Type.Object(
  {
    id: Type.String(),
    search: Type.Object({
      id: Type.String(),
      name: Type.String(),
      where: Type.Union([Type.String(), Type.Null()]),
    }),
    recording: Type.String(),
    name: Type.String(),
    page: Type.String(),
    count: Type.Union([Type.Number(), Type.Null()], {
      description: "how often the expression is true; null: the search has none, or it has no answer",
    }),
    seconds: Type.Union([Type.Number(), Type.Null()], { description: "how long it is true in all" }),
    first: Type.Union([Type.Number(), Type.Null()], { description: "when it is true first" }),
    trouble: Type.Union([Type.String(), Type.Null()], {
      description: "why the expression has no answer for this recording: it took too long, for instance",
    }),
    made: Type.String(),
    isRead: Type.Boolean(),
  },
  {
    $id: "Alert",
    examples: [
      {
        id: "06f2x6q8h7ns",
        search: { id: "06f2x6q8h7nt", name: "fast cars", where: "any vehicles (speed > 100 km/h)" },
        recording: "06f2x6q8h7nq",
        name: "town.log",
        page: "/r/06f2x6q8h7nq",
        count: 3,
        seconds: 4.25,
        first: 12.5,
        trouble: null,
        made: "2026-02-01T12:05:14.000Z",
        isRead: false,
      },
    ],
  },
);

const LIST = Type.Object({
  unread: Type.Boolean({ default: false, description: "only those that are unread" }),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 100 })),
});
const CHANGE = Type.Object({ isRead: Type.Boolean() }, { additionalProperties: false, examples: [{ isRead: true }] });

type Alerts<O> = SelectQueryBuilder<Tables, "alerts" | "searches" | "recordings", O>;

/** Routes for alerts: each user has those of their own searches, of recordings that they may read. */
export function alertRoutes(app: FastifyInstance, { query, settings }: Context): void {
  app.addSchema(ALERT);

  /** Alerts of a user, of the present bytes of recordings that are there and that they may still read. */
  const alertsOf = (person: Person) =>
    query
      .selectFrom("alerts")
      .innerJoin("searches", "searches.id", "alerts.search")
      .innerJoin("recordings", "recordings.id", "alerts.recording")
      .where("searches.owner", "=", person.id)
      .where("recordings.state", "<>", "gone")
      .whereRef("recordings.digest", "=", "alerts.digest")
      .where(
        "alerts.recording",
        "in",
        query.selectFrom("recordings").select("recordings.id").where(visibleTo(person, settings.public)),
      );

  app.get<{ Querystring: Static<typeof LIST> }>(
    "/api/alerts",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List alerts",
        description:
          "Gives the recordings that the user's watched searches have found, the newest first, and how many alerts are unread. Alerts of recordings that the user may no longer read, and of bytes that have changed since, are left out.",
        querystring: LIST,
        response: {
          200: Type.Object({
            alerts: Type.Array(Type.Ref("Alert")),
            unread: Type.Number({ description: "number of unread alerts, on all pages" }),
            cursor: Type.Union([Type.String(), Type.Null()]),
          }),
        },
      },
    },
    async ({ person, query: { unread, limit, cursor } }) => {
      let rows = alertsOf(person);
      if (unread) rows = rows.where("alerts.read", "is", null);
      if (cursor !== undefined) rows = behind(rows, cursor);
      const found = await rows
        .select(["alerts.id", "alerts.recording", "count", "alerts.seconds", "alerts.first", "trouble", "alerts.made"])
        .select([
          "recordings.name",
          "searches.id as search",
          "searches.name as searchName",
          "expression",
          "alerts.read",
        ])
        .select(sql<string>`extract(epoch from alerts.made)::text`.as("position"))
        .orderBy("alerts.made", "desc")
        .orderBy("alerts.id", "desc")
        .limit(limit + 1)
        .execute();
      const { count } = await alertsOf(person)
        .select((of) => of.fn.countAll<number>().as("count"))
        .where("alerts.read", "is", null)
        .executeTakeFirstOrThrow();
      const last = found.length > limit ? found[limit - 1]! : null;
      const alerts = found.slice(0, limit).map((row) => ({
        ...{ id: row.id, recording: row.recording, name: row.name, page: `/r/${row.recording}` },
        ...{ count: row.count, seconds: row.seconds, first: row.first, trouble: row.trouble },
        search: { id: row.search, name: row.searchName, where: row.expression },
        made: row.made.toISOString(),
        isRead: row.read !== null,
      }));
      return { alerts, unread: Number(count), cursor: last === null ? null : `${last.position} ${last.id}` };
    },
  );

  app.patch<{ Params: Static<typeof ID>; Body: Static<typeof CHANGE> }>(
    "/api/alerts/:id",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Mark an alert as read",
        description: "Marks the alert as read or unread.",
        params: ID,
        body: CHANGE,
        response: { 204: Type.Null() },
      },
    },
    async ({ person, params, body: { isRead } }, reply) => {
      const own = alertsOf(person).select("alerts.id").where("alerts.id", "=", params.id);
      const changed = await query
        .updateTable("alerts")
        .set({ read: isRead ? sql<Date>`now()` : null })
        .where("id", "in", own)
        .returning("id")
        .executeTakeFirst();
      if (changed === undefined) throw notFound("the alert");
      return reply.code(204).send();
    },
  );

  app.post(
    "/api/alerts/read",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Mark all alerts as read",
        description: "Marks all alerts of the user as read.",
        response: { 204: Type.Null() },
      },
    },
    async ({ person }, reply) => {
      const own = query.selectFrom("searches").select("id").where("owner", "=", person.id);
      await query
        .updateTable("alerts")
        .set({ read: sql<Date>`now()` })
        .where("search", "in", own)
        .where("read", "is", null)
        .execute();
      return reply.code(204).send();
    },
  );
}

function behind<O>(rows: Alerts<O>, cursor: string): Alerts<O> {
  const [, at, id] = /^(\d{1,12}(?:\.\d{1,9})?) ([\w-]{1,64})$/.exec(cursor) ?? [];
  if (at === undefined) throw new Problem(400, "this cursor does not come from this server");
  return rows.where(sql<boolean>`(extract(epoch from alerts.made), alerts.id) < (${at}::numeric, ${id})`);
}
