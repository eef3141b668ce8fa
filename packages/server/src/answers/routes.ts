import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TObject, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { Problem } from "../http/problem.ts";
import { Audit } from "../people/audit.ts";
import type { Question } from "./question.ts";
import { Readers } from "./readers.ts";
import { EVENTS, SERIES, STATE } from "./shapes.ts";

const TIME = Type.String({ maxLength: 100, description: "12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z" });
const SAME = Type.Null({ description: "it is the same still" });
const NAME = Type.String({ maxLength: 500 });
/** One, or given more than once. */
const NAMES = Type.Union([NAME, Type.Array(NAME, { maxItems: 50 })]);

const EVENTS_QUERY = Type.Object({
  kind: Type.Optional(NAMES),
  who: Type.Optional(NAME),
  from: Type.Optional(TIME),
  until: Type.Optional(TIME),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 }),
  cursor: Type.Optional(Type.String({ maxLength: 40 })),
});
const SERIES_QUERY = Type.Object({
  path: NAMES,
  from: Type.Optional(TIME),
  until: Type.Optional(TIME),
  points: Type.Integer({ minimum: 1, maximum: 20_000, default: 1000, description: "steps of the range" }),
  mode: Type.Union([Type.Literal("minmax"), Type.Literal("sample")], {
    default: "minmax",
    description: "of each step first, least, most and last, or what held as it began",
  }),
});
const STATE_QUERY = Type.Object({
  at: TIME,
  path: Type.Optional(Type.Union([NAME, Type.Array(NAME, { maxItems: 50 })], { description: "globs: vehicles/*" })),
});

/** What is in a recording, without reading its bytes. */
export function answerRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings, log } = context;
  const recordings = new Recordings(context);
  const audit = new Audit(query);
  const readers = new Readers(settings, log);
  app.addHook("preClose", () => readers.close());
  app.addSchema(EVENTS);
  app.addSchema(SERIES);
  app.addSchema(STATE);

  const add = <Q extends TObject>(
    name: "events" | "series" | "state",
    summary: string,
    querystring: Q,
    answerName: string,
    questionOf: (query: Static<Q>) => Question,
  ): void => {
    app.get<{ Params: Static<typeof ID> }>(
      `/api/recordings/:id/${name}`,
      {
        config: { role: "viewer" },
        schema: { summary, params: ID, querystring, response: { 200: Type.Ref(answerName), 304: SAME } },
        // it is text already
        serializerCompiler: () => (text) => text as string,
      },
      async (request, reply) => {
        const found = await recordings.find(request.params.id, request);
        await audit.noteRead(request, found);
        const { id, key, state } = found;
        const stamp = state === "live" ? null : await stampOf(id);
        if (stamp !== null && isKnown(request, reply, stamp)) return reply.code(304).send();
        const question = { ...questionOf(request.query as Static<Q>), isCsv: isCsv(request) };
        const text = await readers.ask({ id, key, stamp }, question, goneOf(reply));
        return reply.type(`${isCsv(request) ? "text/csv" : "application/json"}; charset=utf-8`).send(text);
      },
    );
  };

  add("events", "what happened in it, page by page", EVENTS_QUERY, "Events", (asked) => {
    const { kind, ...more } = asked;
    return { of: "events", ...more, kinds: listOf(kind) };
  });
  add("series", "numbers and texts over time", SERIES_QUERY, "Series", ({ path, ...more }) => {
    return { of: "series", ...more, paths: listOf(path) };
  });
  add("state", "what holds at a time", STATE_QUERY, "State", ({ at, path }) => {
    return { of: "state", at, paths: listOf(path) };
  });

  /** Changes with the files of a recording. */
  async function stampOf(id: string): Promise<string> {
    const row = await query.selectFrom("recordings").select("stamp").where("id", "=", id).executeTakeFirst();
    if (row === undefined) throw new Problem(404, "the recording is not here, or not for you");
    return row.stamp;
  }
}

function listOf(names: string | readonly string[] | undefined): readonly string[] {
  if (names === undefined) return [];
  return typeof names === "string" ? [names] : names;
}

/** Whether the one who asks has the answer already; sets its ETag. */
function isKnown(request: FastifyRequest, reply: FastifyReply, stamp: string): boolean {
  const digest = createHash("sha256")
    .update(`${stamp}\n${request.url}\n${isCsv(request)}`)
    .digest("base64url")
    .slice(0, 22);
  const tag = `"${digest}"`;
  void reply.header("etag", tag).header("cache-control", "private, no-cache").header("vary", "accept");
  return request.headers["if-none-match"]?.split(",").some((one) => one.trim() === tag) === true;
}

/** Aborted when the connection ends before there is an answer. */
function goneOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  return controller.signal;
}

/** Series can be had as rows, too. */
function isCsv({ headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.endsWith("/series") === true && headers.accept?.includes("text/csv") === true;
}
