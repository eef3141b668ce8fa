import { once } from "node:events";
import minecraftData from "minecraft-data";
import { type Client, createClient } from "minecraft-protocol";
import { Ground } from "./ground.ts";
import { Rules } from "./rules.ts";

/** Something that a client was shown, as the protocol says it: blocks, and bytes of angles. */
export interface Seen {
  readonly kind: string;
  uuid: string;
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
  head: number;
  flags: number;
  items: Map<number, string>;
}

interface Params {
  readonly entityId: number;
  readonly entityIds: readonly number[];
  readonly type: number;
  readonly playerUUID: string;
  readonly entityUUID: string;
  readonly objectUUID: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly dX: number;
  readonly dY: number;
  readonly dZ: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly headYaw: number;
  readonly metadata: readonly { readonly key: number; readonly value: number }[];
  readonly equipments: readonly { readonly slot: number; readonly item: Item }[];
  readonly action: "add_player" | "remove_player" | { readonly add_player?: boolean };
  readonly data: readonly {
    readonly uuid: string;
    readonly name: string;
    readonly player: { readonly name: string };
  }[];
  readonly players: readonly string[];
  readonly location: { readonly x: number; readonly y: number; readonly z: number };
  readonly chunkX: number;
  readonly chunkZ: number;
  readonly reason: string;
  readonly gameMode: number;
  readonly cameraId: number;
  readonly position: number;
  readonly message: string;
  readonly isActionBar: boolean;
  readonly content: { readonly value: { readonly text: { readonly value: string } } };
}

interface Item {
  readonly present?: boolean;
  readonly itemCount?: number;
  readonly itemId: number;
}

const STEPS = 4096;

/**
 * A client of the game that keeps what it is shown: entities by number, blocks by place, names by UUID. It knows the
 * protocol alone, and nothing of how the server came to its packets.
 */
export class Looker implements AsyncDisposable {
  readonly client: Client;
  readonly entities = new Map<number, Seen>();
  readonly blocks = new Map<string, string>();
  readonly names = new Map<string, string>();
  readonly chat: string[] = [];
  readonly chunks = new Set<string>();
  readonly ground: Ground;
  /** What the ordinary client would not take. */
  readonly rules: Rules;
  gameMode = -1;
  camera = -1;
  bar = "";
  place = { x: Number.NaN, y: Number.NaN, z: Number.NaN };
  ended: string | null = null;
  /** Packets that an entity's packet named and that were not there. */
  readonly strange: string[] = [];
  readonly counts = new Map<string, number>();
  readonly version: string;
  readonly #data: minecraftData.IndexedData;

  private constructor(port: number, version: string, username: string, host: string) {
    this.version = version;
    this.ground = new Ground(version);
    this.rules = new Rules(version);
    this.#data = minecraftData(version);
    // Node takes "NAME.localhost" for this machine only where the resolver does: the name is said, not looked up.
    this.client = createClient({
      host: "127.0.0.1",
      port,
      version,
      username,
      auth: "offline",
      fakeHost: host,
      hideErrors: true,
    });
    this.client.on("packet", (params: Params, { name, state }: { name: string; state: string }) => {
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      this.rules.hear(state, name, params);
      if (state !== "play") return;
      this.#hear(name, params);
      this.ground.hear(name, params);
    });
    this.client.on("error", () => undefined);
    this.client.on("end", (reason) => {
      this.ended ??= String(reason);
    });
  }

  /** Settles when the server has put it somewhere, or has let it go. */
  static async join(port: number, version: string, username: string, host = "localhost"): Promise<Looker> {
    const looker = new Looker(port, version, username, host);
    const ending = new AbortController();
    looker.client.once("end", () => ending.abort());
    while (Number.isNaN(looker.place.x) && looker.ended === null)
      await once(looker.client, "packet", { signal: ending.signal }).catch(() => undefined);
    return looker;
  }

  /** A connection whose outcome is checked; nothing is waited for. */
  static try(port: number, version: string, username: string, host = "localhost"): Looker {
    return new Looker(port, version, username, host);
  }

  say(text: string): void {
    const signing = { timestamp: 0n, salt: 0n, offset: 0, messageCount: 0, acknowledged: Buffer.alloc(3) };
    if (!this.#data.supportFeature("signedChat")) this.client.write("chat", { message: text });
    else if (text.startsWith("/"))
      this.client.write("chat_command", { command: text.slice(1), argumentSignatures: [], ...signing });
    else this.client.write("chat_message", { message: text, ...signing });
  }

  /** Says where it is. */
  go(x: number, y: number, z: number): void {
    const flags = { onGround: false, hasHorizontalCollision: false };
    this.client.write("position", { x, y, z, onGround: false, flags });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.ended !== null) return;
    const ended = once(this.client, "end");
    this.client.end();
    await ended;
  }

  #hear(name: string, params: Params): void {
    const { entityId } = params;
    const seen = this.entities.get(entityId);
    const known = (): Seen => {
      if (seen === undefined) this.strange.push(`${name} of ${entityId}`);
      return seen ?? ({ items: new Map() } as Seen);
    };
    switch (name) {
      case "named_entity_spawn":
        this.#spawn(entityId, "player", params.playerUUID, params);
        return;
      case "spawn_entity_living":
        this.#spawn(entityId, this.#data.entities[params.type]!.name!, params.entityUUID, params);
        return;
      case "spawn_entity":
        this.#spawn(entityId, this.#data.entities[params.type]!.name!, params.objectUUID, params);
        return;
      case "rel_entity_move":
      case "entity_move_look": {
        const of = known();
        of.x += params.dX / STEPS;
        of.y += params.dY / STEPS;
        of.z += params.dZ / STEPS;
        if (name === "entity_move_look") this.#turn(of, params);
        return;
      }
      case "entity_look":
        this.#turn(known(), params);
        return;
      case "entity_teleport":
        Object.assign(known(), { x: params.x, y: params.y, z: params.z });
        this.#turn(known(), params);
        return;
      case "sync_entity_position":
        Object.assign(known(), { x: params.x, y: params.y, z: params.z, yaw: params.yaw, pitch: params.pitch });
        return;
      case "entity_head_rotation":
        known().head = (params.headYaw * 360) / 256;
        return;
      case "entity_destroy":
        for (const id of params.entityIds) if (!this.entities.delete(id)) this.strange.push(`destroyed ${id}`);
        return;
      case "entity_metadata":
        for (const { key, value } of params.metadata) if (key === 0) known().flags = value & 0xff;
        return;
      case "entity_equipment":
        for (const { slot, item } of params.equipments) {
          const isThere = item.present === true || (item.present === undefined && item.itemCount! > 0);
          if (isThere) known().items.set(slot, this.#data.items[item.itemId]!.name);
          else known().items.delete(slot);
        }
        return;
      case "player_info":
        for (const entry of params.data) {
          const { uuid } = entry;
          if (params.action === "remove_player") this.names.delete(uuid);
          else if (params.action === "add_player") this.names.set(uuid, entry.name);
          else if (params.action.add_player === true) this.names.set(uuid, entry.player.name);
        }
        return;
      case "player_remove":
        for (const uuid of params.players) this.names.delete(uuid);
        return;
      case "block_change": {
        const { x, y, z } = params.location;
        const block = this.#data.blocksByStateId[params.type]!;
        if (block.name === "air") this.blocks.delete(`${x},${y},${z}`);
        else this.blocks.set(`${x},${y},${z}`, `${block.name} ${params.type - block.minStateId!}`);
        return;
      }
      case "map_chunk":
        this.chunks.add(`${params.x},${params.z}`);
        return;
      case "unload_chunk":
        this.chunks.delete(`${params.chunkX},${params.chunkZ}`);
        return;
      case "game_state_change":
        if (params.reason === "change_game_mode") this.gameMode = params.gameMode;
        return;
      case "camera":
        this.camera = params.cameraId;
        return;
      case "position":
        this.place = { x: params.x, y: params.y, z: params.z };
        return;
      case "chat":
        if (params.position === 2) this.bar = JSON.parse(params.message).text;
        else this.chat.push(JSON.parse(params.message).text);
        return;
      case "system_chat":
        if (params.isActionBar) this.bar = textOf(params.content);
        else this.chat.push(textOf(params.content));
        return;
    }
  }

  #spawn(entity: number, kind: string, uuid: string, params: Params): void {
    if (this.entities.has(entity)) this.strange.push(`spawned ${entity} again`);
    if (kind === "player" && !this.names.has(uuid)) this.strange.push(`player ${entity} without a name`);
    const { x, y, z } = params;
    const seen = { kind, uuid, x, y, z, yaw: 0, pitch: 0, head: 0, flags: 0, items: new Map() };
    this.entities.set(entity, seen);
    this.#turn(seen, params);
  }

  #turn(of: Seen, params: Params): void {
    // Version 1.21.2 and later teleport in degrees; nothing here does.
    Object.assign(of, { yaw: (params.yaw * 360) / 256, pitch: (params.pitch * 360) / 256 });
  }
}

/** Of a text as JSON, and as NBT since 1.20.3. */
function textOf(content: string | { readonly value: { readonly text: { readonly value: string } } }): string {
  return typeof content === "string" ? (JSON.parse(content) as { text: string }).text : content.value.text.value;
}
