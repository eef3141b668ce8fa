import type { State, Value } from "simtape";
import type { SeriesPath } from "../protocol.ts";
import { unitOfValue } from "./units.ts";

const AXES = "xyzw";
/** Cells of one array that are told apart: a picture is no set of series. */
const MAX_CELLS = 64;
const MAX_DEPTH = 6;

/** What can be plotted. */
export interface NumericPath {
  readonly path: SeriesPath;
  /** `vehicles/7/position.x` */
  readonly label: string;
  readonly unit: string | null;
}

/** `vehicles/7/position.x`, `/robot/Odometry.pose.x`, `energy.kinetic`. Two paths with one label are the same path. */
export function labelOf(path: SeriesPath): string {
  if ("value" in path) return [path.value, ...path.keys].join(".");
  const cell = path.item === null ? "" : `.${AXES[path.item] ?? path.item}`;
  return `${path.set}/${path.id}/${path.column}${cell}`;
}

/** Every number of a state, values first. */
export function* numericPaths(state: State): Generator<NumericPath> {
  for (const [name, value] of state.values) yield* inValue(name, [], value);
  for (const [set, { ids, columns }] of state.sets) {
    for (const id of ids) {
      for (const [column, { data, width, unit }] of columns) {
        if (Array.isArray(data)) continue;
        for (let item = 0; item < width; item++) {
          const path: SeriesPath = { set, id, column, item: width === 1 ? null : item };
          yield { path, label: labelOf(path), unit };
        }
      }
    }
  }
}

/** Worth a look in each format, by label; each line is one chart. */
const WORTHWHILE = [
  ["energy.kinetic", "energy.potential"],
  ["aircraft/self/geodetic.z"],
  ["aircraft/self/rotation.x", "aircraft/self/rotation.y"],
  ["/robot/Odometry.pose.x", "/robot/Odometry.pose.y", "/robot/Odometry.pose.phi"],
  ["/robot/charger/Level"],
] as const;

/** Charts to begin with: what is worthwhile and there; else how the first thing that moves does. */
export function firstCharts(state: State): SeriesPath[][] {
  const charts = WORTHWHILE.map((labels) => labels.flatMap((label) => named(state, label) ?? []));
  const found = charts.filter((paths) => paths.length > 0);
  if (found.length > 0) return found;
  for (const [set, { ids, columns }] of state.sets) {
    const [id] = ids;
    const width = columns.get("position")?.width ?? 0;
    if (id === undefined || width < 2) continue;
    return [Array.from({ length: width }, (_, item) => ({ set, id, column: "position", item }))];
  }
  return [];
}

function named(state: State, label: string): SeriesPath | null {
  for (const path of numericPaths(state)) if (path.label === label) return path.path;
  return null;
}

/** Those in whose label every word of `text` occurs, whatever the case; at most `limit`, and whether there are more. */
export function searchPaths(
  state: State,
  text: string,
  limit: number,
): { readonly found: readonly NumericPath[]; readonly isMore: boolean } {
  const words = wordsOf(text);
  const found: NumericPath[] = [];
  for (const path of numericPaths(state)) {
    if (!hasWords(path.label, words)) continue;
    if (found.length === limit) return { found, isMore: true };
    found.push(path);
  }
  return { found, isMore: false };
}

export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function* inValue(name: string, keys: readonly (string | number)[], value: Value): Generator<NumericPath> {
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    const path: SeriesPath = { value: name, keys };
    yield { path, label: labelOf(path), unit: unitOfValue(name) };
  } else if (typeof value === "object" && value !== null && keys.length < MAX_DEPTH) {
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const cells = value as ArrayLike<Value>;
      for (let i = 0; i < Math.min(cells.length, MAX_CELLS); i++) yield* inValue(name, [...keys, i], cells[i]!);
    } else {
      for (const [key, part] of Object.entries(value)) yield* inValue(name, [...keys, key], part);
    }
  }
}

/** The number at a path of a value; NaN: there is none. Booleans are 0 and 1. */
export function numberIn(value: Value | undefined, keys: readonly (string | number)[]): number {
  let part: unknown = value;
  for (const key of keys) {
    if (typeof part !== "object" || part === null) return Number.NaN;
    part = (part as Readonly<Record<string | number, unknown>>)[key];
  }
  return typeof part === "number" || typeof part === "boolean" || typeof part === "bigint" ? Number(part) : Number.NaN;
}

/** The number at a path of a state that is shown; NaN: there is none. */
export function numberAt(state: State, path: SeriesPath): number {
  if ("value" in path) return numberIn(state.values.get(path.value), path.keys);
  const set = state.sets.get(path.set);
  const column = set?.columns.get(path.column);
  if (set === undefined || column === undefined) return Number.NaN;
  const row = rowOf(set.ids, path.id);
  if (row < 0) return Number.NaN;
  const cell = column.data[row * column.width + (path.item ?? 0)];
  return typeof cell === "number" ? cell : Number.NaN;
}

/** Row of `id` in ids that ascend; -1: it is not there. */
function rowOf(ids: readonly (number | string)[], id: number | string): number {
  if (typeof id !== "number") return ids.indexOf(id);
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : ids.indexOf(id);
}
