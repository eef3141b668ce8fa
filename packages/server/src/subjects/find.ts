import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { Audit } from "../people/audit.ts";
import { ASKED_FOR, REQUEST_SHOWN, SUBJECT } from "./shapes.ts";
import { recordingsOf, whoIs } from "./who.ts";

const FOUND = Type.Object({
  names: Type.Array(Type.String()),
  uuids: Type.Array(Type.String()),
  accounts: Type.Array(Type.String({ description: "ids of accounts" })),
  recordings: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      state: Type.String(),
      isOnlyTheirs: Type.Boolean({ description: "only this person is known to be in it: an erasure deletes it" }),
      holds: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })),
    }),
  ),
});
const REQUESTS = Type.Object({ requests: Type.Array(REQUEST_SHOWN) });

/** Most requests in a list. */
const MOST = 200;

/** Routes for what is known of a subject before an export or erasure, and for the requests about subjects. */
export function findRoutes(app: FastifyInstance, { query }: Context): void {
  const audit = new Audit(query);
  const config = { role: "admin", scope: "admin" } as const;

  app.post<{ Params: Static<typeof SUBJECT>; Body: Static<typeof ASKED_FOR> }>(
    "/api/subjects/:id/find",
    {
      config,
      schema: {
        summary: "Find a subject",
        description:
          "Gives the names, ids and accounts of a person, and the recordings that the person is in. Changes nothing.",
        params: SUBJECT,
        body: ASKED_FOR,
        response: { 200: FOUND },
      },
    },
    async (request) => {
      const who = await whoIs(query, request.params.id, request.body.also);
      const recordings = await recordingsOf(query, who);
      const ids = recordings.map(({ id }) => id);
      const holds = await query
        .selectFrom("holds")
        .select(["id", "recording", "reason"])
        .where(sql<boolean>`recording = any(${ids})`)
        .orderBy("made")
        .execute();
      await audit.note(request, { action: "find-subject", details: { recordings: ids.length } });
      return {
        ...who,
        recordings: recordings.map(({ id, name, state, isOnlyTheirs }) => ({
          ...{ id, name, state, isOnlyTheirs },
          holds: holds.filter(({ recording }) => recording === id),
        })),
      };
    },
  );

  app.get(
    "/api/subjects/requests",
    {
      config,
      schema: {
        summary: "List requests about subjects",
        description: "Gives exports and erasures, the newest first.",
        response: { 200: REQUESTS },
      },
      serializerCompiler: asIs,
    },
    async () => {
      const rows = await query
        .selectFrom("subject_requests")
        .select(["id", "kind", "state", "report", "error", "key", "made", "ended"])
        .orderBy("made", "desc")
        .limit(MOST)
        .execute();
      return {
        requests: rows.map(({ key, ...row }) => ({
          ...row,
          url: key === null ? null : `/api/subjects/requests/${row.id}/data`,
        })),
      };
    },
  );
}
