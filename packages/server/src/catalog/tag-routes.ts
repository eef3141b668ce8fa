import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, isOwn } from "../people/person.ts";
import { Recordings } from "./access.ts";
import { ID } from "./shapes.ts";

const TAGS = Type.Object(
  {
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: "^\\S(.*\\S)?$" }), {
      maxItems: 100,
      uniqueItems: true,
      description: "words for finding the recording",
    }),
  },
  { additionalProperties: false, examples: [{ tags: ["night", "pushback"] }] },
);

/** Tags of a recording: for the staff, and for its owner. */
export function tagRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.put<{ Params: Static<typeof ID>; Body: Static<typeof TAGS> }>(
    "/api/recordings/:id/tags",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Replace the tags of a recording",
        description:
          "The list replaces all tags that the recording has. Staff may tag every recording, other users only their own.",
        params: ID,
        body: TAGS,
        response: { 200: TAGS },
      },
    },
    async (request) => {
      const found = await recordings.find(request.params.id, request);
      if (!hasRole(request.person, "staff") && !isOwn(request.person, found))
        throw new Problem(403, "only staff and the owner of the recording may tag it");
      const { id } = found;
      const tags = [...request.body.tags].sort();
      await query.transaction().execute(async (inside) => {
        await inside.deleteFrom("tags").where("recording", "=", id).execute();
        if (tags.length > 0)
          await inside
            .insertInto("tags")
            .values(tags.map((tag) => ({ recording: id, tag })))
            .execute();
      });
      // tags may name a person, and lines of the audit stay for good
      await audit.note(request, { action: "tags", recording: id, details: { tags: tags.length } });
      return { tags };
    },
  );
}
