import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../problem.ts";
import { hashOf, newId, newSecret } from "../ids.ts";
import { Audit } from "./audit.ts";
import { GRANTED, hasRole, SCOPES, scopesOf } from "./person.ts";

const SCOPE = Type.Enum([...SCOPES]);

const TOKEN = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    owner: Type.String({ description: "id of the user that it acts for" }),
    scopes: Type.Array(Type.String()),
    expires: Type.Union([Type.String(), Type.Null()]),
    used: Type.Union([Type.String(), Type.Null()], { description: "time of its last use, roughly" }),
    made: Type.String(),
  },
  { $id: "Token" },
);

const NEW = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "name for people, such as the program that uses it",
    }),
    scopes: Type.Array(SCOPE, { minItems: 1, uniqueItems: true, description: "what the token may do" }),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3650, description: "days until it expires; absent: never" }),
    ),
    user: Type.Optional(Type.String({ maxLength: 64, description: "id of another user; administrators only" })),
  },
  { examples: [{ name: "nightly import", scopes: ["read", "write"], days: 365 }] },
);

const MADE = Type.Object({ id: Type.String(), token: Type.String({ description: "shown only once" }) });
const LIST = Type.Object({
  all: Type.Optional(Type.Boolean({ description: "tokens of all users; administrators only" })),
});
const ID = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Tokens of recorders and programs. The scope `admin` is for accounts and rights, also one's own. */
export function tokenRoutes(app: FastifyInstance, { query, settings }: Context): void {
  const audit = new Audit(query);
  app.addSchema(TOKEN);
  const config = { role: "recorder", scope: "admin" } as const;

  app.get<{ Querystring: Static<typeof LIST> }>(
    "/api/tokens",
    {
      config,
      schema: {
        summary: "List tokens",
        description: "Gives the tokens of the user; with `all`, administrators get the tokens of all users.",
        querystring: LIST,
        response: { 200: Type.Object({ tokens: Type.Array(Type.Ref("Token")) }) },
      },
    },
    async ({ person, query: { all } }) => {
      if (all === true && !hasRole(person, "admin"))
        throw new Problem(403, "only administrators may see and create tokens of other users");
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
    {
      config,
      schema: {
        summary: "Create a token",
        description:
          "A program sends the token in the header `authorization: Bearer …`. The answer shows it only once.",
        body: NEW,
        response: { 201: MADE },
      },
    },
    async (request, reply) => {
      const { person } = request;
      const { name, scopes, days, user = person.id! } = request.body;
      if (user !== person.id && !hasRole(person, "admin"))
        throw new Problem(403, "only administrators may see and create tokens of other users");
      const lacking = scopes.find((scope) => !person.scopes.includes(scope));
      if (lacking !== undefined) throw new Problem(403, `a token cannot give a scope that it lacks: ${lacking}`);
      const granted = scopes.find((scope) => GRANTED.has(scope));
      if (granted !== undefined && !hasRole(person, "admin"))
        throw new Problem(403, `tokens with the scope ${granted} can be created by administrators only`);
      const owner = await query
        .selectFrom("users")
        .select(["id", "role", "disabled"])
        .where("id", "=", user)
        .executeTakeFirst();
      if (owner === undefined) throw notFound("the user");
      if (owner.disabled) throw new Problem(409, "the account is disabled: it gets no token");
      const beyond = scopes.find((scope) => !scopesOf(owner.role).includes(scope));
      if (beyond !== undefined)
        throw new Problem(
          403,
          `an account of the role ${owner.role} has no scope ${beyond}, and none of its tokens has`,
        );
      const token = newSecret("simtape");
      const id = newId();
      const expires = days === undefined ? null : new Date(Date.now() + days * 86_400_000);
      await query.transaction().execute(async (within) => {
        // one at a time, so that the limit also holds for simultaneous requests
        await sql`select id from users where id = ${user} for update`.execute(within);
        const { count } = await within
          .selectFrom("tokens")
          .select(sql<string>`count(*)`.as("count"))
          .where("owner", "=", user)
          .where("revoked", "is", null)
          .where(sql<boolean>`(expires is null or expires > now())`)
          .executeTakeFirstOrThrow();
        if (Number(count) >= settings.tokensAtOnce)
          throw new Problem(429, `the account has ${count} tokens: revoke some that are no longer used`);
        await within
          .insertInto("tokens")
          .values({ id, hash: hashOf(token), name, owner: user, scopes: JSON.stringify(scopes), expires })
          .execute();
      });
      await audit.note(request, { action: "token made", details: { token: id, name, scopes, user } });
      return reply.code(201).header("cache-control", "no-store").send({ id, token });
    },
  );

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/tokens/:id",
    {
      config,
      schema: {
        summary: "Revoke a token",
        description: "The token stops working at once. Administrators may revoke the tokens of all users.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
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
