import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Disk } from "../disk.ts";
import { Audit } from "../people/audit.ts";
import { Problem } from "../problem.ts";
import { SqlProcesses } from "./processes.ts";
import { digestOf, type Format, type Source, type StatementLimits } from "./question.ts";
import { SQL, SQL_ANSWER, SQL_TABLES, TABLES_ASKED } from "./shapes.ts";
import { examplesOf, type Readable, sourcesOf } from "./sources.ts";

const MEDIA: Readonly<Record<Format, string>> = {
  json: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file",
};

const FILE = Type.String({ format: "binary" });

/** Routes for questions in SQL about the recordings of the library. */
export function sqlRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings, log } = context;
  const audit = new Audit(query);
  const disk = new Disk(settings);
  const processes = new SqlProcesses(settings, log);
  app.addHook("preClose", () => processes.close());
  app.addSchema(SQL_ANSWER);
  app.addSchema(SQL_TABLES);

  const limits = (rows: number): StatementLimits => ({
    ...{ rows: Math.min(rows, settings.sqlRows), memory: settings.sqlMemory << 20, time: settings.sqlSeconds * 1000 },
  });

  /** Lines for the recordings that were opened, as for every other way to read them. */
  async function noteOpened(request: FastifyRequest, opened: readonly string[], sources: readonly Readable[]) {
    const ids = new Set(opened);
    const read = sources.filter(({ id }) => ids.has(id)).map(({ id, owner }) => ({ id, owner, subjects: [] }));
    await audit.noteReads(request, read);
  }

  app.post<{ Body: Static<typeof SQL> }>(
    "/api/sql",
    {
      config: { role: "staff" },
      schema: {
        summary: "Run a statement of SQL over recordings",
        description:
          "Answers one SELECT about the content of recordings. It only reads, and opens only the recordings that have what it names. The tables are those of `simtape sql`; `recordings` also has the columns id, name, state, summary, owner, collection and added, and `recording` is the path in the library. A problem has a `code`, and `at`, `line` and `column` where the statement is wrong. The headers `simtape-rows`, `simtape-truncated` and `simtape-unread` say how many rows an answer has, whether there are more, and how many recordings could not be read.",
        body: SQL,
        response: {
          200: {
            description: "The answer",
            content: {
              "application/json": { schema: Type.Ref("SqlAnswer") },
              "text/csv": { schema: Type.String() },
              "application/vnd.apache.parquet": { schema: FILE },
              "application/vnd.apache.arrow.file": { schema: FILE },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { sql, recordings, format, limit = settings.sqlRows } = request.body;
      const sources = await sourcesOf(recordings as never, request, context);
      if (!(await disk.hasRoom())) throw new Problem(507, "the disk is full: nothing was written");
      // the sweep of exports removes what a node leaves when it is killed
      const folder = join(resolve(settings.data), "exports", `at-once-${randomUUID()}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const to = join(folder, `answer.${format}`);
      const details = { statement: digestOf(sql), recordings: sources.length, format };
      try {
        const question = { of: "answer" as const, sql, format, sources: sources.map(plain), limits: limits(limit), to };
        const { rows, isTruncated, bytes, opened, unread } = await processes.ask(question, goneOf(reply));
        await noteOpened(request, opened, sources);
        await audit.note(request, { action: "sql", details: { ...details, opened: opened.length, rows } });
        const content = createReadStream(to);
        content.once("close", () => void rm(folder, { recursive: true, force: true }).catch(() => undefined));
        if (format !== "json") void reply.header("content-disposition", `attachment; filename="answer.${format}"`);
        return await reply
          .headers({ "simtape-rows": rows, "simtape-truncated": String(isTruncated), "simtape-unread": unread })
          .headers({ "content-length": bytes, "cache-control": "private, no-store" })
          .type(MEDIA[format])
          .send(content);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        if (error instanceof Problem) {
          const why = typeof error.more["code"] === "string" ? error.more["code"] : String(error.status);
          await audit.note(request, { action: "sql", details: { ...details, refused: why } });
        }
        throw error;
      }
    },
  );

  app.post<{ Body: Static<typeof TABLES_ASKED> }>(
    "/api/sql/tables",
    {
      config: { role: "staff" },
      schema: {
        summary: "List the tables of SQL",
        description:
          "Gives the tables that statements can name, with their columns. It looks at the newest recordings of each format, at most 20, not at all of them.",
        body: TABLES_ASKED,
        response: { 200: Type.Ref("SqlTables") },
      },
    },
    async (request, reply) => {
      const sources = await sourcesOf(request.body.recordings as never, request, context);
      const some = examplesOf(sources);
      const question = { of: "tables" as const, sources: some.map(plain), limits: limits(settings.sqlRows) };
      const { tables, opened } = await processes.ask(question, goneOf(reply));
      await noteOpened(request, opened, sources);
      return { tables, recordings: sources.length, looked: some.length };
    },
  );
}

/** What the process needs of it. */
function plain({ id, key, isIndexed, tags, known, more }: Readable): Source {
  return { id, key, isIndexed, tags, known, more };
}

/** A signal that is aborted when the connection ends before the answer. */
function goneOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  return controller.signal;
}
