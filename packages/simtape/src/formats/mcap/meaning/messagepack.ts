import { decodeMessagePack, MessagePackExtension, MessagePackFloat } from "../../../codec/messagepack.ts";
import type { Value } from "../../../model/values/value.ts";
import type { MessagePackValue } from "../../../codec/messagepack.ts";

/** Decodes MessagePack (spec §6). An application's own type is the bytes that it has. Throws `LayoutError`. */
export function decodePacked(payload: Uint8Array): Value {
  return plain(decodeMessagePack(payload));
}

function plain(value: MessagePackValue): Value {
  if (value instanceof MessagePackExtension) return value.data;
  if (value instanceof MessagePackFloat) return value.value;
  if (Array.isArray(value)) return (value as readonly MessagePackValue[]).map(plain);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value as Value;
  const object: { [key: string]: Value } = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") Object.defineProperty(object, key, { value: plain(item), enumerable: true });
    else object[key] = plain(item);
  }
  return object;
}
