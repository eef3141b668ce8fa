import { as, inside, items, noted, type Part, part, raw, text } from "../bytes/field-parts.ts";
import type { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import type { Fields } from "../bytes/fields.ts";
import { readMessagePack } from "./messagepack.ts";

/** What is known of a MessagePack document beyond its bytes. */
export interface MessagePackHints {
  /** How the `length` bytes of a `bin` are read whose member is called `name`; null: as they are. */
  binary?(name: string, length: number): Part | null;
  /** A number's unit or meaning. */
  note?(name: string): string | null;
}

/** How deep arrays and maps may nest. */
const MAX_DEPTH = 128;

/** One value: what holds no others is a field, named by the keys on the way to it; heads, lengths and keys are of the frame. */
export function messagePackField(hints: MessagePackHints = {}): Part<void> {
  return (fields, name) => value(fields, name, hints, MAX_DEPTH);
}

function value(fields: Fields, name: string, hints: MessagePackHints, depth: number): void {
  const { cursor } = fields;
  if (depth === 0) throw new LayoutError("malformed", "MessagePack nested too deep", cursor.offset);
  if (cursor.remaining === 0) throw new LayoutError("truncated", "a MessagePack value is missing", cursor.offset);
  const type = cursor.bytes[cursor.position]!;
  if (isScalar(type)) fields.read(name, (at) => readMessagePack(at), hints.note?.(name) ?? null);
  else if (type <= 0x8f || type >= 0xde) map(fields, name, hints, depth);
  else if (type <= 0x9f || type >= 0xdc) array(fields, name, hints, depth);
  else if (type <= 0xbf || type >= 0xd9) string(fields, name);
  else if (type >= 0xc7) extension(fields, name);
  else if (type >= 0xc4) binary(fields, name, hints);
  else throw new LayoutError("malformed", `MessagePack byte ${type} is never used`, cursor.offset);
}

/** Bytes of the size behind the types 0xc4 to 0xdf; 0: the type has one length. */
const SIZE_BYTES = "1241240000000000000001242424";

/** The type byte, and the size in it or behind it. */
function sizeAt(cursor: ByteCursor): number {
  const type = cursor.u8();
  if (type < 0xc0) return type & (type < 0xa0 ? 15 : 31);
  const width = Number(SIZE_BYTES[type - 0xc4]);
  return width === 1 ? cursor.u8() : width === 2 ? cursor.u16be() : cursor.u32be();
}

/** Numbers, nil and booleans. */
function isScalar(type: number): boolean {
  return (
    type <= 0x7f || type >= 0xe0 || type === 0xc0 || (type >= 0xc2 && type <= 0xc3) || (type >= 0xca && type <= 0xd3)
  );
}

function head(fields: Fields, name: string, what: string): number {
  return fields.as("frame", () => {
    const size = fields.read(name === "" ? "head" : name, sizeAt);
    fields.note(`${what} ${size}`);
    return size;
  });
}

function string(fields: Fields, name: string): void {
  const length = fields.as("frame", () => fields.read(inside(name, "length"), sizeAt));
  text(length)(fields, name);
}

function binary(fields: Fields, name: string, hints: MessagePackHints): void {
  const length = fields.as("frame", () => fields.read(inside(name, "length"), sizeAt, "bytes"));
  const known = hints.binary?.(name, length) ?? null;
  fields.within(length, () => (known ?? raw(length))(fields, name));
}

function extension(fields: Fields, name: string): void {
  const length = fields.as("frame", () =>
    fields.read(inside(name, "length"), (at) => {
      const type = at.bytes[at.position]!;
      if (type < 0xd4) return sizeAt(at);
      at.skip(1);
      return 1 << (type - 0xd4);
    }),
  );
  EXTENSION_TYPE(fields, inside(name, "type"));
  raw(length)(fields, name);
}

const EXTENSION_TYPE: Part = as(
  "frame",
  noted(
    part((cursor) => cursor.i8()),
    "extension",
  ),
);

function array(fields: Fields, name: string, hints: MessagePackHints, depth: number): void {
  const size = head(fields, name, "list of");
  items(fields, name, size, (_, item) => value(fields, item, hints, depth - 1));
}

function map(fields: Fields, name: string, hints: MessagePackHints, depth: number): void {
  const size = head(fields, name, "map of");
  for (let i = 0; i < size; i++) {
    const key = fields.as("frame", () => keyOf(fields, inside(name, `key ${i}`)));
    value(fields, inside(name, key), hints, depth - 1);
  }
}

/** Keys are text; the length goes with it. */
function keyOf(fields: Fields, name: string): string {
  return fields.read(name, (cursor) => {
    const type = cursor.bytes[cursor.position] ?? 0;
    const isText = (type >= 0xa0 && type <= 0xbf) || (type >= 0xd9 && type <= 0xdb);
    if (!isText) throw new LayoutError("malformed", "a key of a MessagePack map is no text", cursor.offset);
    return KEYS.decode(cursor.view(sizeAt(cursor)));
  });
}

const KEYS = new TextDecoder();
