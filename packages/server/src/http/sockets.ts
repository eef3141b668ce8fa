import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import { Type } from "typebox";
import { type WebSocket, WebSocketServer } from "ws";
import type { Role } from "../database/tables.ts";
import type { Person, Scope } from "../people/person.ts";
import { Problem } from "../problem.ts";
import { refuse } from "./broken-requests.ts";
import { mayAsk } from "./rights.ts";

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** A WebSocket route. The rights are checked, and `prepare` runs, before the socket is opened. */
export interface SocketRoute {
  readonly url: string;
  readonly config: { readonly role: Role; readonly scope?: Scope; readonly session?: Role };
  readonly schema: FastifySchema;
  /** Most bytes of a message. */
  readonly longest: number;
  /**
   * Checks again and again whether the socket may stay open under the present rights. Throws `Problem` when it may not.
   */
  readonly check?: (request: FastifyRequest) => Promise<unknown>;
  /** Returns the function that uses the socket when it is open. Throws `Problem` to refuse it. */
  readonly prepare: (request: FastifyRequest) => Promise<(socket: WebSocket) => void>;
}

const UPGRADES = new WeakMap<IncomingMessage, Upgrade>();
/** Milliseconds between two checks that the client is still connected. */
const LOOK = 15_000;
/** Milliseconds that sockets have to end when the server ends. */
const CLOSE_TIMEOUT = 300;

/**
 * Sends requests for a WebSocket through the same steps as all requests: host names, origins and rights are checked
 * alike.
 */
export function acceptSockets(app: FastifyInstance): void {
  app.server.on("upgrade", (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => undefined);
    UPGRADES.set(raw, { socket, head });
    const response = new ServerResponse(raw);
    response.assignSocket(socket);
    // an answer that opens no socket ends the connection
    response.once("finish", () => socket.end());
    app.routing(raw, response);
  });
}

/** Refuses a WebSocket at an address that opens none. Throws `Problem`. */
export function checkUpgrade(request: FastifyRequest): void {
  if (request.headers.upgrade?.toLowerCase() !== "websocket") return;
  if (request.routeOptions.config.isSocket === true) return;
  throw new Problem(400, "this address opens no WebSocket");
}

/** Adds a route that opens WebSockets. */
export function socketRoute(app: FastifyInstance, { url, config, schema, longest, check, prepare }: SocketRoute): void {
  // deflate would cost more than half of the time, and memory for each socket
  const server = new WebSocketServer({ noServer: true, maxPayload: longest, perMessageDeflate: false });
  server.on("wsClientError", ({ message }, socket) => refuse(socket, 400, message));
  const alive = new WeakSet<WebSocket>();
  const askers = new WeakMap<WebSocket, FastifyRequest>();
  const checkPeople = (): void => {
    for (const socket of server.clients) void endWithRights(app, socket, askers.get(socket)!, check);
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
    if (server.clients.size > 0) await new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT));
    for (const socket of server.clients) socket.terminate();
  });
  app.route({
    method: "GET",
    url,
    exposeHeadRoute: false,
    config: { ...config, isSocket: true },
    schema: { ...schema, response: { 101: Type.Null({ description: "The connection is a WebSocket from now on" }) } },
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

/**
 * Ends a socket whose token or session has expired, or whose user has other rights now: the client may connect again
 * with the new rights.
 */
async function endWithRights(
  app: FastifyInstance,
  socket: WebSocket,
  request: FastifyRequest,
  check: SocketRoute["check"],
): Promise<void> {
  // while the database cannot be reached, the socket stays open
  const person = await app.authentication.personOf(request).catch(() => request.person);
  const isSame = rightsIn(person) === rightsIn(request.person) && mayAsk(person, request.routeOptions.config);
  const isRefused = isSame ? await check?.(request).then(notRefused, isProblem) : true;
  if (isRefused === true) socket.close(1008, "you no longer have the right to use this connection");
}

function rightsIn({ id, via, role, scopes, identities }: Person): string {
  return JSON.stringify([id, via, role, scopes, identities]);
}

const notRefused = (): boolean => false;

function isProblem(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}
