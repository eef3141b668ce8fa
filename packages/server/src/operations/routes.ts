import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../http/problem.ts";
import { Disk } from "../disk.ts";
import { refuseWhenFull } from "./when-full.ts";
import { Metrics } from "./metrics.ts";
import { logRequests } from "./request-log.ts";

const TEXT = { produces: ["text/plain"], response: { 200: Type.String() } };
const OK = Type.Object({ status: Type.String() });

/** Whether the server is up, whether it can answer, and what it answers to. */
export function operationRoutes(app: FastifyInstance, context: Context): void {
  const metrics = new Metrics(app, context.query);
  logRequests(app, context.log);
  refuseWhenFull(app, new Disk(context.settings));

  app.get(
    "/health",
    { config: { role: null, isBare: true }, schema: { summary: "the process runs", response: { 200: OK } } },
    () => ({
      status: "ok",
    }),
  );

  app.get(
    "/ready",
    { config: { role: null }, schema: { summary: "database and bus are reached", response: { 200: OK } } },
    async () => {
      if (app.isDraining.value) throw new Problem(503, "the node is about to end");
      await sql`select 1`.execute(context.query).catch(() => {
        throw new Problem(503, "the database cannot be reached");
      });
      if (!context.bus.isConnected) throw new Problem(503, "the bus cannot be reached");
      return { status: "ready" };
    },
  );

  app.get(
    "/metrics",
    { config: { role: "admin" }, schema: { summary: "counts and times, as Prometheus reads them", ...TEXT } },
    async (_, reply) => reply.type(metrics.type).send(await metrics.text()),
  );

  app.get("/openapi.json", { config: { role: null }, schema: { hide: true } }, () => app.swagger());
}
