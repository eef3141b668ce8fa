import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { FORMATS } from "simtape";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { hasRole } from "../people/person.ts";
import { exportFolder, ofWhat } from "./export.ts";

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
const NEW_JOB = Type.Object({ id: Type.Number({ description: "see /api/jobs/{id}" }) });

const time = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

const EXPORT = Type.Union(
  [
    Type.Object(
      { format: Type.String({ maxLength: 64, description: "id of a format that simtape writes" }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        table: Type.Union([Type.Literal("csv"), Type.Literal("ndjson"), Type.Literal("parquet")]),
        set: Type.Optional(
          Type.String({ minLength: 1, maxLength: 300, description: "table of the things of this set" }),
        ),
        channel: Type.Optional(
          Type.String({ minLength: 1, maxLength: 300, description: "table of the messages of this channel" }),
        ),
        columns: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
            minItems: 1,
            maxItems: 500,
            description: "only these columns; position means position.x, position.y and position.z",
          }),
        ),
        ids: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
            minItems: 1,
            maxItems: 500,
            description: "only these things of the set",
          }),
        ),
        from: Type.Optional(time("first time, inclusive")),
        until: Type.Optional(time("last time, exclusive")),
        every: Type.Optional(time("of a set: rows at this interval instead of at recorded moments: 50ms")),
        axes: Type.Optional(
          Type.Union(
            ["source", "standard", "right-y", "left-z", "left-y"].map((name) => Type.Literal(name)),
            { description: "of a set: axes to which positions and rotations are turned, in metres" },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  {
    examples: [
      { format: "hcrp" },
      { table: "csv", set: "vehicles" },
      { table: "parquet", set: "vehicles", columns: ["position"], from: "10s", until: "1m", every: "100ms" },
    ],
  },
);

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
  const recordings = new Recordings(context);
  const audit = new Audit(query);
  app.addSchema(JOB);

  /** The job, if it belongs to a recording that this person may read; the staff see all jobs. Throws `Problem`. */
  const find = async (id: number, request: FastifyRequest) => {
    const job = await query
      .selectFrom("jobs")
      .select([...COLUMNS, "input"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (job === undefined) throw notFound("the job");
    if (hasRole(request.person, "staff")) return job;
    const { recording = job.subject } = job.input as { recording?: string };
    await recordings.find(recording, request).catch(() => {
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
        summary: "Download a file of an export",
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

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof EXPORT> }>(
    "/api/recordings/:id/exports",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Export a recording",
        description:
          "Starts a job that converts the recording to another format, or makes a table of it. The result names the files.",
        params: ID,
        body: EXPORT,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const recording = await recordings.find(request.params.id, request);
      const { body } = request;
      if ("format" in body && !FORMATS.some(({ id }) => id === body.format))
        throw new Problem(400, `no format ${body.format}; there are ${FORMATS.map(({ id }) => id).join(", ")}`);
      await audit.noteRead(request, recording);
      if ("table" in body && body.set !== undefined && body.channel !== undefined)
        throw new Problem(400, "a table is of a set or of a channel, not of both");
      const what = "format" in body ? body.format : shortened([body.table, ...ofWhat(body)].join(" "));
      const id = await jobs.begin("export", `${recording.id} ${what}`, { input: { recording: recording.id, ...body } });
      return reply.code(202).send({ id });
    },
  );
}

/** Jobs of different tables need different subjects, which are in an index and must not be long. */
function shortened(words: string): string {
  if (words.length <= 200) return words;
  return `${words.slice(0, 100)}… ${createHash("sha256").update(words).digest("hex").slice(0, 32)}`;
}
