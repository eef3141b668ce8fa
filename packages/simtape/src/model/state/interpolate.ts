import { type Kept, LateValues } from "./late.ts";
import type { Column, ColumnData, Interpolation } from "./column.ts";
import type { EntitySet, State } from "./state.ts";
import { teleportsAfter } from "./teleports.ts";
import type { Time } from "../values/time.ts";
import type { Value } from "../values/value.ts";

type Values = State["values"];

/**
 * The state between two recorded moments, `a` before `b`. What moves is interpolated; everything else, and what
 * exists in only one of them or was put elsewhere, is as in `a`.
 */
export function interpolateStates(a: State, b: State, time: Time, ofValue: (path: string) => Interpolation): State {
  const span = b.time - a.time;
  if (span <= 0) return { ...a, time };
  const r = Math.min(1, Math.max(0, (time - a.time) / span));
  if (r === 0) return { ...a, time };
  const sets = new Map<string, EntitySet>();
  for (const [name, set] of a.sets) {
    const other = b.sets.get(name);
    sets.set(name, other === undefined ? set : between(set, other, teleportsAfter(other, a.time), r));
  }
  return { time, values: valuesBetween(a.values, b.values, r, ofValue), sets };
}

/** Those of `a` themselves when none of them moves: a caller that sees the same objects need not compare them. */
function valuesBetween(a: Values, b: Values, r: number, of: (path: string) => Interpolation): Values {
  const [from, to] = [LateValues.kept(a), LateValues.kept(b)];
  let values: Map<string, Kept> | null = null;
  for (const [path, value] of from) {
    if (typeof value !== "number") continue;
    const other = to.get(path);
    if (typeof other !== "number") continue;
    const mixed = mix(of(path), value, other, r);
    if (Object.is(mixed, value)) continue;
    values ??= new Map(from);
    values.set(path, mixed);
  }
  if (values === null) return a;
  return from === a ? (values as Map<string, Value>) : new LateValues(values);
}

function between(a: EntitySet, b: EntitySet, isTeleport: (row: number) => boolean, r: number): EntitySet {
  if (![...a.columns.values()].some(({ interpolation }) => interpolation !== "hold")) return a;
  const rows = rowsOf(a.ids, b.ids);
  const columns = new Map<string, Column>();
  for (const [name, column] of a.columns) {
    const other = b.columns.get(name);
    const { data, interpolation, width } = column;
    const to = other?.data;
    if (other === undefined || interpolation === "hold" || other.width !== width) columns.set(name, column);
    else if (!isFloats(data) || !isFloats(to) || (interpolation === "quaternion" && width !== 4))
      columns.set(name, column);
    else {
      const mixed = data.slice();
      for (let i = 0; i < a.ids.length; i++) {
        const row = rows[i]!;
        if (row < 0 || isTeleport(row)) continue;
        if (interpolation === "quaternion") mixQuaternion(mixed, i * width, to, row * width, r);
        else
          for (let k = 0; k < width; k++)
            mixed[i * width + k] = mix(cell(interpolation, k), data[i * width + k]!, to[row * width + k]!, r);
      }
      columns.set(name, { ...column, data: mixed });
    }
  }
  return { ids: a.ids, columns, axes: a.axes };
}

/** For each of `ids` its place in `others`, or -1; mostly it is the same. */
export function rowsOf(ids: EntitySet["ids"], others: EntitySet["ids"]): Int32Array {
  const rows = new Int32Array(ids.length);
  let byId: Map<number | string, number> | null = null;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (others[i] === id) {
      rows[i] = i;
      continue;
    }
    byId ??= new Map(others.map((other, row) => [other, row]));
    rows[i] = byId.get(id) ?? -1;
  }
  return rows;
}

/** How cell `k` of a row moves. */
function cell(how: Interpolation, k: number): Interpolation {
  if (how !== "geodetic") return how;
  return k < 2 ? "angle-deg" : "linear";
}

function isFloats(data: ColumnData | undefined): data is Float64Array | Float32Array {
  return data instanceof Float64Array || data instanceof Float32Array;
}

/** Angles may come out a turn away from where the recording would have them. */
function mix(how: Interpolation, a: number, b: number, r: number): number {
  if (how === "hold" || how === "quaternion" || how === "geodetic" || !Number.isFinite(b - a)) return a;
  let distance = b - a;
  if (how === "angle-deg") distance = shortest(distance, 360);
  else if (how === "angle-rad") distance = shortest(distance, 2 * Math.PI);
  return a + r * distance;
}

function shortest(distance: number, turn: number): number {
  const rest = distance % turn;
  if (rest > turn / 2) return rest - turn;
  if (rest < -turn / 2) return rest + turn;
  return rest;
}

/** Normalised linear, along the shorter arc. */
function mixQuaternion(
  out: Float64Array | Float32Array,
  at: number,
  b: Float64Array | Float32Array,
  from: number,
  r: number,
): void {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += out[at + k]! * b[from + k]!;
  if (Number.isNaN(dot)) return;
  const sign = dot < 0 ? -1 : 1;
  let length = 0;
  for (let k = 0; k < 4; k++) {
    const value = out[at + k]! * (1 - r) + sign * b[from + k]! * r;
    out[at + k] = value;
    length += value * value;
  }
  const scale = length > 0 ? 1 / Math.sqrt(length) : 1;
  for (let k = 0; k < 4; k++) out[at + k]! *= scale;
}
