import type { Value } from "../../../model/values/value.ts";
import type { EntityDetails, HostState, PaletteName } from "../layout/chunk.ts";
import type {
  Effect,
  EntityMetadata,
  ExactPlace,
  HeldSlot,
  Hurt,
  ItemUse,
  Join,
  Leave,
  Mount,
  PlaceEvent,
  Remove,
  Spawn,
  StateEvent,
  Swing,
  View,
  Vitals,
} from "../layout/entity-events.ts";
import type { EventName } from "../layout/events.ts";
import type { GridPlace } from "../layout/motion.ts";
import type {
  AbsoluteMove,
  CheckpointReached,
  CheckpointReset,
  DeltaMove,
  Destroy,
  HandAnimation,
  ProductionHeldSlot,
  ProductionItemUse,
  ProductionName,
  ProductionSetBlock,
  ProductionSpawn,
  ProductionState,
  ResetReason,
  RunEnd,
  RunResult,
} from "../layout/production.ts";
import type { Chat, Mark, Particles, SetBlock, SetBlocks, Sound, World } from "../layout/world-events.ts";
import type { StateChange } from "./state-change.ts";

/**
 * What the messages of an HCRP recording decode to, by channel. Some events have one name in version 1 and in the
 * production dialect and are of either; `HcrpEvents` and `HcrpProductionEvents` tell them apart. Events of a host are
 * channels, too, whose payloads stay bytes; they have no type here.
 */
export interface HcrpChannels
  extends Omit<HcrpEvents, EitherEvent>,
    Omit<HcrpProductionEvents, EitherEvent>,
    Record<EitherEvent, unknown> {
  readonly state: StateEvent | ProductionState;
  readonly "item-use": ItemUse | ProductionItemUse;
  readonly "set-items": SetItemsEvent | ProductionSetItemsEvent;
  readonly "held-slot": HeldSlot | ProductionHeldSlot;
  readonly "set-block": SetBlockEvent | ProductionSetBlock;
  readonly spawn: SpawnEvent | ProductionSpawn;
  readonly snapshot: Snapshot;
  /** Events of types that no channel is for. */
  readonly extension: ExtensionEvent;
  /** What simtape writes of other formats: values. */
  readonly "simtape:value": StateChange;
  /** What simtape writes of other formats: sets. */
  readonly "simtape:set": StateChange;
  /** A piece of the file that was converted. */
  readonly "simtape:original": Uint8Array;
}

type EitherEvent = keyof HcrpEvents & keyof HcrpProductionEvents;

/**
 * The events of version 1 (events §2). `entity` is the recording's own number of a thing. Members that end in `Name` or
 * `Value` are what an index into a palette stands for, null where it stands for nothing.
 */
export interface HcrpEvents extends Record<EventName, unknown> {
  readonly move: MoveEvent;
  readonly place: PlaceEvent;
  readonly state: StateEvent;
  readonly swing: Swing;
  readonly "item-use": ItemUse;
  readonly "set-items": SetItemsEvent;
  readonly "held-slot": HeldSlot;
  readonly "set-block": SetBlockEvent;
  readonly "set-blocks": SetBlocksEvent;
  readonly spawn: SpawnEvent;
  readonly remove: Remove;
  readonly velocity: VelocityEvent;
  readonly "palette-add": PaletteAddEvent;
  readonly metadata: EntityMetadata;
  readonly join: JoinEvent;
  readonly leave: Leave;
  readonly chat: ChatEvent;
  readonly sound: SoundEvent;
  readonly particles: ParticlesEvent;
  readonly effect: EffectEvent;
  readonly vitals: Vitals;
  readonly world: World;
  readonly view: View;
  readonly mount: Mount;
  readonly hurt: Hurt;
  readonly "exact-place": ExactPlace;
  /** All edits of blocks go. */
  readonly "clear-blocks": null;
  readonly mark: MarkEvent;
}

/** The events of the production dialect, versions 4 and 5 (spec §14). */
export interface HcrpProductionEvents extends Record<ProductionName, unknown> {
  readonly "delta-move": DeltaMoveEvent;
  readonly "absolute-move": AbsoluteMoveEvent;
  readonly state: ProductionState;
  readonly "hand-animation": HandAnimation;
  readonly "item-use": ProductionItemUse;
  readonly "set-items": ProductionSetItemsEvent;
  readonly "held-slot": ProductionHeldSlot;
  readonly "set-block": ProductionSetBlock;
  readonly spawn: ProductionSpawn;
  readonly destroy: Destroy;
  readonly "run-start": null;
  readonly "checkpoint-reached": CheckpointReached;
  readonly "checkpoint-reset": CheckpointResetEvent;
  readonly "run-end": RunEndEvent;
  readonly "clear-ghost-blocks": null;
}

/** A step: what the mask leaves out is 0 (events §2, id 0). */
export interface MoveEvent {
  readonly entity: number;
  /** Bits, from 0 on: x, y, z, yaw, pitch are there, on the ground, head yaw is there. */
  readonly mask: number;
  /** x, y, z in 1/4096 block: by how much it went further than in the step before. */
  readonly residual: Float64Array;
  /** Change in 1/65536 turn. */
  readonly yaw: number;
  /** Change in 1/65536 turn. */
  readonly pitch: number;
  /** Change in 1/65536 turn, of the head against the body. */
  readonly headYaw: number;
  readonly onGround: boolean;
}

/** What an entity has in its slots from now on. */
export interface SetItemsEvent {
  readonly entity: number;
  readonly items: readonly {
    readonly slot: number;
    /** Index into the item palette; 0: the slot is empty. */
    readonly item: number;
    /** As the game's NBT has it. */
    readonly itemValue: Value;
  }[];
}

/** A block is another one from now on (events §2, id 7). */
export interface SetBlockEvent extends SetBlock {
  readonly blockName: string | null;
}

/** Several blocks are others from now on (events §2, id 8). */
export interface SetBlocksEvent extends SetBlocks {
  /** As many as `blocks`. */
  readonly blockNames: readonly (string | null)[];
}

/** An entity is there from now on (events §2, id 9). */
export interface SpawnEvent extends Spawn {
  readonly typeName: string | null;
  readonly profileName: string | null;
}

/** The velocity that the game gives an entity (events §2, id 11). */
export interface VelocityEvent {
  readonly entity: number;
  /** Blocks per tick. */
  readonly velocity: Float64Array;
}

/** Takes the next index of its kind in the chunk. */
export interface PaletteAddEvent {
  readonly kind: number;
  /** Null for a kind that is not known. */
  readonly kindName: PaletteName | null;
  /** Text, NBT as its value, else bytes. */
  readonly entry: Value;
}

/** A player joins (events §2, id 14). */
export interface JoinEvent extends Join {
  readonly profileName: string | null;
}

/** A line of chat (events §2, id 16). */
export interface ChatEvent extends Chat {
  /** Text, or NBT as its value. */
  readonly line: Value;
}

/** A sound at a place (events §2, id 17). */
export interface SoundEvent extends Sound {
  readonly soundName: string | null;
}

/** Particles at a place (events §2, id 18). */
export interface ParticlesEvent extends Particles {
  readonly particleName: string | null;
}

/** An effect on an entity begins or ends (events §2, id 19). */
export interface EffectEvent extends Effect {
  readonly effectName: string | null;
}

/** A named moment (events §2, id 27). */
export interface MarkEvent extends Mark {
  /** Text, or NBT as its value. */
  readonly label: Value;
}

/** An entity moves by a step (spec §14, event 0). */
export interface DeltaMoveEvent extends Omit<DeltaMove, "velocity"> {
  /** Blocks per tick. */
  readonly velocity: Float64Array;
}

/** An entity is at a place (spec §14, event 1). */
export interface AbsoluteMoveEvent extends Omit<AbsoluteMove, "velocity"> {
  /** Blocks per tick. */
  readonly velocity: Float64Array;
}

/** What an entity has in its slots from now on (spec §14, event 5). */
export interface ProductionSetItemsEvent {
  readonly entity: number;
  readonly items: readonly {
    readonly slot: number;
    /** As the game's NBT has it; null: the slot is empty. */
    readonly item: Value;
  }[];
}

/** A player is put back to a checkpoint (spec §14). */
export interface CheckpointResetEvent extends CheckpointReset {
  /** Null for a reason that is not known. */
  readonly reasonName: ResetReason | null;
}

/** A run ends (spec §14). */
export interface RunEndEvent extends RunEnd {
  /** Null for a result that is not known. */
  readonly resultName: RunResult | null;
}

/** A sized event as it came; `body` is a view. */
export interface ExtensionEvent {
  readonly type: number;
  readonly body: Uint8Array;
}

/**
 * The whole state at the start of a chunk, by section (spec §6.2). What is no list becomes one where the section is there
 * more than once.
 */
export interface Snapshot {
  readonly palettes?: SnapshotPalettes;
  readonly entities?: readonly (PlaceEvent | EntityState)[];
  /** Every edited block; the first delta counts from 0, 0, 0, each other from the one before. */
  readonly blocks?: readonly SetBlockEvent[];
  readonly inventories?: readonly SetItemsEvent[];
  readonly world?: World | readonly World[];
  /** As the host wrote it. */
  readonly interface?: Uint8Array | readonly Uint8Array[];
  /** What hosts keep. */
  readonly host?: HostState | readonly HostState[];
  readonly metadata?: readonly EntityMetadata[];
  /** A section that is not known. */
  readonly [section: `section${number}`]: Uint8Array | readonly Uint8Array[];
}

/** Entries by kind, the first with index 1: text, NBT as its value, else bytes. */
export interface SnapshotPalettes extends Partial<Readonly<Record<PaletteName, readonly Value[]>>> {
  readonly [kind: `kind${number}`]: readonly Value[];
}

/** An entity of a snapshot; in the short form there is nothing but its place. */
export interface EntityState extends Omit<GridPlace, "flags">, EntityDetails {
  readonly entity: number;
  /** Bit 0 on the ground, bit 1 teleported. */
  readonly placeFlags: number;
  readonly typeName: string | null;
  readonly profileName: string | null;
}

export type { HostState, PaletteName } from "../layout/chunk.ts";
export type {
  EntityMetadata,
  ExactPlace,
  HeldSlot,
  Hurt,
  ItemUse,
  Leave,
  Mount,
  PlaceEvent,
  Remove,
  StateEvent,
  Swing,
  View,
  Vitals,
} from "../layout/entity-events.ts";
export type {
  CheckpointReached,
  Destroy,
  HandAnimation,
  ProductionHeldSlot,
  ProductionItemUse,
  ProductionSetBlock,
  ProductionSpawn,
  ProductionState,
  ResetReason,
  RunResult,
} from "../layout/production.ts";
export type { World } from "../layout/world-events.ts";
export type { SetChange, SetOperation, StateChange } from "./state-change.ts";
