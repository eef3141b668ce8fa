import { once } from "node:events";
import minecraftData from "minecraft-data";
import { createServer, type Server, type ServerClient } from "minecraft-protocol";

/** A server of the game that does what a test says, and keeps what clients say. Players get the numbers 100, 101, … */
export class Stage implements AsyncDisposable {
  readonly version: string;
  readonly #server: Server;
  readonly clients = new Map<string, ServerClient>();
  /** Packets of the state `play` by the names of players. */
  readonly said: { readonly by: string; readonly name: string; readonly params: Record<string, unknown> }[] = [];
  #count = 0;

  private constructor(version: string, threshold: number) {
    this.version = version;
    this.#server = createServer({
      "online-mode": false,
      version,
      port: 0,
      host: "127.0.0.1",
      compressionThreshold: threshold,
      keepAlive: false,
      errorHandler: () => undefined,
    } as Parameters<typeof createServer>[0]);
    this.#server.on("playerJoin" as "login", (client) => this.#admit(client));
  }

  /** Packets of `threshold` bytes and more are compressed; negative: none. */
  static async open(version: string, threshold = 256): Promise<Stage> {
    const stage = new Stage(version, threshold);
    await once(stage.#server, "listening");
    return stage;
  }

  get port(): number {
    return (this.#server as unknown as { socketServer: { address(): { port: number } } }).socketServer.address().port;
  }

  /** To all players, or those that are named. */
  tell(name: string, params: object, to: readonly string[] = [...this.clients.keys()]): void {
    for (const of of to) this.clients.get(of)!.write(name, params);
  }

  /** The player is in a dimension. */
  enter(name: string, dimension: string): void {
    const client = this.clients.get(name)!;
    const { worldState, ...usual } = this.#loginPacket as { worldState?: object };
    const world =
      worldState === undefined ? { worldName: dimension } : { worldState: { ...worldState, name: dimension } };
    client.write("respawn", { ...usual, ...world, gamemode: 0, copyMetadata: false });
  }

  /** A bat: at a place in blocks. */
  bat(entityId: number, x: number, y: number, z: number): [name: string, params: object] {
    const uuid = `00000000-0000-0000-0000-${String(entityId).padStart(12, "0")}`;
    const place = { entityId, x, y, z, yaw: 0, pitch: 0, headPitch: 0, velocity: { x: 0, y: 0, z: 0 } };
    const type = minecraftData(this.version).entitiesByName["bat"]!.id;
    return this.version === "1.16.5"
      ? ["spawn_entity_living", { ...place, entityUUID: uuid, type }]
      : ["spawn_entity", { ...place, objectUUID: uuid, type, objectData: 0 }];
  }

  put(name: string, x: number, y: number, z: number): void {
    const flags = this.version === "1.16.5" ? 0 : {};
    const motion = { dx: 0, dy: 0, dz: 0 };
    this.clients.get(name)!.write("position", { x, y, z, yaw: 0, pitch: 0, ...motion, flags, teleportId: 1 });
  }

  say(text: string): void {
    if (this.version === "1.16.5")
      this.tell("chat", {
        message: JSON.stringify({ text }),
        position: 0,
        sender: "00000000-0000-0000-0000-000000000000",
      });
    else
      this.tell("system_chat", {
        content: { type: "compound", name: "", value: { text: { type: "string", value: text } } },
        isActionBar: false,
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  get #loginPacket(): object {
    return minecraftData(this.version).loginPacket as object;
  }

  #admit(client: ServerClient): void {
    const by = client.username!;
    this.clients.set(by, client);
    client.on("packet", (params: Record<string, unknown>, { name, state }: { name: string; state: string }) => {
      if (state === "play") this.said.push({ by, name, params });
    });
    client.socket.once("close", () => this.clients.delete(by));
    client.write("login", { ...this.#loginPacket, entityId: 100 + this.#count++ });
    this.put(by, 0.5, 64, 0.5);
  }
}
