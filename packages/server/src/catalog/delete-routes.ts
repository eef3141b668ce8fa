import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { Problem } from "../problem.ts";
import { Recordings } from "./access.ts";
import { askToDelete, deleteAsked } from "./deletion.ts";
import { ID } from "./shapes.ts";

/** Deletes recordings: for the staff. */
export function deleteRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = Recordings.of(context);

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Delete a recording",
        description:
          "Deletes its files, its companions, and all that the catalog knows of it; its links end. A recording on hold, or one that is being recorded, is not deleted (409). After an interruption of the server, a job continues within a minute; a file that has taken the place of the recording meanwhile stays.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, state } = await recordings.findOrGone(request.params.id, request);
      if (state === "live") throw new Problem(409, "it is being recorded: delete it when it has ended");
      const hold = await query.selectFrom("holds").select("reason").where("recording", "=", id).executeTakeFirst();
      if (hold !== undefined) throw new Problem(409, `it is on hold: ${hold.reason}`);
      await askToDelete(context, request, id);
      await failpoint("catalog/deletion-asked");
      const isDeleted = await deleteAsked(context, id);
      recordings.forget(id);
      if (!isDeleted) throw new Problem(409, "its file has changed just now: look at it, and ask again");
      return reply.code(204).send();
    },
  );
}
