import type { Packet } from "../game/packet.ts";
import { jsonText, type Text } from "../game/text.ts";
import { GAME_MODE, Family, LIFELESS, placeOf, quarterOf, sharedFlags, shortName } from "./family.ts";
import type { Mode, Place, Property } from "./adapter.ts";
import { byteAngle } from "../game/angles.ts";
import { GameData } from "../game/data.ts";
import { isPlayer, type Thing } from "./thing.ts";

const STILL = { x: 0, y: 0, z: 0 };
const SYSTEM = "00000000-0000-0000-0000-000000000000";
/** Biomes of an empty chunk, one for every four blocks in each direction. */
const BIOMES: readonly number[] = new Array<number>(1024).fill(1);
/** Types of metadata. */
const BYTE = 0;
const POSE = 18;
/** Includes the kinds of 1.16. */
const KINDS = GameData.of("1.18.2");
/** Slots of the hotbar in the player's own window. */
const HOTBAR = 36;

/** 1.16.4 and 1.16.5. */
export class Family116 extends Family {
  login(entity: number, most: number): Packet[] {
    const login = { ...this.data.raw.loginPacket, entityId: entity, gameMode: GAME_MODE.spectator, maxPlayers: most };
    return [["login", login], this.spawnPoint()];
  }

  self(uuid: string, name: string, mode: Mode): Packet[] {
    const data = [{ uuid, name, properties: [], gamemode: GAME_MODE[mode], ping: 0 }];
    return [["player_info", { action: "add_player", data }]];
  }

  put({ x, y, z, yaw, pitch }: Place): Packet[] {
    return [["position", { x, y, z, yaw, pitch, flags: 0, teleportId: 1, dismountVehicle: false }]];
  }

  emptyChunk(x: number, z: number): Packet[] {
    const heightmaps = {
      type: "compound",
      name: "",
      value: { MOTION_BLOCKING: { type: "longArray", value: new Array(36).fill([0, 0]) } },
    };
    const packet = { x, z, groundUp: true, bitMap: 0, heightmaps, biomes: BIOMES, chunkData: Buffer.alloc(0) };
    return [["map_chunk", { ...packet, blockEntities: [] }]];
  }

  chat(text: Text): Packet[] {
    return [["chat", { message: this.text(text), position: 1, sender: SYSTEM }]];
  }

  actionBar(text: Text): Packet[] {
    return [["chat", { message: this.text(text), position: 2, sender: SYSTEM }]];
  }

  hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[] {
    return items.map(([item, name], i) => {
      const display = { Name: { type: "string", value: jsonText({ text: name }) } };
      const nbtData = { type: "compound", name: "", value: { display: { type: "compound", value: display } } };
      return ["set_slot", { windowId: 0, stateId: 0, slot: HOTBAR + i, item: { ...this.item(item), nbtData } }];
    });
  }

  hurt(thing: Thing): Packet[] {
    return [["animation", { entityId: this.idOf(thing), animation: 1 }]];
  }

  clock(ticks: number): Packet[] {
    return [["update_time", { age: [0, 0], time: [Math.floor(ticks / 2 ** 32), ticks >>> 0] }]];
  }

  protected appear(thing: Thing, skin: readonly Property[]): Packet[] {
    const stance = this.stance(thing);
    if (isPlayer(thing)) {
      const properties = skin.map(({ name, value, signature }) => ({ name, value, signature }));
      const gamemode = thing.gameMode ?? 0;
      const data = [{ uuid: this.uuidOf(thing), name: shortName(thing), properties, gamemode, ping: 0 }];
      return [
        ["player_info", { action: "add_player", data }],
        ["named_entity_spawn", { ...stance, playerUUID: this.uuidOf(thing) }],
      ];
    }
    const type = this.kind(thing);
    const name = this.data.raw.entities[type]!.name;
    if (name === "experience_orb") return [this.orb(thing)];
    if (name === "painting") return [this.#painting(thing)];
    const born = { ...stance, type, velocity: STILL };
    if (this.isLiving(type))
      return [["spawn_entity_living", { ...born, entityUUID: this.uuidOf(thing), headPitch: byteAngle(thing.head) }]];
    return [["spawn_entity", { ...born, objectUUID: this.uuidOf(thing), objectData: this.objectData(thing, type) }]];
  }

  protected text(text: Text): string {
    return jsonText(text);
  }

  protected jump(thing: Thing): Packet {
    return ["entity_teleport", { ...this.stance(thing), ...placeOf(thing), onGround: thing.onGround }];
  }

  protected changeMode(uuid: string, gamemode: number): Packet {
    return ["player_info", { action: "update_game_mode", data: [{ uuid, gamemode }] }];
  }

  protected unlist(players: readonly Thing[]): Packet[] {
    return [
      ["player_info", { action: "remove_player", data: players.map((player) => ({ uuid: this.uuidOf(player) })) }],
    ];
  }

  protected item(name: string | undefined): object {
    const itemId = name === undefined ? null : this.itemId(name);
    return itemId === null ? { present: false } : { present: true, itemId, itemCount: 1 };
  }

  protected entries(thing: Thing, layers: number | null): object[] {
    const entries = [
      { key: 0, type: BYTE, value: sharedFlags(thing) },
      { key: 6, type: POSE, value: this.pose(thing) },
    ];
    if (layers !== null) entries.push({ key: this.layersKey, type: BYTE, value: layers });
    return entries;
  }

  /** Index in a player's metadata. */
  protected get layersKey(): number {
    return 16;
  }

  /** Dying has a number one lower than since 1.17; poses that were added later become standing. */
  protected pose({ pose }: Thing): number {
    if (pose === 7) return 6;
    return pose <= 5 ? pose : 0;
  }

  /** In minecraft-data for 1.16 all kinds are mobs: 1.18.2 has the right types for the same names. */
  protected override isLiving(kind: number): boolean {
    const same = KINDS.kindOf(this.data.kindName(kind) ?? "");
    return same !== null && !LIFELESS.has(KINDS.raw.entities[same]?.type);
  }

  protected heard(name: string, soundCategory: number, of: object): Packet {
    return ["named_sound_effect", { soundName: name, soundCategory, ...of }];
  }

  /** A painting hangs before a block; a recording does not say which picture it is. */
  #painting(thing: Thing): Packet {
    const { x, y, z } = placeOf(thing);
    const location = { x: Math.floor(x), y: Math.floor(y), z: Math.floor(z) };
    const of = { entityId: this.idOf(thing), entityUUID: this.uuidOf(thing), title: 0 };
    return ["spawn_entity_painting", { ...of, location, direction: quarterOf(thing.yaw) }];
  }
}
