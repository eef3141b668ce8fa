import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { Accounts } from "./accounts.ts";
import { Audit } from "./audit.ts";
import { foreignSignIn, LONGEST_ADDRESS } from "./oidc.ts";
import { isPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from "./passwords.ts";
import { scopesOf } from "./person.ts";
import { Sessions } from "./sessions.ts";

/** The current user, as the page shows it. */
const ME = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    role: Type.Enum(["none", "recorder", "viewer", "player", "staff", "admin"]),
    identities: Type.Array(Type.String()),
    scopes: Type.Array(Type.String()),
    via: Type.String({ description: "how the user is known. open: the server is open to all who reach it" }),
  },
  { $id: "Me" },
);

const SIGN_IN = Type.Object(
  {
    name: Type.String({ maxLength: 200 }),
    password: Type.String({ maxLength: LONGEST_PASSWORD }),
  },
  { examples: [{ name: "anna", password: "correct horse battery" }] },
);

const WAYS = Type.Object({ password: Type.Boolean(), oidc: Type.Boolean() });

const NEW_PASSWORD = Type.Object(
  {
    old: Type.String({ maxLength: LONGEST_PASSWORD }),
    new: Type.String({ minLength: SHORTEST_PASSWORD, maxLength: LONGEST_PASSWORD }),
  },
  { examples: [{ old: "correct horse battery", new: "a longer and better one" }] },
);

const ELSEWHERE = Type.Null({ description: "Redirect" });
const END = Type.Object({ everywhere: Type.Optional(Type.Boolean({ description: "end all sessions of this user" })) });

const TO = Type.Object({
  to: Type.String({
    maxLength: LONGEST_ADDRESS,
    default: "/",
    description: "path of the page to show after signing in",
  }),
});

/** Signing in and out. */
export function sessionRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings } = context;
  const sessions = new Sessions(query, settings);
  const accounts = new Accounts(query);
  const audit = new Audit(query);
  const foreign = foreignSignIn(context, sessions);
  app.addSchema(ME);

  const me = ({ person }: FastifyRequest): Static<typeof ME> => {
    const { id, name, role, identities, scopes, via } = person;
    return { id: id ?? "", name, role, identities: [...identities], scopes: [...scopes], via };
  };

  app.get(
    "/api/me",
    {
      config: { role: "recorder" },
      schema: {
        summary: "Get the current user",
        description: "Gives the account, role and scopes of the request.",
        response: { 200: Type.Ref("Me") },
      },
    },
    (request) => me(request),
  );

  app.get(
    "/api/session",
    {
      config: { role: null },
      schema: {
        summary: "List the ways to sign in",
        description: "Says whether users sign in by password, by OpenID Connect, or both.",
        response: { 200: WAYS },
      },
    },
    () => ({ password: true, oidc: foreign !== null }),
  );

  app.post<{ Body: Static<typeof SIGN_IN> }>(
    "/api/session",
    {
      config: { role: null },
      schema: {
        summary: "Sign in",
        description: "Takes name and password. Sets the cookie of the session.",
        body: SIGN_IN,
        response: { 200: Type.Ref("Me") },
      },
    },
    async (request, reply) => {
      const { name, password } = request.body;
      await app.limits.signIn(name, request, reply);
      const row = await query
        .selectFrom("users")
        .select(["id", "name", "role", "identities", "password", "disabled"])
        .where("name", "=", name.normalize("NFC").trim())
        .executeTakeFirst();
      const isRight = await isPassword(row?.password ?? null, password);
      if (row === undefined || !isRight || row.disabled) {
        await audit.note(request, { action: "sign-in failed", details: { name } });
        throw new Problem(401, "no account has this name and password");
      }
      const { id, role, identities } = row;
      await sessions.begin(id, request, reply);
      request.person = { id, name: row.name, role, identities, scopes: scopesOf(role), via: "session" };
      await audit.note(request, { action: "sign-in" });
      return me(request);
    },
  );

  app.delete<{ Querystring: Static<typeof END> }>(
    "/api/session",
    {
      config: { role: null },
      schema: {
        summary: "Sign out",
        description: "Ends the session; with `everywhere`, all sessions of the user.",
        querystring: END,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { person } = request;
      if (request.query.everywhere === true) {
        if (person.via !== "session" || person.id === null) throw new Problem(401, "this needs a session");
        await sessions.endAll(person.id);
      }
      await sessions.end(request, reply);
      if (person.via === "session") await audit.note(request, { action: "sign-out" });
      app.authentication.changed();
      return reply.code(204).send();
    },
  );

  app.put<{ Body: Static<typeof NEW_PASSWORD> }>(
    "/api/me/password",
    {
      config: { role: "recorder", scope: "admin" },
      schema: {
        summary: "Change your password",
        description:
          "Takes the old and the new password. All other sessions of the user end. Fails for an account without a password.",
        body: NEW_PASSWORD,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { person } = request;
      await app.limits.signIn(person.name, request, reply);
      const row = await query
        .selectFrom("users")
        .select("password")
        .where("id", "=", person.id ?? "")
        .executeTakeFirst();
      if (row?.password == null)
        throw new Problem(409, "this account has no password here: it signs in by OpenID Connect or by tokens");
      if (!(await isPassword(row.password, request.body.old))) {
        await audit.note(request, { action: "password change failed" });
        throw new Problem(403, "the old password is wrong");
      }
      await accounts.change(person.id!, { password: request.body.new });
      await audit.note(request, { action: "password changed" });
      if (person.via === "session") await sessions.begin(person.id!, request, reply);
      app.authentication.changed();
      return reply.code(204).send();
    },
  );

  app.get<{ Querystring: Static<typeof TO> }>(
    "/api/session/oidc",
    {
      config: { role: null },
      schema: {
        summary: "Start signing in by OpenID Connect",
        description: "Redirects to the issuer.",
        querystring: TO,
        response: { 302: ELSEWHERE },
      },
    },
    async (request, reply) => {
      if (foreign === null) throw new Problem(404, "this server has no OpenID Connect");
      app.limits.request(request, reply);
      return foreign.begin(request.query.to, request, reply);
    },
  );

  app.get(
    "/api/session/callback",
    {
      config: { role: null, takesAny: true },
      schema: {
        summary: "Complete signing in by OpenID Connect",
        description:
          "The issuer redirects here. Sets the cookie of the session, and redirects to the page that was asked for.",
        response: { 302: ELSEWHERE },
      },
    },
    async (request, reply) => {
      if (foreign === null) throw new Problem(404, "this server has no OpenID Connect");
      const to = await foreign.finish(request, reply);
      return reply.redirect(to, 303);
    },
  );
}
