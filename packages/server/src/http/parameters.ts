import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The query belongs to another program, which may add parameters to it. */
    takesAny?: boolean;
  }
}

/** Refuses parameters that a route does not have: a misspelt filter would otherwise be ignored. */
export function checkParameters(app: FastifyInstance): void {
  app.addHook("preValidation", (request, _, done) => {
    done(problemOf(request) ?? undefined);
  });
}

function problemOf(request: FastifyRequest): Problem | null {
  if (!request.url.includes("?")) return null;
  const { config, schema } = request.routeOptions;
  // pages have their own addresses, with any parameters
  if (schema === undefined || schema.hide === true || config.takesAny === true) return null;
  const { properties = {} } = (schema.querystring ?? {}) as { properties?: Readonly<Record<string, unknown>> };
  const unknown = Object.keys(request.query as object).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return null;
  const names = Object.keys(properties);
  const known = names.length === 0 ? "this route takes none" : `this route takes ${names.join(", ")}`;
  return new Problem(400, `no parameter ${JSON.stringify(unknown.slice(0, 100))} here: ${known}`, {
    parameters: names,
  });
}
