import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { RAW, type Schema, type Value } from "../../../model/value.ts";
import { ChunkContext, entryValue, type Palettes } from "./context.ts";
import { readVarInt } from "../layout/framing.ts";
import {
  PALETTE,
  readBlockEdits,
  readEntities,
  readHostState,
  readInventories,
  readMetadataList,
  readPalettes,
  readSections,
  SECTION,
  type Section,
} from "../layout/chunk.ts";
import {
  type EntityMetadata,
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
  type SetItems,
} from "../layout/entity-events.ts";
import type { EventName } from "../layout/events.ts";
import { MOVE_ON_GROUND, readMove } from "../layout/motion.ts";
import {
  type PRODUCTION_NAMES,
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
} from "../layout/production.ts";
import { patchValue } from "../layout/patch.ts";
import {
  readChat,
  readMark,
  readPaletteAdd,
  readParticles,
  readSetBlock,
  readSetBlocks,
  readSound,
  readWorld,
} from "../layout/world-events.ts";

/** Schema of a core event: raw palette indices with the names they stand for in the message's chunk. */
export function eventSchema(name: EventName): Schema {
  return {
    name: `hcrp/${name}`,
    decode: (payload, context) =>
      whole(new ByteCursor(payload), (cursor) => decodeEvent(name, cursor, new Names(context))),
    // an entry of a palette says nothing where nothing refers to it
    ...(name === "palette-add" ? { said: (): null => null } : {}),
  };
}

/** Schema of an event of the production dialect; its version is the chunk's, or `version` without a context. */
export function productionSchema(name: (typeof PRODUCTION_NAMES)[number], version: ProductionVersion): Schema {
  return {
    name: `hcrp-production/${name}`,
    decode: (payload, context) => {
      const known = context instanceof ChunkContext && context.dialect !== 1 ? context.dialect : version;
      return whole(new ByteCursor(payload), (cursor) => decodeProduction(name, cursor, known));
    },
  };
}

/** A snapshot as an object with one member for each section that is there; unknown sections as bytes. */
export const SNAPSHOT_SCHEMA: Schema = {
  name: "hcrp/snapshot",
  decode: (payload, context) => {
    const names = new Names(context);
    const result: Record<string, Value> = {};
    for (const section of readSections(new ByteCursor(payload))) {
      const [name, value] = decodeSection(section, names);
      const known = result[name];
      if (known === undefined) result[name] = value;
      else result[name] = Array.isArray(known) ? [...known, value] : [known, value];
    }
    return result;
  },
  said: (payload, context) => {
    const sections = readSections(new ByteCursor(payload)).filter(({ type }) => type !== SECTION.palettes);
    return sections.map((section) => decodeSection(section, new Names(context)));
  },
};

/** Changes of another format's values and sets. */
export const CHANGE_SCHEMA: Schema = {
  name: "simtape/change",
  decode: (payload, context) => {
    const names = new Names(context);
    return patchValue(new ByteCursor(payload), (index) => names.name(PALETTE.text, index));
  },
};

/** A sized event that has no channel of its own: its payload begins with the type and the length. */
export const EXTENSION_SCHEMA: Schema = {
  name: "hcrp/extension",
  decode: (payload) =>
    whole(new ByteCursor(payload), (cursor) => ({ type: readVarInt(cursor), body: cursor.view(readVarInt(cursor)) })),
};

/** Host events are the host's own: bytes. */
export const HOST_SCHEMA: Schema = RAW;

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

function whole(cursor: ByteCursor, read: (cursor: ByteCursor) => Value): Value {
  const value = read(cursor);
  if (cursor.remaining === 0) return value;
  throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
}

function decodeEvent(name: EventName, cursor: ByteCursor, names: Names): Value {
  switch (name) {
    case "move": {
      const { entity, mask, x, y, z, yaw, pitch, headYaw } = readMove(cursor);
      const residual = Float64Array.of(x, y, z);
      return { entity, mask, residual, yaw, pitch, headYaw, onGround: (mask & MOVE_ON_GROUND) !== 0 };
    }
    case "place":
      return { ...readPlaceEvent(cursor) };
    case "state":
      return { ...readStateEvent(cursor) };
    case "swing":
      return { ...readSwing(cursor) };
    case "item-use":
      return { ...readItemUse(cursor) };
    case "set-items":
      return decodeItems(readSetItems(cursor), names);
    case "held-slot":
      return { ...readHeldSlot(cursor) };
    case "set-block": {
      const { delta, block } = readSetBlock(cursor);
      return { delta, block, blockName: names.name(PALETTE.block, block) };
    }
    case "set-blocks": {
      const { section, blocks } = readSetBlocks(cursor);
      const blockNames = Array.from(blocks, (packed) => names.name(PALETTE.block, packed >>> 12));
      return { section, blocks, blockNames };
    }
    case "spawn": {
      const spawn = readSpawn(cursor);
      const typeName = names.name(PALETTE.entityType, spawn.type);
      return { ...spawn, typeName, profileName: names.name(PALETTE.profile, spawn.profile) };
    }
    case "remove":
      return { ...readRemove(cursor) };
    case "velocity": {
      const { entity, velocity } = readVelocity(cursor);
      return { entity, velocity: velocity.value };
    }
    case "palette-add": {
      const { kind, entry } = readPaletteAdd(cursor);
      return { kind, kindName: PALETTE_NAMES[kind] ?? null, entry: entryValue(entry) };
    }
    case "metadata":
      return decodeMetadata(readEntityMetadata(cursor));
    case "join": {
      const join = readJoin(cursor);
      return { ...join, profileName: names.name(PALETTE.profile, join.profile) };
    }
    case "leave":
      return { ...readLeave(cursor) };
    case "chat": {
      const chat = readChat(cursor);
      return { ...chat, line: names.value(PALETTE.text, chat.text) };
    }
    case "sound": {
      const sound = readSound(cursor);
      return { ...sound, soundName: names.name(PALETTE.sound, sound.sound) };
    }
    case "particles": {
      const particles = readParticles(cursor);
      return { ...particles, particleName: names.name(PALETTE.particle, particles.particle) };
    }
    case "effect": {
      const effect = readEffect(cursor);
      return { ...effect, effectName: names.name(PALETTE.text, effect.effect) };
    }
    case "vitals":
      return { ...readVitals(cursor) };
    case "world":
      return { ...readWorld(cursor) };
    case "view":
      return { ...readView(cursor) };
    case "mount":
      return { ...readMount(cursor) };
    case "hurt":
      return { ...readHurt(cursor) };
    case "exact-place":
      return { ...readExactPlace(cursor) };
    case "clear-blocks":
      return null;
    case "mark": {
      const mark = readMark(cursor);
      return { ...mark, label: names.value(PALETTE.text, mark.text) };
    }
    default:
      return name satisfies never;
  }
}

function decodeItems({ entity, items }: SetItems, names: Names): Value {
  return {
    entity,
    items: items.map(({ slot, item }) => ({ slot, item, itemValue: names.value(PALETTE.item, item) })),
  };
}

function decodeMetadata({ entity, entries }: EntityMetadata): Value {
  return { entity, entries: entries.map(({ index, bytes }) => ({ index, bytes })) };
}

/** Palette kinds by number (events §2, id 12). */
const PALETTE_NAMES = ["block", "item", "entity-type", "sound", "particle", "text", "profile", "dimension"] as const;

function decodeSection({ type, body }: Section, names: Names): [string, Value] {
  const cursor = new ByteCursor(body);
  switch (type) {
    case SECTION.palettes: {
      const kinds: Record<string, Value> = {};
      readPalettes(cursor).forEach((entries, kind) => {
        kinds[PALETTE_NAMES[kind] ?? `kind${kind}`] = entries.map(entryValue);
      });
      return ["palettes", kinds];
    }
    case SECTION.entities:
      return [
        "entities",
        readEntities(body).map(({ entity, place, details }) =>
          details === null
            ? { entity, ...place }
            : {
                entity,
                ...place,
                ...details,
                // the place's flags are the ground's, the details' flags the entity's
                placeFlags: place.flags,
                typeName: names.name(PALETTE.entityType, details.type),
                profileName: names.name(PALETTE.profile, details.profile),
              },
        ),
      ];
    case SECTION.blocks:
      return [
        "blocks",
        readBlockEdits(cursor).map(({ delta, block }) => ({
          delta,
          block,
          blockName: names.name(PALETTE.block, block),
        })),
      ];
    case SECTION.inventories:
      return ["inventories", readInventories(cursor).map((items) => decodeItems(items, names))];
    case SECTION.world:
      return ["world", whole(cursor, (fields) => ({ ...readWorld(fields) }))];
    case SECTION.interface:
      return ["interface", body];
    case SECTION.host:
      return ["host", { ...readHostState(cursor) }];
    case SECTION.metadata:
      return ["metadata", readMetadataList(cursor).map(decodeMetadata)];
    default:
      return [`section${type}`, body];
  }
}

function decodeProduction(
  name: (typeof PRODUCTION_NAMES)[number],
  cursor: ByteCursor,
  version: ProductionVersion,
): Value {
  switch (name) {
    case "delta-move": {
      const move = readDeltaMove(cursor);
      return { ...move, velocity: move.velocity.value };
    }
    case "absolute-move": {
      const move = readAbsoluteMove(cursor);
      return { ...move, velocity: move.velocity.value };
    }
    case "state":
      return { ...readProductionState(cursor) };
    case "hand-animation":
      return { ...readHandAnimation(cursor) };
    case "item-use":
      return { ...readProductionItemUse(cursor) };
    case "set-items": {
      const { entity, items } = readProductionSetItems(cursor);
      return {
        entity,
        items: items.map(({ slot, item }) => ({ slot, item: item[0] === 0 ? null : entryValue(item) })),
      };
    }
    case "held-slot":
      return { ...readProductionHeldSlot(cursor) };
    case "set-block":
      return { ...readProductionSetBlock(cursor, version) };
    case "spawn":
      return { ...readProductionSpawn(cursor, version) };
    case "destroy":
      return { ...readDestroy(cursor) };
    case "run-start":
    case "clear-ghost-blocks":
      return null;
    case "checkpoint-reached":
      return { ...readCheckpointReached(cursor) };
    case "checkpoint-reset": {
      const reset = readCheckpointReset(cursor);
      return { ...reset, reasonName: RESET_REASONS[reset.reason] ?? null };
    }
    case "run-end": {
      const end = readRunEnd(cursor);
      return { ...end, resultName: RUN_RESULTS[end.result] ?? null };
    }
    default:
      return name satisfies never;
  }
}

/** Spec §14, id 13. */
const RUN_RESULTS = ["finish", "reset"] as const;
