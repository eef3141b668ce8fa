import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TObject, Type } from "typebox";
import { isKnownTag } from "../bytes/conditions.ts";
import { Recordings } from "../catalog/access.ts";
import { EXPRESSION } from "../catalog/search/expression.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import type { Question } from "./question.ts";
import { Readers } from "./readers.ts";
import { EVENTS, EXPORT_TARGETS_SHAPE, SERIES, STATE, WHEN } from "./shapes.ts";

const TIME = Type.String({
  maxLength: 100,
  description: "12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z",
  examples: ["12.5"],
});
const SAME = Type.Null({ description: "The answer has not changed" });
const NAME = Type.String({ maxLength: 500 });
/** One value, or the parameter given more than once. */
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
  points: Type.Integer({ minimum: 1, maximum: 20_000, default: 1000, description: "number of steps in the range" }),
  mode: Type.Union([Type.Literal("minmax"), Type.Literal("sample")], {
    default: "minmax",
    description: "minmax: the first, least, greatest and last value of each step; sample: the value at its start",
  }),
});
const EVENTS_WORDS = {
  summary: "List the events of a recording",
  description: "Gives what happened in the recording, by time, in pages. `Accept: text/csv` gives a table.",
};
const SERIES_WORDS = {
  summary: "Get numbers over time",
  description:
    "Gives the values of paths over time. With `points` fewer than the recording has, each step has one or some values. `Accept: text/csv` gives a table.",
};
const STATE_WORDS = {
  summary: "Get the state at a time",
  description: "Gives all values and sets at a time, or those that the globs in `path` match.",
};
const WHEN_WORDS = {
  summary: "Find when an expression is true",
  description:
    "Gives the intervals in which an expression over the paths of the recording is true, how many there are, and how long they are together. An expression that is wrong, or names what the recording does not have, is answered with 400, its `code` and an `excerpt` with carets.",
};
const TARGETS_WORDS = {
  summary: "List the targets of an export",
  description: "Gives the targets of `to` in an export, and what of this recording each can carry.",
};
const STATE_QUERY = Type.Object({
  at: TIME,
  path: Type.Optional(Type.Union([NAME, Type.Array(NAME, { maxItems: 50 })], { description: "globs: vehicles/*" })),
});

const WHEN_QUERY = Type.Object({
  where: EXPRESSION,
  from: Type.Optional(TIME),
  until: Type.Optional(TIME),
  limit: Type.Integer({ minimum: 0, maximum: 10_000, default: 1000, description: "most intervals; all are counted" }),
});

/** Routes for the content of a recording, for clients that do not read its bytes. */
export function answerRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings, log } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  const readers = new Readers(settings, log);
  app.addHook("preClose", () => readers.close());
  app.addSchema(EVENTS);
  app.addSchema(SERIES);
  app.addSchema(STATE);
  app.addSchema(WHEN);
  app.addSchema(EXPORT_TARGETS_SHAPE);

  const add = <Q extends TObject>(
    name: "events" | "series" | "state" | "when" | "export/targets",
    words: { readonly summary: string; readonly description: string },
    querystring: Q,
    answerName: string,
    questionOf: (query: Static<Q>) => Question,
  ): void => {
    app.get<{ Params: Static<typeof ID> }>(
      `/api/recordings/:id/${name}`,
      {
        config: { role: "viewer" },
        schema: { ...words, params: ID, querystring, response: { 200: Type.Ref(answerName), 304: SAME } },
        // the answer is already text
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

  add("events", EVENTS_WORDS, EVENTS_QUERY, "Events", (asked) => {
    const { kind, ...more } = asked;
    return { of: "events", ...more, kinds: listOf(kind) };
  });
  add("series", SERIES_WORDS, SERIES_QUERY, "Series", ({ path, ...more }) => {
    return { of: "series", ...more, paths: listOf(path) };
  });
  add("state", STATE_WORDS, STATE_QUERY, "State", ({ at, path }) => {
    return { of: "state", at, paths: listOf(path) };
  });
  add("when", WHEN_WORDS, WHEN_QUERY, "When", (asked) => ({ of: "when", ...asked }));
  add("export/targets", TARGETS_WORDS, Type.Object({}), "ExportTargets", () => ({ of: "targets" }));

  /** Changes whenever the files of a recording change. */
  async function stampOf(id: string): Promise<string> {
    const row = await query.selectFrom("recordings").select("stamp").where("id", "=", id).executeTakeFirst();
    if (row === undefined) throw new Problem(404, "the recording does not exist, or you may not see it");
    return row.stamp;
  }
}

function listOf(names: string | readonly string[] | undefined): readonly string[] {
  if (names === undefined) return [];
  return typeof names === "string" ? [names] : names;
}

/** Whether the client already has the answer; sets the ETag. */
function isKnown(request: FastifyRequest, reply: FastifyReply, stamp: string): boolean {
  const digest = createHash("sha256")
    .update(`${stamp}\n${request.url}\n${isCsv(request)}`)
    .digest("base64url")
    .slice(0, 22);
  const tag = `"${digest}"`;
  void reply.header("etag", tag).header("cache-control", "private, no-cache").header("vary", "accept");
  return isKnownTag(request.headers["if-none-match"], tag);
}

/** A signal that is aborted when the connection ends before the answer. */
function goneOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  return controller.signal;
}

/** Series can also be answered as rows. */
function isCsv({ headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.endsWith("/series") === true && headers.accept?.includes("text/csv") === true;
}
