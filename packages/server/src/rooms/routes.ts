import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../problem.ts";
import { socketRoute } from "../http/sockets.ts";
import { Audit } from "../people/audit.ts";
import { hasRole } from "../people/person.ts";
import { type Clock, newClock } from "./clock.ts";
import { LONGEST_WORD } from "./protocol.ts";
import { Rooms } from "./rooms.ts";
import type { StoredRoom } from "./store.ts";

const NEW_ROOM = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    recordings: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 16, uniqueItems: true }),
  },
  { additionalProperties: false, examples: [{ name: "tuesday", recordings: ["06f2x6q8h7nq"] }] },
);
const ROOM = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    recordings: Type.Array(Type.String()),
    page: Type.String(),
    socket: Type.String({ description: "path of its WebSocket" }),
    mine: Type.Boolean(),
  },
  { $id: "Room" },
);
const NOTE = Type.Object(
  {
    id: Type.String(),
    recording: Type.String(),
    author: Type.String(),
    time: Type.Number({ description: "seconds" }),
    thing: Type.Union([Type.String(), Type.Null()]),
    text: Type.String(),
    made: Type.String(),
  },
  { $id: "Note" },
);

type Identified = { Params: Static<typeof ID> };

/** Most rooms in a list. */
const MOST_ROOMS = 200;

/** Rooms: one clock for all users who watch together, and the notes that they make. */
export function roomRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const rooms = new Rooms(context);
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.decorate("viewers", () => rooms.viewers);
  app.addSchema(ROOM);
  app.addSchema(NOTE);
  app.addHook("onReady", () => rooms.start());
  app.addHook("preClose", async () => rooms.stop());

  /** Throws `Problem` when the room does not exist, or shows a recording that this person may not read. */
  const roomFor = async (id: string, request: FastifyRequest): Promise<StoredRoom> => {
    const room = await rooms.store.find(id);
    if (room === null) throw notFound("the room");
    for (const recording of room.recordings)
      await recordings.find(recording, request).catch((error: unknown) => {
        throw error instanceof Problem && error.status === 404 ? notFound("the room") : error;
      });
    return room;
  };

  app.post<{ Body: Static<typeof NEW_ROOM> }>(
    "/api/rooms",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Create a room",
        description:
          "Users in a room watch its recordings by one clock. The first recording is played, the others are its ghosts.",
        body: NEW_ROOM,
        response: { 201: Type.Ref("Room") },
      },
    },
    async (request, reply) => {
      const { name, recordings: ids } = request.body;
      for (const id of ids) await recordings.find(id, request);
      app.limits.account("rooms", request.person);
      const clock = newClock(await spanOf(context, ids), rooms.time.now());
      const room = await rooms.store.make({ name, recordings: ids, owner: request.person.id }, clock);
      void reply.code(201).header("location", `/api/rooms/${room.id}`);
      return itemOf(room, request);
    },
  );

  app.get(
    "/api/rooms",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List rooms",
        description: "Gives the rooms whose recordings the user may read.",
        response: { 200: Type.Object({ rooms: Type.Array(Type.Ref("Room")) }) },
      },
    },
    async (request) => {
      const found = await Promise.all(
        (await rooms.store.list(MOST_ROOMS)).map((room) => roomIf(room, request, recordings)),
      );
      return { rooms: found.filter((room) => room !== null).map((room) => itemOf(room, request)) };
    },
  );

  app.get<Identified>(
    "/api/rooms/:id",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get a room",
        description: "Gives the recordings of the room, its page and the address of its WebSocket.",
        params: ID,
        response: { 200: Type.Ref("Room") },
      },
    },
    async (request) => itemOf(await roomFor(request.params.id, request), request),
  );

  app.delete<Identified>(
    "/api/rooms/:id",
    {
      config: { role: "viewer", scope: "write" },
      schema: {
        summary: "Delete a room",
        description: "Ends the room for all its users. Only its owner and staff may do so.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const room = await roomFor(request.params.id, request);
      const isOwn = room.owner !== null && room.owner === request.person.id;
      if (!isOwn && !hasRole(request.person, "staff"))
        throw new Problem(403, "only the owner of the room and staff may end it");
      await rooms.remove(room.id);
      return reply.code(204).send();
    },
  );

  socketRoute(app, {
    url: "/api/rooms/:id/socket",
    config: { role: "viewer" },
    schema: {
      summary: "Join a room over a WebSocket",
      description:
        "Sends the clock, the members, chat and notes, and takes changes of them. `RoomClient` of `simtape-server/rooms` has the messages as types.",
      params: ID,
    },
    longest: LONGEST_WORD,
    check: (request) => roomFor((request.params as Static<typeof ID>).id, request),
    prepare: async (request) => {
      const room = await roomFor((request.params as Static<typeof ID>).id, request);
      for (const id of room.recordings) await audit.noteRead(request, await recordings.find(id, request));
      return (socket) => rooms.enter(room).add(socket, request.person);
    },
  });

  app.get<Identified>(
    "/api/recordings/:id/notes",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List the notes of a recording",
        description: "Gives the notes that were made in rooms, by their time in the recording.",
        params: ID,
        response: { 200: Type.Object({ notes: Type.Array(Type.Ref("Note")) }) },
      },
    },
    async (request) => {
      const { id } = await recordings.find(request.params.id, request);
      return { notes: await rooms.store.notes([id]) };
    },
  );
}

/** Null: the room shows a recording that this person may not read. */
async function roomIf(room: StoredRoom, request: FastifyRequest, recordings: Recordings): Promise<StoredRoom | null> {
  const found = await Promise.all(
    room.recordings.map((id) =>
      recordings.find(id, request).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem) return false;
          throw error;
        },
      ),
    ),
  );
  return found.every(Boolean) ? room : null;
}

function itemOf({ id, name, recordings, owner }: StoredRoom, { person }: FastifyRequest): Static<typeof ROOM> {
  const mine = owner !== null && owner === person.id;
  return { id, name, recordings: [...recordings], page: `/room/${id}`, socket: `/api/rooms/${id}/socket`, mine };
}

/** From the earliest beginning to the latest end; a recording that is live or not indexed yet has no end. */
async function spanOf({ query }: Context, ids: readonly string[]): Promise<Clock["span"]> {
  const rows = await query.selectFrom("recordings").select(["first", "last", "state"]).where("id", "in", ids).execute();
  const ends = rows.map(({ last, state }) => (state === "live" ? null : last));
  return {
    start: Math.min(...rows.map(({ first }) => first ?? 0)),
    end: ends.some((end) => end === null) ? null : Math.max(...(ends as number[])),
  };
}
