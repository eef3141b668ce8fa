import type { FastifyInstance } from "fastify";
import { isChunk, isOfWorld } from "simtape/world";
import { type Static, Type } from "typebox";
import { CHANGING, IMMUTABLE, sendFile } from "../bytes/send-file.ts";
import type { Context } from "../context.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { notFound } from "../problem.ts";
import { Recordings } from "./access.ts";

const PART = Type.Object({
  id: Type.String({ maxLength: 64 }),
  "*": Type.String({ maxLength: 1024, description: "a key of the store: worlds/ID/chunks/SHA256" }),
});

/**
 * The world that a recording was made in, for users who may read the recording: only the chunks and regions of that
 * world.
 */
export function worldRoutes(app: FastifyInstance, context: Context): void {
  const { library } = context;
  const recordings = Recordings.of(context);

  app.route<{ Params: Static<typeof PART> }>({
    method: ["GET", "HEAD"],
    exposeHeadRoute: false,
    url: "/api/recordings/:id/world/*",
    config: { role: "viewer" },
    schema: {
      summary: "Read a part of the world of a recording",
      description:
        "Reads a chunk or an index of the Minecraft world that lies beside the recordings. Answers range requests.",
      params: PART,
      ...FILE_BYTES,
      response: { ...(FILE_BYTES.response as object), 204: Type.Null({ description: "The library does not have it" }) },
    },
    handler: async (request, reply) => {
      const { worldId: id, worldVersion: version } = await recordings.find(request.params.id, request);
      const key = request.params["*"];
      if (id === null || version === null || !isOfWorld({ id, version }, key)) throw notFound("the part of its world");
      const file = await library.open(key);
      // pages ask whether the file exists, and a missing file is not an error
      if (file === null) return reply.code(204).send();
      const one = { open: () => Promise.resolve(file) };
      return sendFile(one, key, request, reply, isChunk(key) ? IMMUTABLE : CHANGING);
    },
  });
}
