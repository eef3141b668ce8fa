import type { FastifyInstance } from "fastify";
import type { Disk } from "../disk.ts";
import { Problem } from "../http/problem.ts";

/** What is written by other requests; to delete makes room, and to sign in is needed for that. */
const WRITING: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Refuses what would write while the disk is full; reading goes on. */
export function refuseWhenFull(app: FastifyInstance, disk: Disk): void {
  app.addHook("preValidation", async ({ method, routeOptions }) => {
    if (!WRITING.has(method) || routeOptions.url?.startsWith("/api/session") === true) return;
    if (!(await disk.hasRoom())) throw new Problem(507, "the disk is full: nothing was written");
  });
}
