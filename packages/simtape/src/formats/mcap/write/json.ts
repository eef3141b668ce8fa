import type { Value } from "../../../model/values/value.ts";

/** How deep values may be nested. */
const DEPTH = 64;

/** A value as JSON that reads back as the same value; null where JSON cannot say it: bytes, typed arrays, NaN, bigints. */
export function jsonOf(value: Value, depth: number = DEPTH): string | null {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (Object.is(value, -0)) return "-0";
    return Number.isFinite(value) ? String(value) : null;
  }
  if (typeof value === "bigint" || ArrayBuffer.isView(value) || depth === 0) return null;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value as readonly Value[]) {
      const part = jsonOf(item, depth - 1);
      if (part === null) return null;
      parts.push(part);
    }
    return `[${parts.join(",")}]`;
  }
  for (const [key, member] of Object.entries(value as { readonly [key: string]: Value })) {
    const part = jsonOf(member, depth - 1);
    if (part === null) return null;
    parts.push(`${JSON.stringify(key)}:${part}`);
  }
  return `{${parts.join(",")}}`;
}
