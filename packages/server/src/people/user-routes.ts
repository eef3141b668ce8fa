import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../problem.ts";
import { Accounts } from "./accounts.ts";
import { Audit } from "./audit.ts";
import { LONGEST_PASSWORD, newPassword, SHORTEST_PASSWORD } from "./passwords.ts";

const ROLE = Type.Enum(["recorder", "viewer", "player", "staff", "admin"]);
const PASSWORD = Type.String({ minLength: SHORTEST_PASSWORD, maxLength: LONGEST_PASSWORD });
const IDENTITIES = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 100,
  description: "ids by which recordings name this user, such as the UUID of a player",
});

const USER = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    role: ROLE,
    identities: Type.Array(Type.String()),
    disabled: Type.Boolean(),
    hasPassword: Type.Boolean(),
    isForeign: Type.Boolean({ description: "the user signs in by OpenID Connect" }),
    made: Type.String(),
  },
  { $id: "User" },
);

const NEW = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    role: ROLE,
    password: Type.Optional(PASSWORD),
    identities: Type.Optional(IDENTITIES),
  },
  { examples: [{ name: "anna", role: "staff", password: "correct horse battery" }] },
);

const CHANGE = Type.Object(
  {
    role: Type.Optional(ROLE),
    disabled: Type.Optional(Type.Boolean()),
    identities: Type.Optional(IDENTITIES),
    password: Type.Optional(Type.Unsafe<string | null>({ ...PASSWORD, type: ["string", "null"] })),
  },
  { minProperties: 1, additionalProperties: false, examples: [{ role: "viewer" }, { disabled: true }] },
);

const MADE_PASSWORD = Type.Object({
  password: Type.String({ description: "shown only once; the server does not keep it" }),
});

const ID = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** The accounts, for administrators. */
export function userRoutes(app: FastifyInstance, { query }: Context): void {
  const accounts = new Accounts(query);
  const audit = new Audit(query);
  app.addSchema(USER);
  const config = { role: "admin", scope: "admin" } as const;

  app.get(
    "/api/users",
    {
      config,
      schema: {
        summary: "List accounts",
        description: "Gives all accounts with their roles.",
        response: { 200: Type.Object({ users: Type.Array(Type.Ref("User")) }) },
      },
    },
    async () => ({ users: await accounts.list() }),
  );

  app.post<{ Body: Static<typeof NEW> }>(
    "/api/users",
    {
      config,
      schema: {
        summary: "Create an account",
        description: "An account without a password can act by tokens only.",
        body: NEW,
        response: { 201: Type.Object({ id: Type.String() }) },
      },
    },
    async (request, reply) => {
      const id = await accounts.add(request.body);
      // by id: the account has its name only while it exists
      await audit.note(request, { action: "user made", details: { user: id, role: request.body.role } });
      app.authentication.changed();
      return reply.code(201).send({ id });
    },
  );

  app.post<{ Params: Static<typeof ID> }>(
    "/api/users/:id/password",
    {
      config,
      schema: {
        summary: "Reset the password of an account",
        description: "Gives a new password, which is shown only once. All sessions of the account end.",
        params: ID,
        response: { 200: MADE_PASSWORD },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const account = await accounts.find(id);
      if (account?.id !== id) throw notFound("the user");
      if (account.isForeign)
        throw new Problem(409, `${account.name} signs in by OpenID Connect, and has the password there`);
      const password = newPassword();
      await accounts.change(id, { password });
      await audit.note(request, { action: "user changed", details: { user: id, password: "reset" } });
      app.authentication.changed();
      return reply.header("cache-control", "no-store").send({ password });
    },
  );

  app.patch<{ Params: Static<typeof ID>; Body: Static<typeof CHANGE> }>(
    "/api/users/:id",
    {
      config,
      schema: {
        summary: "Change an account",
        description:
          "Changes its role, identities or password, or disables it. Disabling an account ends its sessions, tokens and links.",
        params: ID,
        body: CHANGE,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { password, identities, ...shown } = request.body;
      await accounts.change(id, request.body);
      const details = {
        ...{ user: id, ...shown },
        ...(identities === undefined ? {} : { identities: identities.length }),
        ...(password === undefined ? {} : { password: "changed" }),
      };
      await audit.note(request, { action: "user changed", details });
      app.authentication.changed();
      return reply.code(204).send();
    },
  );
}
