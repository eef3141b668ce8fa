import { jsonText } from "./visible.ts";

/**
 * One line of JSON that loses nothing: typed arrays are arrays, NaN and infinities are strings ("NaN", "Infinity",
 * "-Infinity"), integers above 2^53 are decimal strings. Control characters of every kind are escaped.
 */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case "number":
      return numberToJson(value);
    case "string":
      return jsonText(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
    case "object":
      break;
    default:
      return "null";
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return arrayToJson(value, toJson);
  if (ArrayBuffer.isView(value)) {
    if (value instanceof BigInt64Array || value instanceof BigUint64Array) return arrayToJson(value, toJson);
    return arrayToJson(value as unknown as ArrayLike<number>, numberToJson);
  }
  if (value instanceof Map) return objectToJson([...value]);
  return objectToJson(Object.entries(value));
}

function numberToJson(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return `"${value}"`;
}

/** Items whose texts become one at once. */
const ITEMS = 4096;
/** Characters of a text that is not copied into the one around it. */
const LARGE = 1 << 16;

function arrayToJson<T>(values: ArrayLike<T>, one: (value: T) => string): string {
  const parts = new Array<string>(Math.min(values.length, ITEMS));
  let text = "[";
  for (let from = 0; from < values.length; from += ITEMS) {
    const count = Math.min(ITEMS, values.length - from);
    parts.length = count;
    for (let i = 0; i < count; i++) parts[i] = one(values[from + i]!);
    text += `${from === 0 ? "" : ","}${parts.join(",")}`;
  }
  return `${text}]`;
}

function objectToJson(entries: readonly (readonly [unknown, unknown])[]): string {
  const parts: string[] = [];
  let isLarge = false;
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    const text = toJson(value);
    isLarge ||= text.length > LARGE;
    parts.push(`${jsonText(String(key))}:${text}`);
  }
  return isLarge ? `{${parts.reduce((text, part) => `${text},${part}`)}}` : `{${parts.join(",")}}`;
}
