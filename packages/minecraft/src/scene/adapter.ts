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

/** Of a player's profile; the skin is one. */
export interface Property {
  readonly name: string;
  readonly value: string;
  readonly signature?: string | undefined;
}

/** What a viewer may do. `hotbar`: it flies and holds the items that control the player. */
export type Mode = "spectator" | "hotbar";

/** What becomes of a team. */
export type TeamChange = "begin" | "join" | "leave";

/**
 * One family of protocols: what is to be seen, as packets of the state `play`. Numbers of things are those of the
 * viewer's side. `skin` gives what the profile of a player has.
 */
export interface Adapter {
  readonly version: string;
  /** Begins the state `play`. */
  login(entity: number, most: number): Packet[];
  /** The viewer itself, in its own list of players; spectators must be in it. */
  self(uuid: string, name: string, mode: Mode): Packet[];
  mode(mode: Mode): Packet[];
  put(place: Place): Packet[];
  /** Where chunks are wanted around, and how far. */
  around(chunkX: number, chunkZ: number, distance: number): Packet[];
  /** A chunk of nothing. */
  emptyChunk(chunkX: number, chunkZ: number): Packet[];
  /** A chunk of the world, of whichever version. */
  chunk(chunk: PlacedChunk): Packet[];
  forgetChunk(chunkX: number, chunkZ: number): Packet[];
  spawn(thing: Thing, skin: (thing: Thing) => readonly Property[]): Packet[];
  /** From one state of a thing to another; `isJump`: nothing is shown in between. */
  change(before: Thing, after: Thing, isJump: boolean): Packet[];
  remove(things: readonly Thing[]): Packet[];
  /** Null: nothing is there, or known of the place. */
  block(x: number, y: number, z: number, name: string | null): Packet[];
  clock(ticks: number): Packet[];
  rain(isRaining: boolean): Packet[];
  swing(thing: Thing, isOffHand: boolean): Packet[];
  hurt(thing: Thing, yaw: number): Packet[];
  /** Null: the viewer's own eyes. */
  camera(thing: Thing | null, self: number): Packet[];
  /**
   * A team whose members do not push each other, and see each other's invisible bodies through. `begin` and `join` take
   * members in, by name; `leave` lets them go.
   */
  team(name: string, change: TeamChange, members: readonly string[]): Packet[];
  chat(text: Text): Packet[];
  actionBar(text: Text): Packet[];
  /** Items of the hotbar, from the left, with their names. */
  hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[];
  /** The names of blocks, items and kinds that this version does not have, and was asked for. */
  readonly unknown: ReadonlySet<string>;
}

/** How a client tells what is shown to it from what a server has. */
export interface Guise {
  /** Added to a thing's own number: none of a server's is so high. */
  readonly firstId: number;
  /** Whether players are in the list that the client shows, where the version can hide them. */
  readonly isListed: boolean;
}

/** Of things of a recording. */
export const RECORDED: Guise = { firstId: 1_000_000, isListed: true };
