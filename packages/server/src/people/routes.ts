import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { auditRoutes } from "./audit-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { tokenRoutes } from "./token-routes.ts";
import { userRoutes } from "./user-routes.ts";

/** Users and rights: signing in, accounts, tokens, and the audit. */
export function peopleRoutes(app: FastifyInstance, context: Context): void {
  sessionRoutes(app, context);
  userRoutes(app, context);
  tokenRoutes(app, context);
  auditRoutes(app, context);
}
