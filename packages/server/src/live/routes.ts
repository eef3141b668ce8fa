import type { FastifyInstance } from "fastify";
import type { WebSocket } from "ws";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { problemOf } from "../problem.ts";
import { socketRoute } from "../http/sockets.ts";
import { newId } from "../ids.ts";
import { FOLDER, Leases, type Progress, topicOf } from "./leases.ts";
import { LiveRecordings } from "./live-recordings.ts";
import type { Report, Surroundings } from "./live-recording.ts";
import { SegmentRecordings } from "./segments.ts";
import { bodyOf, messagesOf, type Sender } from "./sender.ts";

/** Live recordings: the id in the catalog, and the name of the folder. */
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
  next: Type.Union([Type.String(), Type.Null()], { description: "the value of `after` for the next page" }),
});
/** What a recorder on another machine does with the files of its recording; `LIST`: lists all of them. */
const FILE_OPERATIONS = [
  [
    "LIST",
    "List the files of a live recording",
    "For a recorder on another machine: gives names, sizes and etags. `after` leads to the next page.",
  ],
  [
    "GET",
    "Read a file of a live recording",
    "For a recorder on another machine. Answers range requests and conditional requests; HEAD gives size and etag.",
  ],
  [
    "PUT",
    "Write a file of a live recording",
    "For a recorder on another machine. `if-match` and `if-none-match` decide who may write.",
  ],
  [
    "DELETE",
    "Delete a file of a live recording",
    "For a recorder on another machine. `if-match` protects a newer file.",
  ],
] as const;
const OPTIONS = Type.Object({
  lenient: Type.Boolean({ default: false, description: "skip bad lines, and count them" }),
});
const REPORT = Type.Object({
  recording: Type.String(),
  page: Type.String(),
  outcome: Type.String({ description: "open: the recording continues when the sender connects again" }),
  seconds: Type.Number(),
  committedSeconds: Type.Number({ description: "everything before this time survives every crash" }),
  bytes: Type.Number(),
  lines: Type.Integer(),
  skipped: Type.Integer(),
  dropped: Type.Record(Type.String(), Type.Integer()),
});

type Named = { Params: Static<typeof NAME>; Querystring: Static<typeof OPTIONS> };

/** Requires a token for live recordings, or a member of the staff. */
const RIGHT = { role: "recorder", scope: "live", session: "staff" } as const;
/** Most bytes of a segment, with its frames. */
const LARGEST_FILE = 32 << 20;
/** Most bytes of a message of lines, and of a message from a client that only watches. */
const LONGEST_LINES = 4 << 20;
const LONGEST_WORD = 1024;
/** Most bytes that may wait for a client that does not read. */
const MOST_WAITING = 64 << 10;
/** Milliseconds between two messages that say to a sender how many seconds of its recording are safe. */
const SAY_EVERY = 1000;

declare module "fastify" {
  interface FastifyInstance {
    /**
     * Begins a review when a sender reports a subject: the part of the server that has the reviews sets this function.
     */
    takeReport: Surroundings["report"];
    /** Throws `Problem` for a report that the sender may not make. */
    judgeReport: Surroundings["judge"];
  }
}

/** Live recordings: a simulator sends lines, and users watch the recording while it grows. */
export function liveRoutes(app: FastifyInstance, context: Context): void {
  const { query, jobs, bus, library, log, settings } = context;
  const leases = new Leases(query, jobs, bus, newId(), settings.liveAtOnce);
  const live = new LiveRecordings({
    store: library.store(FOLDER),
    leases,
    bus,
    log,
    silence: settings.liveSilence * 1000,
    report: (...what) => app.takeReport(...what),
    judge: (...what) => app.judgeReport(...what),
  });
  const segments = new SegmentRecordings(context, leases);
  const recordings = Recordings.of(context);
  app.addHook("preClose", () => live.close());
  app.addHook("onReady", () => jobs.add("live", "library"));

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // the lines are read while they arrive
    scope.addContentTypeParser("*", (_, payload, done) => done(null, payload));
    scope.post<Named & { Reply: Report }>(
      "/api/live/:id",
      {
        config: { ...RIGHT, isLong: true },
        schema: {
          summary: "Record live from lines of JSON",
          description:
            "Records what a simulator sends, line by line, while it sends. The answer says what was recorded. The lines are described in docs/line-protocol.md.",
          params: NAME,
          querystring: OPTIONS,
          response: { 200: REPORT },
        },
      },
      async (request) => {
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
    for (const [method, summary, description] of FILE_OPERATIONS) {
      const isList = method === "LIST";
      scope.route<{ Params: Static<typeof FILE>; Querystring: Static<typeof LIST>; Body: Buffer }>({
        method: isList ? "GET" : method === "GET" ? ["GET", "HEAD"] : method,
        exposeHeadRoute: false,
        url: `/api/live/:id/files${isList ? "" : "/:name"}`,
        bodyLimit: LARGEST_FILE,
        config: RIGHT,
        schema: {
          summary,
          description,
          params: isList ? NAME : FILE,
          ...(isList ? { querystring: LIST, response: { 200: FILES } } : FILE_BYTES),
        },
        handler: async (request, reply) => {
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
    config: RIGHT,
    schema: {
      summary: "Record live over a WebSocket",
      description: "Takes the lines of `POST /api/live/{id}` as messages.",
      params: NAME,
      querystring: OPTIONS,
    },
    longest: LONGEST_LINES,
    prepare: async (request) => {
      const { id } = request.params as Named["Params"];
      const { lenient } = request.query as Named["Querystring"];
      await leases.check(id, request.person);
      return (socket) => {
        const sender: Sender = { person: request.person, isLenient: lenient, ...messagesOf(socket) };
        // a later message replaces an earlier one: a client that does not read misses those in between
        const say = (what: object): void => {
          if (hasRoom(socket)) socket.send(JSON.stringify(what));
        };
        let sentSeconds = -1;
        const saying = setInterval(() => {
          const seconds = live.committedSeconds(id);
          if (seconds === null || seconds === sentSeconds) return;
          sentSeconds = seconds;
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
            // otherwise its answer to the close would not be read
            socket.resume();
            socket.close(1000);
          });
      };
    },
  });

  socketRoute(app, {
    url: "/api/recordings/:id/socket",
    config: { role: "viewer" },
    schema: {
      summary: "Follow a live recording over a WebSocket",
      description: "Sends how many seconds can be read, whenever that changes, and `ended` at the end.",
      params: ID,
    },
    longest: LONGEST_WORD,
    check: (request) => recordings.find((request.params as Static<typeof ID>).id, request),
    prepare: async (request) => {
      const { id } = await recordings.find((request.params as Static<typeof ID>).id, request);
      return (socket) => {
        let most = 0;
        const say = (message: string): void => {
          const { state, seconds } = JSON.parse(message) as Progress;
          // the first read may be older than the messages that came since
          if (socket.readyState !== socket.OPEN || (state === "live" && seconds < most)) return;
          most = seconds;
          if (hasRoom(socket)) socket.send(message);
          if (state === "ended") socket.close(1000);
        };
        // subscribe before the first read, so that the end is not missed
        socket.once("close", bus.subscribe(topicOf(id), say));
        progressOf(query, id).then(
          (progress) => say(JSON.stringify(progress)),
          () => socket.close(1011, "the database cannot be reached"),
        );
      };
    },
  });
}

/** Resolves to whether the socket is open and has taken most of what was sent before. */
function hasRoom(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_WAITING;
}

async function progressOf(query: Query, id: string): Promise<Progress> {
  const { state, seconds, bytes } = await query
    .selectFrom("recordings")
    .select(["state", "seconds", "bytes"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return { state: state === "live" ? "live" : "ended", seconds: seconds ?? 0, bytes };
}
