import type { Column, ColumnSpec } from "./column.ts";
import type { Time } from "../values/time.ts";

/** The fold's own column of a set: when each thing was put elsewhere last, nanoseconds; NaN: never. */
export const TELEPORT = ".teleport";
export const TELEPORT_SPEC: ColumnSpec = { kind: "f64", width: 1, unit: null };

/** By frozen set. What is shown of a set has no such column. */
const KEPT = new WeakMap<object, Column>();

/** Keeps the column for a set that is frozen: states between two moments need it. */
export function keepTeleports(frozen: object, column: Column): void {
  KEPT.set(frozen, column);
}

/** Tells of the rows of a frozen set whether the thing was put elsewhere after `time`. */
export function teleportsAfter(frozen: object, time: Time): (row: number) => boolean {
  const cells = KEPT.get(frozen)?.data as Float64Array | undefined;
  return cells === undefined ? never : (row) => cells[row]! > time;
}

function never(): boolean {
  return false;
}
