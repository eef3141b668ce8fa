import type { ByteCursor } from "../../../bytes/cursor.ts";
import { readZigzag } from "../../../bytes/varint.ts";
import { readVarInt } from "./framing.ts";
import {
  readEffect,
  readEntityMetadata,
  readHurt,
  readIdentity,
  readJoin,
  readMount,
  readRemove,
  readSetItems,
  readVelocity,
  readView,
  readVitals,
} from "./entity-events.ts";
import { Move, readMove } from "./motion.ts";
import {
  readChat,
  readMark,
  readPaletteAdd,
  readParticles,
  readSetBlocks,
  readSound,
  readWorld,
} from "./world-events.ts";

/** Names of the core events by id (events §2). Ids 28 to 31 are reserved. */
export const EVENT_NAMES = [
  "move",
  "place",
  "state",
  "swing",
  "item-use",
  "set-items",
  "held-slot",
  "set-block",
  "set-blocks",
  "spawn",
  "remove",
  "velocity",
  "palette-add",
  "metadata",
  "join",
  "leave",
  "chat",
  "sound",
  "particles",
  "effect",
  "vitals",
  "world",
  "view",
  "mount",
  "hurt",
  "exact-place",
  "clear-blocks",
  "mark",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** Ids of the core events (events §2). */
export const EVENT = {
  move: 0,
  place: 1,
  state: 2,
  swing: 3,
  itemUse: 4,
  setItems: 5,
  heldSlot: 6,
  setBlock: 7,
  setBlocks: 8,
  spawn: 9,
  remove: 10,
  velocity: 11,
  paletteAdd: 12,
  metadata: 13,
  join: 14,
  leave: 15,
  chat: 16,
  sound: 17,
  particles: 18,
  effect: 19,
  vitals: 20,
  world: 21,
  view: 22,
  mount: 23,
  hurt: 24,
  exactPlace: 25,
  clearBlocks: 26,
  mark: 27,
} as const;

/** The first id whose events carry their length (spec §6.4). */
export const FIRST_SIZED = 32;
/** The first id of host events (spec §6.4). */
export const FIRST_HOST = 64;

/** Moves the cursor over the body of core event `id`, checking all of it. False: the event is unknown. */
export function skipEvent(cursor: ByteCursor, id: number): boolean {
  switch (id) {
    case EVENT.move:
      readMove(cursor, SKIPPED);
      return true;
    case EVENT.place:
      readVarInt(cursor);
      skipPlace(cursor);
      return true;
    case EVENT.state:
      readVarInt(cursor);
      cursor.skip(2);
      return true;
    case EVENT.swing:
    case EVENT.itemUse:
    case EVENT.heldSlot:
      readVarInt(cursor);
      cursor.skip(1);
      return true;
    case EVENT.setItems:
      readSetItems(cursor);
      return true;
    case EVENT.setBlock:
      for (let k = 0; k < 3; k++) readZigzag(cursor);
      readVarInt(cursor);
      return true;
    case EVENT.setBlocks:
      readSetBlocks(cursor);
      return true;
    case EVENT.spawn:
      readVarInt(cursor);
      readVarInt(cursor);
      skipPlace(cursor);
      readIdentity(cursor);
      return true;
    case EVENT.remove:
      readRemove(cursor);
      return true;
    case EVENT.velocity:
      readVelocity(cursor);
      return true;
    case EVENT.paletteAdd:
      readPaletteAdd(cursor);
      return true;
    case EVENT.metadata:
      readEntityMetadata(cursor);
      return true;
    case EVENT.join:
      readJoin(cursor);
      return true;
    case EVENT.leave:
      readVarInt(cursor);
      return true;
    case EVENT.chat:
      readChat(cursor);
      return true;
    case EVENT.sound:
      readSound(cursor);
      return true;
    case EVENT.particles:
      readParticles(cursor);
      return true;
    case EVENT.effect:
      readEffect(cursor);
      return true;
    case EVENT.vitals:
      readVitals(cursor);
      return true;
    case EVENT.world:
      readWorld(cursor);
      return true;
    case EVENT.view:
      readView(cursor);
      return true;
    case EVENT.mount:
      readMount(cursor);
      return true;
    case EVENT.hurt:
      readHurt(cursor);
      return true;
    case EVENT.exactPlace:
      readVarInt(cursor);
      cursor.skip(56);
      return true;
    case EVENT.clearBlocks:
      return true;
    case EVENT.mark:
      readMark(cursor);
      return true;
    default:
      return false;
  }
}

/** Filled by `skipEvent` and never looked at. */
const SKIPPED = new Move();

function skipPlace(cursor: ByteCursor): void {
  for (let k = 0; k < 3; k++) readZigzag(cursor);
  cursor.skip(5);
}
