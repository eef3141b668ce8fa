import type { EntitySet, State } from "../../model/state.ts";
import type { Value } from "../../model/value.ts";
import { jsonText } from "../run/visible.ts";

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

/** The shape of `simtape state --json`; `findings` are what is damaged in the recording. */
export function stateToJson(state: State, findings?: readonly unknown[]): string {
  const sets: Record<string, unknown> = {};
  for (const [name, set] of state.sets) sets[name] = setToPlain(set);
  return toJson({ time: state.time, values: Object.fromEntries(state.values), sets, findings });
}

function setToPlain(set: EntitySet): unknown {
  const columns: Record<string, unknown> = {};
  for (const [name, { unit, width, data }] of set.columns) columns[name] = { unit, width, data };
  return { ids: set.ids, columns, ...(set.axes === null ? {} : { axes: set.axes }) };
}

/** A value on one line for people, cut to `width` characters. */
export function preview(value: Value, width: number): string {
  const text = typeof value === "string" ? value : toJson(brief(value));
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Long arrays shortened, so that a preview never formats a million numbers. */
function brief(value: Value): unknown {
  if (ArrayBuffer.isView(value))
    return value.length <= 12 ? value : [...Array.from(value.subarray(0, 6)), `… ${value.length} in all`];
  if (Array.isArray(value)) {
    const items = value.slice(0, 8).map((item) => brief(item as Value));
    return value.length <= 8 ? items : [...items, `… ${value.length} in all`];
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, brief(item as Value)]));
  }
  return value;
}
