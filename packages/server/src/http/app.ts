import { randomUUID } from "node:crypto";
import cookie from "@fastify/cookie";
import swagger from "@fastify/swagger";
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from "fastify";
import type { Role } from "../database/tables.ts";
import { logTo } from "../log-output.ts";
import type { Context } from "../context.ts";
import { Authentication } from "../people/authenticate.ts";
import type { Openness } from "../people/openness.ts";
import { NONE, type Person, type Scope } from "../people/person.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { ON_USE } from "./on-use.ts";
import { OPENAPI, PROBLEM } from "./openapi.ts";
import { answerBroken, refuse } from "./broken-requests.ts";
import { checkParameters } from "./parameters.ts";
import { Passes } from "../bytes/passes.ts";
import { checkOrigin, checkSession } from "./origin.ts";
import { Problem, sendProblem } from "../problem.ts";
import { checkRights } from "./rights.ts";
import { allowSites } from "./frames.ts";
import { limitBodies } from "./slow-bodies.ts";
import { acceptSockets, checkUpgrade } from "./sockets.ts";

declare module "fastify" {
  interface FastifyInstance {
    readonly authentication: Authentication;
    readonly limits: Limits;
    readonly passes: Passes;
  }
  interface FastifyRequest {
    person: Person;
  }
  interface FastifyContextConfig {
    /** The least role that may use the route; null: every client that reaches the server. */
    role?: Role | null;
    /** The route does not check the user: it answers while the database is away, too. */
    isBare?: boolean;
    /** The route opens a WebSocket; other addresses refuse to. */
    isSocket?: boolean;
    /** The scope that a token must have; one of them when there are several. */
    scope?: Scope | readonly Scope[];
    /** The least role of a user without a token, where it is a higher one. */
    session?: Role;
  }
  interface FastifyInstance {
    /** True when the node is shutting down: balancers should use another node. */
    isDraining: { value: boolean };
  }
}

/** A part of the HTTP interface: adds its routes. */
export type Routes = (app: FastifyInstance, context: Context) => void;

/**
 * The HTTP interface, assembled from `parts`. Every route names the role that it needs; adding a route without a role
 * throws. Errors are answered as problem details.
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
    // operations/request-log.ts writes one line for each request
    logController: new LogController({ disableRequestLogging: true }),
    // a log of each request would cost more than its hooks: what is logged names the request
    childLoggerFactory: (logger) => logger,
    bodyLimit: 1 << 20,
    // limit for a client that sends nothing, or sends very slowly
    connectionTimeout: 60_000,
    keepAliveTimeout: 10_000,
    forceCloseConnections: "idle",
    // how often the limit is checked
    http: { connectionsCheckingInterval: 3000, headersTimeout: 15_000, requireHostHeader: false },
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: answerBroken,
    // the address cannot be decoded
    frameworkErrors: (error, request, reply) => sendProblem(error, request as never, reply as never, context.log),
    schemaController: { compilersFactory: ON_USE },
    ajv: { customOptions: { coerceTypes: true, removeAdditional: false, allErrors: false } },
  });
  app.server.maxConnections = settings.connections;
  app.server.maxRequestsPerSocket = 0;
  app.server.on("checkExpectation", ({ socket }) => refuse(socket, 417, "no expectation but 100-continue can be met"));
  limitBodies(app);
  checkParameters(app);
  allowSites(app, settings);
  acceptSockets(app);
  const authentication = new Authentication(context, openness);
  app.decorate("authentication", authentication);
  const limits = await limitsOf(app, settings);
  app.decorate("limits", limits);
  const passes = new Passes(limits);
  app.decorate("passes", passes);
  app.server.removeAllListeners("request").on("request", (raw, response) => {
    const pipeline = (): void => app.routing(raw, response);
    if (app.isDraining.value || !passes.answer(raw, response, pipeline)) pipeline();
  });
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
    const { config } = request.routeOptions;
    if (config.isBare === true) return;
    const isNamed = Authentication.isNamed(request);
    if (isNamed) await limits.forgeries(request, reply);
    request.person = await authentication.personOf(request);
    if (isNamed && (request.person.via === "none" || request.person.via === "open"))
      await limits.forged(request, reply);
    limits.request(request, reply);
    checkSession(request);
    checkRights(request.person, config);
  });
  // otherwise a connection that is kept alive would keep the server from ending
  app.addHook("onSend", (_, reply, __, done) => {
    if (app.isDraining.value) void reply.header("connection", "close");
    done();
  });
  for (const part of parts) app.after(() => part(app, context));
  return app;
}

/** The path without the query, which may hold secrets. */
function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0]!;
}
