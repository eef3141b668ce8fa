import type { Value } from "../values/value.ts";

/** Items of a list, and members of an object, that a short text names. */
const ITEMS = 16;

/** A value as JSON: typed arrays are arrays, and numbers that JSON has not, NaN or a large bigint, are strings. */
export function jsonOf(value: Value): string {
  return JSON.stringify(value, plain) ?? "null";
}

/** A value in one line of at most `limit` characters, for people; long lists are cut before they are written. */
export function textOf(value: Value, limit: number): string {
  const text = typeof value === "string" ? value : jsonOf(brief(value));
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value;
}

function brief(value: Value): Value {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const list = value as readonly Value[];
    const items = Array.from(list.slice(0, ITEMS), brief);
    return list.length > ITEMS ? [...items, `… ${list.length} in all`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).slice(0, ITEMS);
  return Object.fromEntries(entries.map(([key, item]) => [key, brief(item as Value)]));
}
