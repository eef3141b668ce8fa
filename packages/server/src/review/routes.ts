import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { notFound, Problem } from "../http/problem.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, type Person } from "../people/person.ts";
import { unmarked } from "../retention/retention.ts";
import { queued, reviewById } from "./queue.ts";
import { Reviews, USUAL } from "./reviews.ts";
import {
  ASSIGN,
  MARK,
  type MarkInput,
  OWN_REPORT,
  QUEUE,
  type Queue,
  REPORT,
  type ReportInput,
  REVIEW,
  REVIEWS,
  VERDICT,
  type VerdictInput,
} from "./shapes.ts";

const MARK_ID = Type.Object({ id: Type.String({ maxLength: 64 }), mark: Type.String({ maxLength: 64 }) });
const CHANGED = { response: { 200: Type.Ref("Review") } };
const MADE = Type.Object({ id: Type.String() });

/** Reports, and the queue of the staff. */
export function reviewRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = new Recordings(context);
  const reviews = new Reviews(context);
  const audit = new Audit(query);
  app.addSchema(OWN_REPORT);
  app.addSchema(REVIEW);
  app.decorate("takeReport", async (recording, { at, seconds = USUAL, ...report }, { person }) => {
    const first = Math.max(0, at - seconds);
    const body = { ...report, text: report.text ?? "", flags: [...(report.flags ?? [])], recording, first };
    const review = await reviews.report(body, report.reporter ?? person.id);
    await audit.add({ who: person.id, role: person.role, action: "report", recording, details: { review } });
  });

  app.post<{ Body: ReportInput }>(
    "/api/reports",
    {
      config: { role: "recorder", scope: "write" },
      schema: { summary: "report a subject of a recording", body: REPORT, response: { 201: MADE } },
    },
    async (request, reply) => {
      const { person, body } = request;
      const isTrusted = hasRole(person, "staff") || person.via === "token";
      if (!isTrusted && (body.score !== undefined || body.flags !== undefined || body.reporter !== undefined))
        throw new Problem(403, "score, flags and reporter are for staff and programs");
      await mayReport(request, isTrusted);
      const id = await reviews.report(body, body.reporter ?? person.id);
      const { recording } = body;
      await unmarked(context, recording);
      // names are in the report, which can be erased
      await audit.note(request, { action: "report", recording, details: { review: id } });
      return reply.code(201).send({ id });
    },
  );

  app.get(
    "/api/reports",
    {
      config: { role: "viewer" },
      schema: {
        summary: "one's own reports",
        response: { 200: Type.Object({ reports: Type.Array(Type.Ref("Report")) }) },
      },
    },
    async ({ person }) => {
      const rows = await query
        .selectFrom("reviews")
        .select(OWN)
        .where("reporter", "=", person.id)
        .orderBy("made", "desc")
        .limit(200)
        .execute();
      return { reports: rows.map(ownOf) };
    },
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/reports/:id",
    {
      config: { role: "viewer" },
      schema: { summary: "one's own report", params: ID, response: { 200: Type.Ref("Report") } },
    },
    async ({ person, params }) => {
      const row = await query
        .selectFrom("reviews")
        .select(OWN)
        .where("id", "=", params.id)
        .where("reporter", "=", person.id)
        .executeTakeFirst();
      if (row === undefined) throw notFound("the report");
      return ownOf(row);
    },
  );

  app.get<{ Querystring: Queue }>(
    "/api/reviews",
    {
      config: { role: "staff" },
      schema: { summary: "the queue: surest first, then oldest", querystring: QUEUE, response: { 200: REVIEWS } },
      serializerCompiler: asIs,
    },
    ({ person, query: asked }) =>
      queued(query, asked.assignee === "me" ? { ...asked, assignee: person.id ?? "" } : asked),
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/reviews/:id",
    {
      config: { role: "staff" },
      schema: { summary: "a review with its marks", params: ID, response: { 200: Type.Ref("Review") } },
      serializerCompiler: asIs,
    },
    async (request) => {
      const review = await reviewById(query, request.params.id);
      if (review === null) throw notFound("the review");
      await audit.note(request, { action: "review", recording: review.recording, details: { review: review.id } });
      return review;
    },
  );

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof ASSIGN> }>(
    "/api/reviews/:id/assign",
    {
      config: { role: "staff", scope: "write" },
      schema: { summary: "take a review, give it to another, or give it back", params: ID, body: ASSIGN, ...CHANGED },
      serializerCompiler: asIs,
    },
    async (request) => {
      const { id } = request.params;
      const { assignee = request.person.id, from = null } = request.body;
      if (assignee !== null) await mustBeStaff(assignee, request.person);
      await reviews.assign(id, assignee, from);
      await noted(request, id, "assign", { assignee });
      return reviewById(query, id);
    },
  );

  app.post<{ Params: Static<typeof ID>; Body: MarkInput }>(
    "/api/reviews/:id/marks",
    {
      config: { role: "staff", scope: "write" },
      schema: { summary: "a mark at a time and a thing", params: ID, body: MARK, response: { 201: MADE } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const mark = await reviews.mark(id, request.person.id!, request.body);
      await noted(request, id, "mark", { mark, time: request.body.time });
      return reply.code(201).send({ id: mark });
    },
  );

  app.delete<{ Params: Static<typeof MARK_ID> }>(
    "/api/reviews/:id/marks/:mark",
    {
      config: { role: "staff", scope: "write" },
      schema: { summary: "take a mark away", params: MARK_ID, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { id, mark } = request.params;
      await reviews.unmark(id, mark);
      await noted(request, id, "unmark", { mark });
      return reply.code(204).send();
    },
  );

  app.post<{ Params: Static<typeof ID>; Body: VerdictInput }>(
    "/api/reviews/:id/verdict",
    {
      config: { role: "staff", scope: "write" },
      schema: { summary: "close a review; the verdict goes into the recording", params: ID, body: VERDICT, ...CHANGED },
      serializerCompiler: asIs,
    },
    async (request) => {
      const { id } = request.params;
      await reviews.close(id, request.person.id!, request.body);
      const { verdict, keep } = request.body;
      const { rows: marks } = await sql<{ id: string; time: number; severity: number }>`
        select id, time, severity from review_marks where review = ${id} order by time`.execute(query);
      await noted(request, id, "verdict", { verdict, keep, marks });
      return reviewById(query, id);
    },
  );

  /** Staff and programs any; others what they may see, and what they are in. Throws `Problem`. */
  async function mayReport(request: FastifyRequest<{ Body: ReportInput }>, isTrusted: boolean): Promise<void> {
    const { person, body } = request;
    if (isTrusted) return;
    const { rows } = await sql`
      select 1 from recordings where id = ${body.recording} and (owner = ${person.id} or exists (
        select 1 from subjects where recording = recordings.id and identity = any(${[...person.identities]})))`.execute(
      query,
    );
    if (rows.length === 0) await recordings.find(body.recording, request);
  }

  async function mustBeStaff(id: string, person: Person): Promise<void> {
    if (id === person.id) return;
    const row = await query
      .selectFrom("users")
      .select("id")
      .where("id", "=", id)
      .where("role", "in", ["staff", "admin"])
      .where("disabled", "=", false)
      .executeTakeFirst();
    if (row === undefined) throw new Problem(400, "the assignee is none of the staff");
  }

  async function noted(
    request: FastifyRequest,
    id: string,
    action: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const row = await query.selectFrom("reviews").select("recording").where("id", "=", id).executeTakeFirst();
    await audit.note(request, { action, recording: row?.recording ?? null, details: { review: id, ...details } });
  }
}

const OWN = ["id", "recording", "subject", "text", "state", "made", "closed"] as const;

function ownOf({ made, closed, ...row }: { made: Date; closed: Date | null; [key: string]: unknown }) {
  return { ...row, made: made.toISOString(), closed: closed?.toISOString() ?? null };
}
