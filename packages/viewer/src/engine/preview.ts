import type { Value } from "simtape";

/** A value in one line of at most `limit` characters. */
export function preview(value: Value, limit: number): string {
  const text = tell(value, limit);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** Stops soon behind `limit`: a value may be a megabyte. */
function tell(value: Value, limit: number): string {
  if (value === null) return "null";
  if (typeof value === "string") return value.length > limit ? value.slice(0, limit + 1) : value;
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return bytes(value, limit);
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const list = value as ArrayLike<Value> & Iterable<Value>;
    return `[${joined(list, limit, (item) => tell(item, limit))}]`;
  }
  return `{${joined(Object.entries(value), limit, ([name, part]) => `${name}: ${tell(part, limit)}`)}}`;
}

function joined<T>(items: Iterable<T>, limit: number, text: (item: T) => string): string {
  let line = "";
  for (const item of items) {
    if (line.length > limit) break;
    line += line === "" ? text(item) : `, ${text(item)}`;
  }
  return line;
}

function bytes(value: Uint8Array, limit: number): string {
  const shown = value.subarray(0, Math.ceil(limit / 3));
  return Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
