import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readSized, readUuid, readVarInt, writeSized, writeUuid, writeVarInt } from "./framing.ts";
import { readCount, readOptional, writeOptional } from "./lists.ts";
import { type LowVector, type GridPlace, readLowVector, readPlace, writeLowVector, writePlace } from "./motion.ts";

/** Event 1. */
export interface PlaceEvent extends GridPlace {
  readonly entity: number;
}

export function readPlaceEvent(cursor: ByteCursor): PlaceEvent {
  const entity = readVarInt(cursor);
  return { entity, ...readPlace(cursor) };
}

export function writePlaceEvent(builder: ByteBuilder, event: PlaceEvent): void {
  writeVarInt(builder, event.entity);
  writePlace(builder, event);
}

/** Event 2. Flags: fire, sneak, riptide, sprint, swim, invisible, glow, elytra, from bit 0 on. */
export interface StateEvent {
  readonly entity: number;
  readonly pose: number;
  readonly flags: number;
}

export function readStateEvent(cursor: ByteCursor): StateEvent {
  return { entity: readVarInt(cursor), pose: cursor.u8(), flags: cursor.u8() };
}

export function writeStateEvent(builder: ByteBuilder, event: StateEvent): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.pose).u8(event.flags);
}

/** Event 3. */
export interface Swing {
  readonly entity: number;
  readonly hand: number;
}

export function readSwing(cursor: ByteCursor): Swing {
  return { entity: readVarInt(cursor), hand: cursor.u8() };
}

export function writeSwing(builder: ByteBuilder, event: Swing): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.hand);
}

/** Event 4. `use`: 0 none, 1 main hand, 2 off hand. */
export interface ItemUse {
  readonly entity: number;
  readonly use: number;
}

export function readItemUse(cursor: ByteCursor): ItemUse {
  return { entity: readVarInt(cursor), use: cursor.u8() };
}

export function writeItemUse(builder: ByteBuilder, event: ItemUse): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.use);
}

/** Event 5. `item` is an index into the item palette, 0 for an empty slot. */
export interface SetItems {
  readonly entity: number;
  readonly items: readonly { readonly slot: number; readonly item: number }[];
}

export function readSetItems(cursor: ByteCursor): SetItems {
  const entity = readVarInt(cursor);
  const count = readCount(cursor, 2);
  const items: { slot: number; item: number }[] = [];
  for (let i = 0; i < count; i++) items.push({ slot: readVarInt(cursor), item: readVarInt(cursor) });
  return { entity, items };
}

export function writeSetItems(builder: ByteBuilder, event: SetItems): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.items.length);
  for (const { slot, item } of event.items) {
    writeVarInt(builder, slot);
    writeVarInt(builder, item);
  }
}

/** Event 6. */
export interface HeldSlot {
  readonly entity: number;
  readonly slot: number;
}

export function readHeldSlot(cursor: ByteCursor): HeldSlot {
  return { entity: readVarInt(cursor), slot: cursor.u8() };
}

export function writeHeldSlot(builder: ByteBuilder, event: HeldSlot): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.slot);
}

/** Who an entity is: the end of a spawn and of a snapshot's entity. */
export interface Identity {
  readonly uuid: string | null;
  /** Index into the profile palette. */
  readonly profile: number | null;
}

/** Bits of a u8: a UUID follows, a profile index follows (events §2, id 9). */
export const HAS_UUID = 1;
export const HAS_PROFILE = 2;

export function readIdentity(cursor: ByteCursor): Identity {
  const has = readIdentityBits(cursor);
  return {
    uuid: (has & HAS_UUID) === 0 ? null : readUuid(cursor),
    profile: (has & HAS_PROFILE) === 0 ? null : readVarInt(cursor),
  };
}

/** What follows of an identity: `HAS_UUID`, then `HAS_PROFILE`. */
export function readIdentityBits(cursor: ByteCursor): number {
  const has = cursor.u8();
  if (has > (HAS_UUID | HAS_PROFILE))
    throw new LayoutError("malformed", `identity with unknown bits ${has}`, cursor.offset - 1);
  return has;
}

export function writeIdentity(builder: ByteBuilder, identity: Identity): void {
  builder.u8((identity.uuid === null ? 0 : HAS_UUID) | (identity.profile === null ? 0 : HAS_PROFILE));
  if (identity.uuid !== null) writeUuid(builder, identity.uuid);
  if (identity.profile !== null) writeVarInt(builder, identity.profile);
}

/** Event 9. `type` is an index into the palette of entity types. */
export interface Spawn extends GridPlace, Identity {
  readonly entity: number;
  readonly type: number;
}

export function readSpawn(cursor: ByteCursor): Spawn {
  const entity = readVarInt(cursor);
  const type = readVarInt(cursor);
  return { entity, type, ...readPlace(cursor), ...readIdentity(cursor) };
}

export function writeSpawn(builder: ByteBuilder, event: Spawn): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.type);
  writePlace(builder, event);
  writeIdentity(builder, event);
}

/** Event 10. */
export interface Remove {
  readonly entities: Uint32Array;
}

export function readRemove(cursor: ByteCursor): Remove {
  return { entities: readEntities(cursor) };
}

export function writeRemove(builder: ByteBuilder, event: Remove): void {
  writeEntities(builder, event.entities);
}

/** Event 11. */
export interface Velocity {
  readonly entity: number;
  readonly velocity: LowVector;
}

export function readVelocity(cursor: ByteCursor): Velocity {
  return { entity: readVarInt(cursor), velocity: readLowVector(cursor) };
}

export function writeVelocity(builder: ByteBuilder, event: Velocity): void {
  writeVarInt(builder, event.entity);
  writeLowVector(builder, event.velocity);
}

/** Event 13: the game's entity metadata, to be read with the epoch's data version. */
export interface EntityMetadata {
  readonly entity: number;
  readonly entries: readonly { readonly index: number; readonly bytes: Uint8Array }[];
}

export function readEntityMetadata(cursor: ByteCursor): EntityMetadata {
  const entity = readVarInt(cursor);
  const count = readCount(cursor, 2);
  const entries: { index: number; bytes: Uint8Array }[] = [];
  for (let i = 0; i < count; i++) entries.push({ index: cursor.u8(), bytes: readSized(cursor) });
  return { entity, entries };
}

export function writeEntityMetadata(builder: ByteBuilder, event: EntityMetadata): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.entries.length);
  for (const { index, bytes } of event.entries) {
    builder.u8(index);
    writeSized(builder, bytes);
  }
}

/** Event 14. */
export interface Join {
  readonly entity: number;
  readonly uuid: string;
  readonly profile: number;
}

export function readJoin(cursor: ByteCursor): Join {
  return { entity: readVarInt(cursor), uuid: readUuid(cursor), profile: readVarInt(cursor) };
}

export function writeJoin(builder: ByteBuilder, event: Join): void {
  writeVarInt(builder, event.entity);
  writeUuid(builder, event.uuid);
  writeVarInt(builder, event.profile);
}

/** Event 15. */
export interface Leave {
  readonly entity: number;
}

export function readLeave(cursor: ByteCursor): Leave {
  return { entity: readVarInt(cursor) };
}

export function writeLeave(builder: ByteBuilder, event: Leave): void {
  writeVarInt(builder, event.entity);
}

/** Event 19. `effect` is an index into the text palette; `ticks` 0 takes the effect away. */
export interface Effect {
  readonly entity: number;
  readonly effect: number;
  readonly amplifier: number;
  readonly ticks: number;
}

export function readEffect(cursor: ByteCursor): Effect {
  return {
    entity: readVarInt(cursor),
    effect: readVarInt(cursor),
    amplifier: cursor.u8(),
    ticks: readVarInt(cursor),
  };
}

export function writeEffect(builder: ByteBuilder, event: Effect): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.effect);
  builder.u8(event.amplifier);
  writeVarInt(builder, event.ticks);
}

/** Event 20. */
export interface Vitals {
  readonly entity: number;
  /** × 6: 120 is the 20 of full health. */
  readonly health: number;
  readonly food: number;
  readonly xp: number;
}

export function readVitals(cursor: ByteCursor): Vitals {
  return { entity: readVarInt(cursor), health: cursor.u8(), food: cursor.u8(), xp: readVarInt(cursor) };
}

export function writeVitals(builder: ByteBuilder, event: Vitals): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.health).u8(event.food);
  writeVarInt(builder, event.xp);
}

/** Event 22. */
export interface View {
  readonly entity: number;
  readonly gameMode: number;
  /** The entity it looks through; null: itself. */
  readonly camera: number | null;
}

export function readView(cursor: ByteCursor): View {
  return { entity: readVarInt(cursor), gameMode: cursor.u8(), camera: readOptional(cursor) };
}

export function writeView(builder: ByteBuilder, event: View): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.gameMode);
  writeOptional(builder, event.camera);
}

/** Event 23: all who sit on the vehicle from now on. */
export interface Mount {
  readonly vehicle: number;
  readonly passengers: Uint32Array;
}

export function readMount(cursor: ByteCursor): Mount {
  return { vehicle: readVarInt(cursor), passengers: readEntities(cursor) };
}

export function writeMount(builder: ByteBuilder, event: Mount): void {
  writeVarInt(builder, event.vehicle);
  writeEntities(builder, event.passengers);
}

/** Event 24. */
export interface Hurt {
  readonly entity: number;
  readonly attacker: number | null;
  readonly yaw: number;
}

export function readHurt(cursor: ByteCursor): Hurt {
  return { entity: readVarInt(cursor), attacker: readOptional(cursor), yaw: cursor.u8() };
}

export function writeHurt(builder: ByteBuilder, event: Hurt): void {
  writeVarInt(builder, event.entity);
  writeOptional(builder, event.attacker);
  builder.u8(event.yaw);
}

/** Event 25. Blocks, degrees, blocks per tick. */
export interface ExactPlace {
  readonly entity: number;
  readonly position: Float64Array;
  readonly yaw: number;
  readonly pitch: number;
  readonly velocity: Float64Array;
}

export function readExactPlace(cursor: ByteCursor): ExactPlace {
  return {
    entity: readVarInt(cursor),
    position: Float64Array.of(cursor.f64be(), cursor.f64be(), cursor.f64be()),
    yaw: cursor.f32be(),
    pitch: cursor.f32be(),
    velocity: Float64Array.of(cursor.f64be(), cursor.f64be(), cursor.f64be()),
  };
}

export function writeExactPlace(builder: ByteBuilder, event: ExactPlace): void {
  writeVarInt(builder, event.entity);
  for (const value of event.position) builder.f64be(value);
  builder.f32be(event.yaw).f32be(event.pitch);
  for (const value of event.velocity) builder.f64be(value);
}

function readEntities(cursor: ByteCursor): Uint32Array {
  const entities = new Uint32Array(readCount(cursor, 1));
  for (let i = 0; i < entities.length; i++) entities[i] = readVarInt(cursor);
  return entities;
}

function writeEntities(builder: ByteBuilder, entities: Uint32Array): void {
  writeVarInt(builder, entities.length);
  for (const entity of entities) writeVarInt(builder, entity);
}
