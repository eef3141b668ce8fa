import type { FastifyInstance } from "fastify";
import type { Log } from "../log.ts";
import { routeOf } from "./metrics.ts";

/** Writes one line for each request at `info`, with the id that its answer has. It names the route, not the address. */
export function logRequests(app: FastifyInstance, log: Log): void {
  if (!log.isLevelEnabled("info")) return;
  app.passes.turnOff();
  app.addHook("onResponse", (request, reply, done) => {
    const { id, method, ip, person, params } = request;
    const route = routeOf(request);
    const line = {
      request: id,
      method,
      route,
      // only for ids of recordings: other ids may be secrets
      ...(route.startsWith("/api/recordings/:id") ? { recording: (params as { id: string }).id } : {}),
      status: reply.raw.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      who: person.id,
      address: ip,
    };
    log.info(line, "request");
    done();
  });
}
