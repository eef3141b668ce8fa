import { encode } from "@msgpack/msgpack";
import { type WebSocket, WebSocketServer } from "ws";
import { connectLink } from "../../src/io/node/index.ts";
import { type Feed, FOXGLOVE_PROTOCOLS as PROTOCOLS, foxgloveFeed, nanoverFeed } from "../../src/live/index.ts";

/** A server that numbers what it says, to find each message again. */
export interface NumberedSource {
  readonly port: number;
  /** Says number `n` to all that listen; `time`: milliseconds of its clock, where it has one. */
  say(n: number, time: number): void;
  /** Says a number with so many bytes behind it. */
  sayLong(n: number, bytes: number): void;
  /** Sends what is no message of its protocol; gives how many of them a recorder must refuse. */
  sayGarbage(): number;
  /** Ends with this code, and listens again at the same port. */
  restart(code: number): Promise<void>;
  close(): Promise<void>;
}

/** A kind of source, how it is recorded, and the number in a decoded message. */
export interface SourceKind {
  readonly name: string;
  readonly hasClock: boolean;
  start(): Promise<NumberedSource>;
  feed(port: number, pingTimeout: number): Feed;
  numberIn(decoded: unknown): number | null;
}

abstract class Served implements NumberedSource {
  #server: WebSocketServer;
  readonly #protocols: readonly string[];

  constructor(server: WebSocketServer, protocols: readonly string[]) {
    this.#server = server;
    this.#protocols = protocols;
    this.#listen();
  }

  static async server(port: number, protocols: readonly string[]): Promise<WebSocketServer> {
    const server = new WebSocketServer({
      ...{ port, host: "127.0.0.1", perMessageDeflate: false },
      ...(protocols.length === 0 ? {} : { handleProtocols: () => protocols[0]! }),
    });
    await new Promise((resolve) => server.once("listening", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  abstract say(n: number, time: number): void;
  abstract sayLong(n: number, bytes: number): void;
  abstract sayGarbage(): number;
  protected abstract greet(socket: WebSocket): void;

  /** To every client; `make` gives null for one that gets nothing. */
  protected send(make: (socket: WebSocket) => Uint8Array | string | null): void {
    for (const client of this.#server.clients) {
      const message = make(client);
      if (message !== null) client.send(message);
    }
  }

  async restart(code: number): Promise<void> {
    const { port } = this;
    await this.#end(code);
    this.#server = await Served.server(port, this.#protocols);
    this.#listen();
  }

  close(): Promise<void> {
    return this.#end(1000);
  }

  async #end(code: number): Promise<void> {
    for (const client of this.#server.clients) client.close(code);
    const server = this.#server;
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  }

  #listen(): void {
    this.#server.on("connection", (socket) => {
      socket.on("error", () => undefined);
      this.greet(socket);
    });
  }
}

class NanoverSource extends Served {
  say(n: number): void {
    this.send(() => encode({ frame: { "frame.index": n + 1, n } }));
  }

  sayLong(n: number, bytes: number): void {
    this.send(() => encode({ frame: { "frame.index": n + 1, n, long: new Uint8Array(bytes) } }));
  }

  sayGarbage(): number {
    const garbage = [Uint8Array.of(0xdf, 255, 255, 255, 255), "text", new Uint8Array(300).fill(0xc1)];
    for (const one of garbage) this.send(() => one);
    return garbage.length;
  }

  protected greet(): void {
    // the server speaks when it has something to say
  }
}

/** Unix milliseconds at time 0 of the source. */
const EPOCH = 1_760_000_000_000;

class FoxgloveSource extends Served {
  say(n: number, time: number): void {
    this.send((socket) => this.#message(socket, new TextEncoder().encode(JSON.stringify({ n })), time));
  }

  sayLong(n: number, bytes: number): void {
    const payload = new Uint8Array(bytes).fill(0x20);
    payload.set(new TextEncoder().encode(JSON.stringify({ n })));
    this.send((socket) => this.#message(socket, payload, 0));
  }

  sayGarbage(): number {
    const unknown = new Uint8Array(16);
    unknown.set([1, 99, 99, 99, 99]);
    const garbage = [Uint8Array.of(1, 2, 3), "no JSON", Uint8Array.of(200, 1, 2), unknown, "[1]"];
    for (const one of garbage) this.send(() => one);
    return garbage.length;
  }

  protected greet(socket: WebSocket): void {
    socket.send(JSON.stringify({ op: "serverInfo", name: "numbers", capabilities: [], supportedEncodings: ["json"] }));
    const channel = { id: 1, topic: "/numbers", encoding: "json", schemaName: "", schema: "" };
    socket.send(JSON.stringify({ op: "advertise", channels: [channel] }));
    socket.on("message", (data: Buffer) => {
      const { op, subscriptions } = JSON.parse(data.toString()) as { op: string; subscriptions?: { id: number }[] };
      if (op === "subscribe") this.#subscriptions.set(socket, subscriptions![0]!.id);
    });
  }

  readonly #subscriptions = new WeakMap<WebSocket, number>();

  #message(socket: WebSocket, payload: Uint8Array, time: number): Uint8Array | null {
    const subscription = this.#subscriptions.get(socket);
    if (subscription === undefined) return null;
    const bytes = new Uint8Array(13 + payload.length);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, 1);
    view.setUint32(1, subscription, true);
    view.setBigUint64(5, BigInt(Math.round((EPOCH + time) * 1000)) * 1000n, true);
    bytes.set(payload, 13);
    return bytes;
  }
}

/** The programs that are recorded over WebSockets. */
export const SOURCES: readonly SourceKind[] = [
  {
    ...{ name: "NanoVer", hasClock: false },
    start: async () => new NanoverSource(await Served.server(0, []), []),
    feed: (port, pingTimeout) => {
      const address = `ws://127.0.0.1:${port}`;
      return nanoverFeed(address, (signal) => connectLink(address, { signal, pingTimeout }));
    },
    numberIn: (decoded) => numberAt(decoded, "frame"),
  },
  {
    ...{ name: "Foxglove", hasClock: true },
    start: async () => new FoxgloveSource(await Served.server(0, PROTOCOLS), PROTOCOLS),
    feed: (port, pingTimeout) => {
      const address = `ws://127.0.0.1:${port}`;
      return foxgloveFeed(address, (signal) => connectLink(address, { signal, pingTimeout, protocols: PROTOCOLS }));
    },
    numberIn: (decoded) => numberAt(decoded, null),
  },
];

function numberAt(decoded: unknown, inside: string | null): number | null {
  if (typeof decoded !== "object" || decoded === null) return null;
  const members = decoded as Readonly<Record<string, unknown>>;
  if (inside !== null && inside in members) return numberAt(members[inside], null);
  return typeof members["n"] === "number" ? members["n"] : null;
}
