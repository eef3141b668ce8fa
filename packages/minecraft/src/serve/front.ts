import { once } from "node:events";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";
import { Client, createServer, Server, type ServerClient } from "../game/protocol.ts";
import { GameData } from "../game/data.ts";
import { jsonText, nbtText } from "../game/text.ts";
import { versionFor } from "../scene/families.ts";

export interface FrontOptions {
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  /** Of the game: what clients have. */
  readonly versions: readonly string[];
  /** Whether the session server is asked who a client is. */
  readonly isOnline: boolean;
  readonly motd: string;
  readonly most: number;
  readonly login: (client: ServerClient, version: string) => void;
}

/** Milliseconds for the first packet. */
const PATIENCE = 10_000;
/** Connections that have not logged in, at most. */
const MOST_WAITING = 256;
/** Bytes of a handshake, at most: its host name has 255 characters. */
const MOST_HANDSHAKE = 1200;

/** One port for all versions: what a client says first decides which server of the library gets it. */
export class Front {
  readonly #listener = createNetServer((socket) => this.#receive(socket));
  readonly #servers: ReadonlyMap<string, Acceptor>;
  readonly #waiting = new Set<Socket>();
  readonly #sockets = new Set<Socket>();

  private constructor(options: FrontOptions) {
    this.#servers = new Map(options.versions.map((version) => [version, acceptorOf(version, options)]));
  }

  /** Rejects where the port cannot be had. */
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
    for (const socket of this.#waiting) socket.destroy();
    // Those who do not take their goodbye go without it.
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 1000);
    await closed;
    clearTimeout(timer);
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#waiting.delete(socket);
    });
    if (this.#waiting.size >= MOST_WAITING) return void socket.destroy();
    this.#waiting.add(socket);
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    let bytes = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const protocol = protocolIn(bytes);
      if (protocol === undefined && bytes.length < MOST_HANDSHAKE) return;
      socket.off("data", read);
      clearTimeout(timer);
      this.#waiting.delete(socket);
      if (protocol === undefined || protocol === null) return void socket.destroy();
      socket.pause();
      // Versions that are not known are greeted by the newest, which says what it expects.
      const server = this.#servers.get(versionFor(protocol) ?? "") ?? [...this.#servers.values()].at(-1)!;
      server.accept(socket);
      socket.unshift(bytes);
      socket.resume();
    };
    socket.on("data", read);
    socket.once("close", () => clearTimeout(timer));
  }
}

/** A server of the library that listens nowhere: it gets the connections that `Front` has taken. */
class Acceptor extends Server {
  #next = 0;

  /** The library calls this once the server is made. */
  listen(): void {}

  accept(socket: Socket): void {
    const client: ServerClient = new (Client as unknown as ClientMaker)(true, this.version, undefined, true);
    client.id = this.#next++;
    const leave = client.end.bind(client);
    client.end = (reason = "") => {
      sayGoodbye(client, reason);
      leave(reason);
    };
    this.clients[client.id] = client;
    (client as NodeJS.EventEmitter).on("end", () => delete this.clients[client.id]);
    client.setSocket(socket);
    this.emit("connection", client);
  }

  declare readonly version: string;
}

type ClientMaker = new (
  isServer: boolean,
  version: string,
  customPackets: undefined,
  hideErrors: boolean,
) => ServerClient;

/** Tells a client why it is sent away, where its state has words for that. */
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
    errorHandler: (client: ServerClient) => client.end("The connection sent what is no packet."),
    Server: Acceptor,
  } as never) as unknown as Acceptor;
  server.on("playerJoin", (client) => options.login(client, version));
  return server;
}

/**
 * The number of the protocol in a handshake: VarInt length, VarInt 0, VarInt number. Undefined: not all of it is there;
 * null: it is something else.
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
