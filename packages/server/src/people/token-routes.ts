import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../http/problem.ts";
import { hashOf, newId, newSecret } from "../ids.ts";
import { Audit } from "./audit.ts";
import { hasRole, SCOPES } from "./person.ts";

const SCOPE = Type.Enum([...SCOPES]);

const TOKEN = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    owner: Type.String({ description: "id of the user as whom it acts" }),
    scopes: Type.Array(Type.String()),
    expires: Type.Union([Type.String(), Type.Null()]),
    used: Type.Union([Type.String(), Type.Null()], { description: "about when it was used last" }),
    made: Type.String(),
  },
  { $id: "Token" },
);

const NEW = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, description: "what it is for" }),
  scopes: Type.Array(SCOPE, { minItems: 1, uniqueItems: true, description: "what it may be used for" }),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, description: "until it expires; absent: never" })),
  user: Type.Optional(Type.String({ maxLength: 64, description: "id of another user, by administrators" })),
});

const MADE = Type.Object({ id: Type.String(), token: Type.String({ description: "shown this once" }) });
const LIST = Type.Object({ all: Type.Optional(Type.Boolean({ description: "of all users, for administrators" })) });
const ID = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Tokens of recorders and programs. The scope `admin` is for what concerns accounts and rights, one's own too. */
export function tokenRoutes(app: FastifyInstance, { query }: Context): void {
  const audit = new Audit(query);
  app.addSchema(TOKEN);
  const config = { role: "recorder", scope: "admin" } as const;

  app.get<{ Querystring: Static<typeof LIST> }>(
    "/api/tokens",
    {
      config,
      schema: {
        summary: "one's tokens",
        querystring: LIST,
        response: { 200: Type.Object({ tokens: Type.Array(Type.Ref("Token")) }) },
      },
    },
    async ({ person, query: { all } }) => {
      if (all === true && !hasRole(person, "admin")) throw new Problem(403, "tokens of others are for administrators");
      let rows = query.selectFrom("tokens").selectAll().where("revoked", "is", null).orderBy("made", "desc");
      if (all !== true) rows = rows.where("owner", "=", person.id);
      const tokens = (await rows.execute()).map(({ id, name, owner, scopes, expires, used, made }) => ({
        ...{ id, name, owner, scopes },
        expires: expires?.toISOString() ?? null,
        used: used?.toISOString() ?? null,
        made: made.toISOString(),
      }));
      return { tokens };
    },
  );

  app.post<{ Body: Static<typeof NEW> }>(
    "/api/tokens",
    { config, schema: { summary: "a new token", body: NEW, response: { 201: MADE } } },
    async (request, reply) => {
      const { person } = request;
      const { name, scopes, days, user = person.id! } = request.body;
      if (user !== person.id && !hasRole(person, "admin"))
        throw new Problem(403, "tokens of others are for administrators");
      const lacking = scopes.find((scope) => !person.scopes.includes(scope));
      if (lacking !== undefined) throw new Problem(403, `a token cannot give what it has not: ${lacking}`);
      const owner = await query.selectFrom("users").select("id").where("id", "=", user).executeTakeFirst();
      if (owner === undefined) throw notFound("the user");
      const token = newSecret("simtape");
      const id = newId();
      const expires = days === undefined ? null : new Date(Date.now() + days * 86_400_000);
      await query
        .insertInto("tokens")
        .values({ id, hash: hashOf(token), name, owner: user, scopes: JSON.stringify(scopes), expires })
        .execute();
      await audit.note(request, { action: "token made", details: { token: id, name, scopes, user } });
      return reply.code(201).header("cache-control", "no-store").send({ id, token });
    },
  );

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/tokens/:id",
    { config, schema: { summary: "revoke a token", params: ID, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { person, params } = request;
      let change = query
        .updateTable("tokens")
        .set({ revoked: sql`now()` })
        .where("id", "=", params.id)
        .where("revoked", "is", null);
      if (!hasRole(person, "admin")) change = change.where("owner", "=", person.id);
      const { numUpdatedRows } = await change.executeTakeFirst();
      if (numUpdatedRows === 0n) throw notFound("the token");
      app.authentication.changed();
      await audit.note(request, { action: "token revoked", details: { token: params.id } });
      return reply.code(204).send();
    },
  );
}
