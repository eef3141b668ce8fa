import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import {
  expectWire,
  readBool,
  readBytes,
  readInt32,
  readLength,
  readString,
  readTag,
  readUint32,
  skipField,
  WIRE,
} from "../../../codec/protobuf.ts";
import type { Value } from "../../../model/values/value.ts";
import { type FieldType, type MessageType, messageTypes } from "./protobuf-types.ts";
import type { Decode } from "./schema.ts";

/** How deep messages may nest: protobuf's own limit. */
const DEPTH = 100;
/** Memory of a value in a list, and of an object. */
const ITEM = 16;
const OBJECT = 128;

/**
 * Decodes messages of the type `name` in a serialized `FileDescriptorSet` (spec §6). Members have the names of the
 * schema. A scalar that is absent has its zero, unless the schema tells presence; an absent message is no member. Maps
 * are objects, enums numbers. Null: the set does not have the type.
 */
export function protobufDecoder(set: Uint8Array, name: string): Decode | null {
  const type = messageTypes(set).get(name);
  if (type === undefined) return null;
  return (payload) => {
    const cursor = new ByteCursor(payload);
    return readMessage(cursor, payload.length, type, DEPTH);
  };
}

function readMessage(cursor: ByteCursor, end: number, type: MessageType, depth: number): { [key: string]: Value } {
  if (depth === 0) throw new LayoutError("malformed", "protobuf messages nested too deep", cursor.offset);
  cursor.claim(OBJECT + type.zeros.length * ITEM);
  const value: { [key: string]: Value } = {};
  for (const [name, zero] of type.zeros) value[name] = zero;
  const lists = new Map<string, Value[]>();
  const maps = new Map<string, { [key: string]: Value }>();
  while (cursor.position < end) {
    const tag = readTag(cursor);
    const field = type.fields.get(tag >>> 3);
    if (field === undefined) skipField(cursor, tag);
    else if (field.map !== null) {
      const entry = readOne(cursor, tag, field, depth) as { readonly [key: string]: Value };
      let map = maps.get(field.name);
      if (map === undefined) {
        map = {};
        maps.set(field.name, map);
        define(value, field.name, map);
      }
      // keys are texts, whole numbers or booleans
      const key = entry["key"] as string | number | bigint | boolean | undefined;
      define(map, String(key ?? ""), entry["value"] ?? null);
    } else if (!field.isRepeated) define(value, field.name, readOne(cursor, tag, field, depth));
    else {
      let list = lists.get(field.name);
      if (list === undefined) {
        list = [];
        lists.set(field.name, list);
        define(value, field.name, list);
      }
      readItems(cursor, tag, field, depth, list);
    }
  }
  if (cursor.position > end) throw new LayoutError("malformed", "a protobuf field exceeds its message", cursor.offset);
  return value;
}

/** A member of its own, whatever it is called. */
function define(object: { [key: string]: Value }, name: string, value: Value): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** One item of a repeated field, or all of a packed one. */
function readItems(cursor: ByteCursor, tag: number, field: FieldType, depth: number, list: Value[]): void {
  if ((tag & 7) !== WIRE.bytes || field.wire === WIRE.bytes) {
    cursor.claim(ITEM);
    list.push(readOne(cursor, tag, field, depth));
    return;
  }
  const length = readLength(cursor);
  const end = cursor.position + length;
  while (cursor.position < end) {
    cursor.claim(ITEM);
    list.push(readScalar(cursor, field.type));
  }
  if (cursor.position > end) throw new LayoutError("malformed", "a packed field exceeds its length", cursor.offset);
}

function readOne(cursor: ByteCursor, tag: number, field: FieldType, depth: number): Value {
  expectWire(cursor, tag, field.wire);
  if (field.message === null) return readScalar(cursor, field.type);
  const length = readLength(cursor);
  return readMessage(cursor, cursor.position + length, field.message(), depth - 1);
}

/** By the number that descriptors have for the type. */
function readScalar(cursor: ByteCursor, type: number): Value {
  switch (type) {
    case 1:
      return cursor.f64le();
    case 2:
      return cursor.f32le();
    case 3:
      return exact(BigInt.asIntN(64, readBig(cursor)));
    case 4:
      return exact(readBig(cursor));
    case 5:
    case 14:
      return readInt32(cursor);
    case 6:
      return exact(cursor.bigU64le());
    case 7:
      return cursor.u32le();
    case 8:
      return readBool(cursor);
    case 9:
      return readString(cursor);
    case 12:
      return readBytes(cursor);
    case 13:
      return readUint32(cursor);
    case 15:
      return cursor.i32le();
    case 16:
      return exact(cursor.bigI64le());
    case 17: {
      const bits = readUint32(cursor);
      return (bits >>> 1) ^ -(bits & 1);
    }
    case 18: {
      const bits = readBig(cursor);
      return exact((bits >> 1n) ^ -(bits & 1n));
    }
    default:
      throw new LayoutError("malformed", `a protobuf type ${type}`, cursor.offset);
  }
}

/** A varint of 64 bits. */
function readBig(cursor: ByteCursor): bigint {
  let low = 0;
  let scale = 1;
  for (let count = 0; count < 7; count++) {
    const byte = cursor.u8();
    low += (byte & 0x7f) * scale;
    if (byte < 0x80) return BigInt(low);
    scale *= 128;
  }
  let value = BigInt(low);
  for (let shift = 49n; shift < 70n; shift += 7n) {
    const byte = cursor.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new LayoutError("malformed", "varint is longer than 10 bytes", cursor.offset);
}
