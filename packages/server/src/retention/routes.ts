import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { Audit } from "../people/audit.ts";
import { askForPlan, askToApply, policyOf, unmarked } from "./retention.ts";

const HOLD = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 1000 }) },
  { examples: [{ reason: "evidence in a review" }] },
);
const HOLD_ID = Type.Object({ id: Type.String({ maxLength: 64 }), hold: Type.String({ maxLength: 64 }) });
const RUN = Type.Object(
  { plan: Type.String({ maxLength: 64, description: "id of the plan that was looked at" }) },
  { examples: [{ plan: "06f2x6q8h7nq" }] },
);
const MADE = Type.Object({ id: Type.String() });
const PENDING = Type.Object({ id: Type.String(), state: Type.Enum(["making", "applying"]) });
const TEXT = Type.Union([Type.String(), Type.Null()]);
const CONTENT = Type.Object({
  judged: Type.String({ description: "when the library was compared with the policy" }),
  recordings: Type.Integer(),
  kept: Type.Integer(),
  going: Type.Integer({ description: "recordings that are deleted" }),
  bytesGoing: Type.Number(),
  warnings: Type.Array(Type.String()),
  rows: Type.Array(
    Type.Object({
      recording: Type.Union([Type.String(), Type.Null()], { description: "its id in the catalog" }),
      id: Type.String(),
      class: TEXT,
      bytes: Type.Number(),
      ended: Type.String(),
      decision: Type.Enum(["keep", "delete"]),
      reason: Type.String(),
      marked: Type.Union([Type.String(), Type.Null()], { description: "when it was marked for deletion" }),
    }),
    { description: "what is deleted or doubtful, then what is kept; 5,000 rows at most" },
  ),
});
const PLAN = Type.Object({
  id: Type.String(),
  policy: Type.String({ description: "SHA-256 of the policy that it follows" }),
  state: Type.Enum(["making", "ready", "applying", "applied", "failed"]),
  content: Type.Union([CONTENT, Type.Null()], { description: "what is deleted, and why; null until it is known" }),
  error: TEXT,
  made: Type.String(),
  ended: TEXT,
});
const PLANS = { response: { 200: PLAN, 202: PENDING } };
const HOLDS = Type.Object({
  holds: Type.Array(Type.Object({ id: Type.String(), reason: Type.String(), review: TEXT, made: Type.String() })),
});

const ALL_HOLDS = Type.Object({
  holds: Type.Array(
    Type.Object({
      id: Type.String(),
      recording: Type.String(),
      name: Type.String({ description: "name of the recording" }),
      reason: Type.String(),
      review: TEXT,
      made: Type.String(),
    }),
  ),
});
const POLICY = Type.Object({
  file: TEXT,
  policy: Type.Unknown({ description: "as docs/retention.md describes; null: the server has none" }),
  error: Type.Union([Type.String(), Type.Null()], { description: "why it cannot be followed" }),
  hours: Type.Number({ description: "hours between scheduled runs; 0: there are none" }),
});
/** Most holds in a list. */
const MOST_HOLDS = 500;

/** Routes for retention: plans, their runs, and holds. */
export function retentionRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings, jobs } = context;
  const audit = new Audit(query);
  if (settings.retention !== null && settings.retentionHours > 0)
    app.addHook("onReady", async () => {
      await policyOf(context);
      await jobs.add("retention", "library");
    });

  app.get(
    "/api/retention/policy",
    {
      config: { role: "staff" },
      schema: {
        summary: "Get the retention policy",
        description: "Gives the policy file that the server was started with, and says whether it can be followed.",
        response: { 200: POLICY },
      },
      serializerCompiler: asIs,
    },
    async () => {
      const { retention: file, retentionHours: hours } = settings;
      if (file === null) return { file, policy: null, error: null, hours };
      try {
        return { file, policy: (await policyOf(context)).policy, error: null, hours };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return { file, policy: null, error: error.message, hours };
      }
    },
  );

  app.get(
    "/api/holds",
    {
      config: { role: "staff" },
      schema: {
        summary: "List holds",
        description:
          "Gives all holds of the library, the newest first. A recording on hold is neither deleted nor erased.",
        response: { 200: ALL_HOLDS },
      },
      serializerCompiler: asIs,
    },
    async () => ({
      holds: await query
        .selectFrom("holds")
        .innerJoin("recordings", "recordings.id", "holds.recording")
        .select(["holds.id", "holds.recording", "recordings.name", "holds.reason", "holds.review", "holds.made"])
        .orderBy("holds.made", "desc")
        .limit(MOST_HOLDS)
        .execute(),
    }),
  );

  app.get(
    "/api/retention/plan",
    {
      config: { role: "staff" },
      schema: {
        summary: "Get the newest retention plan",
        description: "Says what the policy would delete, and why. Starts a plan and answers 202 when there is none.",
        ...PLANS,
      },
      serializerCompiler: asIs,
    },
    async (_, reply) => {
      const row = await query
        .selectFrom("retention_plans")
        .selectAll()
        .orderBy("made", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row !== undefined) return row;
      return reply.code(202).send({ id: await askForPlan(context), state: "making" });
    },
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/retention/plans/:id",
    {
      config: { role: "staff" },
      schema: {
        summary: "Get a retention plan",
        description: "Gives the plan, and its result once it has run.",
        params: ID,
        response: { 200: PLAN },
      },
      serializerCompiler: asIs,
    },
    async ({ params }) => {
      const row = await query.selectFrom("retention_plans").selectAll().where("id", "=", params.id).executeTakeFirst();
      if (row === undefined) throw notFound("the plan");
      return row;
    },
  );

  app.post(
    "/api/retention/plan",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Start a retention plan",
        description: "Compares the library with the policy in a job. Changes no recording.",
        response: { 202: PENDING },
      },
    },
    async (_, reply) => reply.code(202).send({ id: await askForPlan(context), state: "making" }),
  );

  app.post<{ Body: Static<typeof RUN> }>(
    "/api/retention/run",
    {
      config: { role: "admin", scope: "admin" },
      schema: {
        summary: "Run a retention plan",
        description:
          "Marks the recordings that are due, and deletes those whose grace period is over. Takes the plan that was looked at, so that nothing else is deleted.",
        body: RUN,
        response: { 202: PENDING },
      },
    },
    async (request, reply) => {
      const { plan } = request.body;
      await askToApply(context, plan);
      await audit.note(request, { action: "retention", details: { plan } });
      return reply.code(202).send({ id: plan, state: "applying" });
    },
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id/holds",
    {
      config: { role: "staff" },
      schema: {
        summary: "List the holds of a recording",
        description: "A recording on hold is neither deleted nor erased.",
        params: ID,
        response: { 200: HOLDS },
      },
      serializerCompiler: asIs,
    },
    async ({ params }) => ({
      holds: await query
        .selectFrom("holds")
        .select(["id", "reason", "review", "made"])
        .where("recording", "=", params.id)
        .orderBy("made")
        .execute(),
    }),
  );

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof HOLD> }>(
    "/api/recordings/:id/holds",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Put a recording on hold",
        description: "The recording is kept, whatever the retention policy says, until the hold is ended.",
        params: ID,
        body: HOLD,
        response: { 201: MADE },
      },
    },
    async (request, reply) => {
      const { id: recording } = request.params;
      const there = await query
        .selectFrom("recordings")
        .select("id")
        .where("id", "=", recording)
        .where("state", "<>", "gone")
        .executeTakeFirst();
      if (there === undefined) throw notFound("the recording");
      const id = newId();
      await query.insertInto("holds").values({ id, recording, reason: request.body.reason }).execute();
      await unmarked(context, recording);
      await audit.note(request, { action: "hold", recording, details: { hold: id } });
      return reply.code(201).send({ id });
    },
  );

  app.delete<{ Params: Static<typeof HOLD_ID> }>(
    "/api/recordings/:id/holds/:hold",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Delete a hold",
        description: "The retention policy applies to the recording again, unless it has another hold.",
        params: HOLD_ID,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: recording, hold } = request.params;
      const { numDeletedRows } = await query
        .deleteFrom("holds")
        .where("id", "=", hold)
        .where("recording", "=", recording)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound("the hold");
      await audit.note(request, { action: "release", recording, details: { hold } });
      return reply.code(204).send();
    },
  );
}
