import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { Recordings, visibleTo } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { notFound } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { type Analysis, type AnalysisOptions, analysisId } from "./analyse.ts";
import { ANALYSES, ANALYSIS, COMPARE, STATS } from "./analysis-shapes.ts";
import { NEW_JOB } from "./new-job.ts";

/** Most analyses in a list. */
const MOST = 500;

const ONE = Type.Object({ ...ID.properties, analysis: Type.String({ maxLength: 64 }) });
const COLUMNS = [
  "analyses.id",
  "analyses.kind",
  "analyses.recording",
  "analyses.other",
  "options",
  "same",
  "made",
] as const;

/** Routes for statistics of a recording and comparisons of two: jobs find them, and they are kept with the recordings. */
export function analysisRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, settings } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.addSchema(ANALYSES);
  app.addSchema(ANALYSIS);

  const begin = (asked: Analysis): Promise<number> =>
    jobs.begin(asked.kind, `${asked.recording} ${analysisId(asked)}`, { input: { ...asked } });

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof STATS> }>(
    "/api/recordings/:id/stats",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Count the numbers of a recording",
        description:
          "Starts a job that reads the recording and finds extents, means, quantiles, rates and distances, as `simtape stats` does. Its result names the analysis, which is kept with the recording.",
        params: ID,
        body: STATS,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const recording = await recordings.find(request.params.id, request);
      await audit.noteRead(request, recording);
      const options = request.body as AnalysisOptions;
      return reply
        .code(202)
        .send({ id: await begin({ kind: "stats", recording: recording.id, other: null, options }) });
    },
  );

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof COMPARE> }>(
    "/api/recordings/:id/compare",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Compare two recordings",
        description:
          "Starts a job that reads this recording (A) and another one (B) side by side and finds where they differ, as `simtape compare` does. Its result says whether they are the same and names the analysis, which is kept with the recordings.",
        params: ID,
        body: COMPARE,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const { other: named, ...options } = request.body as AnalysisOptions & { readonly other: string };
      const recording = await recordings.find(request.params.id, request);
      const other = await recordings.find(named, request);
      await audit.noteReads(request, [recording, other]);
      const asked = { kind: "compare", recording: recording.id, other: other.id, options } as const;
      return reply.code(202).send({ id: await begin(asked) });
    },
  );

  /**
   * Of a recording that this person may read, as A or as B: those whose other recording they may read, too, and which are of
   * the recordings as they are now.
   */
  const kept = (recording: string, { person }: FastifyRequest) => {
    const readable = query
      .selectFrom("recordings")
      .where("state", "<>", "gone")
      .where(visibleTo(person, settings.public));
    const one = readable.select("recordings.id").where(sql<boolean>`recordings.stamp = analyses.stamps[1]`);
    const other = readable.select("recordings.id").where(sql<boolean>`recordings.stamp = analyses.stamps[2]`);
    return query
      .selectFrom("analyses")
      .where((builder) =>
        builder.or([builder("analyses.recording", "=", recording), builder("analyses.other", "=", recording)]),
      )
      .where((builder) => builder("analyses.recording", "in", one))
      .where((builder) => builder.or([builder("analyses.other", "is", null), builder("analyses.other", "in", other)]));
  };

  app.get<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id/analyses",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List the analyses of a recording",
        description:
          "Gives the statistics and comparisons that jobs have found, the newest first, of the recordings as they are now. A comparison is in the lists of both recordings, for users who may read both.",
        params: ID,
        response: { 200: Type.Ref("Analyses") },
      },
    },
    async (request) => {
      const { id } = await recordings.find(request.params.id, request);
      const analyses = await kept(id, request).select(COLUMNS).orderBy("made", "desc").limit(MOST).execute();
      return { analyses };
    },
  );

  app.get<{ Params: Static<typeof ONE> }>(
    "/api/recordings/:id/analyses/:analysis",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get an analysis of a recording",
        description: "Gives what a job has found: statistics, or where two recordings differ.",
        params: ONE,
        response: { 200: Type.Ref("Analysis") },
      },
      serializerCompiler: asIs,
    },
    async (request) => {
      const recording = await recordings.find(request.params.id, request);
      const found = await kept(recording.id, request)
        .select([...COLUMNS, "result"])
        .where("analyses.id", "=", request.params.analysis)
        .executeTakeFirst();
      if (found === undefined) throw notFound("the analysis");
      const ids = [found.recording, found.other].filter((id) => id !== null && id !== recording.id) as string[];
      const others = await Promise.all(ids.map((id) => recordings.find(id, request)));
      await audit.noteReads(request, [recording, ...others]);
      return found;
    },
  );
}
