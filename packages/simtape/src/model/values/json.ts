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

function arrayToJson<T>(values: ArrayLike<T>, one: (value: T) => string): string {
  const parts = new Array<string>(values.length);
  for (let i = 0; i < values.length; i++) parts[i] = one(values[i]!);
  return `[${parts.join(",")}]`;
}

function objectToJson(entries: readonly (readonly [unknown, unknown])[]): string {
  const parts: string[] = [];
  for (const [key, value] of entries) {
    if (value !== undefined) parts.push(`${jsonText(String(key))}:${toJson(value)}`);
  }
  return `{${parts.join(",")}}`;
}
