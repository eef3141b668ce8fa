import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { Problem, problemOf } from "../http/problem.ts";
import { socketRoute } from "../http/sockets.ts";
import { newId } from "../ids.ts";
import { hasRole } from "../people/person.ts";
import { FOLDER, Leases, type Progress, topicOf } from "./leases.ts";
import { LiveRecordings } from "./live-recordings.ts";
import type { Report, Surroundings } from "./live-recording.ts";
import { SegmentRecordings } from "./segments.ts";
import { bodyOf, messagesOf, type Sender } from "./sender.ts";

/** Of recordings that are made here: the id in the catalog, and the name of the folder. */
const NAME = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: 60, description: "chosen by the sender" }),
});
const FILE = Type.Object({
  ...NAME.properties,
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: 128 }),
});
const LIST = Type.Object({
  prefix: Type.Optional(Type.String({ maxLength: 128 })),
  after: Type.Optional(Type.String({ maxLength: 128 })),
});
const FILES = Type.Object({
  entries: Type.Array(
    Type.Object({
      key: Type.String(),
      size: Type.Number(),
      etag: Type.Union([Type.String(), Type.Null()]),
      modified: Type.Unknown(),
    }),
  ),
  next: Type.Union([Type.String(), Type.Null()], { description: "for `after` of the next page" }),
});
const OPTIONS = Type.Object({
  lenient: Type.Boolean({ default: false, description: "bad lines are skipped and counted" }),
});
const REPORT = Type.Object({
  recording: Type.String(),
  page: Type.String(),
  outcome: Type.String({ description: "open: it goes on when the sender comes again" }),
  seconds: Type.Number(),
  committedSeconds: Type.Number({ description: "all before this survives every crash" }),
  bytes: Type.Number(),
  lines: Type.Integer(),
  skipped: Type.Integer(),
  dropped: Type.Record(Type.String(), Type.Integer()),
});

type Named = { Params: Static<typeof NAME>; Querystring: Static<typeof OPTIONS> };

/** Bytes of a segment at most, with its frames. */
const LARGEST_FILE = 32 << 20;
/** Bytes of a message of lines, and of one to those who only listen. */
const LONGEST_LINES = 4 << 20;
const LONGEST_WORD = 1024;
/** Milliseconds between two words to a sender of how far its recording is safe. */
const SAY_EVERY = 1000;

declare module "fastify" {
  interface FastifyInstance {
    /** Begins a review of what a sender reports: the part that has the reviews sets it. */
    takeReport: Surroundings["report"];
  }
}

/** Recordings that are being made: by lines that a simulator sends, and what those see who watch. */
export function liveRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, bus, library, log, settings } = context;
  const leases = new Leases(query, jobs, bus, newId());
  const live = new LiveRecordings({
    store: library.store(FOLDER),
    leases,
    bus,
    log,
    silence: settings.liveSilence * 1000,
    report: (...what) => app.takeReport(...what),
  });
  const segments = new SegmentRecordings(context, leases);
  const recordings = new Recordings(context);
  app.addHook("preClose", () => live.close());
  app.addHook("onReady", () => jobs.add("live", "library"));

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // the lines are read as they come
    scope.addContentTypeParser("*", (_, payload, done) => done(null, payload));
    scope.post<Named & { Reply: Report }>(
      "/api/live/:id",
      {
        config: { role: "recorder", scope: "live", isLong: true },
        schema: {
          summary: "record what a simulator sends as lines of JSON (docs/line-protocol.md)",
          params: NAME,
          querystring: OPTIONS,
          response: { 200: REPORT },
        },
      },
      async (request) => {
        mayRecord(request);
        const sender: Sender = {
          person: request.person,
          isLenient: request.query.lenient,
          ...bodyOf(request.raw),
        };
        return live.take(request.params.id, sender);
      },
    );
  });

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: LARGEST_FILE }, (_, body, done) =>
      done(null, body),
    );
    for (const url of ["/api/live/:id/files", "/api/live/:id/files/:name"]) {
      const isList = !url.endsWith(":name");
      scope.route<{ Params: Static<typeof FILE>; Querystring: Static<typeof LIST>; Body: Buffer }>({
        method: isList ? ["GET"] : ["GET", "HEAD", "PUT", "DELETE"],
        exposeHeadRoute: false,
        url,
        bodyLimit: LARGEST_FILE,
        config: { role: "recorder", scope: "live" },
        schema: {
          summary: isList ? "files of a recorder elsewhere" : "a file of a recorder elsewhere, with conditions",
          params: isList ? NAME : FILE,
          ...(isList ? { querystring: LIST, response: { 200: FILES } } : FILE_BYTES),
        },
        handler: async (request, reply) => {
          mayRecord(request);
          const { id, name } = request.params;
          const { method, headers, query: asked, body } = request;
          const answer = await segments.answer(id, isList ? null : name, request.person, {
            ...{ method, headers, query: asked },
            body: method === "PUT" ? (body ?? new Uint8Array(0)) : undefined,
          });
          void reply.code(answer.status).headers(answer.headers);
          return reply.send(answer.body === null ? undefined : Buffer.from(answer.body));
        },
      });
    }
  });

  socketRoute(app, {
    url: "/api/live/:id",
    config: { role: "recorder", scope: "live" },
    schema: { summary: "the same over a WebSocket", params: NAME, querystring: OPTIONS },
    longest: LONGEST_LINES,
    prepare: async (request) => {
      mayRecord(request);
      const { id } = request.params as Named["Params"];
      const { lenient } = request.query as Named["Querystring"];
      await leases.check(id, request.person);
      return (socket) => {
        const sender: Sender = { person: request.person, isLenient: lenient, ...messagesOf(socket) };
        const say = (what: object): void => {
          if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(what));
        };
        let told = -1;
        const saying = setInterval(() => {
          const seconds = live.committedSeconds(id);
          if (seconds === null || seconds === told) return;
          told = seconds;
          say({ committedSeconds: seconds });
        }, SAY_EVERY);
        live
          .take(id, sender)
          .then(say, (error: unknown) => {
            const { status, detail } = problemOf(error);
            if (status >= 500) log.error({ request: request.id, error: String(error) }, "live recording failed");
            say({ error: detail, status });
          })
          .finally(() => {
            clearInterval(saying);
            // else its answer to the close would not be read
            socket.resume();
            socket.close(1000);
          });
      };
    },
  });

  socketRoute(app, {
    url: "/api/recordings/:id/socket",
    config: { role: "viewer" },
    schema: { summary: "how far a live recording is, whenever that changes; WebSocket", params: ID },
    longest: LONGEST_WORD,
    prepare: async (request) => {
      const { id } = await recordings.find((request.params as Static<typeof ID>).id, request);
      return (socket) => {
        let most = 0;
        const say = (message: string): void => {
          const { state, seconds } = JSON.parse(message) as Progress;
          // the first look may come behind what was said since
          if (socket.readyState !== socket.OPEN || (state === "live" && seconds < most)) return;
          most = seconds;
          socket.send(message);
          if (state === "ended") socket.close(1000);
        };
        // before the first look, so that its end is not missed
        socket.once("close", bus.subscribe(topicOf(id), say));
        progressOf(query, id).then(
          (progress) => say(JSON.stringify(progress)),
          () => socket.close(1011, "the database cannot be reached"),
        );
      };
    },
  });
}

async function progressOf(query: Query, id: string): Promise<Progress> {
  const { state, seconds, bytes } = await query
    .selectFrom("recordings")
    .select(["state", "seconds", "bytes"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return { state: state === "live" ? "live" : "ended", seconds: seconds ?? 0, bytes };
}

/** A token for it, or staff. Throws `Problem`. */
function mayRecord({ person }: FastifyRequest): void {
  if (person.via !== "token" && !hasRole(person, "staff"))
    throw new Problem(403, "a token with the scope live is needed, or the role staff");
}
