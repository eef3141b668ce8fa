import { DEFAULT_SIGNALS } from "./default-signals.ts";
import type { Signal } from "../layout/signals.ts";

/** By path without indices: what FlightGear records of its first engine, it records alike of the sixth. */
const KNOWN: ReadonlyMap<string, Signal> = new Map(
  DEFAULT_SIGNALS.map((signal) => [signal.property.replace(/\[\d+\]/g, ""), signal]),
);

/** Whether a path is one that the property tree of FlightGear can have. */
export function isPropertyPath(path: string): boolean {
  return /^(\/[A-Za-z_][\w.-]*(\[\d{1,6}\])?)+$/.test(path);
}

/**
 * The signal that a value of that path was recorded as; null when it was none. `isFlight`: the values are FlightGear's,
 * where numbers and booleans come from signals, and extra properties are texts. Types that are not known are wide enough.
 */
export function signalFor(path: string, value: unknown, isFlight: boolean): Signal | null {
  if (typeof value !== "number" && typeof value !== "boolean") return null;
  const known = KNOWN.get(path.replace(/\[\d+\]/g, ""));
  if (known !== undefined) return { ...known, property: path };
  if (!isFlight || !isPropertyPath(path)) return null;
  return { property: path, type: typeof value === "boolean" ? "bool" : "double", interpolation: "linear" };
}
