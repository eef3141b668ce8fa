import type { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readVarint, writeVarint } from "../../../bytes/varint.ts";
import { nbtLength } from "../../../codec/nbt.ts";
import {
  HEADER_BYTES,
  MAGIC,
  readString,
  readUuid,
  readVarInt,
  writeString,
  writeUuid,
  writeVarInt,
} from "./framing.ts";
import { readCount } from "./lists.ts";
import { type LowVector, readGrid, readLowVector, writeGrid, writeLowVector } from "./motion.ts";

/** Versions of the production dialect that can be read (spec §14). */
export type ProductionVersion = 4 | 5;

/** Data version of every chunk of format 4 (spec §14). */
export const VERSION_4_DATA = 4903;

/** The header of the production dialect (spec §14). */
export interface ProductionHeader {
  readonly version: ProductionVersion;
  readonly flags: number;
  readonly worldId: string;
  /** 0 to 32 bytes. */
  readonly worldVersion: Uint8Array;
  /** Unix milliseconds. */
  readonly startedAt: bigint;
  /** Always 0. */
  readonly dictionaryId: number;
  readonly metadataLength: number;
  readonly indexLength: number;
  readonly tickCount: number;
  readonly chunkCount: number;
  /** When the recording started. */
  readonly dataVersion: number;
  /** To the end of the 256 bytes; zeros. */
  readonly padding: Uint8Array;
}

/** Reads 256 bytes whose magic and version were looked at before. */
export function readProductionHeader(cursor: ByteCursor): ProductionHeader {
  const fields = new ByteCursor(cursor.view(HEADER_BYTES), 4, HEADER_BYTES, cursor.offset - HEADER_BYTES);
  const version = fields.u16be() as ProductionVersion;
  const flags = fields.u16be();
  const worldId = readUuid(fields);
  const length = fields.u8();
  if (length > 32)
    throw new LayoutError("malformed", `world version of ${length} bytes, 32 are allowed`, fields.offset - 1);
  return {
    version,
    flags,
    worldId,
    worldVersion: fields.view(length),
    startedAt: fields.bigI64be(),
    dictionaryId: fields.u16be(),
    metadataLength: fields.u32be(),
    indexLength: fields.u32be(),
    tickCount: fields.u32be(),
    chunkCount: fields.u32be(),
    dataVersion: fields.i32be(),
    padding: fields.view(fields.remaining),
  };
}

/** A `padding` of the wrong length is cut or filled with zeros, so that 256 bytes come out. */
export function writeProductionHeader(builder: ByteBuilder, header: ProductionHeader): void {
  const start = builder.length;
  builder.u32be(MAGIC).u16be(header.version).u16be(header.flags);
  writeUuid(builder, header.worldId);
  builder.u8(header.worldVersion.length).raw(header.worldVersion).bigI64be(header.startedAt).u16be(header.dictionaryId);
  builder.u32be(header.metadataLength).u32be(header.indexLength).u32be(header.tickCount).u32be(header.chunkCount);
  builder.i32be(header.dataVersion);
  const room = HEADER_BYTES - (builder.length - start);
  const padding = header.padding.subarray(0, room);
  builder.raw(padding).zeros(room - padding.length);
}

/** File name of a segment beside `preamble.dat` (spec §14). */
export function productionSegmentName(segment: number): string {
  return `segment-${String(segment).padStart(3, "0")}.dat`;
}

/** Names of the events by id (spec §14). */
export const PRODUCTION_NAMES = [
  "delta-move",
  "absolute-move",
  "state",
  "hand-animation",
  "item-use",
  "set-items",
  "held-slot",
  "set-block",
  "spawn",
  "destroy",
  "run-start",
  "checkpoint-reached",
  "checkpoint-reset",
  "run-end",
  "clear-ghost-blocks",
] as const;

export type ProductionName = (typeof PRODUCTION_NAMES)[number];

/** Ids of the events (spec §14). */
export const PRODUCTION = {
  deltaMove: 0,
  absoluteMove: 1,
  state: 2,
  handAnimation: 3,
  itemUse: 4,
  setItems: 5,
  heldSlot: 6,
  setBlock: 7,
  spawn: 8,
  destroy: 9,
  runStart: 10,
  checkpointReached: 11,
  checkpointReset: 12,
  runEnd: 13,
  clearGhostBlocks: 14,
} as const;

/** Why a run went back to a checkpoint (spec §14). */
export const RESET_REASONS = [
  "lives",
  "height",
  "timer",
  "manual",
  "forced",
  "liquid",
  "sneak",
  "turn",
  "sprint",
  "relog",
] as const;

/** Why a player is put back to a checkpoint. */
export type ResetReason = (typeof RESET_REASONS)[number];

/** How a run ends (spec §14). */
export const RUN_RESULTS = ["finish", "reset"] as const;

/** How a run ends. */
export type RunResult = (typeof RUN_RESULTS)[number];

/** Event 0. */
export interface DeltaMove {
  readonly entity: number;
  /** In 1/4096 block. */
  readonly delta: Float64Array;
  /** 1/65536 turn, signed. */
  readonly yaw: number;
  readonly pitch: number;
  readonly velocity: LowVector;
}

export function readDeltaMove(cursor: ByteCursor): DeltaMove {
  return {
    entity: readVarInt(cursor),
    delta: readGrid(cursor),
    yaw: cursor.i16be(),
    pitch: cursor.i16be(),
    velocity: readLowVector(cursor),
  };
}

export function writeDeltaMove(builder: ByteBuilder, event: DeltaMove): void {
  writeVarInt(builder, event.entity);
  writeGrid(builder, event.delta);
  builder.i16be(event.yaw).i16be(event.pitch);
  writeLowVector(builder, event.velocity);
}

/** Event 1. Blocks and degrees. */
export interface AbsoluteMove {
  readonly entity: number;
  readonly position: Float64Array;
  readonly yaw: number;
  readonly pitch: number;
  readonly velocity: LowVector;
}

export function readAbsoluteMove(cursor: ByteCursor): AbsoluteMove {
  return {
    entity: readVarInt(cursor),
    position: Float64Array.of(cursor.f64be(), cursor.f64be(), cursor.f64be()),
    yaw: cursor.f32be(),
    pitch: cursor.f32be(),
    velocity: readLowVector(cursor),
  };
}

export function writeAbsoluteMove(builder: ByteBuilder, event: AbsoluteMove): void {
  writeVarInt(builder, event.entity);
  for (const value of event.position) builder.f64be(value);
  builder.f32be(event.yaw).f32be(event.pitch);
  writeLowVector(builder, event.velocity);
}

/** Event 2. Flags are the game's shared ones; bit 2 is riptide. */
export interface ProductionState {
  readonly entity: number;
  readonly pose: number;
  readonly flags: number;
}

export function readProductionState(cursor: ByteCursor): ProductionState {
  return { entity: readVarInt(cursor), pose: readVarInt(cursor), flags: cursor.u8() };
}

export function writeProductionState(builder: ByteBuilder, event: ProductionState): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.pose);
  builder.u8(event.flags);
}

/** Event 3. `hand`: 0 main, 1 off. */
export interface HandAnimation {
  readonly entity: number;
  readonly hand: number;
}

export function readHandAnimation(cursor: ByteCursor): HandAnimation {
  return { entity: readVarInt(cursor), hand: readVarInt(cursor) };
}

export function writeHandAnimation(builder: ByteBuilder, event: HandAnimation): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.hand);
}

/** Event 4. */
export interface ProductionItemUse {
  readonly entity: number;
  readonly using: boolean;
  readonly hand: number;
}

export function readProductionItemUse(cursor: ByteCursor): ProductionItemUse {
  const entity = readVarInt(cursor);
  const using = cursor.u8();
  if (using > 1) throw new LayoutError("malformed", `boolean of ${using}`, cursor.offset - 1);
  return { entity, using: using === 1, hand: readVarInt(cursor) };
}

export function writeProductionItemUse(builder: ByteBuilder, event: ProductionItemUse): void {
  writeVarInt(builder, event.entity);
  builder.u8(event.using ? 1 : 0);
  writeVarInt(builder, event.hand);
}

/** Event 5. Items are nameless NBT, as bytes. */
export interface ProductionSetItems {
  readonly entity: number;
  readonly items: readonly { readonly slot: number; readonly item: Uint8Array }[];
}

export function readProductionSetItems(cursor: ByteCursor): ProductionSetItems {
  const entity = readVarInt(cursor);
  const count = readCount(cursor, 2);
  const items: { slot: number; item: Uint8Array }[] = [];
  for (let i = 0; i < count; i++) {
    const slot = readVarInt(cursor);
    items.push({ slot, item: cursor.view(nbtLength(cursor.bytes, cursor.position, cursor.end)) });
  }
  return { entity, items };
}

export function writeProductionSetItems(builder: ByteBuilder, event: ProductionSetItems): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.items.length);
  for (const { slot, item } of event.items) {
    writeVarInt(builder, slot);
    builder.raw(item);
  }
}

/** Event 6. */
export interface ProductionHeldSlot {
  readonly entity: number;
  readonly slot: number;
}

export function readProductionHeldSlot(cursor: ByteCursor): ProductionHeldSlot {
  return { entity: readVarInt(cursor), slot: readVarInt(cursor) };
}

export function writeProductionHeldSlot(builder: ByteBuilder, event: ProductionHeldSlot): void {
  writeVarInt(builder, event.entity);
  writeVarInt(builder, event.slot);
}

/** Event 7. */
export interface ProductionSetBlock {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Protocol id in format 4, name in format 5. */
  readonly state: number | string;
}

export function readProductionSetBlock(cursor: ByteCursor, version: ProductionVersion): ProductionSetBlock {
  const high = cursor.i32be();
  const low = cursor.u32be();
  return {
    // 26 bits x, 26 bits z, 12 bits y, each signed (spec §14)
    x: high >> 6,
    y: (low << 20) >> 20,
    z: (((high & 0x3f) << 26) | ((low >>> 12) << 6)) >> 6,
    state: version === 4 ? readVarInt(cursor) : readString(cursor),
  };
}

export function writeProductionSetBlock(builder: ByteBuilder, event: ProductionSetBlock): void {
  const { x, y, z, state } = event;
  builder.i32be((x << 6) | ((z >> 20) & 0x3f)).u32be((((z & 0xfffff) << 12) | (y & 0xfff)) >>> 0);
  if (typeof state === "number") writeVarInt(builder, state);
  else writeString(builder, state);
}

/** Event 8. */
export interface ProductionSpawn {
  readonly entity: number;
  /** Protocol id in format 4, name in format 5. */
  readonly type: number | string;
  readonly position: Float64Array;
  readonly yaw: number;
  readonly pitch: number;
}

export function readProductionSpawn(cursor: ByteCursor, version: ProductionVersion): ProductionSpawn {
  return {
    entity: readVarInt(cursor),
    type: version === 4 ? readVarInt(cursor) : readString(cursor),
    position: Float64Array.of(cursor.f64be(), cursor.f64be(), cursor.f64be()),
    yaw: cursor.f32be(),
    pitch: cursor.f32be(),
  };
}

export function writeProductionSpawn(builder: ByteBuilder, event: ProductionSpawn): void {
  writeVarInt(builder, event.entity);
  if (typeof event.type === "number") writeVarInt(builder, event.type);
  else writeString(builder, event.type);
  for (const value of event.position) builder.f64be(value);
  builder.f32be(event.yaw).f32be(event.pitch);
}

/** Event 9. */
export interface Destroy {
  readonly entity: number;
}

export function readDestroy(cursor: ByteCursor): Destroy {
  return { entity: readVarInt(cursor) };
}

export function writeDestroy(builder: ByteBuilder, event: Destroy): void {
  writeVarInt(builder, event.entity);
}

/** Event 11. */
export interface CheckpointReached {
  readonly checkpoint: string;
  readonly milliseconds: number;
}

export function readCheckpointReached(cursor: ByteCursor): CheckpointReached {
  return { checkpoint: readString(cursor), milliseconds: readVarint(cursor) };
}

export function writeCheckpointReached(builder: ByteBuilder, event: CheckpointReached): void {
  writeString(builder, event.checkpoint);
  writeVarint(builder, event.milliseconds);
}

/** Event 12; `reason` is a place in `RESET_REASONS`. */
export interface CheckpointReset {
  readonly reason: number;
  readonly milliseconds: number;
}

export function readCheckpointReset(cursor: ByteCursor): CheckpointReset {
  return { reason: readVarInt(cursor), milliseconds: readVarint(cursor) };
}

export function writeCheckpointReset(builder: ByteBuilder, event: CheckpointReset): void {
  writeVarInt(builder, event.reason);
  writeVarint(builder, event.milliseconds);
}

/** Event 13; `result` is a place in `RUN_RESULTS`. */
export interface RunEnd {
  readonly result: number;
  readonly milliseconds: number;
}

export function readRunEnd(cursor: ByteCursor): RunEnd {
  return { result: readVarInt(cursor), milliseconds: readVarint(cursor) };
}

export function writeRunEnd(builder: ByteBuilder, event: RunEnd): void {
  writeVarInt(builder, event.result);
  writeVarint(builder, event.milliseconds);
}

/** Moves the cursor over the body of event `id`, checking all of it. False: the event is unknown. */
export function skipProductionEvent(cursor: ByteCursor, id: number, version: ProductionVersion): boolean {
  switch (id) {
    case PRODUCTION.deltaMove:
      readDeltaMove(cursor);
      return true;
    case PRODUCTION.absoluteMove:
      readAbsoluteMove(cursor);
      return true;
    case PRODUCTION.state:
      readProductionState(cursor);
      return true;
    case PRODUCTION.handAnimation:
      readHandAnimation(cursor);
      return true;
    case PRODUCTION.itemUse:
      readProductionItemUse(cursor);
      return true;
    case PRODUCTION.setItems:
      readProductionSetItems(cursor);
      return true;
    case PRODUCTION.heldSlot:
      readProductionHeldSlot(cursor);
      return true;
    case PRODUCTION.setBlock:
      readProductionSetBlock(cursor, version);
      return true;
    case PRODUCTION.spawn:
      readProductionSpawn(cursor, version);
      return true;
    case PRODUCTION.destroy:
      readDestroy(cursor);
      return true;
    case PRODUCTION.checkpointReached:
      readCheckpointReached(cursor);
      return true;
    case PRODUCTION.checkpointReset:
      readCheckpointReset(cursor);
      return true;
    case PRODUCTION.runEnd:
      readRunEnd(cursor);
      return true;
    case PRODUCTION.runStart:
    case PRODUCTION.clearGhostBlocks:
      return true;
    default:
      return false;
  }
}

/** Head of a tick record: absolute tick, signed count (spec §14). A negative count is malformed. */
export function readProductionTickHead(cursor: ByteCursor): { tick: number; count: number } {
  const tick = readVarInt(cursor);
  const count = cursor.i16be();
  if (count < 0) throw new LayoutError("malformed", `tick record of ${count} events`, cursor.offset - 2);
  return { tick, count };
}

/** Throws `RangeError` above 32,767 events. */
export function writeProductionTickHead(builder: ByteBuilder, head: { tick: number; count: number }): void {
  if (head.count > 0x7fff) throw new RangeError(`${head.count} events in one tick record`);
  writeVarInt(builder, head.tick);
  builder.i16be(head.count);
}
