import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { Disk } from "../disk.ts";
import { refuseWhenFull } from "./when-full.ts";
import { Metrics } from "./metrics.ts";
import { logRequests } from "./request-log.ts";

const TEXT = { produces: ["text/plain"], response: { 200: Type.String() } };
const OK = Type.Object({ status: Type.String() });
const READY = Type.Object({
  status: Type.String({ description: "ready; degraded: the server answers, but something is slower" }),
  note: Type.Optional(Type.String({ description: "what is slower, and why" })),
});

/** Routes that say whether the server runs, whether it can answer, and what slows it down. */
export function operationRoutes(app: FastifyInstance, context: Context): void {
  const metrics = new Metrics(app, context);
  logRequests(app, context.log);
  refuseWhenFull(app, new Disk(context.settings));

  app.get(
    "/health",
    {
      config: { role: null, isBare: true },
      schema: {
        summary: "Check that the process runs",
        description: "Answers as long as the process runs, also without the database.",
        response: { 200: OK },
      },
    },
    () => ({
      status: "ok",
    }),
  );

  app.get(
    "/ready",
    {
      config: { role: null },
      schema: {
        summary: "Check that the server is ready",
        description:
          "Answers 503 while the database cannot be reached, and while the node shuts down. `degraded` means that it answers, but something is slower.",
        response: { 200: READY },
      },
    },
    async () => {
      if (app.isDraining.value) throw new Problem(503, "the node is shutting down");
      await sql`select 1`.execute(context.query).catch(() => {
        throw new Problem(503, "the database cannot be reached");
      });
      // all nodes are affected, and all answer: a balancer that removed them would have no node left
      if (!context.bus.isConnected)
        return {
          status: "degraded",
          note: "the bus cannot be reached: what other nodes change is seen a second later",
        };
      return { status: "ready" };
    },
  );

  app.get(
    "/metrics",
    {
      config: { role: "admin" },
      schema: {
        summary: "Get metrics",
        description: "Gives counters and times in the text format of Prometheus.",
        ...TEXT,
      },
    },
    async (_, reply) => reply.type(metrics.type).send(await metrics.text()),
  );

  app.get("/openapi.json", { config: { role: null }, schema: { hide: true } }, () => app.swagger());
}
