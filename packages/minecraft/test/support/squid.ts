import { once } from "node:events";
import { createRequire } from "node:module";
import type { Bot } from "mineflayer";

const load = createRequire(import.meta.url);

/** What is used of flying-squid, which has no types. */
interface Squid {
  readonly _server: {
    close(): void;
    readonly clients: Record<string, { end(reason: string): void }>;
    readonly socketServer: { address(): { port: number } };
  };
  readonly entities: Readonly<Record<string, { readonly id: number; readonly type: string }>>;
  readonly players: readonly {
    readonly username: string;
    readonly position: { x: number; y: number; z: number };
    readonly _client: { on(event: "chat", listener: (packet: { message: string }) => void): void };
  }[];
  once(event: string, listener: () => void): void;
  stopTickInterval(): void;
}

/** A game server in this process: a flat world, offline. */
export class TestServer implements AsyncDisposable {
  readonly squid: Squid;

  private constructor(squid: Squid) {
    this.squid = squid;
  }

  static async start(version: string): Promise<TestServer> {
    const { createMCServer } = load("flying-squid") as { createMCServer(options: object): Squid };
    const squid = createMCServer({
      motd: "test",
      port: 0,
      "max-players": 20,
      "online-mode": false,
      logging: false,
      gameMode: 1,
      difficulty: 1,
      generation: { name: "superflat", options: {} },
      kickTimeout: 60_000,
      plugins: {},
      modpe: false,
      "view-distance": 2,
      "player-list-text": { header: { text: "" }, footer: { text: "" } },
      "everybody-op": true,
      "max-entities": 100,
      version,
    });
    await new Promise<void>((resolve) => squid.once("listening", resolve));
    return new TestServer(squid);
  }

  get port(): number {
    return this.squid._server.socketServer.address().port;
  }

  /** All that a player types from now on. */
  listen(name: string): readonly string[] {
    const said: string[] = [];
    const player = this.squid.players.find(({ username }) => username === name);
    player?._client.on("chat", ({ message }) => said.push(message));
    return said;
  }

  /** What the server has, as texts. */
  get entities(): readonly string[] {
    return Object.values(this.squid.entities).map(({ id, type }) => `${type} ${id}`);
  }

  /** Where the server has a player; null: it has none of that name. */
  placeOf(name: string): Place | null {
    const found = this.squid.players.find(({ username }) => username === name)?.position;
    return found === undefined ? null : [found.x, found.y, found.z];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.squid.stopTickInterval();
    this.squid._server.close();
  }
}

export type Place = readonly [x: number, y: number, z: number];

/** A player that walks, and knows what places it has said. */
export class Walker implements AsyncDisposable {
  readonly name: string;
  readonly sent: Place[] = [];
  readonly #bot: Bot;
  readonly #ended: Promise<void>;
  ended = false;

  constructor(port: number, name: string, version: string) {
    const { createBot } = load("mineflayer") as typeof import("mineflayer");
    this.name = name;
    this.#bot = createBot({ host: "127.0.0.1", port, username: name, version, auth: "offline", hideErrors: true });
    const client = this.#bot._client;
    const write = client.write.bind(client);
    client.write = (packet: string, params: { x: number; y: number; z: number }) => {
      if (packet === "position" || packet === "position_look") this.sent.push([params.x, params.y, params.z]);
      write(packet, params);
    };
    this.#bot.on("error", () => undefined);
    // not by once(): a connection that is reset is an error first, and an end then
    this.#ended = new Promise((resolve) => {
      this.#bot.on("end", () => {
        this.ended = true;
        resolve();
      });
    });
  }

  /** Walks and jumps on from where it is. */
  async walk(yaw: number): Promise<void> {
    await once(this.#bot, "spawn");
    await this.#bot.look(yaw, 0, true);
    this.#bot.setControlState("forward", true);
    this.#bot.setControlState("jump", true);
  }

  stop(): void {
    this.#bot.clearControlStates();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.ended) this.#bot.quit();
    await this.#ended;
  }
}
