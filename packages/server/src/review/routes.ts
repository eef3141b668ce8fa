import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
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

/** Routes for reports, and for the queue of the staff. */
export function reviewRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = Recordings.of(context);
  const reviews = new Reviews(context);
  const audit = new Audit(query);
  app.addSchema(OWN_REPORT);
  app.addSchema(REVIEW);
  app.decorate("judgeReport", (report, { person }) => {
    if (!isTrusted(person) && isJudged(report)) throw new Problem(403, UNTRUSTED);
    app.limits.account("reports", person);
  });
  app.decorate("takeReport", async (recording, { at, seconds = USUAL, ...report }, { person }) => {
    const first = Math.max(0, at - seconds);
    const body = { ...report, text: report.text ?? "", flags: [...(report.flags ?? [])], recording, first };
    const review = await reviews.report(body, report.reporter ?? person.id);
    await audit.add({ who: person.id, role: person.role, action: "report", recording, details: { review } });
  });

  app.post<{ Body: ReportInput }>(
    "/api/reports",
    {
      config: { role: "recorder", scope: ["write", "report:trusted"] },
      schema: {
        summary: "Report a subject of a recording",
        description:
          "Opens a review for the staff, and cuts a clip of the range. Programs with the scope `report:trusted` may give a score and name another reporter.",
        body: REPORT,
        response: { 201: MADE },
      },
    },
    async (request, reply) => {
      const { person, body } = request;
      if (!isTrusted(person) && isJudged(body)) throw new Problem(403, UNTRUSTED);
      await recordings.findReportable(body.recording, request);
      app.limits.account("reports", person);
      const id = await reviews.report(body, body.reporter ?? person.id);
      const { recording } = body;
      await unmarked(context, recording);
      // the report contains names, and it can be erased; lines of the audit cannot
      await audit.note(request, { action: "report", recording, details: { review: id } });
      return reply.code(201).send({ id });
    },
  );

  app.get(
    "/api/reports",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List your reports",
        description: "Gives the reports that the user made, with their state.",
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
      schema: {
        summary: "Get one of your reports",
        description: "Gives a report that the user made, with its state.",
        params: ID,
        response: { 200: Type.Ref("Report") },
      },
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
      schema: {
        summary: "List reviews",
        description: "Gives the queue of the staff: by default those with the highest score first, then the oldest.",
        querystring: QUEUE,
        response: { 200: REVIEWS },
      },
      serializerCompiler: asIs,
    },
    ({ person, query: asked }) =>
      queued(query, asked.assignee === "me" ? { ...asked, assignee: person.id ?? "" } : asked),
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/reviews/:id",
    {
      config: { role: "staff" },
      schema: {
        summary: "Get a review",
        description: "Gives the review with its marks and holds.",
        params: ID,
        response: { 200: Type.Ref("Review") },
      },
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
      schema: {
        summary: "Assign a review",
        description:
          "Without `assignee` the user takes it; `null` gives it back. `from` names who has it now, and must be right when it is taken over.",
        params: ID,
        body: ASSIGN,
        ...CHANGED,
      },
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
      schema: {
        summary: "Add a mark to a review",
        description: "Marks a time of the recording, and optionally a thing in it.",
        params: ID,
        body: MARK,
        response: { 201: MADE },
      },
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
      schema: {
        summary: "Delete a mark of a review",
        description: "Removes the mark from the page of the recording.",
        params: MARK_ID,
        response: { 204: Type.Null() },
      },
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
      schema: {
        summary: "Close a review with a verdict",
        description: "Keeps the verdict, and writes it as a note beside the recording.",
        params: ID,
        body: VERDICT,
        ...CHANGED,
      },
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

  async function mustBeStaff(id: string, person: Person): Promise<void> {
    if (id === person.id) return;
    const row = await query
      .selectFrom("users")
      .select("id")
      .where("id", "=", id)
      .where("role", "in", ["staff", "admin"])
      .where("disabled", "=", false)
      .executeTakeFirst();
    if (row === undefined) throw new Problem(400, "the assignee is not a member of the staff");
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

const UNTRUSTED = "score, flags and reporter are for staff, and for tokens with the scope report:trusted";

function isTrusted({ scopes, via, role }: Person): boolean {
  return scopes.includes("report:trusted") && (via === "token" || hasRole({ role }, "staff"));
}

type Judged = { readonly score?: unknown; readonly flags?: unknown; readonly reporter?: unknown };

/** Whether a report has members that change its place in the queue or its reporter. */
function isJudged({ score, flags, reporter }: Judged): boolean {
  return score !== undefined || flags !== undefined || reporter !== undefined;
}

const OWN = ["id", "recording", "subject", "text", "state", "made", "closed"] as const;

function ownOf({ made, closed, ...row }: { made: Date; closed: Date | null; [key: string]: unknown }) {
  return { ...row, made: made.toISOString(), closed: closed?.toISOString() ?? null };
}
