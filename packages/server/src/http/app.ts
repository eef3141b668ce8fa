import { randomUUID } from "node:crypto";
import cookie from "@fastify/cookie";
import swagger from "@fastify/swagger";
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from "fastify";
import type { Role } from "../database/tables.ts";
import { logTo } from "../log.ts";
import type { Context } from "../context.ts";
import { Authentication } from "../people/authenticate.ts";
import type { Openness } from "../people/openness.ts";
import { hasRole, NONE, type Person, type Scope } from "../people/person.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { OPENAPI, PROBLEM } from "./openapi.ts";
import { checkOrigin, checkSession } from "./origin.ts";
import { Problem, sendProblem } from "./problem.ts";
import { limitBodies } from "./slow-bodies.ts";
import { acceptSockets, checkUpgrade } from "./sockets.ts";

declare module "fastify" {
  interface FastifyInstance {
    readonly authentication: Authentication;
    readonly limits: Limits;
  }
  interface FastifyRequest {
    person: Person;
  }
  interface FastifyContextConfig {
    /** The least role that may ask; null: all who reach the server. */
    role?: Role | null;
    /** It is not looked at who asks: it answers while the database is away, too. */
    isBare?: boolean;
    /** It opens a WebSocket; other addresses refuse to. */
    isSocket?: boolean;
    /** What a token must be for. */
    scope?: Scope;
  }
  interface FastifyInstance {
    /** Set when the node is about to end: balancers are to look for another. */
    isDraining: { value: boolean };
  }
}

/** A part of the HTTP interface: adds its routes. */
export type Routes = (app: FastifyInstance, context: Context) => void;

/**
 * The HTTP interface, made of `parts`. Every route names the role that it needs; one that does not is refused when it is
 * added. Errors are problem details.
 */
export async function createApp(
  context: Context,
  openness: Openness,
  parts: readonly Routes[],
): Promise<FastifyInstance> {
  const { settings } = context;
  const app = fastify({
    loggerInstance: logTo(settings.log) as FastifyBaseLogger,
    genReqId: () => randomUUID(),
    trustProxy: settings.publicOrigin !== null && settings.proxies !== "" ? settings.proxies : false,
    // there is one line a request: operations/request-log.ts
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1 << 20,
    // of one that sends nothing, or very slowly
    connectionTimeout: 60_000,
    keepAliveTimeout: 10_000,
    forceCloseConnections: "idle",
    // how soon it is noticed
    http: { connectionsCheckingInterval: 3000, headersTimeout: 15_000 },
    routerOptions: { maxParamLength: 512 },
    ajv: { customOptions: { coerceTypes: true, removeAdditional: false, allErrors: false } },
  });
  app.server.maxConnections = settings.connections;
  app.server.maxRequestsPerSocket = 0;
  limitBodies(app);
  acceptSockets(app);
  const authentication = new Authentication(context, openness);
  app.decorate("authentication", authentication);
  const limits = await limitsOf(app, settings);
  app.decorate("limits", limits);
  app.decorateRequest("person");
  app.decorate("isDraining", { value: false });
  await app.register(cookie);
  app.addSchema(PROBLEM);
  await app.register(swagger, OPENAPI);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, context.log));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new Problem(404, `nothing is at ${request.method} ${pathOf(request)}`), request, reply, context.log),
  );
  app.addHook("onRoute", ({ url, config }) => {
    if (config?.role === undefined) throw new Error(`the route ${url} names no role`);
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("x-request-id", request.id);
    void reply.header("x-content-type-options", "nosniff");
    void reply.header("referrer-policy", "no-referrer");
    void reply.header("cross-origin-resource-policy", "same-origin");
    if (app.isDraining.value) void reply.header("connection", "close");
    request.person = NONE;
    checkOrigin(request, app, settings);
    checkUpgrade(request);
    if (request.routeOptions.config.isBare === true) return;
    const isNamed = Authentication.isNamed(request);
    if (isNamed) await limits.forgeries(request, reply);
    request.person = await authentication.personOf(request);
    if (isNamed && (request.person.via === "none" || request.person.via === "open"))
      await limits.forged(request, reply);
    await limits.request(request, reply);
    checkSession(request);
    checkRights(request);
  });
  // else a connection that is kept alive would keep the server from ending
  app.addHook("onSend", (_, reply, __, done) => {
    if (app.isDraining.value) void reply.header("connection", "close");
    done();
  });
  for (const part of parts) app.after(() => part(app, context));
  return app;
}

/** Whether a person may ask at all; what may be seen of an answer is the route's. Throws `Problem`. */
function checkRights({ person, routeOptions }: FastifyRequest): void {
  const { role = null, scope = "read" } = routeOptions.config;
  if (role === null) return;
  if (person.role === "none") throw new Problem(401, "sign in, or send a token: Authorization: Bearer …");
  const isAllowed = hasRole(person, role) && person.scopes.includes(scope);
  if (!isAllowed) throw new Problem(403, `the role ${role} and the scope ${scope} are needed; yours is ${person.role}`);
}

/** Without what is asked: that may hold secrets. */
function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0]!;
}
