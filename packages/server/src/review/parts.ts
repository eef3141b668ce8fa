import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { ghostRoutes } from "../ghosts/routes.ts";
import { retentionRoutes } from "../retention/routes.ts";
import { findRoutes } from "../subjects/find.ts";
import { subjectRoutes } from "../subjects/routes.ts";
import { reviewRoutes } from "./routes.ts";

/** Review of what was reported, and what goes with it: retention, ghosts, the data of a subject. */
export function reviewParts(app: FastifyInstance, context: Context): void {
  reviewRoutes(app, context);
  retentionRoutes(app, context);
  ghostRoutes(app, context);
  findRoutes(app, context);
  subjectRoutes(app, context);
}
