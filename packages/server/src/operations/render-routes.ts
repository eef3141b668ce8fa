import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { Audit } from "../people/audit.ts";
import { Problem } from "../problem.ts";
import { NEW_JOB } from "./new-job.ts";
import { RENDER, type Render } from "./render-shapes.ts";

/** A route that gives pictures and videos of recordings. */
export function renderRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.post<{ Params: Static<typeof ID>; Body: Render }>(
    "/api/recordings/:id/renders",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Render a recording",
        description:
          "Starts a job that draws a picture or a video of the recording, with its world. The machine of the server needs Chromium, Chrome or Edge. The result names the file, which `GET /api/jobs/{id}/files/{name}` gives for a day. A node renders one recording at a time.",
        params: ID,
        body: RENDER,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const recording = await recordings.find(request.params.id, request);
      checkRender(request.body);
      await audit.noteRead(request, recording);
      const digest = createHash("sha256").update(JSON.stringify(request.body)).digest("hex").slice(0, 32);
      const subject = `${recording.id} ${request.body.to} ${digest}`;
      const id = await jobs.begin("render", subject, { input: { recording: recording.id, ...request.body } });
      return reply.code(202).send({ id });
    },
  );
}

/** Throws `Problem` for what does not go together. */
function checkRender({ to, at, from, until, size }: Render): void {
  if (to === "png" && (at === undefined || from !== undefined || until !== undefined))
    throw new Problem(400, "a picture is of one time: give at, without from and until");
  if (to !== "png" && at !== undefined) throw new Problem(400, "at is of a picture: give from and until");
  if ((to === "mp4" || to === "webm") && size !== undefined && size.split("x").some((side) => Number(side) % 2 !== 0))
    throw new Problem(400, `a video has even sides, not ${size}`);
}
