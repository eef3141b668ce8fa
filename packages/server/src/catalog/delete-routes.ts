import type { FastifyInstance } from "fastify";
import { FORMATS } from "simtape";
import { formatOfFolder } from "simtape/serving";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { ownerIn } from "../library/uploaded.ts";
import { Audit } from "../people/audit.ts";
import { Problem } from "../problem.ts";
import { Recordings } from "./access.ts";
import { Companions } from "./companions.ts";
import { markTwins } from "./index/keep.ts";
import { SeekIndexes } from "./index/seek-indexes.ts";
import { othersOf, removeFile, removeWorld } from "./recording-files.ts";
import { ID } from "./shapes.ts";

/** Deletes recordings: for the staff. */
export function deleteRoutes(app: FastifyInstance, context: Context): void {
  const { query, library, settings } = context;
  const recordings = Recordings.of(context);
  const companions = new Companions(context);
  const indexes = new SeekIndexes(settings);
  const audit = new Audit(query);

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Delete a recording",
        description:
          "Deletes its files, its companions, and all that the catalog knows of it; its links end. A recording on hold, or one that is being recorded, is not deleted (409). When the server was interrupted, the same request continues.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, key, files, state } = await recordings.findOrGone(request.params.id, request);
      if (state === "live") throw new Problem(409, "it is being recorded: delete it when it has ended");
      const hold = await query.selectFrom("holds").select("reason").where("recording", "=", id).executeTakeFirst();
      if (hold !== undefined) throw new Problem(409, `it is on hold: ${hold.reason}`);
      await audit.note(request, { action: "recording deleted", recording: id });
      await companions.removeAll(id);
      await indexes.remove(id);
      for (const other of othersOf(key, files)) await removeFile(library, other);
      await removeWorld(library, key);
      // the row is deleted last: until then, the same request finds what is left
      await removeFile(library, key);
      await failpoint("catalog/files-deleted");
      const main = key.slice(key.lastIndexOf("/") + 1);
      if (ownerIn(key) !== null || formatOfFolder(main, FORMATS) !== null)
        await library.removeFolder(key.slice(0, -main.length - 1));
      const row = await query.deleteFrom("recordings").where("id", "=", id).returning("digest").executeTakeFirst();
      recordings.forget(id);
      await markTwins(query, [row?.digest ?? null]);
      return reply.code(204).send();
    },
  );
}
