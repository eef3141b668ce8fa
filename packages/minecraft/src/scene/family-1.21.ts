import type { Packet } from "../game/packet.ts";
import { soundNumber } from "../game/sounds.ts";
import { nbtText, type Text } from "../game/text.ts";
import { byteAngle } from "../game/angles.ts";
import type { Mode, Place, Property } from "./adapter.ts";
import { Family, GAME_MODE, placeOf, sharedFlags, shortName } from "./family.ts";
import { isPlayer, type Thing } from "./thing.ts";

const STILL = { x: 0, y: 0, z: 0 };
/** Categories of sounds, by number. */
const CATEGORIES = "master music record weather block hostile neutral player ambient voice".split(" ");
const NO_MOTION = { dx: 0, dy: 0, dz: 0 };
/** Slots of the hotbar in the player's own window. */
const HOTBAR = 36;
/** An entry of the list of players. */
const LISTED = { add_player: true, update_game_mode: true, update_listed: true, update_latency: true };

/** 1.21.4, and what it shares with versions since 1.18.2. */
export class Family121 extends Family {
  login(entity: number, most: number): Packet[] {
    const { loginPacket } = this.data.raw;
    const { dimensionCodec: _, ...usual } = loginPacket as unknown as { dimensionCodec: unknown; worldState: object };
    const worldState = { ...usual.worldState, gamemode: "spectator" };
    return [
      ["login", { ...usual, worldState, entityId: entity, maxPlayers: most }],
      this.spawnPoint(),
      ["game_state_change", { reason: "level_chunks_load_start", gameMode: 0 }],
    ];
  }

  self(uuid: string, name: string, mode: Mode): Packet[] {
    return [this.listed(uuid, name, [], GAME_MODE[mode])];
  }

  put({ x, y, z, yaw, pitch }: Place): Packet[] {
    return [["position", { teleportId: 1, x, y, z, ...NO_MOTION, yaw, pitch, flags: {} }]];
  }

  emptyChunk(x: number, z: number): Packet[] {
    return [this.emptySections(x, z)];
  }

  chat(text: Text): Packet[] {
    return [["system_chat", { content: this.text(text), isActionBar: false }]];
  }

  actionBar(text: Text): Packet[] {
    return [["system_chat", { content: this.text(text), isActionBar: true }]];
  }

  hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[] {
    return items.map(([item, name], i) => {
      const named = { addedComponentCount: 1, components: [{ type: "custom_name", data: nbtText({ text: name }) }] };
      return ["set_slot", { windowId: 0, stateId: 0, slot: HOTBAR + i, item: { ...this.item(item), ...named } }];
    });
  }

  hurt(thing: Thing, yaw: number): Packet[] {
    return [["hurt_animation", { entityId: this.idOf(thing), yaw }]];
  }

  clock(ticks: number): Packet[] {
    return [["update_time", { age: 0n, time: BigInt(ticks), tickDayTime: false }]];
  }

  protected appear(thing: Thing, skin: readonly Property[]): Packet[] {
    const type = this.kind(thing);
    if (this.data.raw.entities[type]!.name === "experience_orb") return [this.orb(thing)];
    const spawned = {
      ...this.stance(thing),
      objectUUID: this.uuidOf(thing),
      type,
      headPitch: byteAngle(thing.head),
      objectData: this.objectData(thing, type),
      velocity: STILL,
    };
    const packets: Packet[] = [["spawn_entity", spawned]];
    const { isListed } = this.guise;
    if (isPlayer(thing))
      packets.unshift(this.listed(this.uuidOf(thing), shortName(thing), skin, thing.gameMode ?? 0, isListed));
    return packets;
  }

  protected text(text: Text): string | object {
    return nbtText(text);
  }

  protected jump(thing: Thing): Packet {
    const { yaw, pitch, onGround } = thing;
    return [
      "sync_entity_position",
      { entityId: this.idOf(thing), ...placeOf(thing), ...NO_MOTION, yaw, pitch, onGround },
    ];
  }

  protected changeMode(uuid: string, gamemode: number): Packet {
    return ["player_info", { action: { update_game_mode: true }, data: [{ uuid, gamemode }] }];
  }

  protected unlist(players: readonly Thing[]): Packet[] {
    return [["player_remove", { players: players.map((player) => this.uuidOf(player)) }]];
  }

  protected item(name: string | undefined): object {
    const itemId = name === undefined ? null : this.itemId(name);
    if (itemId === null) return { itemCount: 0 };
    const plain = { addedComponentCount: 0, removedComponentCount: 0, components: [], removeComponents: [] };
    return { itemCount: 1, itemId, ...plain };
  }

  protected entries(thing: Thing, layers: number | null): object[] {
    const entries: object[] = [
      { key: 0, type: "byte", value: sharedFlags(thing) },
      { key: 6, type: "pose", value: thing.pose < this.poses ? thing.pose : 0 },
    ];
    if (layers !== null) entries.push({ key: this.#layersKey(), type: "byte", value: layers });
    return entries;
  }

  /** Number of poses: an unknown pose becomes standing. 18 since 1.20.3. */
  protected get poses(): number {
    return 18;
  }

  protected heard(soundName: string, category: number, of: object): Packet {
    const soundId = soundNumber(this.data, soundName);
    const sound = soundId === null ? { data: { soundName, fixedRange: undefined } } : { soundId };
    return ["sound_effect", { sound, soundCategory: CATEGORIES[category], ...of, seed: 0n }];
  }

  #layersKey(): number {
    const { metadataKeys } = this.data.raw.entitiesByName["player"] as { metadataKeys?: readonly string[] };
    return metadataKeys?.indexOf("player_mode_customisation") ?? 17;
  }

  protected listed(
    uuid: string,
    name: string,
    properties: readonly Property[],
    gamemode: number,
    isListed = true,
  ): Packet {
    const player = { name, properties: properties.map((property) => ({ ...property })) };
    return [
      "player_info",
      { action: LISTED, data: [{ uuid, player, gamemode, listed: isListed ? 1 : 0, latency: 0 }] },
    ];
  }
}
