import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { RAW, type Schema, type Value } from "../../../model/values/value.ts";
import type {
  EntityState,
  HcrpChannels,
  HcrpEvents,
  HcrpProductionEvents,
  SetBlockEvent,
  SetItemsEvent,
  Snapshot,
  SnapshotPalettes,
} from "./channel-types.ts";
import { ChunkContext, entryValue, type Palettes } from "./context.ts";
import { type StateChange, readStateChange } from "./state-change.ts";
import { readVarInt } from "../layout/framing.ts";
import {
  PALETTE,
  PALETTE_NAMES,
  type PaletteName,
  readBlockEdits,
  readEntities,
  readHostState,
  readInventories,
  readMetadataList,
  readPalettes,
  readSections,
  SECTION,
  type Section,
  type SnapshotEntity,
} from "../layout/chunk.ts";
import {
  readEffect,
  readEntityMetadata,
  readExactPlace,
  readHeldSlot,
  readHurt,
  readItemUse,
  readJoin,
  readLeave,
  readMount,
  readPlaceEvent,
  readRemove,
  readSetItems,
  readSpawn,
  readStateEvent,
  readSwing,
  readVelocity,
  readView,
  readVitals,
  type PlaceEvent,
  type SetItems,
} from "../layout/entity-events.ts";
import type { EventName } from "../layout/events.ts";
import { MOVE_ON_GROUND, readMove } from "../layout/motion.ts";
import {
  type ProductionName,
  type ProductionVersion,
  readAbsoluteMove,
  readCheckpointReached,
  readCheckpointReset,
  readDeltaMove,
  readDestroy,
  readHandAnimation,
  readProductionHeldSlot,
  readProductionItemUse,
  readProductionSetBlock,
  readProductionSetItems,
  readProductionSpawn,
  readProductionState,
  readRunEnd,
  RESET_REASONS,
  RUN_RESULTS,
} from "../layout/production.ts";
import {
  readChat,
  readMark,
  readPaletteAdd,
  readParticles,
  readSetBlock,
  readSetBlocks,
  readSound,
  readWorld,
  type SetBlock,
} from "../layout/world-events.ts";

/** Schema of a core event: raw palette indices with the names they stand for in the message's chunk. */
export function eventSchema<Name extends EventName>(name: Name): Schema<HcrpEvents[Name]> {
  const read = READERS[name];
  return {
    name: `hcrp/${name}`,
    decode: (payload, context) => whole(new ByteCursor(payload), (cursor) => read(cursor, new Names(context))),
    // an entry of a palette says nothing where nothing refers to it
    ...(name === "palette-add" ? { said: (): null => null } : {}),
  };
}

/** Schema of an event of the production dialect; its version is the chunk's, or `version` without a context. */
export function productionSchema<Name extends ProductionName>(
  name: Name,
  version: ProductionVersion,
): Schema<HcrpProductionEvents[Name]> {
  const read = PRODUCTION_READERS[name];
  return {
    name: `hcrp-production/${name}`,
    decode: (payload, context) => {
      const known = context instanceof ChunkContext && context.dialect !== 1 ? context.dialect : version;
      return whole(new ByteCursor(payload), (cursor) => read(cursor, known));
    },
  };
}

/** A snapshot as an object with one member for each section that is there; unknown sections as bytes. */
export const SNAPSHOT_SCHEMA: Schema<HcrpChannels["snapshot"]> = {
  name: "hcrp/snapshot",
  decode: (payload, context) => decodeSections(readSections(new ByteCursor(payload)), new Names(context)),
  said: (payload, context) => {
    const sections = readSections(new ByteCursor(payload)).filter(({ type }) => type !== SECTION.palettes);
    return decodeSections(sections, new Names(context)) as Value;
  },
};

/** Changes of another format's values and sets. */
export const CHANGE_SCHEMA: Schema<StateChange> = {
  name: "simtape/change",
  decode: (payload, context) => {
    const names = new Names(context);
    return readStateChange(new ByteCursor(payload), (index) => names.name(PALETTE.text, index));
  },
};

/** A sized event that has no channel of its own: its payload begins with the type and the length. */
export const EXTENSION_SCHEMA: Schema<HcrpChannels["extension"]> = {
  name: "hcrp/extension",
  decode: (payload) =>
    whole(new ByteCursor(payload), (cursor) => ({ type: readVarInt(cursor), body: cursor.view(readVarInt(cursor)) })),
};

/** Host events are the host's own: bytes. */
export const HOST_SCHEMA: Schema<Uint8Array> = RAW;

/** What the indices of a message stand for. */
class Names {
  /** Null where the message stands alone. */
  readonly #palettes: Palettes | null;

  constructor(context: unknown) {
    this.#palettes = context instanceof ChunkContext ? context.palettes : null;
  }

  /** Null for index 0 and null, and where there are no palettes. Throws `LayoutError` for an index that is not there. */
  name(kind: number, index: number | null): string | null {
    return this.#has(kind, index) ? this.#palettes!.name(kind, index!) : null;
  }

  value(kind: number, index: number): Value {
    return this.#has(kind, index) ? this.#palettes!.value(kind, index) : null;
  }

  #has(kind: number, index: number | null): boolean {
    if (this.#palettes === null || index === null || index === 0) return false;
    const count = this.#palettes.entries(kind).length;
    if (index <= count) return true;
    const message = `palette ${PALETTE_NAMES[kind] ?? kind} has ${count} entries, index ${index} is asked for`;
    throw new LayoutError("malformed", message, 0);
  }
}

function whole<T>(cursor: ByteCursor, read: (cursor: ByteCursor) => T): T {
  const value = read(cursor);
  if (cursor.remaining === 0) return value;
  throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
}

const READERS: { readonly [Name in EventName]: (cursor: ByteCursor, names: Names) => HcrpEvents[Name] } = {
  move: (cursor) => {
    const { entity, mask, x, y, z, yaw, pitch, headYaw } = readMove(cursor);
    const residual = Float64Array.of(x, y, z);
    return { entity, mask, residual, yaw, pitch, headYaw, onGround: (mask & MOVE_ON_GROUND) !== 0 };
  },
  place: readPlaceEvent,
  state: readStateEvent,
  swing: readSwing,
  "item-use": readItemUse,
  "set-items": (cursor, names) => namedItems(readSetItems(cursor), names),
  "held-slot": readHeldSlot,
  "set-block": (cursor, names) => namedBlock(readSetBlock(cursor), names),
  "set-blocks": (cursor, names) => {
    const { section, blocks } = readSetBlocks(cursor);
    const blockNames = Array.from(blocks, (packed) => names.name(PALETTE.block, packed >>> 12));
    return { section, blocks, blockNames };
  },
  spawn: (cursor, names) => {
    const spawn = readSpawn(cursor);
    const typeName = names.name(PALETTE.entityType, spawn.type);
    return { ...spawn, typeName, profileName: names.name(PALETTE.profile, spawn.profile) };
  },
  remove: readRemove,
  velocity: (cursor) => {
    const { entity, velocity } = readVelocity(cursor);
    return { entity, velocity: velocity.value };
  },
  "palette-add": (cursor) => {
    const { kind, entry } = readPaletteAdd(cursor);
    return { kind, kindName: PALETTE_NAMES[kind] ?? null, entry: entryValue(entry) };
  },
  metadata: readEntityMetadata,
  join: (cursor, names) => {
    const join = readJoin(cursor);
    return { ...join, profileName: names.name(PALETTE.profile, join.profile) };
  },
  leave: readLeave,
  chat: (cursor, names) => {
    const chat = readChat(cursor);
    return { ...chat, line: names.value(PALETTE.text, chat.text) };
  },
  sound: (cursor, names) => {
    const sound = readSound(cursor);
    return { ...sound, soundName: names.name(PALETTE.sound, sound.sound) };
  },
  particles: (cursor, names) => {
    const particles = readParticles(cursor);
    return { ...particles, particleName: names.name(PALETTE.particle, particles.particle) };
  },
  effect: (cursor, names) => {
    const effect = readEffect(cursor);
    return { ...effect, effectName: names.name(PALETTE.text, effect.effect) };
  },
  vitals: readVitals,
  world: readWorld,
  view: readView,
  mount: readMount,
  hurt: readHurt,
  "exact-place": readExactPlace,
  "clear-blocks": () => null,
  mark: (cursor, names) => {
    const mark = readMark(cursor);
    return { ...mark, label: names.value(PALETTE.text, mark.text) };
  },
};

const PRODUCTION_READERS: {
  readonly [Name in ProductionName]: (cursor: ByteCursor, version: ProductionVersion) => HcrpProductionEvents[Name];
} = {
  "delta-move": (cursor) => {
    const move = readDeltaMove(cursor);
    return { ...move, velocity: move.velocity.value };
  },
  "absolute-move": (cursor) => {
    const move = readAbsoluteMove(cursor);
    return { ...move, velocity: move.velocity.value };
  },
  state: readProductionState,
  "hand-animation": readHandAnimation,
  "item-use": readProductionItemUse,
  "set-items": (cursor) => {
    const { entity, items } = readProductionSetItems(cursor);
    return { entity, items: items.map(({ slot, item }) => ({ slot, item: item[0] === 0 ? null : entryValue(item) })) };
  },
  "held-slot": readProductionHeldSlot,
  "set-block": readProductionSetBlock,
  spawn: readProductionSpawn,
  destroy: readDestroy,
  "run-start": () => null,
  "checkpoint-reached": readCheckpointReached,
  "checkpoint-reset": (cursor) => {
    const reset = readCheckpointReset(cursor);
    return { ...reset, reasonName: RESET_REASONS[reset.reason] ?? null };
  },
  "run-end": (cursor) => {
    const end = readRunEnd(cursor);
    return { ...end, resultName: RUN_RESULTS[end.result] ?? null };
  },
  "clear-ghost-blocks": () => null,
};

function namedItems({ entity, items }: SetItems, names: Names): SetItemsEvent {
  return {
    entity,
    items: items.map(({ slot, item }) => ({ slot, item, itemValue: names.value(PALETTE.item, item) })),
  };
}

function namedBlock({ delta, block }: SetBlock, names: Names): SetBlockEvent {
  return { delta, block, blockName: names.name(PALETTE.block, block) };
}

function namedEntity({ entity, place, details }: SnapshotEntity, names: Names): PlaceEvent | EntityState {
  if (details === null) return { entity, ...place };
  return {
    entity,
    ...place,
    ...details,
    // the place's flags are the ground's, the details' flags the entity's
    placeFlags: place.flags,
    typeName: names.name(PALETTE.entityType, details.type),
    profileName: names.name(PALETTE.profile, details.profile),
  };
}

/** A list goes on in the next section of its type; what is no list becomes one. */
function decodeSections(sections: readonly Section[], names: Names): Snapshot {
  const snapshot: { -readonly [Name in keyof Snapshot]: Snapshot[Name] } = {};
  for (const { type, body } of sections) {
    const cursor = new ByteCursor(body);
    switch (type) {
      case SECTION.palettes:
        snapshot.palettes = namedPalettes(readPalettes(cursor), snapshot.palettes);
        break;
      case SECTION.entities:
        snapshot.entities = joined(
          snapshot.entities,
          readEntities(body).map((entity) => namedEntity(entity, names)),
        );
        break;
      case SECTION.blocks:
        snapshot.blocks = joined(
          snapshot.blocks,
          readBlockEdits(cursor).map((block) => namedBlock(block, names)),
        );
        break;
      case SECTION.inventories:
        snapshot.inventories = joined(
          snapshot.inventories,
          readInventories(cursor).map((items) => namedItems(items, names)),
        );
        break;
      case SECTION.world:
        snapshot.world = oneOrMore(snapshot.world, whole(cursor, readWorld));
        break;
      case SECTION.interface:
        snapshot.interface = oneOrMore(snapshot.interface, body);
        break;
      case SECTION.host:
        snapshot.host = oneOrMore(snapshot.host, readHostState(cursor));
        break;
      case SECTION.metadata:
        snapshot.metadata = joined(snapshot.metadata, readMetadataList(cursor));
        break;
      default: {
        const name: `section${number}` = `section${type}`;
        snapshot[name] = oneOrMore(snapshot[name], body);
      }
    }
  }
  return snapshot;
}

function namedPalettes(kinds: readonly (readonly Uint8Array[])[], before: SnapshotPalettes = {}): SnapshotPalettes {
  const palettes: { -readonly [Name in keyof SnapshotPalettes]: SnapshotPalettes[Name] } = { ...before };
  for (const [kind, entries] of kinds.entries()) {
    const name: PaletteName | `kind${number}` = PALETTE_NAMES[kind] ?? `kind${kind}`;
    palettes[name] = joined(palettes[name], entries.map(entryValue));
  }
  return palettes;
}

/** `list` with `items` behind it: the same list, so that many sections cost no more than one. */
function joined<T>(list: readonly T[] | undefined, items: readonly T[]): readonly T[] {
  if (list === undefined) return items;
  for (const item of items) (list as T[]).push(item);
  return list;
}

function oneOrMore<T extends object>(known: T | readonly T[] | undefined, value: T): T | readonly T[] {
  if (known === undefined) return value;
  return isList(known) ? [...known, value] : [known, value];
}

function isList<T extends object>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
