import { ByteCursor } from "../../../bytes/cursor.ts";
import { readMessagePack, skipMessagePack } from "../../../codec/messagepack.ts";
import { readLength, readString, readTag, skipField, WIRE } from "../../../codec/protobuf.ts";
import { readKey, readMapSize } from "../layout/messagepack.ts";
import type { Container } from "./schema.ts";

/** Whether a key of a state update is looked for; `isRemoved`: the update takes it away. */
export type KeyTest = (key: string, isRemoved: boolean) => boolean;

const NIL = 0xc0;
/** Tag of `null_value` in a protobuf `Value` (spec §2). */
const NULL_VALUE = 8;

/** Whether any key of a state update passes the test. Its values are passed over. Throws `LayoutError` when it is none. */
export function hasKey(payload: Uint8Array, container: Container, test: KeyTest): boolean {
  const cursor = new ByteCursor(payload);
  return container === "zip" ? hasKeyInMessage(cursor, test) : hasKeyInStructs(cursor, test);
}

/** Spec §4.1. */
function hasKeyInMessage(cursor: ByteCursor, test: KeyTest): boolean {
  for (let parts = readMapSize(cursor); parts > 0; parts--) {
    if (readKey(cursor) !== "state" || isNil(cursor)) {
      skipMessagePack(cursor);
      continue;
    }
    for (let halves = readMapSize(cursor); halves > 0; halves--) {
      const half = readKey(cursor);
      if (half === "updates" && !isNil(cursor)) {
        for (let keys = readMapSize(cursor); keys > 0; keys--) {
          if (test(readKey(cursor), false)) return true;
          skipMessagePack(cursor);
        }
      } else if (half === "removals") {
        const removals = readMessagePack(cursor);
        if (Array.isArray(removals) && removals.some((key) => typeof key === "string" && test(key, true))) return true;
      } else skipMessagePack(cursor);
    }
  }
  return false;
}

/** Spec §2: entries of the struct in field 1; a key is removed by null. */
function hasKeyInStructs(cursor: ByteCursor, test: KeyTest): boolean {
  while (cursor.remaining > 0) {
    const tag = readTag(cursor);
    if (tag !== 8 + WIRE.bytes) {
      skipField(cursor, tag);
      continue;
    }
    const length = readLength(cursor);
    for (const end = cursor.position + length; cursor.position < end; ) {
      const inside = readTag(cursor);
      if (inside !== 8 + WIRE.bytes) skipField(cursor, inside);
      else if (hasKeyInEntry(cursor, test)) return true;
    }
  }
  return false;
}

function hasKeyInEntry(cursor: ByteCursor, test: KeyTest): boolean {
  let key = "";
  let isRemoved = true;
  const length = readLength(cursor);
  for (const end = cursor.position + length; cursor.position < end; ) {
    const tag = readTag(cursor);
    if (tag === 8 + WIRE.bytes) key = readString(cursor);
    else if (tag === 16 + WIRE.bytes) {
      const size = readLength(cursor);
      isRemoved = size === 0 || cursor.bytes[cursor.position] === NULL_VALUE;
      cursor.skip(size);
    } else skipField(cursor, tag);
  }
  return test(key, isRemoved);
}

function isNil(cursor: ByteCursor): boolean {
  return cursor.bytes[cursor.position] === NIL;
}
