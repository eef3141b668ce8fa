import type { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readSized, readVarInt, writeSized, writeVarInt } from "./framing.ts";
import {
  type EntityMetadata,
  type Identity,
  readEntityMetadata,
  readIdentity,
  readSetItems,
  type SetItems,
  writeEntityMetadata,
  writeIdentity,
  writeSetItems,
} from "./entity-events.ts";
import { FIRST_SIZED } from "./events.ts";
import { readCount } from "./lists.ts";
import { type GridPlace, readPlace, writePlace } from "./motion.ts";
import { readSetBlock, type SetBlock, writeSetBlock } from "./world-events.ts";

/** Kinds of palettes (events §2, id 12). */
export const PALETTE = {
  block: 0,
  item: 1,
  entityType: 2,
  sound: 3,
  particle: 4,
  text: 5,
  profile: 6,
  dimension: 7,
} as const;

/** What a palette holds, by its kind. */
export const PALETTE_NAMES = [
  "block",
  "item",
  "entity-type",
  "sound",
  "particle",
  "text",
  "profile",
  "dimension",
] as const;

/** Kinds of palettes by name. */
export type PaletteName = (typeof PALETTE_NAMES)[number];

/** Sections of a snapshot (spec §6.2). */
export const SECTION = {
  palettes: 0,
  entities: 1,
  blocks: 2,
  inventories: 3,
  world: 4,
  interface: 5,
  host: 6,
  metadata: 7,
} as const;

/** Ours, so that damage cannot ask for all memory. */
const MAX_SECTIONS = 4096;
/** A kind is one byte. */
const MAX_KINDS = 256;

/** One section of a snapshot; `body` is a view. */
export interface Section {
  readonly type: number;
  readonly body: Uint8Array;
}

/** `section*` to the end of the cursor (spec §6.2). */
export function readSections(cursor: ByteCursor): Section[] {
  const sections: Section[] = [];
  while (cursor.remaining > 0) {
    if (sections.length === MAX_SECTIONS) throw new LayoutError("malformed", "too many sections", cursor.offset);
    sections.push({ type: readVarInt(cursor), body: readSized(cursor) });
  }
  return sections;
}

export function writeSections(builder: ByteBuilder, sections: readonly Section[]): void {
  for (const { type, body } of sections) {
    writeVarInt(builder, type);
    writeSized(builder, body);
  }
}

/** Section 0: entries by kind, from kind 0 on, as many kinds as there are (events §2). Entries are views. */
export function readPalettes(cursor: ByteCursor): Uint8Array[][] {
  const kinds: Uint8Array[][] = [];
  while (cursor.remaining > 0) {
    if (kinds.length === MAX_KINDS) throw new LayoutError("malformed", "too many kinds of palettes", cursor.offset);
    const count = readCount(cursor, 1);
    const entries: Uint8Array[] = [];
    for (let i = 0; i < count; i++) entries.push(readSized(cursor));
    kinds.push(entries);
  }
  return kinds;
}

export function writePalettes(builder: ByteBuilder, kinds: readonly (readonly Uint8Array[])[]): void {
  for (const entries of kinds) {
    writeVarInt(builder, entries.length);
    for (const entry of entries) writeSized(builder, entry);
  }
}

/** What section 1 holds of an entity beside its place. */
export interface EntityDetails extends Identity {
  readonly type: number;
  readonly pose: number;
  readonly flags: number;
  readonly heldSlot: number;
  readonly itemUse: number;
}

export interface SnapshotEntity {
  readonly entity: number;
  readonly place: GridPlace;
  /** Null in the short form, which is nothing but places. */
  readonly details: EntityDetails | null;
}

/**
 * Section 1. The long form is distinguished from the short one of the golden file by trying: a section that is not the
 * long form to its last byte is the short one (events §2; seen in the golden file, spec §3.4).
 */
export function readEntities(body: Uint8Array): SnapshotEntity[] {
  try {
    return readEntityList(new ByteCursor(body), true);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return readEntityList(new ByteCursor(body), false);
  }
}

/** All of one form. */
export function writeEntities(builder: ByteBuilder, entities: readonly SnapshotEntity[]): void {
  writeVarInt(builder, entities.length);
  for (const { entity, place, details } of entities) {
    writeVarInt(builder, entity);
    if (details !== null) writeVarInt(builder, details.type);
    writePlace(builder, place);
    if (details === null) continue;
    builder.u8(details.pose).u8(details.flags).u8(details.heldSlot).u8(details.itemUse);
    writeIdentity(builder, details);
  }
}

function readEntityList(cursor: ByteCursor, isLong: boolean): SnapshotEntity[] {
  const count = readCount(cursor, isLong ? 15 : 9);
  const entities: SnapshotEntity[] = [];
  for (let i = 0; i < count; i++) {
    const entity = readVarInt(cursor);
    const type = isLong ? readVarInt(cursor) : 0;
    const place = readPlace(cursor);
    entities.push({ entity, place, details: isLong ? readDetails(cursor, type) : null });
  }
  ends(cursor);
  return entities;
}

function readDetails(cursor: ByteCursor, type: number): EntityDetails {
  return {
    type,
    pose: cursor.u8(),
    flags: cursor.u8(),
    heldSlot: cursor.u8(),
    itemUse: cursor.u8(),
    ...readIdentity(cursor),
  };
}

/** Section 2: every edited block; the first delta counts from 0, 0, 0. */
export function readBlockEdits(cursor: ByteCursor): SetBlock[] {
  return readList(cursor, 4, readSetBlock);
}

export function writeBlockEdits(builder: ByteBuilder, edits: readonly SetBlock[]): void {
  writeVarInt(builder, edits.length);
  for (const edit of edits) writeSetBlock(builder, edit);
}

/** Section 3. */
export function readInventories(cursor: ByteCursor): SetItems[] {
  return readList(cursor, 2, readSetItems);
}

export function writeInventories(builder: ByteBuilder, inventories: readonly SetItems[]): void {
  writeVarInt(builder, inventories.length);
  for (const items of inventories) writeSetItems(builder, items);
}

/** Section 6: what one host keeps. */
export interface HostState {
  readonly namespace: string;
  readonly bytes: Uint8Array;
}

export function readHostState(cursor: ByteCursor): HostState {
  const namespace = cursor.utf8(readVarInt(cursor));
  return { namespace, bytes: cursor.view(cursor.remaining) };
}

export function writeHostState(builder: ByteBuilder, state: HostState): void {
  writeSized(builder, new TextEncoder().encode(state.namespace));
  builder.raw(state.bytes);
}

/** Section 7: a list of bodies of event 13, as sections 2 and 3 are of theirs (inferred, events §2). */
export function readMetadataList(cursor: ByteCursor): EntityMetadata[] {
  return readList(cursor, 2, readEntityMetadata);
}

export function writeMetadataList(builder: ByteBuilder, list: readonly EntityMetadata[]): void {
  writeVarInt(builder, list.length);
  for (const metadata of list) writeEntityMetadata(builder, metadata);
}

function readList<T>(cursor: ByteCursor, smallest: number, read: (cursor: ByteCursor) => T): T[] {
  const count = readCount(cursor, smallest);
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(read(cursor));
  ends(cursor);
  return items;
}

function ends(cursor: ByteCursor): void {
  if (cursor.remaining === 0) return;
  throw new LayoutError("malformed", `${cursor.remaining} bytes are left in a section`, cursor.offset);
}

/** Type id of an event (spec §6.4); ids from 32 on are followed by the body's length. */
export function readEventId(cursor: ByteCursor): number {
  return readVarInt(cursor);
}

/** One event of any type: the id, the length where the type has one, the body (spec §6.4). */
export function writeEvent(builder: ByteBuilder, id: number, body: Uint8Array): void {
  writeVarInt(builder, id);
  if (id >= FIRST_SIZED) writeVarInt(builder, body.length);
  builder.raw(body);
}

/** Head of a tick record (spec §6.3). */
export interface TickHead {
  /** Relative to the chunk's start; in the production dialect absolute. */
  readonly tick: number;
  /** Events that follow. */
  readonly count: number;
}

export function readTickHead(cursor: ByteCursor): TickHead {
  return { tick: readVarInt(cursor), count: cursor.u16be() };
}

/** Throws `RangeError` above 65,535 events: the caller goes on in another record of the same tick (spec §6.3). */
export function writeTickHead(builder: ByteBuilder, head: TickHead): void {
  if (head.count > 0xffff) throw new RangeError(`${head.count} events in one tick record`);
  writeVarInt(builder, head.tick);
  builder.u16be(head.count);
}

/** Events in a tick record at most (spec §6.3). */
export const RECORD_EVENTS = 0xffff;
