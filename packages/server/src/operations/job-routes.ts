import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { hasRole } from "../people/person.ts";
import { exportFolder } from "./export.ts";
import { NEW_JOB } from "./new-job.ts";

const STATES = ["waiting", "running", "done", "failed", "cancelled"] as const;

const JOB = Type.Object(
  {
    id: Type.Number(),
    kind: Type.String(),
    subject: Type.String({ description: "id of the recording or other thing that it is about" }),
    state: Type.Union(STATES.map((state) => Type.Literal(state))),
    attempts: Type.Number({ description: "number of attempts" }),
    progress: Type.Number({ description: "0 to 1" }),
    error: Type.Union([Type.String(), Type.Null()]),
    result: Type.Any(),
    made: Type.String(),
    due: Type.String(),
    ended: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "Job" },
);

const LIST = Type.Object({
  state: Type.Optional(Type.Union(STATES.map((state) => Type.Literal(state)))),
  kind: Type.Optional(Type.String({ maxLength: 64 })),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  before: Type.Optional(Type.Integer({ minimum: 1, description: "only jobs with a lower id, for the next page" })),
});

const JOB_ID = Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) });
const JOB_FILE = Type.Object({ ...JOB_ID.properties, name: Type.String({ maxLength: 300 }) });

const COLUMNS = [
  "id",
  "kind",
  "subject",
  "state",
  "attempts",
  "progress",
  "error",
  "result",
  "made",
  "due",
  "ended",
] as const;

/** Routes for jobs: their progress, and new jobs for a recording. */
export function jobRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, settings } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.addSchema(JOB);

  /** The job, if it belongs to recordings that this person may read; the staff see all jobs. Throws `Problem`. */
  const find = async (id: number, request: FastifyRequest) => {
    const job = await query
      .selectFrom("jobs")
      .select([...COLUMNS, "input"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (job === undefined) throw notFound("the job");
    if (hasRole(request.person, "staff")) return job;
    const { recording = job.subject, other = null } = job.input as { recording?: string; other?: string | null };
    for (const id of other === null ? [recording] : [recording, other])
      await recordings.find(id, request).catch(() => {
        throw notFound("the job");
      });
    return job;
  };

  app.get<{ Querystring: Static<typeof LIST> }>(
    "/api/jobs",
    {
      config: { role: "staff" },
      schema: {
        summary: "List jobs",
        description: "Gives the newest jobs first. `before` leads to the next page.",
        querystring: LIST,
        response: { 200: Type.Object({ jobs: Type.Array(Type.Ref("Job")) }) },
      },
    },
    async ({ query: { state, kind, limit, before } }) => {
      let rows = query.selectFrom("jobs").select(COLUMNS).orderBy("id", "desc").limit(limit);
      if (state !== undefined) rows = rows.where("state", "=", state);
      if (kind !== undefined) rows = rows.where("kind", "=", kind);
      if (before !== undefined) rows = rows.where("id", "<", before);
      return { jobs: await rows.execute() };
    },
  );

  app.get<{ Params: Static<typeof JOB_ID> }>(
    "/api/jobs/:id",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get a job",
        description:
          "Gives the progress of the job, and its result or error once it has ended. Users see the jobs of recordings that they may read.",
        params: JOB_ID,
        response: { 200: Type.Ref("Job") },
      },
    },
    (request) => find(request.params.id, request),
  );

  for (const [verb, summary, description, done] of [
    ["cancel", "Cancel a job", "Stops a job that runs, or removes one that waits.", (id: number) => jobs.cancel(id)],
    ["retry", "Retry a job", "Only a job that failed or was cancelled can be retried.", (id: number) => jobs.retry(id)],
  ] as const)
    app.post<{ Params: Static<typeof JOB_ID> }>(
      `/api/jobs/:id/${verb}`,
      {
        config: { role: "staff", scope: "write" },
        schema: { summary, description, params: JOB_ID, response: { 200: Type.Ref("Job") } },
      },
      async (request) => {
        const { id } = request.params;
        const { state } = await find(id, request);
        if (!(await done(id))) throw new Problem(409, `the job is ${state}`);
        await audit.note(request, { action: `job.${verb}`, details: { job: id } });
        return find(id, request);
      },
    );

  app.get<{ Params: Static<typeof JOB_FILE> }>(
    "/api/jobs/:id/files/:name",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Download a file that a job made",
        description: "The file can be downloaded for a day. Answers range requests.",
        params: JOB_FILE,
        ...FILE_BYTES,
      },
    },
    async (request, reply) => {
      const { id, name } = request.params;
      const { result } = await find(id, request);
      const files = (result as { files?: readonly { name: string }[] } | null)?.files ?? [];
      if (!files.some((file) => file.name === name)) throw notFound("the file");
      const path = join(exportFolder(settings, id), name);
      const found = await stat(path).catch(() => null);
      if (found === null) throw new Problem(410, "the file is gone: exports are kept for a day");
      void reply.header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
      return reply.type("application/octet-stream").header("content-length", found.size).send(createReadStream(path));
    },
  );

  app.post<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id/check",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Check a recording",
        description: "Starts a job that reads the whole recording. Its result lists the findings.",
        params: ID,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const { id } = await recordings.find(request.params.id, request);
      return reply.code(202).send({ id: await jobs.begin("check", id) });
    },
  );
}
