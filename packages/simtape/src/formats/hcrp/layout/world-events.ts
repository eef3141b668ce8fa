import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readVarint, writeVarint } from "../../../bytes/varint.ts";
import { readSized, readVarInt, writeSized, writeVarInt } from "./framing.ts";
import { readCount, readOptional, writeOptional } from "./lists.ts";
import { readGrid, writeGrid } from "./motion.ts";

/** Event 7. `delta` counts from the block set before in this chunk, the first from 0, 0, 0. */
export interface SetBlock {
  readonly delta: Float64Array;
  /** Index into the block palette. */
  readonly block: number;
}

export function readSetBlock(cursor: ByteCursor): SetBlock {
  return { delta: readGrid(cursor), block: readVarInt(cursor) };
}

export function writeSetBlock(builder: ByteBuilder, event: SetBlock): void {
  writeGrid(builder, event.delta);
  writeVarInt(builder, event.block);
}

/** Event 8. Each of `blocks` is `palette index << 12 | y << 8 | z << 4 | x`, inside the section of 16³ blocks. */
export interface SetBlocks {
  readonly section: Float64Array;
  readonly blocks: Uint32Array;
}

export function readSetBlocks(cursor: ByteCursor): SetBlocks {
  const section = readGrid(cursor);
  const blocks = new Uint32Array(readCount(cursor, 1));
  for (let i = 0; i < blocks.length; i++) blocks[i] = readVarInt(cursor);
  return { section, blocks };
}

export function writeSetBlocks(builder: ByteBuilder, event: SetBlocks): void {
  writeGrid(builder, event.section);
  writeVarInt(builder, event.blocks.length);
  for (const block of event.blocks) writeVarInt(builder, block);
}

/** Event 12. Takes the next index of its kind in the chunk. */
export interface PaletteAdd {
  readonly kind: number;
  readonly entry: Uint8Array;
}

export function readPaletteAdd(cursor: ByteCursor): PaletteAdd {
  return { kind: cursor.u8(), entry: readSized(cursor) };
}

export function writePaletteAdd(builder: ByteBuilder, event: PaletteAdd): void {
  builder.u8(event.kind);
  writeSized(builder, event.entry);
}

/** Event 16. */
export interface Chat {
  readonly kind: number;
  /** Null: a line of the system. */
  readonly sender: number | null;
  readonly text: number;
}

export function readChat(cursor: ByteCursor): Chat {
  return { kind: cursor.u8(), sender: readOptional(cursor), text: readVarInt(cursor) };
}

export function writeChat(builder: ByteBuilder, event: Chat): void {
  builder.u8(event.kind);
  writeOptional(builder, event.sender);
  writeVarInt(builder, event.text);
}

/** Event 17. */
export interface Sound {
  readonly sound: number;
  /** In 1/8 block. */
  readonly position: Float64Array;
  readonly category: number;
  /** × 64. */
  readonly volume: number;
  /** × 64. */
  readonly pitch: number;
}

export function readSound(cursor: ByteCursor): Sound {
  return {
    sound: readVarInt(cursor),
    position: readGrid(cursor),
    category: cursor.u8(),
    volume: cursor.u8(),
    pitch: cursor.u8(),
  };
}

export function writeSound(builder: ByteBuilder, event: Sound): void {
  writeVarInt(builder, event.sound);
  writeGrid(builder, event.position);
  builder.u8(event.category).u8(event.volume).u8(event.pitch);
}

/** Event 18. */
export interface Particles {
  readonly particle: number;
  /** In 1/16 block. */
  readonly position: Float64Array;
  readonly count: number;
  /** × 16. */
  readonly spread: Uint8Array;
}

export function readParticles(cursor: ByteCursor): Particles {
  return {
    particle: readVarInt(cursor),
    position: readGrid(cursor),
    count: readVarInt(cursor),
    spread: cursor.view(3),
  };
}

export function writeParticles(builder: ByteBuilder, event: Particles): void {
  writeVarInt(builder, event.particle);
  writeGrid(builder, event.position);
  writeVarInt(builder, event.count);
  builder.raw(event.spread);
}

/** Event 21, and section 4 of a snapshot. */
export interface World {
  /** Null: not stated. */
  readonly time: number | null;
  readonly weather: number | null;
}

/** u8: bit 0 a time follows, bit 1 a weather follows (events §2, id 21). */
export function readWorld(cursor: ByteCursor): World {
  const has = cursor.u8();
  if (has > 3) throw new LayoutError("malformed", `world event with unknown bits ${has}`, cursor.offset - 1);
  return { time: (has & 1) === 0 ? null : readVarint(cursor), weather: (has & 2) === 0 ? null : cursor.u8() };
}

export function writeWorld(builder: ByteBuilder, event: World): void {
  builder.u8((event.time === null ? 0 : 1) | (event.weather === null ? 0 : 2));
  if (event.time !== null) writeVarint(builder, event.time);
  if (event.weather !== null) builder.u8(event.weather);
}

/** Kinds of marks by the number that the event has for them (spec §4 `marks`, events §1). */
export const MARK_KINDS = ["bookmark", "checkpoint", "anticheat", "report", "start", "end"] as const;
/** What kind of moment a mark names. */
export type MarkKind = (typeof MARK_KINDS)[number];

/** Event 27. */
export interface Mark {
  readonly kind: number;
  readonly entity: number | null;
  readonly text: number;
  readonly severity: number;
}

export function readMark(cursor: ByteCursor): Mark {
  return { kind: cursor.u8(), entity: readOptional(cursor), text: readVarInt(cursor), severity: cursor.u8() };
}

export function writeMark(builder: ByteBuilder, event: Mark): void {
  builder.u8(event.kind);
  writeOptional(builder, event.entity);
  writeVarInt(builder, event.text);
  builder.u8(event.severity);
}
