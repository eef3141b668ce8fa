import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body may take any time: it is a live recording, or a large file. */
    isLong?: boolean;
  }
}

/** Milliseconds for the body of a request. */
const TIMEOUT = 30_000;

/** Ends requests whose body comes too slowly, except on routes with `isLong`: the limit of Node has no exceptions. */
export function limitBodies(app: FastifyInstance): void {
  app.server.requestTimeout = 0;
  app.addHook("onRequest", (request, _, done) => {
    if (hasBody(request)) limitBody(request);
    done();
  });
}

function hasBody({ raw }: FastifyRequest): boolean {
  if (raw.headers["transfer-encoding"] === undefined && (raw.headers["content-length"] ?? "0") === "0") return false;
  return !raw.readableEnded;
}

function limitBody({ raw, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.isLong === true) {
    raw.socket.setTimeout(0);
    raw.socket.setKeepAlive(true, 10_000);
    return;
  }
  const timer = setTimeout(() => raw.socket.destroy(), TIMEOUT);
  raw.once("end", () => clearTimeout(timer));
  raw.once("close", () => clearTimeout(timer));
}
