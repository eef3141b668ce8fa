import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Disk } from "../disk.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, isOwn } from "../people/person.ts";
import { notFound, Problem } from "../problem.ts";
import { type Reachable, Recordings } from "./access.ts";
import { Companions } from "./companions.ts";
import { COMPANION } from "./shapes.ts";

const NAMED = Type.Object({
  id: Type.String({ maxLength: 64 }),
  name: Type.String({ maxLength: 300, description: "the name of the file: Town01.xodr" }),
});
type Named = { Params: Static<typeof NAMED> };

/** Files that show the world of a recording: for the staff, and for its owner. */
export function companionRoutes(app: FastifyInstance, context: Context): void {
  const recordings = Recordings.of(context);
  const companions = new Companions(context);
  const audit = new Audit(context.query);
  const disk = new Disk(context.settings);
  const right = { role: "viewer", scope: "write" } as const;

  const own = async (request: FastifyRequest<Named>): Promise<Reachable> => {
    const found = await recordings.find(request.params.id, request);
    if (!hasRole(request.person, "staff") && !isOwn(request.person, found))
      throw new Problem(403, "only staff and the owner of the recording may change its world");
    return found;
  };

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // the body is read while it arrives
    scope.addContentTypeParser("*", (_, payload, done) => done(null, payload));
    scope.put<Named>(
      "/api/recordings/:id/companions/:name",
      {
        config: { ...right, isLong: true },
        schema: {
          summary: "Add a companion to a recording",
          description:
            "Takes the bytes of a file that shows the world of the recording: a road net, heights, a map, models. It replaces a companion of the same name. A companion has 256 MiB at most, all of a recording 512 MiB, and there are 100 of them. Staff may add companions to every recording, other users only to their own.",
          params: NAMED,
          response: { 200: COMPANION },
        },
        bodyLimit: Number.MAX_SAFE_INTEGER,
      },
      async (request) => {
        const { id } = await own(request);
        app.limits.account("uploads", request.person);
        if (!(await disk.hasRoom())) throw new Problem(507, "the disk is full: nothing was written");
        const declared = Number(request.headers["content-length"] ?? 0);
        const body = request.body as Readable | undefined;
        const added = await companions.put(id, request.params.name, body, declared);
        // the name of a file may name a person, and lines of the audit stay for good
        await audit.note(request, { action: "companion added", recording: id, details: { bytes: added.bytes } });
        return added;
      },
    );
  });

  app.delete<Named>(
    "/api/recordings/:id/companions/:name",
    {
      config: right,
      schema: {
        summary: "Delete a companion of a recording",
        description: "Staff may do it for every recording, other users only for their own.",
        params: NAMED,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = await own(request);
      if (!(await companions.remove(id, request.params.name))) throw notFound("the companion");
      await audit.note(request, { action: "companion removed", recording: id });
      return reply.code(204).send();
    },
  );
}
