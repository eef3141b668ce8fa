import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { notFound, Problem } from "../../problem.ts";
import { newId } from "../../ids.ts";
import { ID } from "../shapes.ts";

/** Most searches that one person may save. */
const MOST = 200;

const NEW = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    query: Type.String({ maxLength: 4000, description: "the query string of the page: q=race&format=hcrp" }),
  },
  { additionalProperties: false, examples: [{ name: "long races", query: "q=race&longer=600" }] },
);
const SEARCH = Type.Object({ id: Type.String(), name: Type.String(), query: Type.String() }, { $id: "SavedSearch" });

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
        .select(["id", "name", "query"])
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
        description: "Replaces a saved search of the same name.",
        body: NEW,
        response: { 201: Type.Ref("SavedSearch") },
      },
    },
    async ({ person, body: { name, query: words } }, reply) => {
      const owner = person.id!;
      const { count } = await query
        .selectFrom("searches")
        .select((of) => of.fn.countAll<string>().as("count"))
        .where("owner", "=", owner)
        .where("name", "<>", name)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST) throw new Problem(409, `${MOST} searches are saved: delete some`);
      const saved = await query
        .insertInto("searches")
        .values({ id: newId(), owner, name, query: words })
        .onConflict((conflict) => conflict.columns(["owner", "name"]).doUpdateSet({ query: words }))
        .returning(["id", "name", "query"])
        .executeTakeFirstOrThrow();
      return reply.code(201).send(saved);
    },
  );

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/searches/:id",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Delete a saved search",
        description: "Users delete only searches that they saved.",
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
