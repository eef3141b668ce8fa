import type { FastifyInstance } from "fastify";
import type { Disk } from "../disk.ts";
import { Problem } from "../problem.ts";

/** Routes that write and still work on a full disk: deleting makes room, and signing in is needed for that. */
const WRITING: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Refuses requests that write while the disk is full; reading still works. */
export function refuseWhenFull(app: FastifyInstance, disk: Disk): void {
  app.addHook("preValidation", (request, _, done) => {
    if (!WRITING.has(request.method) || request.routeOptions.url?.startsWith("/api/session") === true) done();
    else disk.hasRoom().then((has) => done(has ? undefined : full()), done);
  });
}

function full(): Problem {
  return new Problem(507, "the disk is full: nothing was written");
}
