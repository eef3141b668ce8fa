import { inside, noted, type Part, part, struct } from "../../../bytes/field-parts.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Fields } from "../../../bytes/fields.ts";
import { readZigzag } from "../../../bytes/varint.ts";
import { nbtField } from "../../../codec/nbt-fields.ts";
import { nbtLength } from "../../../codec/nbt.ts";
import { readUuid, readVarInt } from "../layout/framing.ts";
import { readOptional } from "../layout/lists.ts";
import { degreesOf, GRID, readLowVector } from "../layout/motion.ts";

export const varInt: Part<number> = part(readVarInt);
export const zigzag: Part<number> = part(readZigzag);
export const uuid: Part<string> = part(readUuid);
/** An entity, one more than its id, 0 for none. */
export const optional: Part<number | null> = part(readOptional);
export const lowVector: Part<Float64Array> = noted(
  part((cursor) => readLowVector(cursor).value),
  "blocks per tick",
);

/** Three of them, as x, y, z. */
export function xyz(one: Part<number>): Part {
  return struct({ x: one, y: one, z: one });
}

/** Grid steps of 1/4096 block. */
export const grid: Part = xyz(noted(zigzag, (steps) => `${steps / GRID} blocks`));

/** Angle steps of 1/65536 turn. */
export function turn(of: Part<number>): Part<number> {
  return noted(of, (steps) => `${Number(degreesOf(steps).toPrecision(6))}°`);
}

/** Nameless NBT, text, or bytes: what an entry of a palette is. */
export function paletteEntry(fields: Fields, name: string): void {
  const { bytes, position, end } = fields.cursor;
  if (bytes[position] === 0x0a && isNbt(bytes, position, end)) nbtField(fields, name);
  else if (fields.left > 0) fields.read(name, (cursor) => textOf(cursor.view(cursor.remaining)));
}

/** A list of items whose count is a VarInt of the frame. */
export function counted(item: Part): Part<number> {
  return (fields, name) => {
    const size = fields.as("frame", () => varInt(fields, inside(name, "count")));
    for (let i = 0; i < size; i++) {
      if (fields.left === 0) throw new LayoutError("truncated", `${size - i} more of ${name} are missing`, 0);
      item(fields, `${name}[${i}]`);
    }
    return size;
  };
}

/** A VarInt length of the frame, and what it is of, by itself. */
export function sized(of: (fields: Fields, name: string, length: number) => void): Part<void> {
  return (fields, name) => {
    const length = fields.as("frame", () => varInt(fields, inside(name, "length")));
    fields.within(length, () => of(fields, name, length));
  };
}

function isNbt(bytes: Uint8Array, start: number, end: number): boolean {
  try {
    return start + nbtLength(bytes, start, end) === end;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}

function textOf(bytes: Uint8Array): string | Uint8Array {
  try {
    return new ByteCursor(bytes).utf8(bytes.length);
  } catch (error) {
    if (error instanceof LayoutError) return bytes;
    throw error;
  }
}
