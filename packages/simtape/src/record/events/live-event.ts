// Made by `npm run schemas` of definition.ts: change that.
import type { Value } from "../../model/values/value.ts";
import type { DeclaredSets, EntityCells } from "./state-shapes.ts";

/** The sender's own name for a thing. */
export type Id = string | number;
/** Blocks. */
export type Point = readonly [x: number, y: number, z: number];
/** Degrees. */
export type Look = readonly [yaw: number, pitch: number];
/** Where a block is. */
export type Cell = readonly [x: number, y: number, z: number];

/** A thing appears. */
interface Spawn {
  readonly id: Id;
  readonly type: string;
  readonly at: Point;
  readonly look?: Look;
  /** Yaw. */
  readonly head?: number;
  readonly onGround?: boolean;
  /** Only with `name`. */
  readonly uuid?: string;
  readonly name?: string;
  /** It may be there already. */
  readonly still?: boolean;
}

/** A player joins. */
interface Join {
  readonly id: Id;
  readonly uuid: string;
  readonly name: string;
  readonly at: Point;
  readonly look?: Look;
  readonly head?: number;
  readonly onGround?: boolean;
  /** Of the profile, such as the skin: a list of `name`, `value`, *`signature`*; then the recording is about this player. */
  readonly properties?: readonly { readonly name: string; readonly value: string; readonly signature?: string }[];
  /** As above. */
  readonly still?: boolean;
}

/** A player leaves. */
interface Leave {
  readonly id: Id;
}

/** A thing disappears. */
interface Remove {
  readonly id: Id;
}

/** A step. */
interface Move {
  readonly id: Id;
  readonly at?: Point;
  readonly look?: Look;
  readonly head?: number;
  readonly onGround?: boolean;
}

/** A jump, shown without anything in between. */
interface Teleport {
  readonly id: Id;
  readonly at: Point;
  readonly look?: Look;
  readonly head?: number;
  readonly onGround?: boolean;
}

/** How fast it is, in profile `review`. */
interface Velocity {
  readonly id: Id;
  /** Blocks per tick. */
  readonly velocity: Point;
}

/** The place behind the grid, in profile `review`. */
interface Exact {
  readonly id: Id;
  readonly at: Point;
  readonly look: Look;
  readonly velocity: Point;
}

/** The passengers that it has now. */
interface Mount {
  readonly id: Id;
  readonly passengers: readonly Id[];
}

/** Pose and flags. */
interface StateChange {
  readonly id: Id;
  readonly pose?: number;
  /** Fire, sneak, riptide, sprint, swim, invisible, glow, elytra, from bit 0 on. */
  readonly flags?: number;
}

/** What it wears and holds. */
interface Equipment {
  readonly id: Id;
  /** By slot: a name, or null for nothing. */
  readonly items: Readonly<Record<string, string | null>>;
}

/** The slot in its hand. */
interface HeldSlot {
  readonly id: Id;
  readonly slot: number;
}

/** The item that it uses. */
interface ItemUse {
  readonly id: Id;
  /** 0 none, 1 main hand, 2 off hand. */
  readonly use: 0 | 1 | 2;
}

/** An arm moves. */
interface Swing {
  readonly id: Id;
  /** 0 main, 1 off. */
  readonly hand?: 0 | 1;
}

/** It is hurt. */
interface Hurt {
  readonly id: Id;
  readonly attacker?: Id;
  /** Where the blow came from. */
  readonly yaw?: number;
}

/** The game's entity data. */
interface EntityMetadata {
  readonly id: Id;
  /** By index, bytes in base64. */
  readonly entries: Readonly<Record<string, string>>;
}

/** An effect on it. */
interface Effect {
  readonly id: Id;
  readonly name: string;
  /** That it lasts; 0 takes it away. */
  readonly ticks: number;
  readonly amplifier?: number;
}

/** Its health. */
interface Vitals {
  readonly id: Id;
  /** 20 is full. */
  readonly health: number;
  readonly food: number;
  readonly xp: number;
}

/** What a player sees. */
interface View {
  readonly id: Id;
  readonly gameMode: number;
  /** Whose eyes it looks through. */
  readonly camera?: Id;
}

/** An edit. */
interface Block {
  readonly at: Cell;
  /** As `minecraft:oak_stairs[facing=north]`. */
  readonly state: string;
}

/** Time and weather. */
interface WorldChange {
  /** Of day in ticks. */
  readonly time?: number;
  /** 0 clear, 1 rain, 2 thunder. */
  readonly weather?: 0 | 1 | 2;
}

/** A line of talk. */
interface Chat {
  readonly text: string;
  readonly from?: Id;
}

/** A sound, in profile `cinema`. */
interface Sound {
  readonly name: string;
  readonly at: Point;
  readonly volume?: number;
  readonly pitch?: number;
  readonly category?: number;
}

/** Particles, in profile `cinema`. */
interface Particles {
  readonly name: string;
  readonly at: Point;
  readonly count: number;
  /** In blocks. */
  readonly spread?: Point;
}

/** A moment worth finding again. */
interface MarkEvent {
  readonly label: string;
  /** `bookmark`, `checkpoint`, `anticheat`, `report`, `start`, `end`. */
  readonly kind?: "bookmark" | "checkpoint" | "anticheat" | "report" | "start" | "end";
  readonly id?: Id;
  /** 0 to 127. */
  readonly severity?: number;
}

/** A player whom the recording is about. */
interface SubjectEvent {
  readonly id: Id;
  readonly uuid: string;
  readonly name: string;
  /** As above. */
  readonly properties?: readonly { readonly name: string; readonly value: string; readonly signature?: string }[];
}

/** A message of the sender's own, on a channel of this name. */
interface ChannelMessage {
  readonly event: string;
  readonly value?: Value;
  readonly base64?: string;
  readonly version?: number;
}

/** Another version of game or sender from the next tick on; what is not named stays. */
interface VersionChange {
  readonly dataVersion?: number;
  readonly protocol?: number;
  readonly server?: string;
}

/** What each kind of event says. */
export interface LiveEvents {
  /** What follows happens in this tick. */
  readonly tick: number;
  /** A thing appears. */
  readonly spawn: Spawn;
  /** A player joins. */
  readonly join: Join;
  /** A player leaves. */
  readonly leave: Leave;
  /** A thing disappears. */
  readonly remove: Remove;
  /** A step. */
  readonly move: Move;
  /** A jump, shown without anything in between. */
  readonly teleport: Teleport;
  /** How fast it is, in profile `review`. */
  readonly velocity: Velocity;
  /** The place behind the grid, in profile `review`. */
  readonly exact: Exact;
  /** The passengers that it has now. */
  readonly mount: Mount;
  /** Pose and flags. */
  readonly state: StateChange;
  /** What it wears and holds. */
  readonly equipment: Equipment;
  /** The slot in its hand. */
  readonly heldSlot: HeldSlot;
  /** The item that it uses. */
  readonly itemUse: ItemUse;
  /** An arm moves. */
  readonly swing: Swing;
  /** It is hurt. */
  readonly hurt: Hurt;
  /** The game's entity data. */
  readonly metadata: EntityMetadata;
  /** An effect on it. */
  readonly effect: Effect;
  /** Its health. */
  readonly vitals: Vitals;
  /** What a player sees. */
  readonly view: View;
  /** An edit. */
  readonly block: Block;
  /** All edits are undone. */
  readonly clearBlocks: true;
  /** A name as `minecraft:the_nether`. */
  readonly dimension: string;
  /** Time and weather. */
  readonly world: WorldChange;
  /** A line of talk. */
  readonly chat: Chat;
  /** A sound, in profile `cinema`. */
  readonly sound: Sound;
  /** Particles, in profile `cinema`. */
  readonly particles: Particles;
  /** A moment worth finding again. */
  readonly mark: MarkEvent;
  /** A player whom the recording is about. */
  readonly subject: SubjectEvent;
  /** Values by path; null takes one away. */
  readonly set: Readonly<Record<string, Value>>;
  /** Sets, things in them, and cells of those; what is not named stays. Null for a cell makes it unknown, for a thing takes it away, for a set empties it. */
  readonly entities: EntityCells;
  /** In the header, or before the first use: of each set `axes` (`handed`, `up`, *`kind`* `local` or `geodetic`, *`angles`*, *`own`*, *`velocities`*, *`tickRate`*: what they mean) and `columns`. */
  readonly sets: DeclaredSets;
  /** A message of the sender's own, on a channel of this name. */
  readonly event: ChannelMessage;
  /** Commits everything recorded so far when the present tick ends. */
  readonly commit: true;
  /** The next tick begins a chunk with a snapshot. */
  readonly snapshot: true;
  /** Why the wall clock does not run evenly: `"pause"`, `"resume"` …. */
  readonly session: string;
  /** Another version of game or sender from the next tick on; what is not named stays. */
  readonly versions: VersionChange;
  /** Discards the state of the sender: all things are removed. */
  readonly reset: true;
}

/** Events of these kinds. */
export type LiveEventOf<Kinds extends keyof LiveEvents = keyof LiveEvents> = {
  readonly [Kind in Kinds]: { readonly kind: Kind; readonly value: LiveEvents[Kind] };
}[Kinds];

/** One thing that happens in a recording that is being made. */
export type LiveEvent = LiveEventOf;
