import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { Recordings, visibleTo } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import { isKnownTag } from "../bytes/conditions.ts";
import type { Context } from "../context.ts";
import { asIs } from "../http/openapi.ts";
import { notFound } from "../problem.ts";
import type { Person } from "../people/person.ts";

const ASKED = Type.Object({
  map: Type.String({ minLength: 1, maxLength: 200, description: "name of the map, or UUID of the world" }),
  top: Type.Integer({ minimum: 1, maximum: 100, default: 3 }),
  subject: Type.Optional(Type.String({ maxLength: 200, description: "only runs of this player: name or UUID" })),
  with: Type.Optional(Type.String({ maxLength: 64, description: "a recording that races against them" })),
});
type Asked = Static<typeof ASKED>;
const TEXT = Type.Union([Type.String(), Type.Null()]);
const GHOSTS = Type.Object({
  ghosts: Type.Array(
    Type.Object({
      recording: Type.String(),
      rank: Type.Integer(),
      map: TEXT,
      world: TEXT,
      seconds: Type.Number(),
      subject: Type.Object({ uuid: Type.String(), name: Type.String() }),
      digest: Type.String(),
      url: Type.String({ description: "URL of the main file" }),
      track: TEXT,
      race: Type.String({
        description: "page on which it races against the best run, or against the recording of `with`",
      }),
    }),
  ),
});
const TRACK = Type.Object(
  { recording: Type.String(), seconds: Type.Number(), step: Type.Number(), unit: Type.String() },
  { additionalProperties: true, description: "further members: a list for each coordinate" },
);

/** The best runs of a map, and their tracks. */
export function ghostRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings } = context;
  const recordings = Recordings.of(context);

  for (const path of ["/ghosts", "/api/ghosts"])
    app.get<{ Querystring: Asked }>(
      path,
      {
        config: { role: "viewer" },
        schema: {
          summary: "List the best runs of a map",
          description:
            "Gives the best run of each player, the fastest first. The answer has links to pages on which the runs race each other.",
          querystring: ASKED,
          response: { 200: GHOSTS },
        },
        serializerCompiler: asIs,
      },
      async ({ person, query: asked }) => ({ ghosts: await best(person, asked) }),
    );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/ghosts/:id/track",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get the track of a run",
        description: "Gives the positions of the runner at a fixed time step, as one list for each coordinate.",
        params: ID,
        response: { 200: TRACK },
      },
      serializerCompiler: asIs,
    },
    async (request, reply) => {
      const { id } = await recordings.find(request.params.id, request);
      const row = await query
        .selectFrom("runs")
        .select(["digest", "step", "track", "milliseconds"])
        .where("recording", "=", id)
        .executeTakeFirst();
      if (row?.track == null) throw notFound("the track");
      const tag = `"${row.digest}"`;
      void reply.header("etag", tag).header("cache-control", "private, max-age=86400");
      if (isKnownTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
      return { recording: id, seconds: row.milliseconds / 1000, step: row.step, unit: "block", ...row.track };
    },
  );

  async function best(person: Person, { map, top, subject, with: other }: Asked) {
    const seen = query
      .selectFrom("recordings")
      .select("id")
      .where("state", "=", "indexed")
      .where(visibleTo(person, settings.public));
    let runs = query
      .selectFrom("runs")
      .distinctOn(["uuid", "runs.name"])
      .select(["recording", "digest", "map", "world", "milliseconds", "uuid", "runs.name", "step"])
      .where((is) => is.or([is("map", "=", map), is("world", "=", map.toLowerCase())]))
      .where("recording", "in", seen)
      .orderBy("uuid")
      .orderBy("runs.name")
      .orderBy("milliseconds")
      .orderBy("recording");
    if (subject !== undefined)
      runs = runs.where(sql<boolean>`(lower(runs.name) = lower(${subject}) or uuid = lower(${subject}))`);
    const rows = await query
      .selectFrom(runs.as("best"))
      .innerJoin("recordings", "recordings.id", "best.recording")
      .selectAll("best")
      .select("recordings.key")
      .orderBy("best.milliseconds")
      .orderBy("best.recording")
      .limit(top)
      .execute();
    return rows.map(({ recording, key, milliseconds, uuid, name, digest, step, ...place }, i) => ({
      ...{ recording, rank: i + 1, ...place, seconds: milliseconds / 1000, subject: { uuid, name }, digest },
      url: `/api/recordings/${recording}/files/${encodeURIComponent(key.split("/").at(-1)!)}`,
      track: step === null ? null : `/api/ghosts/${recording}/track`,
      race: `/r/${other ?? rows[0]!.recording}?ghost=${recording}`,
    }));
  }
}
