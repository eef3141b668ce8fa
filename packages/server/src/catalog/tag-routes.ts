import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Problem } from "../http/problem.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, isOwn } from "../people/person.ts";
import { Recordings } from "./access.ts";
import { ID } from "./shapes.ts";

const TAGS = Type.Object(
  {
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: "^\\S(.*\\S)?$" }), {
      maxItems: 100,
      uniqueItems: true,
      description: "words by which it is found again",
    }),
  },
  { additionalProperties: false },
);

/** Tags of a recording: for staff, and for those whose it is. */
export function tagRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = new Recordings(context);
  const audit = new Audit(query);
  app.put<{ Params: Static<typeof ID>; Body: Static<typeof TAGS> }>(
    "/api/recordings/:id/tags",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "all its tags, in place of those that it has",
        params: ID,
        body: TAGS,
        response: { 200: TAGS },
      },
    },
    async (request) => {
      const found = await recordings.find(request.params.id, request);
      if (!hasRole(request.person, "staff") && !isOwn(request.person, found))
        throw new Problem(403, "tags are for staff, and for those whose recording it is");
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
      // tags may name a person, and lines of the audit stay
      await audit.note(request, { action: "tags", recording: id, details: { tags: tags.length } });
      return { tags };
    },
  );
}
