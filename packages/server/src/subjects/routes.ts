import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { sendFile } from "../bytes/send-file.ts";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { asIs, FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { Accounts } from "../people/accounts.ts";
import { Audit } from "../people/audit.ts";
import { retryRequest } from "./requests.ts";
import { certificateOf, certificateText, type EraseReport } from "./certificate.ts";
import { ASKED_FOR, CERTIFICATE, OTHERS, REQUEST_SHOWN, SUBJECT } from "./shapes.ts";
import { whoIs } from "./who.ts";

const ERASE = Type.Object(
  {
    also: OTHERS,
    deletes: Type.Boolean({ default: false, description: "delete recordings that cannot be redacted" }),
  },
  { examples: [{ also: ["069a79f4-44e9-4726-a5be-fca90e38aaf5"], deletes: false }] },
);
const REQUEST = Type.Object({ request: Type.String({ maxLength: 64 }) });
/** Most backups in a certificate, the newest ones. */
const MOST_BACKUPS = 1000;
const ASKED = Type.Object({ id: Type.String(), state: Type.String(), page: Type.String() });

/** Routes for the data of a subject: export and erasure. */
export function subjectRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, library } = context;
  const audit = new Audit(query);

  app.post<{ Params: Static<typeof SUBJECT>; Body: Static<typeof ASKED_FOR> }>(
    "/api/subjects/:id/export",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "Export the data of a subject",
        description: "Starts a job that packs everything that is kept of the person into a zip.",
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
      await failpoint("subjects/export-asked");
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
        summary: "Erase a subject",
        description:
          "Ends the accounts of the person at once, with their sessions and tokens. Starts a job that deletes or redacts the recordings of the person and replaces the name in all rows. Recordings on hold are kept and listed.",
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
      // not only when the job has come to them, of which this node hears a little later
      await new Accounts(query).end(who.accounts);
      app.authentication.changed();
      await failpoint("subjects/erase-asked");
      await jobs.add("erase-subject", id);
      await audit.note(request, { action: "erase-subject", details: { request: id, users: who.accounts } });
      return reply.code(202).send({ id, state: "waiting", page: `/api/subjects/requests/${id}` });
    },
  );

  app.get<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "Get a request about a subject",
        description: "Gives the state of an export or erasure, and its report once it is done.",
        params: REQUEST,
        response: { 200: REQUEST_SHOWN },
      },
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

  for (const isText of [false, true])
    app.get<{ Params: Static<typeof REQUEST> }>(
      `/api/subjects/requests/:request/certificate${isText ? ".txt" : ""}`,
      {
        config: { role: "admin", scope: "admin" },
        schema: {
          summary: `Get the certificate of an erasure${isText ? " as text" : ""}`,
          description: `Lists what was removed, and what remains, where and why${isText ? ", to read and print" : ""}.`,
          params: REQUEST,
          ...(isText
            ? { produces: ["text/plain"], response: { 200: Type.String() } }
            : { response: { 200: CERTIFICATE } }),
        },
        serializerCompiler: isText ? () => String : asIs,
      },
      async ({ params }, reply) => {
        const row = await query
          .selectFrom("subject_requests")
          .select(["id", "state", "report", "error", "made", "ended"])
          .where("id", "=", params.request)
          .where("kind", "=", "erase")
          .executeTakeFirst();
        if (row === undefined) throw notFound("the request");
        if (row.state === "failed")
          throw new Problem(409, `the request has failed: ${row.error}; retry it with /retry`);
        if (row.state === "waiting") throw new Problem(503, "the erasure is not done yet; try again");
        if ((row.report as Partial<EraseReport>).remains === undefined)
          throw new Problem(409, "an earlier release erased the subject and did not search afterwards: erase again");
        const backups = await query
          .selectFrom("audit")
          .select(["at", "details"])
          .where("action", "=", "backup")
          .where("at", "<", row.ended)
          .orderBy("id", "desc")
          .limit(MOST_BACKUPS)
          .execute();
        const certificate = certificateOf({ ...row, report: row.report as EraseReport }, backups);
        return isText ? reply.type("text/plain; charset=utf-8").send(certificateText(certificate)) : certificate;
      },
    );

  app.get<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request/data",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "Download the export of a subject",
        description: "Sends the zip. Answers range requests, and 503 while the export is being made.",
        params: REQUEST,
        ...FILE_BYTES,
      },
    },
    async (request, reply) => {
      const id = request.params.request;
      const row = await query
        .selectFrom("subject_requests")
        .select(["key", "state", "kind"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row?.kind === "export" && row.state === "waiting")
        throw new Problem(503, "the export is not done yet; try again");
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
      schema: {
        summary: "Retry a request about a subject",
        description: "Only a request that failed can be retried.",
        params: REQUEST,
        response: { 202: ASKED },
      },
    },
    async (request, reply) => {
      const id = request.params.request;
      if (!(await retryRequest(context, id))) throw new Problem(409, "there is no failed request of this id");
      await audit.note(request, { action: "retry-subject", details: { request: id } });
      return reply.code(202).send({ id, state: "waiting", page: `/api/subjects/requests/${id}` });
    },
  );

  app.delete<{ Params: Static<typeof REQUEST> }>(
    "/api/subjects/requests/:request",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "Delete the export of a subject",
        description: "Deletes the zip and the request.",
        params: REQUEST,
        response: { 204: Type.Null() },
      },
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
      if (row.state === "waiting") throw new Problem(409, "the export is being made");
      if (row.key !== null) await library.remove(row.key);
      await query.deleteFrom("subject_requests").where("id", "=", id).execute();
      return reply.code(204).send();
    },
  );
}
