import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import { Type } from "typebox";
import { type WebSocket, WebSocketServer } from "ws";
import type { Role } from "../database/tables.ts";
import { hasRole, type Scope } from "../people/person.ts";
import { Problem } from "./problem.ts";

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** A WebSocket at an address. The rights are checked, and `prepare` is asked, before it is opened. */
export interface SocketRoute {
  readonly url: string;
  readonly config: { readonly role: Role; readonly scope?: Scope };
  readonly schema: FastifySchema;
  /** Bytes of a message at most. */
  readonly longest: number;
  /** What is done with the socket when it is open. Throws `Problem` instead of opening it. */
  readonly prepare: (request: FastifyRequest) => Promise<(socket: WebSocket) => void>;
}

const UPGRADES = new WeakMap<IncomingMessage, Upgrade>();
/** Milliseconds between two looks at whether the other side is still there. */
const LOOK = 15_000;
/** Milliseconds that sockets have to end when the server does. */
const PATIENCE = 300;

/** Requests for a WebSocket go the way of all requests: names, origins and rights are checked alike. */
export function acceptSockets(app: FastifyInstance): void {
  app.server.on("upgrade", (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => undefined);
    UPGRADES.set(raw, { socket, head });
    const response = new ServerResponse(raw);
    response.assignSocket(socket);
    // an answer that opens no socket is the last
    response.once("finish", () => socket.end());
    app.routing(raw, response);
  });
}

/** Refuses a WebSocket at an address that opens none. Throws `Problem`. */
export function checkUpgrade({ headers, routeOptions }: FastifyRequest): void {
  if (headers.upgrade?.toLowerCase() !== "websocket" || routeOptions.config.isSocket === true) return;
  throw new Problem(400, "no WebSocket is opened here");
}

/** Adds a route at which WebSockets are opened. */
export function socketRoute(app: FastifyInstance, { url, config, schema, longest, prepare }: SocketRoute): void {
  // deflate costs more than half of the time, and memory for each socket
  const server = new WebSocketServer({ noServer: true, maxPayload: longest, perMessageDeflate: false });
  const alive = new WeakSet<WebSocket>();
  const askers = new WeakMap<WebSocket, FastifyRequest>();
  const checkPeople = (): void => {
    for (const socket of server.clients) void endWithRights(app, socket, askers.get(socket)!);
  };
  app.authentication.onChange(checkPeople);
  const looking = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
    checkPeople();
  }, LOOK);
  looking.unref();
  app.addHook("preClose", async () => {
    clearInterval(looking);
    for (const socket of server.clients) socket.close(1001, "the server ends");
    if (server.clients.size > 0) await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    for (const socket of server.clients) socket.terminate();
  });
  app.route({
    method: "GET",
    url,
    exposeHeadRoute: false,
    config: { ...config, isSocket: true },
    schema: { ...schema, response: { 101: Type.Null({ description: "it is a WebSocket from here on" }) } },
    handler: async (request, reply) => {
      const upgrade = UPGRADES.get(request.raw);
      if (upgrade === undefined) throw new Problem(426, "a WebSocket is expected here");
      const opened = await prepare(request);
      reply.hijack();
      reply.raw.detachSocket(upgrade.socket as Socket);
      server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
        alive.add(socket);
        askers.set(socket, request);
        socket.on("pong", () => alive.add(socket));
        socket.on("error", () => undefined);
        opened(socket);
      });
    },
  });
}

/** Ends a socket whose token or session is over, or whose user may no longer ask here. */
async function endWithRights(app: FastifyInstance, socket: WebSocket, request: FastifyRequest): Promise<void> {
  // while the database cannot be reached, it stays
  const person = await app.authentication.personOf(request).catch(() => request.person);
  const { role = null } = request.routeOptions.config;
  const isSame = person.id === request.person.id && (role === null || hasRole(person, role));
  if (!isSame) socket.close(1008, "you may no longer ask here");
}
