import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readZigzag, writeZigzag } from "../../../bytes/varint.ts";
import { readVarInt, writeVarInt } from "./framing.ts";

/** Grid steps in one block: positions are whole numbers of them (events §2.1). */
export const GRID = 4096;
/** Angle steps in one turn (events §2). */
export const TURN = 65_536;

/** The nearest place on the grid; at most 1/8192 block away. */
export function quantize(blocks: number): number {
  return Math.round(blocks * GRID);
}

/** Degrees, however many turns, as 0 to 65535 (events §2.1: wrap, not clamp). */
export function turnOf(degrees: number): number {
  return wrapTurn(Math.round((degrees * TURN) / 360));
}

/** Any whole number of angle steps as 0 to 65535. */
export function wrapTurn(steps: number): number {
  // the remainder of doubles is slow, and almost every number here is a small integer
  if ((steps | 0) === steps) return steps & (TURN - 1);
  const rest = steps % TURN;
  return rest < 0 ? rest + TURN : rest;
}

/** Angle steps as degrees, -180 inclusive to 180 exclusive. */
export function degreesOf(turn: number): number {
  const rest = wrapTurn(turn);
  return ((rest >= TURN / 2 ? rest - TURN : rest) * 360) / TURN;
}

/** The shorter way from one angle to another, in steps: -32768 to 32767 (events §2). */
export function turnChange(from: number, to: number): number {
  return wrapTurn(to - from + TURN / 2) - TURN / 2;
}

/** Bits of a move's mask (events §2, id 0). */
export const MOVE_X = 1;
export const MOVE_Y = 2;
export const MOVE_Z = 4;
export const MOVE_YAW = 8;
export const MOVE_PITCH = 16;
/** The bit itself is the value. */
export const MOVE_ON_GROUND = 32;
export const MOVE_HEAD_YAW = 64;
const MOVE_UNKNOWN = 128;

/** Event 0. `x`, `y`, `z` are residuals to the last displacement; what the mask leaves out is 0. */
export class Move {
  entity = 0;
  mask = 0;
  x = 0;
  y = 0;
  z = 0;
  yaw = 0;
  pitch = 0;
  headYaw = 0;
}

/** Reads into `move` and returns it: a fold hands in the same one for every message. */
export function readMove(cursor: ByteCursor, move: Move = new Move()): Move {
  move.entity = readVarInt(cursor);
  const mask = cursor.u8();
  if ((mask & MOVE_UNKNOWN) !== 0)
    throw new LayoutError("malformed", "bit 7 of a move's mask is set", cursor.offset - 1);
  move.mask = mask;
  move.x = (mask & MOVE_X) === 0 ? 0 : readZigzag(cursor);
  move.y = (mask & MOVE_Y) === 0 ? 0 : readZigzag(cursor);
  move.z = (mask & MOVE_Z) === 0 ? 0 : readZigzag(cursor);
  move.yaw = (mask & MOVE_YAW) === 0 ? 0 : readZigzag(cursor);
  move.pitch = (mask & MOVE_PITCH) === 0 ? 0 : readZigzag(cursor);
  move.headYaw = (mask & MOVE_HEAD_YAW) === 0 ? 0 : readZigzag(cursor);
  return move;
}

/**
 * Reads `bytes[start, end)` into `move` without a check of every byte; false when it is unusual in any way, and `readMove`
 * must judge it. Half of folding is this.
 */
export function readUsualMove(bytes: Uint8Array, start: number, end: number, move: Move): boolean {
  let part = usual(bytes, start);
  let at = start + (part & LENGTH);
  move.entity = part >>> 3;
  const mask = bytes[at++]!;
  move.mask = mask;
  move.x = move.y = move.z = move.yaw = move.pitch = move.headYaw = 0;
  // a number that is too long adds no length: the end is missed
  if ((mask & MOVE_X) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.x = signed(part);
  }
  if ((mask & MOVE_Y) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.y = signed(part);
  }
  if ((mask & MOVE_Z) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.z = signed(part);
  }
  if ((mask & MOVE_YAW) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.yaw = signed(part);
  }
  if ((mask & MOVE_PITCH) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.pitch = signed(part);
  }
  if ((mask & MOVE_HEAD_YAW) !== 0) {
    part = usual(bytes, at);
    at += part & LENGTH;
    move.headYaw = signed(part);
  }
  return at === end && (mask & MOVE_UNKNOWN) === 0;
}

/** Whose move is at `bytes[at]`, which is not empty: read alone, because most are not looked at. -1: it is unusual. */
export function moverOf(bytes: Uint8Array, at: number): number {
  const part = usual(bytes, at);
  return part === 0 ? -1 : part >>> 3;
}

/** Bits of what `usual` gives that tell how many bytes the number has. */
const LENGTH = 7;

/** A VarInt of up to three bytes, above the three bits of its length; 0 when it is longer. Bytes that are not there are 0. */
function usual(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return (first << 3) | 1;
  const second = bytes[at + 1]!;
  if (second < 0x80) return ((first & 0x7f) << 3) | (second << 10) | 2;
  const third = bytes[at + 2]!;
  if (third < 0x80) return ((first & 0x7f) << 3) | ((second & 0x7f) << 10) | (third << 17) | 3;
  return 0;
}

/** The ZigZag number in what `usual` gives. */
function signed(part: number): number {
  return (part >>> 4) ^ -((part >>> 3) & 1);
}

/** Writes the fields that the mask names. */
export function writeMove(builder: ByteBuilder, move: Move): void {
  const { mask } = move;
  writeVarInt(builder, move.entity);
  builder.u8(mask);
  if ((mask & MOVE_X) !== 0) writeZigzag(builder, move.x);
  if ((mask & MOVE_Y) !== 0) writeZigzag(builder, move.y);
  if ((mask & MOVE_Z) !== 0) writeZigzag(builder, move.z);
  if ((mask & MOVE_YAW) !== 0) writeZigzag(builder, move.yaw);
  if ((mask & MOVE_PITCH) !== 0) writeZigzag(builder, move.pitch);
  if ((mask & MOVE_HEAD_YAW) !== 0) writeZigzag(builder, move.headYaw);
}

/**
 * Place behind the move at `bytes[start]`, found without reading its values; -1 when it is unusual in any way (cut,
 * malformed, numbers of many bytes) and `readMove` must judge it. Moves are most of a recording.
 */
export function moveEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  // what is behind the end reads as undefined, and ends a number
  if (bytes[at++]! >= 0x80 && bytes[at++]! >= 0x80 && bytes[at++]! >= 0x80) return -1;
  const mask = bytes[at++]!;
  if (!(mask < MOVE_UNKNOWN)) return -1;
  for (let fields = mask & ~MOVE_ON_GROUND; fields !== 0; fields &= fields - 1) {
    if (bytes[at++]! >= 0x80 && bytes[at++]! >= 0x80 && bytes[at++]! >= 0x80 && bytes[at++]! >= 0x80) return -1;
  }
  return at <= end ? at : -1;
}

/** The mask that names exactly the fields of `move` that are not 0. */
export function moveMask(move: Move, onGround: boolean): number {
  return (
    (move.x === 0 ? 0 : MOVE_X) |
    (move.y === 0 ? 0 : MOVE_Y) |
    (move.z === 0 ? 0 : MOVE_Z) |
    (move.yaw === 0 ? 0 : MOVE_YAW) |
    (move.pitch === 0 ? 0 : MOVE_PITCH) |
    (onGround ? MOVE_ON_GROUND : 0) |
    (move.headYaw === 0 ? 0 : MOVE_HEAD_YAW)
  );
}

/** Flags of a place (events §2, id 1). */
export const PLACE_ON_GROUND = 1;
export const PLACE_TELEPORT = 2;

/** Where an entity is, not how it came there: the body of "place" without the entity. */
export interface GridPlace {
  /** Grid steps: x, y, z × 4096. */
  readonly q: Float64Array;
  /** Angle steps, 0 to 65535. */
  readonly yaw: number;
  readonly pitch: number;
  readonly flags: number;
}

export function readPlace(cursor: ByteCursor): GridPlace {
  return { q: readGrid(cursor), yaw: cursor.u16be(), pitch: cursor.u16be(), flags: cursor.u8() };
}

export function writePlace(builder: ByteBuilder, place: GridPlace): void {
  writeGrid(builder, place.q);
  builder.u16be(place.yaw).u16be(place.pitch).u8(place.flags);
}

/** Three ZigZag numbers. */
export function readGrid(cursor: ByteCursor): Float64Array {
  return Float64Array.of(readZigzag(cursor), readZigzag(cursor), readZigzag(cursor));
}

export function writeGrid(builder: ByteBuilder, grid: ArrayLike<number>): void {
  for (let k = 0; k < 3; k++) writeZigzag(builder, grid[k]!);
}

/** A low-precision vector, in blocks per tick (spec §14). */
export interface LowVector {
  readonly value: Float64Array;
  /** The bytes it was read from; they win when writing, as several forms have the same value. */
  readonly raw: Uint8Array | null;
}

/** Largest component value of the 15-bit fields: 0 is -1, this is +1 (the game's own vector codec). */
const LOW_RANGE = 32_766;

/**
 * One byte 0, or a byte, a byte and a big-endian u32 with 2 scale bits, a continuation bit and 3 × 15 bits, lowest
 * first, and the rest of the scale as VarInt when the continuation bit is set (spec §14).
 */
export function readLowVector(cursor: ByteCursor): LowVector {
  const start = cursor.position;
  const low = cursor.u8();
  if (low === 0) return { value: new Float64Array(3), raw: cursor.bytes.subarray(start, cursor.position) };
  const next = cursor.u8();
  const high = cursor.u32be();
  let scale = low & 3;
  if ((low & 4) !== 0) scale += readVarInt(cursor) * 4;
  // bit 0 is the lowest of `low`; `high` begins at bit 16
  const x = ((low >> 3) | (next << 5) | ((high & 0x3) << 13)) & 0x7fff;
  const y = (high >>> 2) & 0x7fff;
  const z = high >>> 17;
  const value = Float64Array.of(unpack(x) * scale, unpack(y) * scale, unpack(z) * scale);
  return { value, raw: cursor.bytes.subarray(start, cursor.position) };
}

export function writeLowVector(builder: ByteBuilder, vector: LowVector): void {
  if (vector.raw !== null) {
    builder.raw(vector.raw);
    return;
  }
  const [x, y, z] = vector.value as unknown as [number, number, number];
  const longest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  // below half a step of the smallest scale everything is 0
  if (!(longest >= 1 / LOW_RANGE)) {
    builder.u8(0);
    return;
  }
  const scale = Math.ceil(longest);
  const isLong = scale > 3;
  const a = pack(x / scale);
  const b = pack(y / scale);
  const c = pack(z / scale);
  builder.u8((scale & 3) | (isLong ? 4 : 0) | ((a & 0x1f) << 3)).u8((a >> 5) & 0xff);
  builder.u32be(((a >> 13) | (b << 2) | (c << 17)) >>> 0);
  if (isLong) writeVarInt(builder, Math.floor(scale / 4));
}

function unpack(bits: number): number {
  return (Math.min(bits, LOW_RANGE) * 2) / LOW_RANGE - 1;
}

function pack(value: number): number {
  return Math.round((value * 0.5 + 0.5) * LOW_RANGE);
}
