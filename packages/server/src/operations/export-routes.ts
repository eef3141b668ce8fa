import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { EXPORT_TARGETS, FORMATS, targetCalled } from "simtape";
import type { FastifyInstance, FastifyReply } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { Disk } from "../disk.ts";
import { PermanentError } from "../jobs/worker.ts";
import { Problem } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { tarEnd, tarHeader, tarPadding } from "../tar.ts";
import { type Export, type ExportedFile, exportInto, type ExportTo, ofWhat, RefusedError } from "./export.ts";
import { EXPORT, EXPORT_QUERY } from "./export-shapes.ts";
import { NEW_JOB } from "./new-job.ts";

/** Bytes of all files of a recording up to which an export is made at once. */
const MOST_BYTES = 32 << 20;
/** Exports that one node makes at once; further ones are jobs. */
const MOST_AT_ONCE = 2;
/** Milliseconds after which an export that should have been made at once becomes a job. */
const TIMEOUT = 30_000;

/** Routes that give recordings in other formats, as tables, and as files for other programs. */
export function exportRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, settings } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  const disk = new Disk(settings);
  let running = 0;

  const begin = (recording: string, input: Export): Promise<number> => {
    const what =
      "format" in input
        ? input.format
        : "to" in input
          ? `to ${[input.to, ...ofWhat(input)].join(" ")}`
          : [input.table, ...ofWhat(input)].join(" ");
    return jobs.begin("export", `${recording} ${shortened(what)}`, { input: { recording, ...input } });
  };

  app.post<{ Params: Static<typeof ID>; Body: Static<typeof EXPORT> }>(
    "/api/recordings/:id/exports",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Export a recording",
        description:
          "Starts a job that converts the recording to another format (`format`), makes a table of it (`table`), or writes a file for other programs (`to`). The result names the files.",
        params: ID,
        body: EXPORT,
        response: { 202: NEW_JOB },
      },
    },
    async (request, reply) => {
      const recording = await recordings.find(request.params.id, request);
      const body = request.body as Export;
      checkExport(body);
      await audit.noteRead(request, recording);
      return reply.code(202).send({ id: await begin(recording.id, body) });
    },
  );

  app.get<{ Params: Static<typeof ID>; Querystring: Static<typeof EXPORT_QUERY> }>(
    "/api/recordings/:id/export",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Download an export of a recording",
        description:
          "Writes a file for other programs and answers with it; a target of several files gives a tar archive. For a recording larger than 32 MiB the answer is 202 with a job, whose result names the files. The same holds while the node makes two other exports, and for an export that takes longer than 30 seconds.",
        params: ID,
        querystring: EXPORT_QUERY,
        response: {
          200: {
            description: "The file",
            content: { "application/octet-stream": { schema: Type.String({ format: "binary" }) } },
          },
          202: { description: "A job makes the files", content: { "application/json": { schema: NEW_JOB } } },
        },
      },
    },
    async (request, reply) => {
      const recording = await recordings.find(request.params.id, request);
      const { columns, ids, ...single } = request.query;
      const input: ExportTo = {
        ...(single as ExportTo),
        ...(columns === undefined ? {} : { columns: [columns].flat() }),
        ...(ids === undefined ? {} : { ids: [ids].flat() }),
      };
      checkExport(input);
      await audit.noteRead(request, recording);
      if (!(await disk.hasRoom())) throw new Problem(507, "the disk is full: nothing was written");
      const asJob = async () => reply.code(202).send({ id: await begin(recording.id, input) });
      const bytes = recording.files.reduce((sum, file) => sum + file.bytes, 0);
      if (bytes > MOST_BYTES || running >= MOST_AT_ONCE) return asJob();
      const folder = join(resolve(settings.data), "exports", `at-once-${randomUUID()}`);
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const late = AbortSignal.timeout(TIMEOUT);
      running++;
      try {
        const signal = AbortSignal.any([gone.signal, late]);
        const { files } = await exportInto(query, settings, recording.id, input, folder, signal);
        return await sendFiles(reply, folder, files, input.to);
      } catch (error) {
        if (late.aborted && !gone.signal.aborted) return asJob();
        if (error instanceof PermanentError)
          throw new Problem(error instanceof RefusedError ? 400 : 422, error.message);
        throw error;
      } finally {
        running--;
      }
    },
  );
}

/** Throws `Problem` for what no export can be. */
function checkExport(input: Export): void {
  if ("format" in input) {
    if (FORMATS.some(({ id }) => id === input.format)) return;
    throw new Problem(400, `no format ${input.format}; there are ${FORMATS.map(({ id }) => id).join(", ")}`);
  }
  if ("to" in input && targetCalled(input.to) === null)
    throw new Problem(400, `no target ${input.to}; there are ${EXPORT_TARGETS.map(({ id }) => id).join(", ")}`);
  if (input.set !== undefined && input.channel !== undefined)
    throw new Problem(400, "a table is of a set or of a channel, not of both");
}

/** Sends the file, or a tar archive of several. The folder is removed when all is sent, or the client is gone. */
async function sendFiles(
  reply: FastifyReply,
  folder: string,
  files: readonly ExportedFile[],
  to: string,
): Promise<FastifyReply> {
  const [first] = files;
  if (first === undefined) throw new Error("the command wrote no file");
  const isOne = files.length === 1;
  const name = isOne ? first.name : `${first.name.replace(/\.[^.]+$/, "")}.tar`;
  const content = isOne ? createReadStream(join(folder, first.name)) : Readable.from(archiveOf(folder, files));
  content.once("close", () => void rm(folder, { recursive: true, force: true }).catch(() => undefined));
  void reply.header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
  if (isOne) void reply.header("content-length", first.bytes);
  return reply
    .type(isOne ? mediaTypeOf(to) : "application/x-tar")
    .header("cache-control", "private, no-cache")
    .send(content);
}

function mediaTypeOf(to: string): string {
  return targetCalled(to)?.mediaType ?? "application/octet-stream";
}

async function* archiveOf(folder: string, files: readonly ExportedFile[]): AsyncGenerator<Uint8Array> {
  for (const { name, bytes } of files) {
    yield tarHeader(name, bytes);
    yield* createReadStream(join(folder, name)) as AsyncIterable<Uint8Array>;
    yield tarPadding(bytes);
  }
  yield tarEnd();
}

/** Jobs of different tables need different subjects, which are in an index and must not be long. */
function shortened(words: string): string {
  if (words.length <= 200) return words;
  return `${words.slice(0, 100)}… ${createHash("sha256").update(words).digest("hex").slice(0, 32)}`;
}
