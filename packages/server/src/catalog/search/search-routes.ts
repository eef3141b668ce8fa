import type { FastifyInstance } from "fastify";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import type { Query } from "../../database/database.ts";
import { notFound, Problem } from "../../problem.ts";
import { newId } from "../../ids.ts";
import { ID } from "../shapes.ts";
import { EXPRESSION, mustBeExpression } from "./expression.ts";
import { filtersInQuery } from "./filters.ts";

/** Most searches that one person may save, and watch. */
const MOST = 200;
const MOST_WATCHED = 20;

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const QUERY = Type.String({ maxLength: 4000, description: "filters, as the page has them: q=race&format=hcrp" });
const WHERE = Type.Union([EXPRESSION, Type.Null()], {
  description: "only recordings in which this expression is ever true; null: all that the filters find",
});
const WATCHED = Type.Boolean({ description: "new recordings that fit become alerts" });

const NEW = Type.Object(
  { name: NAME, query: QUERY, where: Type.Optional(WHERE), watched: Type.Optional(WATCHED) },
  {
    additionalProperties: false,
    examples: [
      { name: "long races", query: "q=race&longer=600" },
      { name: "fast cars", query: "format=carla", where: "any vehicles (speed > 100 km/h)", watched: true },
    ],
  },
);
const CHANGE = Type.Object(
  {
    name: Type.Optional(NAME),
    query: Type.Optional(QUERY),
    where: Type.Optional(WHERE),
    watched: Type.Optional(WATCHED),
  },
  { additionalProperties: false, examples: [{ watched: true }, { name: "night races", where: null }] },
);
type Change = Static<typeof CHANGE>;
const SEARCH = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    query: Type.String(),
    where: Type.Union([Type.String(), Type.Null()]),
    watched: Type.Boolean(),
  },
  { $id: "SavedSearch" },
);

const COLUMNS = [
  "id",
  "name",
  "query",
  "expression as where",
  sql<boolean>`watched is not null`.as("watched"),
] as const;

/** Named searches: each user has their own. */
export function searchRoutes(app: FastifyInstance, { query }: Context): void {
  app.addSchema(SEARCH);
  app.get(
    "/api/searches",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List saved searches",
        description: "Gives the searches that the user saved.",
        response: { 200: Type.Object({ searches: Type.Array(Type.Ref("SavedSearch")) }) },
      },
    },
    async ({ person }) => ({
      searches: await query
        .selectFrom("searches")
        .select(COLUMNS)
        .where("owner", "=", person.id)
        .orderBy("name")
        .execute(),
    }),
  );

  app.post<{ Body: Static<typeof NEW> }>(
    "/api/searches",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Save a search",
        description:
          "Keeps filters and an expression under a name, and watches new recordings for them if `watched` says so. Replaces a saved search of the same name.",
        body: NEW,
        response: { 201: Type.Ref("SavedSearch") },
      },
    },
    async ({ person, body }, reply) => {
      const owner = person.id!;
      const { name } = body;
      const saved = await query.transaction().execute(async (within) => {
        const before = await ownSearch(within, owner, sql`name = ${name}`);
        const change = { where: null, ...body };
        await mustFit(within, owner, before, change);
        if (before !== null) return changed(within, before, change);
        return within
          .insertInto("searches")
          .values({
            ...{ id: newId(), owner, name, query: change.query, expression: change.where },
            watched: change.watched === true ? sql<Date>`now()` : null,
          })
          .returning(COLUMNS)
          .executeTakeFirstOrThrow();
      });
      return reply.code(201).send(saved);
    },
  );

  app.patch<{ Params: Static<typeof ID>; Body: Change }>(
    "/api/searches/:id",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Change a saved search",
        description:
          "Gives it another name, other filters or another expression, or begins or ends to watch it. The alerts of other filters, or of another expression, are deleted.",
        params: ID,
        body: CHANGE,
        response: { 200: Type.Ref("SavedSearch") },
      },
    },
    ({ person, params, body }) =>
      query.transaction().execute(async (within) => {
        const before = await ownSearch(within, person.id!, sql`id = ${params.id}`);
        if (before === null) throw notFound("the search");
        await mustFit(within, person.id!, before, body);
        return changed(within, before, body);
      }),
  );

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/searches/:id",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Delete a saved search",
        description: "Users delete only searches that they saved. The alerts of the search are deleted, too.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
    async ({ person, params }, reply) => {
      const gone = await query
        .deleteFrom("searches")
        .where("id", "=", params.id)
        .where("owner", "=", person.id)
        .returning("id")
        .executeTakeFirst();
      if (gone === undefined) throw notFound("the search");
      return reply.code(204).send();
    },
  );
}

interface Saved {
  readonly id: string;
  readonly query: string;
  readonly expression: string | null;
  readonly watched: Date | null;
}

async function ownSearch(query: Query, owner: string, which: RawBuilder<unknown>): Promise<Saved | null> {
  const found = await query
    .selectFrom("searches")
    .select(["id", "query", "expression", "watched"])
    .where("owner", "=", owner)
    .where(which as RawBuilder<SqlBool>)
    .forUpdate()
    .executeTakeFirst();
  return found ?? null;
}

/** Throws `Problem` for filters or an expression that are wrong, and where the user has too many searches. */
async function mustFit(query: Query, owner: string, before: Saved | null, change: Change): Promise<void> {
  if (change.query !== undefined) filtersInQuery(change.query);
  if (change.where != null) mustBeExpression(change.where);
  const { count, watched } = await query
    .selectFrom("searches")
    .select((of) => [of.fn.countAll<number>().as("count"), of.fn.count<number>("watched").as("watched")])
    .where("owner", "=", owner)
    .where("id", "<>", before?.id ?? "")
    .executeTakeFirstOrThrow();
  if (before === null && Number(count) >= MOST) throw new Problem(409, `${MOST} searches are saved: delete some`);
  if (change.watched === true && Number(watched) >= MOST_WATCHED)
    throw new Problem(409, `${MOST_WATCHED} searches are watched: end to watch some`);
  if (change.name === undefined) return;
  const other = await ownSearch(query, owner, sql`name = ${change.name} and id <> ${before?.id ?? ""}`);
  if (other !== null) throw new Problem(409, "another search has this name");
}

/** Changes a search. What it found as it was before is no longer an alert, and it is watched from now on. */
async function changed(query: Query, before: Saved, change: Change): Promise<Static<typeof SEARCH>> {
  const { name, query: words = before.query, where = before.expression, watched = before.watched !== null } = change;
  const isOther = words !== before.query || where !== before.expression;
  if (isOther) await query.deleteFrom("alerts").where("search", "=", before.id).execute();
  const since = isOther || before.watched === null ? sql<Date>`now()` : before.watched;
  return query
    .updateTable("searches")
    .set({ query: words, expression: where, watched: watched ? since : null, ...(name === undefined ? {} : { name }) })
    .where("id", "=", before.id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
