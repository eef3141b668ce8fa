import { byteAngle } from "../game/angles.ts";
import { GameData } from "../game/data.ts";
import type { Packet } from "../game/packet.ts";
import type { Text } from "../game/text.ts";
import {
  type Adapter,
  type Guise,
  type Mode,
  type Place,
  type Property,
  RECORDED,
  type Sound,
  type TeamChange,
} from "./adapter.ts";
import { ChunkPackets, type PlacedChunk } from "../world/packets.ts";
import { GRID, isPlayer, type Thing } from "./thing.ts";

/** The largest relative move, in steps of the grid. */
const FARTHEST = 32767;
/** Slots of a thing that others see: both hands, boots, leggings, chestplate, helmet. */
const WORN = 6;
/** Bit 2 of a thing's flags is not one of the game's shared flags. */
const SHARED_FLAGS = 0xfb;
/** All parts of a skin's second layer. */
const ALL_LAYERS = 0x7f;
const TEAM_MODE = { begin: 0, join: 3, leave: 4 } as const satisfies Record<TeamChange, number>;
/** Members may hurt each other, and see each other when they are invisible. */
const SEEN_THROUGH = 0x03;
const NO_COLOUR = 21;
/** Place of the version in the text of a UUID. */
const VERSION_AT = 14;
/** Types of kinds that have no bodies, as minecraft-data has them since 1.17. */
export const LIFELESS: ReadonlySet<string | undefined> = new Set([undefined, "other", "projectile"]);
/** Faces of a block by the quarter of a turn: south, west, north, east; and the lower and upper face. */
const SIDES = [3, 4, 2, 5] as const;
const [BELOW, ABOVE] = [0, 1];
/** Degrees from which on a frame hangs below a block or lies on it. */
const STEEP = 45;
/** Stands for a falling block, whose kind a recording does not say; a falling block of air would vanish at once. */
const FALLING = "minecraft:sand";
const NO_LIGHT = { skyLightMask: [], blockLightMask: [], emptySkyLightMask: [], emptyBlockLightMask: [] };
/** Positions of sounds are in eighths of a block. */
const EIGHTHS = 8;
/** The last category of sounds: voice. */
const LAST_CATEGORY = 9;
export const GAME_MODE = { spectator: 3, hotbar: 2 } as const satisfies Record<Mode, number>;

/** A chunk as prismarine-chunk makes it. */
export interface EmptyChunk {
  dump(): Buffer;
}

type ChunkMaker = (version: string) => new () => EmptyChunk;
const chunks = new Map<string, Promise<new () => EmptyChunk>>();

/** Loads the part of the library that makes chunks of a version. */
export async function chunkOf(version: string): Promise<new () => EmptyChunk> {
  let loading = chunks.get(version);
  if (loading === undefined) {
    loading = import("prismarine-chunk").then((module) => (module.default as unknown as ChunkMaker)(version));
    chunks.set(version, loading);
  }
  return loading;
}

/** The common parts of the protocols of all families. */
export abstract class Family implements Adapter {
  readonly version: string;
  readonly data: GameData;
  readonly unknown: Set<string> = new Set();
  protected readonly nothing: EmptyChunk;
  protected readonly guise: Guise;
  readonly #chunks: ChunkPackets;

  constructor(version: string, nothing: EmptyChunk, guise: Guise = RECORDED) {
    this.version = version;
    this.data = GameData.of(version);
    this.nothing = nothing;
    this.guise = guise;
    this.#chunks = new ChunkPackets(this.data, this.unknown);
  }

  abstract login(entity: number, most: number): Packet[];
  abstract self(uuid: string, name: string, mode: Mode): Packet[];
  abstract put(place: Place): Packet[];
  abstract emptyChunk(chunkX: number, chunkZ: number): Packet[];
  abstract chat(text: Text): Packet[];
  abstract actionBar(text: Text): Packet[];
  abstract hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[];
  abstract hurt(thing: Thing, yaw: number): Packet[];
  abstract clock(ticks: number): Packet[];

  /** A text in the form of packets. */
  protected abstract text(text: Text): string | object;
  /** The packets for its appearance, its body, and its equipment. */
  protected abstract appear(thing: Thing, skin: readonly Property[]): Packet[];
  protected abstract jump(thing: Thing): Packet;
  /** The game mode of a player changes. */
  protected abstract changeMode(uuid: string, gameMode: number): Packet;
  /** The player's entry in the list is removed, too. */
  protected abstract unlist(players: readonly Thing[]): Packet[];
  protected abstract item(name: string | undefined): object;
  /** A sound by its name. */
  protected abstract heard(name: string, category: number, of: object): Packet;
  /** Entries of the entity's metadata: shared flags, pose, and for players the layers of the skin. */
  protected abstract entries(thing: Thing, layers: number | null): object[];

  mode(uuid: string, mode: Mode): Packet[] {
    return [
      this.changeMode(uuid, GAME_MODE[mode]),
      ["game_state_change", { reason: "change_game_mode", gameMode: GAME_MODE[mode] }],
      // invulnerable, flying, may fly
      ["abilities", { flags: 0x07, flyingSpeed: 0.05, walkingSpeed: 0.1 }],
    ];
  }

  around(chunkX: number, chunkZ: number, distance: number): Packet[] {
    return [
      ["update_view_position", { chunkX, chunkZ }],
      ["update_view_distance", { viewDistance: distance }],
    ];
  }

  chunk(chunk: PlacedChunk): Packet[] {
    return this.#chunks.of(chunk);
  }

  forgetChunk(chunkX: number, chunkZ: number): Packet[] {
    return [["unload_chunk", { chunkX, chunkZ }]];
  }

  spawn(thing: Thing, skin: (thing: Thing) => readonly Property[]): Packet[] {
    return [
      ...this.appear(thing, isPlayer(thing) ? skin(thing) : []),
      this.#metadata(thing, isPlayer(thing) ? ALL_LAYERS : null),
      ["entity_head_rotation", { entityId: this.idOf(thing), headYaw: byteAngle(thing.head) }],
      // No packet that adds a thing says that it is standing.
      ...(thing.onGround ? [this.#look(thing)] : []),
      ...this.#equipment(undefined, thing),
    ];
  }

  change(before: Thing, after: Thing, isJump: boolean): Packet[] {
    const packets: Packet[] = [];
    const entityId = this.idOf(after);
    const [dX, dY, dZ] = [after.x - before.x, after.y - before.y, after.z - before.z];
    const isMoved = dX !== 0 || dY !== 0 || dZ !== 0;
    const [yaw, pitch, onGround] = [byteAngle(after.yaw), byteAngle(after.pitch), after.onGround];
    const isTurned = yaw !== byteAngle(before.yaw) || pitch !== byteAngle(before.pitch);
    if (isMoved && (isJump || Math.max(Math.abs(dX), Math.abs(dY), Math.abs(dZ)) > FARTHEST)) {
      packets.push(this.jump(after));
    } else if (isMoved && isTurned) {
      packets.push(["entity_move_look", { entityId, dX, dY, dZ, yaw, pitch, onGround }]);
    } else if (isMoved) {
      packets.push(["rel_entity_move", { entityId, dX, dY, dZ, onGround }]);
    } else if (isTurned || onGround !== before.onGround) {
      packets.push(this.#look(after));
    }
    const headYaw = byteAngle(after.head);
    if (headYaw !== byteAngle(before.head)) packets.push(["entity_head_rotation", { entityId, headYaw }]);
    if (after.pose !== before.pose || after.flags !== before.flags) packets.push(this.#metadata(after, null));
    if (after.gameMode !== before.gameMode && after.gameMode !== null && isPlayer(after))
      packets.push(this.changeMode(this.uuidOf(after), after.gameMode));
    if (after.items !== before.items) packets.push(...this.#equipment(before, after));
    return packets;
  }

  remove(things: readonly Thing[]): Packet[] {
    if (things.length === 0) return [];
    const players = things.filter(isPlayer);
    return [
      ["entity_destroy", { entityIds: things.map((thing) => this.idOf(thing)) }],
      ...(players.length > 0 ? this.unlist(players) : []),
    ];
  }

  sound({ name, x, y, z, volume, pitch, category }: Sound): Packet[] {
    // The name is sent unchanged: a client that does not know the sound is silent.
    const of = { x: Math.round(x * EIGHTHS), y: Math.round(y * EIGHTHS), z: Math.round(z * EIGHTHS), volume, pitch };
    return [this.heard(name, Math.min(category, LAST_CATEGORY), of)];
  }

  block(x: number, y: number, z: number, name: string | null): Packet[] {
    const type = name === null ? 0 : (this.data.stateOf(name) ?? this.#missing(name));
    return [["block_change", { location: { x, y, z }, type }]];
  }

  rain(isRaining: boolean): Packet[] {
    return [["game_state_change", { reason: isRaining ? "start_raining" : "stop_raining", gameMode: 0 }]];
  }

  swing(thing: Thing, isOffHand: boolean): Packet[] {
    return [["animation", { entityId: this.idOf(thing), animation: isOffHand ? 3 : 0 }]];
  }

  camera(thing: Thing | null, self: number): Packet[] {
    return [["camera", { cameraId: thing === null ? self : this.idOf(thing) }]];
  }

  team(team: string, change: TeamChange, players: readonly string[]): Packet[] {
    const mode = TEAM_MODE[change];
    if (change !== "begin") return [["teams", { team, mode, players }]];
    const [name, prefix, suffix] = [this.text({ text: team }), this.text({ text: "" }), this.text({ text: "" })];
    const rules = { friendlyFire: SEEN_THROUGH, nameTagVisibility: "always", collisionRule: "never" };
    return [["teams", { team, mode, name, ...rules, formatting: NO_COLOUR, prefix, suffix, players }]];
  }

  /** An empty chunk in the form of versions since 1.18. */
  protected emptySections(x: number, z: number): Packet {
    const heightmaps = { type: "compound", name: "", value: {} };
    const light = { trustEdges: true, ...NO_LIGHT, skyLight: [], blockLight: [] };
    return ["map_chunk", { x, z, heightmaps, chunkData: this.nothing.dump(), blockEntities: [], ...light }];
  }

  /** The client's number for a thing. */
  protected idOf({ id }: Thing): number {
    return this.guise.firstId + id;
  }

  /** The client's UUID for a thing. UUIDs of players have version 3 or 4. */
  protected uuidOf({ uuid }: Thing): string {
    return this.guise.isApart ? `${uuid.slice(0, VERSION_AT)}8${uuid.slice(VERSION_AT + 1)}` : uuid;
  }

  /** The number of a kind; an unknown kind is shown as an armour stand. */
  protected kind(thing: Thing): number {
    const kind = this.data.kindOf(thing.kind);
    if (kind === null) this.unknown.add(thing.kind);
    return kind ?? this.data.kindOf("armor_stand")!;
  }

  /** Where the client's compass points; since 1.18.2 it shows no world until it knows. */
  protected spawnPoint(): Packet {
    return ["spawn_position", { location: { x: 0, y: 64, z: 0 }, angle: 0 }];
  }

  /** Whether a kind has a body: only bodies wear and hold items. */
  protected isLiving(kind: number): boolean {
    return !LIFELESS.has(this.data.raw.entities[kind]?.type);
  }

  /** Data of a new thing besides its kind: the face that it hangs on, or the block that falls. */
  protected objectData({ yaw, pitch }: Thing, kind: number): number {
    const name = this.data.raw.entities[kind]?.name;
    if (name === "falling_block") return this.data.stateOf(FALLING)!;
    if (name === "painting") return SIDES[quarterOf(yaw)]!;
    if (name !== "item_frame" && name !== "glow_item_frame") return 0;
    if (Math.abs(pitch) > STEEP) return pitch > 0 ? BELOW : ABOVE;
    return SIDES[quarterOf(yaw)]!;
  }

  /** A drop of experience has a packet of its own until 1.21.4. */
  protected orb(thing: Thing): Packet {
    return ["spawn_entity_experience_orb", { entityId: this.idOf(thing), ...placeOf(thing), count: 1 }];
  }

  /** The position of a new thing, in the form of the protocol. */
  protected stance(thing: Thing): object {
    const { x, y, z } = placeOf(thing);
    return { entityId: this.idOf(thing), x, y, z, yaw: byteAngle(thing.yaw), pitch: byteAngle(thing.pitch) };
  }

  /** The number of an item; null: this version does not have it. */
  protected itemId(name: string): number | null {
    const item = this.data.itemOf(name);
    if (item === null) this.unknown.add(name);
    return item;
  }

  #look(thing: Thing): Packet {
    const { yaw, pitch, onGround } = thing;
    return ["entity_look", { entityId: this.idOf(thing), yaw: byteAngle(yaw), pitch: byteAngle(pitch), onGround }];
  }

  #missing(block: string): number {
    this.unknown.add(block);
    return this.data.placeholder;
  }

  #metadata(thing: Thing, layers: number | null): Packet {
    return ["entity_metadata", { entityId: this.idOf(thing), metadata: this.entries(thing, layers) }];
  }

  #equipment(before: Thing | undefined, after: Thing): Packet[] {
    if (after.items.size + (before?.items.size ?? 0) === 0 || !this.isLiving(this.kind(after))) return [];
    const equipments = [];
    for (let slot = 0; slot < WORN; slot++) {
      const [old, item] = [before?.items.get(slot), after.items.get(slot)];
      if (old !== item) equipments.push({ slot, item: this.item(item) });
    }
    return equipments.length === 0 ? [] : [["entity_equipment", { entityId: this.idOf(after), equipments }]];
  }
}

/** 0 to 3: south, west, north, east. */
export function quarterOf(yaw: number): number {
  return ((Math.round(yaw / 90) % 4) + 4) % 4;
}

/** Blocks. */
export function placeOf({ x, y, z }: Thing): { x: number; y: number; z: number } {
  return { x: x / GRID, y: y / GRID, z: z / GRID };
}

/** The flags that the game sends to all clients, as its signed byte. */
export function sharedFlags({ flags }: Thing): number {
  return ((flags & SHARED_FLAGS) << 24) >> 24;
}

/** A name that the game accepts: at most 16 characters. */
export function shortName({ name, id }: Thing): string {
  return name === "" ? `#${id}` : Array.from(name).slice(0, 16).join("");
}
