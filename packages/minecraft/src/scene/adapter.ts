import type { Packet } from "../game/packet.ts";
import type { Text } from "../game/text.ts";
import type { PlacedChunk } from "../world/packets.ts";
import type { Thing } from "./thing.ts";

/** Where a viewer is. Blocks and degrees. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
}

/** A property of a player's profile, such as the skin. */
export interface Property {
  readonly name: string;
  readonly value: string;
  readonly signature?: string | undefined;
}

/** A sound to play. */
export interface Sound {
  /** In the form `minecraft:block.anvil.use`. */
  readonly name: string;
  /** Blocks. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** 1: unchanged. */
  readonly volume: number;
  readonly pitch: number;
  /** By the numbers of the game: master, music, record, weather, block, hostile, neutral, player, ambient, voice. */
  readonly category: number;
}

/** What a viewer may do. `hotbar`: it flies and holds the items that control the player. */
export type Mode = "spectator" | "hotbar";

/** Changes of a team. */
export type TeamChange = "begin" | "join" | "leave";

/**
 * One family of protocols: turns scenes into packets of the state `play`. Numbers of things are those that the viewer's
 * client knows. `skin` returns the properties of a player's profile.
 */
export interface Adapter {
  readonly version: string;
  /** Starts the state `play`. */
  login(entity: number, most: number): Packet[];
  /** The viewer itself, in its own list of players, which must contain spectators. */
  self(uuid: string, name: string, mode: Mode): Packet[];
  /** Its mode changes, also in that list. */
  mode(uuid: string, mode: Mode): Packet[];
  put(place: Place): Packet[];
  /** The centre and the distance of the wanted chunks. */
  around(chunkX: number, chunkZ: number, distance: number): Packet[];
  /** An empty chunk. */
  emptyChunk(chunkX: number, chunkZ: number): Packet[];
  /** A chunk of the world, of any version. */
  chunk(chunk: PlacedChunk): Packet[];
  forgetChunk(chunkX: number, chunkZ: number): Packet[];
  spawn(thing: Thing, skin: (thing: Thing) => readonly Property[]): Packet[];
  /** Changes a thing from one state to another; `isJump`: no movement is shown in between. */
  change(before: Thing, after: Thing, isJump: boolean): Packet[];
  remove(things: readonly Thing[]): Packet[];
  /** Null: the place is empty or not known. */
  block(x: number, y: number, z: number, name: string | null): Packet[];
  clock(ticks: number): Packet[];
  rain(isRaining: boolean): Packet[];
  swing(thing: Thing, isOffHand: boolean): Packet[];
  hurt(thing: Thing, yaw: number): Packet[];
  sound(sound: Sound): Packet[];
  /** Null: the viewer's own eyes. */
  camera(thing: Thing | null, self: number): Packet[];
  /**
   * A team whose members do not push each other, and see each other when they are invisible. `begin` and `join` add
   * members, by name; `leave` removes them.
   */
  team(name: string, change: TeamChange, members: readonly string[]): Packet[];
  chat(text: Text): Packet[];
  actionBar(text: Text): Packet[];
  /** Items of the hotbar, from the left, with their names. */
  hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[];
  /** The names of blocks, items and kinds that were needed and that this version does not have. */
  readonly unknown: ReadonlySet<string>;
}

/** How the shown things differ from those of the server. */
export interface Guise {
  /** Added to the number of a thing: the numbers of a server are never so high. */
  readonly firstId: number;
  /** Whether the client's list shows the players, in versions that can hide them. */
  readonly isListed: boolean;
  /**
   * Whether no thing has the UUID of a client. A client takes what is said of its own UUID for itself: it becomes no
   * spectator, and shows no second body.
   */
  readonly isApart: boolean;
}

/** Values for the things of a recording. */
export const RECORDED: Guise = { firstId: 1_000_000, isListed: true, isApart: false };
/** The same for viewers, who may be among the recorded players. */
export const WATCHED: Guise = { ...RECORDED, isApart: true };
