import { once } from "node:events";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";
import { Client, createServer, Server, type ServerClient } from "../game/protocol.ts";
import { GameData } from "../game/data.ts";
import { jsonText, nbtText } from "../game/text.ts";
import { versionFor } from "../scene/families.ts";
import { FloodError, Intake } from "./intake.ts";

export interface FrontOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Version of the game that clients must have. */
  readonly versions: readonly string[];
  /** Whether the session server must confirm who a client is. */
  readonly isOnline: boolean;
  readonly motd: string;
  readonly most: number;
  /** Milliseconds to log in, half of them for the first packet; absent: 20,000. */
  readonly timeout?: number | undefined;
  readonly login: (client: ServerClient, version: string) => void;
}

const LOGIN_TIMEOUT = 20_000;
/** Most connections that have not logged in: in all, and from one address. */
const MOST_WAITING = 256;
const MOST_OF_ADDRESS = 32;
/** Milliseconds for the last message to a client. */
const GOODBYE = 1000;
/** Most bytes of a handshake: its host name has 255 characters. */
const MOST_HANDSHAKE = 1200;

/** One port for all versions: the handshake of a client decides which server of the library gets it. */
export class Front {
  readonly #listener = createNetServer((socket) => this.#receive(socket));
  readonly #servers: ReadonlyMap<string, Acceptor>;
  readonly #timeout: number;
  /** Connections that have not logged in, with their deadlines. */
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();
  readonly #sockets = new Set<Socket>();

  private constructor(options: FrontOptions) {
    this.#timeout = options.timeout ?? LOGIN_TIMEOUT;
    const login: FrontOptions["login"] = (client, version) => {
      this.#settle(client.socket as Socket);
      options.login(client, version);
    };
    this.#servers = new Map(options.versions.map((version) => [version, acceptorOf(version, { ...options, login })]));
  }

  /** Rejects when the port is taken. */
  static async listen(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    front.#listener.listen(options.port, options.host);
    await once(front.#listener, "listening");
    return front;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values())
      for (const client of Object.values(server.clients)) client.end("The replay server is closed.");
    const closed = once(this.#listener, "close");
    this.#listener.close();
    for (const socket of this.#waiting.keys()) socket.destroy();
    // Clients that do not read the last message are disconnected without it.
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GOODBYE);
    await closed;
    clearTimeout(timer);
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#settle(socket);
    });
    const ofAddress = [...this.#waiting.keys()].filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
    if (this.#waiting.size >= MOST_WAITING || ofAddress.length >= MOST_OF_ADDRESS) return void socket.destroy();
    this.#waiting.set(socket, deadline(socket, this.#timeout));
    const first = deadline(socket, this.#timeout / 2);
    socket.once("close", () => clearTimeout(first));
    let bytes = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const protocol = protocolIn(bytes);
      if (protocol === undefined && bytes.length < MOST_HANDSHAKE) return;
      socket.off("data", read);
      clearTimeout(first);
      if (protocol === undefined || protocol === null) return void socket.destroy();
      socket.pause();
      // A client of an unknown version gets the newest server, which says what it expects.
      const server = this.#servers.get(versionFor(protocol) ?? "") ?? [...this.#servers.values()].at(-1)!;
      server.accept(socket);
      socket.unshift(bytes);
      socket.resume();
    };
    socket.on("data", read);
  }

  /** The connection no longer waits: it has logged in, or is gone. */
  #settle(socket: Socket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }
}

function deadline(socket: Socket, milliseconds: number): NodeJS.Timeout {
  return setTimeout(() => socket.destroy(), milliseconds).unref();
}

/** A server of the library that listens on no port: it gets connections from `Front`. */
class Acceptor extends Server {
  #next = 0;

  /** The library calls this once the server is made. */
  listen(): void {}

  accept(socket: Socket): void {
    const client: ServerClient = new (Client as unknown as ClientMaker)(true, this.version, undefined, true);
    client.id = this.#next++;
    const intake = guard(client);
    const leave = client.end.bind(client);
    client.end = (reason = "") => {
      intake.shut();
      sayGoodbye(client, reason);
      leave(reason);
      deadline(socket, GOODBYE);
    };
    shield(client);
    this.clients[client.id] = client;
    (client as NodeJS.EventEmitter).on("end", () => delete this.clients[client.id]);
    client.setSocket(socket);
    this.emit("connection", client);
  }

  declare readonly version: string;
}

/** A part of the library's client that its types lack. */
interface Inside {
  splitter: NodeJS.ReadWriteStream;
  readonly deserializer: NodeJS.WritableStream;
  readonly compressor: object | null;
}

/** Puts an intake before a client that has no socket yet. */
function guard(client: ServerClient): Intake {
  const inside = client as unknown as Inside;
  const intake = new Intake(() => inside.compressor !== null);
  inside.splitter.unpipe(inside.deserializer);
  inside.splitter = intake;
  intake.pipe(inside.deserializer);
  return intake;
}

/** When a listener, even one of the library, throws for a packet, only that client is disconnected. */
function shield(client: ServerClient): void {
  const events = client as NodeJS.EventEmitter;
  const emit = events.emit.bind(events);
  events.emit = (name: string, ...values: unknown[]): boolean => {
    try {
      return emit(name, ...values);
    } catch {
      client.end("The connection sent an invalid packet.");
      return true;
    }
  };
}

type ClientMaker = new (
  isServer: boolean,
  version: string,
  customPackets: undefined,
  hideErrors: boolean,
) => ServerClient;

/** Sends a client the reason why it is disconnected, if the state of the connection has a packet for it. */
function sayGoodbye(client: ServerClient, text: string): void {
  const isNew = GameData.of(client.version).raw.supportFeature("chatPacketsUseNbtComponents") as boolean;
  if (client.state === "play")
    client.write("kick_disconnect", { reason: isNew ? nbtText({ text }) : jsonText({ text }) });
  else if (client.state === "login") client.write("disconnect", { reason: jsonText({ text }) });
}

function acceptorOf(version: string, options: FrontOptions): Acceptor {
  const server = createServer({
    version,
    "online-mode": options.isOnline,
    motd: options.motd,
    maxPlayers: options.most,
    hideErrors: true,
    keepAlive: true,
    kickTimeout: 30_000,
    errorHandler: (client: ServerClient, error: unknown) =>
      client.end(error instanceof FloodError ? error.message : "The connection sent bytes that are no packet."),
    Server: Acceptor,
  } as never) as unknown as Acceptor;
  server.on("playerJoin", (client) => options.login(client, version));
  return server;
}

/**
 * The number of the protocol in a handshake: VarInt length, VarInt 0, VarInt number. Undefined: the handshake is
 * incomplete; null: the bytes are something else.
 */
function protocolIn(bytes: Buffer): number | null | undefined {
  let at = 0;
  const varInt = (): number | undefined => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return -1;
  };
  const [length, id, protocol] = [varInt(), varInt(), varInt()];
  if (length !== undefined && (length < 3 || length > MOST_HANDSHAKE)) return null;
  if (id !== undefined && id !== 0) return null;
  return protocol;
}
