import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import { inside, numbers, part } from "../bytes/field-parts.ts";
import type { Fields } from "../bytes/fields.ts";
import { readBool, readLength, readPackedUint32s, readTag, readUint32, skipField, WIRE } from "./protobuf.ts";

/** One member of a message, by its field number. */
export interface ProtobufMember {
  /** As the schema calls it. */
  readonly name: string;
  readonly type: "null" | "uint32" | "bool" | "double" | "string" | "message" | "map" | "floats" | "uint32s";
  /** Of a message; of a map that of its values. */
  readonly of?: () => ProtobufMessage;
  /** Is no step of the path: the one member of an oneof, a list's items. */
  readonly isHidden?: boolean;
  /** Is a list. */
  readonly isRepeated?: boolean;
  /** Is of the frame. */
  readonly isKey?: boolean;
}

export type ProtobufMessage = Readonly<Record<number, ProtobufMember>>;

/** What is known beyond the schema. */
export type ProtobufNote = (path: string) => string | null;

/** How deep messages may nest: protobuf's own limit is for values, each of which takes three. */
const MAX_DEPTH = 300;

/**
 * The members of a message that fills what is left: tags, lengths and keys are of the frame, values are named by the way
 * to them. Members that the schema does not have are not understood, each by itself.
 */
export function protobufFields(
  fields: Fields,
  path: string,
  message: ProtobufMessage,
  noteOf: ProtobufNote = () => null,
  depth: number = MAX_DEPTH,
): void {
  if (depth === 0) throw new LayoutError("malformed", "protobuf nested too deep", fields.cursor.offset);
  const counts = new Map<number, number>();
  while (fields.left > 0) {
    const tag = readTag(ahead(fields));
    const number = tag >>> 3;
    const member = message[number];
    if (member === undefined || (tag & 7) !== wireOf(member, tag)) {
      fields.as("unknown", () => fields.read(`field ${number}`, (cursor) => skipField(cursor, readTag(cursor))));
      continue;
    }
    const index = counts.get(number) ?? 0;
    counts.set(number, index + 1);
    const place = member.isHidden === true ? path : inside(path, member.name);
    const isList = member.isRepeated === true || (member.type === "floats" && (tag & 7) === WIRE.fixed32);
    const name = isList ? `${place}[${index}]` : place;
    memberFields(fields, name, tag, member, noteOf, depth);
  }
}

function wireOf({ type }: ProtobufMember, tag: number): number {
  switch (type) {
    case "null":
    case "uint32":
    case "bool":
      return WIRE.varint;
    case "double":
      return WIRE.fixed64;
    case "floats":
      return (tag & 7) === WIRE.fixed32 ? WIRE.fixed32 : WIRE.bytes;
    case "uint32s":
      return (tag & 7) === WIRE.varint ? WIRE.varint : WIRE.bytes;
    default:
      return WIRE.bytes;
  }
}

function memberFields(
  fields: Fields,
  name: string,
  tag: number,
  member: ProtobufMember,
  noteOf: ProtobufNote,
  depth: number,
): void {
  const what = `field ${tag >>> 3}, ${member.name}`;
  if ((tag & 7) !== WIRE.bytes) {
    fields.as("frame", () => fields.read(inside(name, "tag"), readTag, what));
    fields.read(name, SCALARS[member.type]!, noteOf(name));
    return;
  }
  const { of } = member;
  const key = member.type === "map" ? keyAhead(fields) : null;
  const own = key === null ? name : inside(name, key);
  const length = fields.as("frame", () =>
    fields.read(own === "" ? "head" : own, (cursor) => {
      readTag(cursor);
      return readLength(cursor);
    }),
  );
  fields.note(`${what}, ${length} bytes`);
  fields.within(length, () => {
    if (member.type === "map") entryFields(fields, own, of!(), noteOf, depth - 1);
    else if (member.type === "message") protobufFields(fields, own, of!(), noteOf, depth - 1);
    else if (member.isKey === true) fields.as("frame", () => fields.read(own, (cursor) => cursor.utf8(length)));
    else if (member.type === "string") fields.read(own, (cursor) => cursor.utf8(length), noteOf(own));
    else {
      (member.type === "floats" ? numbers("f32", length >>> 2) : UINT32S)(fields, own);
      fields.note(noteOf(own));
    }
  });
}

const SCALARS: Readonly<Partial<Record<ProtobufMember["type"], (cursor: ByteCursor) => unknown>>> = {
  null: (cursor: ByteCursor) => {
    readUint32(cursor);
    return null;
  },
  uint32: readUint32,
  bool: readBool,
  double: (cursor: ByteCursor) => cursor.f64le(),
  floats: (cursor: ByteCursor) => cursor.f32le(),
  uint32s: readUint32,
};

const UINT32S = part(readPackedUint32s);

/** One entry of a map: key 1, value 2. */
function entryFields(fields: Fields, path: string, value: ProtobufMessage, noteOf: ProtobufNote, depth: number): void {
  const entry: ProtobufMessage = {
    1: { name: "key", type: "string", isKey: true },
    2: { name: "value", type: "message", of: () => value, isHidden: true },
  };
  protobufFields(fields, path, entry, noteOf, depth);
}

/** The key of the entry whose tag is next; null when it does not come first, or is none. */
function keyAhead(fields: Fields): string | null {
  const cursor = ahead(fields);
  readTag(cursor);
  const length = readLength(cursor);
  const inner = new ByteCursor(cursor.bytes, cursor.position, cursor.position + length);
  try {
    return readTag(inner) === 8 + WIRE.bytes ? inner.utf8(readLength(inner)) : null;
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

function ahead({ cursor }: Fields): ByteCursor {
  return new ByteCursor(cursor.bytes, cursor.position, cursor.end);
}
