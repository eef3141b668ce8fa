import {
  as,
  exact,
  f32be,
  f64be,
  i16be,
  i32be,
  i8,
  inside,
  items,
  noted,
  type Part,
  part,
  raw,
  u8,
} from "../bytes/field-parts.ts";
import { LayoutError } from "../bytes/error.ts";
import type { Fields } from "../bytes/fields.ts";
import { decodeModifiedUtf8 } from "../bytes/modified-utf8.ts";
import { NBT } from "./nbt.ts";

/** By number. */
const TAGS = ["end", "byte", "short", "int", "long", "float", "double", "bytes", "text"];
const TAG_NAMES: readonly string[] = [...TAGS, "list", "compound", "ints", "longs"];
/** Deepest nesting. */
const MAX_DEPTH = 64;

const tagType: Part<number> = as(
  "frame",
  noted(u8, (type) => TAG_NAMES[type] ?? null),
);
const textPart: Part<string> = part((cursor) => {
  const length = cursor.u16be();
  return decodeModifiedUtf8(cursor.view(length), cursor.offset - length);
});
const longPart: Part<number | bigint> = part((cursor) => exact(cursor.bigI64be()));

/** One nameless tag of any type, and all in it: types, names and counts are of the frame, values are named by their path. */
export const nbtField: Part<void> = (fields, name) => {
  const type = tagType(fields, inside(name, "tag"));
  if (type !== NBT.end) payload(fields, name, type, MAX_DEPTH);
};

/** A document: its root may have a name, which is then empty (HCRP spec §4). */
export const nbtDocument: Part<void> = (fields, name) => {
  const { bytes, position, end } = fields.cursor;
  const hasName = end - position > 2 && bytes[position + 1] === 0 && bytes[position + 2] === 0;
  const type = tagType(fields, inside(name, "root"));
  if (hasName) as("frame", textPart)(fields, inside(name, "root name"));
  if (type !== NBT.end) payload(fields, name, type, MAX_DEPTH);
};

function payload(fields: Fields, name: string, type: number, depth: number): void {
  switch (type) {
    case NBT.byte:
      i8(fields, name);
      break;
    case NBT.short:
      i16be(fields, name);
      break;
    case NBT.int:
      i32be(fields, name);
      break;
    case NBT.long:
      longPart(fields, name);
      break;
    case NBT.float:
      f32be(fields, name);
      break;
    case NBT.double:
      f64be(fields, name);
      break;
    case NBT.byteArray:
      raw(count(fields, name))(fields, name);
      break;
    case NBT.string:
      textPart(fields, name);
      break;
    case NBT.list:
      list(fields, name, depth);
      break;
    case NBT.compound:
      compound(fields, name, depth);
      break;
    case NBT.intArray:
      items(fields, name, count(fields, name), i32be);
      break;
    case NBT.longArray:
      items(fields, name, count(fields, name), longPart);
      break;
    default:
      throw new LayoutError("malformed", `NBT tag ${type}`, fields.cursor.offset);
  }
}

function count(fields: Fields, name: string): number {
  return as("frame", i32be)(fields, inside(name, "count"));
}

function list(fields: Fields, name: string, depth: number): void {
  checkDepth(fields, depth);
  const type = tagType(fields, inside(name, "items"));
  const size = count(fields, name);
  if (type !== NBT.end) items(fields, name, size, (_, item) => payload(fields, item, type, depth - 1));
}

function compound(fields: Fields, name: string, depth: number): void {
  checkDepth(fields, depth);
  for (let i = 0; ; i++) {
    const type = tagType(fields, inside(name, "tag"));
    if (type === NBT.end) return;
    const key = as("frame", textPart)(fields, inside(name, `key ${i}`));
    payload(fields, inside(name, key), type, depth - 1);
  }
}

function checkDepth({ cursor }: Fields, depth: number): void {
  if (depth <= 0) throw new LayoutError("malformed", "NBT nested too deep", cursor.offset);
}
