import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { sendFile } from "../bytes/send-file.ts";
import type { Context } from "../context.ts";
import { asIs, FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../http/problem.ts";
import { newId } from "../ids.ts";
import { Audit } from "../people/audit.ts";
import { retryRequest } from "./requests.ts";
import { ASKED_FOR, OTHERS, REQUEST_SHOWN, SUBJECT } from "./shapes.ts";
import { whoIs } from "./who.ts";

const ERASE = Type.Object({
  also: OTHERS,
  deletes: Type.Boolean({ default: false, description: "delete recordings that cannot be redacted" }),
});
const REQUEST = Type.Object({ request: Type.String({ maxLength: 64 }) });
const ASKED = Type.Object({ id: Type.String(), state: Type.String(), page: Type.String() });

/** What is kept of a subject: all of it to download, or erased. */
export function subjectRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, library } = context;
  const audit = new Audit(query);

  app.post<{ Params: Static<typeof SUBJECT>; Body: Static<typeof ASKED_FOR> }>(
    "/api/subjects/:id/export",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "all that is kept of a subject, as a zip",
        params: SUBJECT,
        body: ASKED_FOR,
        response: { 202: ASKED },
      },
    },
    async (request, reply) => {
      const who = await whoIs(query, request.params.id, request.body.also);
      const id = newId();
      await query
        .insertInto("subject_requests")
        .values({ id, kind: "export", who: JSON.stringify(who) })
        .execute();
      await jobs.add("export-subject", id);
      await audit.note(request, { action: "export-subject", details: { request: id, users: who.accounts } });
      return reply.code(202).send({ id, state: "waiting", page: `/api/subjects/requests/${id}` });
    },
  );

  app.post<{ Params: Static<typeof SUBJECT>; Body: Static<typeof ERASE> }>(
    "/api/subjects/:id/erase",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "erase a subject; what is on hold is kept, and said",
        params: SUBJECT,
        body: ERASE,
        response: { 202: ASKED },
      },
    },
    async (request, reply) => {
      const { also, deletes } = request.body;
      const who = { ...(await whoIs(query, request.params.id, also)), deletes };
      if (request.person.id !== null && who.accounts.includes(request.person.id))
        throw new Problem(409, "this is your own account: another administrator is needed");
      const id = newId();
      await query
        .insertInto("subject_requests")
        .values({ id, kind: "erase", who: JSON.stringify(who) })
        .execute();
      await jobs.add("erase-subject", id);
      await audit.note(request, { action: "erase-subject", details: { request: id, users: who.accounts } });
      return reply.code(202).send({ id, state: "waiting", page: `/api/subjects/requests/${id}` });
    },
  );

  app.get<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request",
    {
      config: { role: "admin", scope: "admin" },
      schema: { summary: "what became of a request", params: REQUEST, response: { 200: REQUEST_SHOWN } },
      serializerCompiler: asIs,
    },
    async ({ params }) => {
      const row = await query
        .selectFrom("subject_requests")
        .select(["id", "kind", "state", "report", "error", "key", "made", "ended"])
        .where("id", "=", params.request)
        .executeTakeFirst();
      if (row === undefined) throw notFound("the request");
      const { key, ...shown } = row;
      return { ...shown, url: key === null ? null : `/api/subjects/requests/${row.id}/data` };
    },
  );

  app.get<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request/data",
    {
      config: { role: "admin", scope: "admin" },
      schema: { summary: "the zip of an export", params: REQUEST, ...FILE_BYTES },
    },
    async (request, reply) => {
      const id = request.params.request;
      const row = await query.selectFrom("subject_requests").select("key").where("id", "=", id).executeTakeFirst();
      if (row?.key == null) throw notFound("the export");
      await audit.note(request, { action: "read-export", details: { request: id } });
      void reply.header("content-disposition", `attachment; filename="${id}.zip"`);
      return sendFile(library, row.key, request, reply);
    },
  );

  app.post<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request/retry",
    {
      config: { role: "admin", scope: "admin" },
      schema: { summary: "do a request again that has failed", params: REQUEST, response: { 202: ASKED } },
    },
    async (request, reply) => {
      const id = request.params.request;
      if (!(await retryRequest(context, id))) throw new Problem(409, "there is no request of this id that has failed");
      await audit.note(request, { action: "retry-subject", details: { request: id } });
      return reply.code(202).send({ id, state: "waiting", page: `/api/subjects/requests/${id}` });
    },
  );

  app.delete<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request",
    {
      config: { role: "admin", scope: "admin" },
      schema: { summary: "delete an export that was downloaded", params: REQUEST, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const id = request.params.request;
      const row = await query
        .selectFrom("subject_requests")
        .select(["key", "state"])
        .where("id", "=", id)
        .where("kind", "=", "export")
        .executeTakeFirst();
      if (row === undefined) throw notFound("the request");
      if (row.state === "waiting") throw new Problem(409, "it is being made");
      if (row.key !== null) await library.remove(row.key);
      await query.deleteFrom("subject_requests").where("id", "=", id).execute();
      return reply.code(204).send();
    },
  );
}
