import { ByteCursor } from "../../../bytes/cursor.ts";
import { readBool, readMessage, readString, readTag, readUint32, skipField, WIRE } from "../../../codec/protobuf.ts";
import type { Value } from "../../../model/values/value.ts";

/** A member of a message. */
export interface FieldType {
  readonly name: string;
  /** The number that descriptors have for it: 1 double to 18 sint64. */
  readonly type: number;
  readonly wire: number;
  readonly isRepeated: boolean;
  /** Of a message; null: a scalar. */
  readonly message: (() => MessageType) | null;
  /** It is a list of entries of a map. */
  map: true | null;
}

export interface MessageType {
  readonly fields: ReadonlyMap<number, FieldType>;
  /** What is there when a message does not say it. */
  readonly zeros: readonly (readonly [name: string, zero: Value])[];
  readonly isMapEntry: boolean;
}

const NO_FIELDS: MessageType = { fields: new Map(), zeros: [], isMapEntry: false };

/** Wire types by the number of the type; 10, groups, are not read. */
const FIXED_64: ReadonlySet<number> = new Set([1, 6, 16]);
const FIXED_32: ReadonlySet<number> = new Set([2, 7, 15]);
const BYTES: ReadonlySet<number> = new Set([9, 11, 12]);
const GROUP = 10;
const MESSAGE = 11;
const REPEATED = 3;
/** How deep types may be nested in one another. */
const DEPTH = 64;

/**
 * The messages of a `FileDescriptorSet`, by their full names. Field numbers are those of descriptor.proto. Throws
 * `LayoutError`.
 */
export function messageTypes(set: Uint8Array): ReadonlyMap<string, MessageType> {
  const types = new Map<string, MessageType>();
  const cursor = new ByteCursor(set);
  each(cursor, {
    1: (file) => {
      let scope = "";
      const messages: ByteCursor[] = [];
      each(file, {
        2: (_, at) => (scope = readString(at)),
        4: (message) => messages.push(message),
      });
      for (const message of messages) addMessage(message, scope, types, DEPTH);
    },
  });
  return types;
}

type Take = (message: ByteCursor, cursor: ByteCursor) => unknown;

/**
 * Calls `takes` for the members of a message. One that takes two arguments reads the value; else it is given a cursor
 * over the message that the member is.
 */
function each(cursor: ByteCursor, takes: Readonly<Record<number, Take>>): void {
  while (cursor.remaining > 0) {
    const tag = readTag(cursor);
    const take = takes[tag >>> 3];
    if (take === undefined) skipField(cursor, tag);
    else if (take.length > 1) take(cursor, cursor);
    else if ((tag & 7) === WIRE.bytes) take(readMessage(cursor), cursor);
    else skipField(cursor, tag);
  }
}

function addMessage(cursor: ByteCursor, scope: string, types: Map<string, MessageType>, depth: number): void {
  let name = "";
  let isMapEntry = false;
  const fields = new Map<number, FieldType>();
  const zeros: (readonly [string, Value])[] = [];
  const nested: ByteCursor[] = [];
  each(cursor, {
    1: (_, at) => (name = readString(at)),
    2: (field) => addField(field, fields, zeros, types),
    3: (message) => nested.push(message),
    7: (options) => each(options, { 7: (_, at) => (isMapEntry = readBool(at)) }),
  });
  const full = scope === "" ? name : `${scope}.${name}`;
  types.set(full, { fields, zeros, isMapEntry });
  if (depth > 0) for (const message of nested) addMessage(message, full, types, depth - 1);
  // entries of maps are nested types of the message, and known now
  for (const field of fields.values()) {
    if (!field.isRepeated || field.message?.().isMapEntry !== true) continue;
    field.map = true;
    const at = zeros.findIndex(([member]) => member === field.name);
    zeros[at] = [field.name, {}];
  }
}

function addField(
  cursor: ByteCursor,
  fields: Map<number, FieldType>,
  zeros: (readonly [string, Value])[],
  types: ReadonlyMap<string, MessageType>,
): void {
  let [name, typeName] = ["", ""];
  let [number, label, type] = [0, 1, 0];
  let hasPresence = false;
  each(cursor, {
    1: (_, at) => (name = readString(at)),
    3: (_, at) => (number = readUint32(at)),
    4: (_, at) => (label = readUint32(at)),
    5: (_, at) => (type = readUint32(at)),
    6: (_, at) => (typeName = readString(at)),
    9: (_, at) => {
      readUint32(at);
      hasPresence = true;
    },
  });
  if (type === GROUP) return;
  const isRepeated = label === REPEATED;
  const message = type === MESSAGE ? () => types.get(typeName.replace(/^\./, "")) ?? NO_FIELDS : null;
  fields.set(number, { name, type, wire: wireOf(type), isRepeated, message, map: null });
  if (isRepeated) zeros.push([name, []]);
  else if (type !== MESSAGE && !hasPresence) zeros.push([name, zeroOf(type)]);
}

function wireOf(type: number): number {
  if (BYTES.has(type)) return WIRE.bytes;
  return FIXED_64.has(type) ? WIRE.fixed64 : FIXED_32.has(type) ? WIRE.fixed32 : WIRE.varint;
}

function zeroOf(type: number): Value {
  if (type === 8) return false;
  return type === 9 ? "" : type === 12 ? new Uint8Array(0) : 0;
}
