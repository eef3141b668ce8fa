import type { State, Value } from "simtape";
import type { SeriesItem, SeriesPath } from "../protocol.ts";
import { unitOfCell, unitOfValue } from "./units.ts";

const AXES = "xyzw";
/** Cells of one array that are distinguished: a picture is no set of series. */
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
  const { item } = path;
  const cell = item === null ? "" : `.${(typeof item === "number" && AXES[item]) || item}`;
  return `${path.set}/${path.id}/${path.column}${cell}`;
}

/** Every number of a state, values first. */
export function* numericPaths(state: State): Generator<NumericPath> {
  for (const [name, value] of state.values) yield* inValue(name, [], value);
  for (const [set, { ids, columns }] of state.sets) {
    for (const [row, id] of ids.entries()) {
      const hasVelocity = Number.isFinite(columns.get("velocity")?.data[3 * row]);
      for (const [column, { data, width, unit }] of columns) {
        if (Array.isArray(data)) continue;
        for (const item of itemsOf(column, width, hasVelocity)) {
          const path: SeriesPath = { set, id, column, item };
          yield { path, label: labelOf(path), unit: unitOfCell(unit, width, item) };
        }
      }
    }
  }
}

const value = (name: string): SeriesPath => ({ value: name, keys: [] });
const cell = (set: string, column: string, item: SeriesItem, id = HERO): SeriesPath => ({
  set,
  id,
  column,
  item,
});
/** Stands for the thing that is looked at first. */
const HERO = "*";

/** Worth a look in each format: of these charts, the first of which anything is there. */
const WORTHWHILE: Readonly<Record<string, readonly (readonly SeriesPath[])[]>> = {
  nanover: [[value("energy.kinetic"), value("energy.potential")]],
  carla: [
    [cell("vehicles", "velocity", "length")],
    [cell("vehicles", "forward-speed", null)],
    [cell("vehicles", "position", 0), cell("vehicles", "position", 1)],
  ],
  flightgear: [[cell("aircraft", "geodetic", 2, "self"), value("/velocities/airspeed-kt")]],
  mira: [[cell("poses", "position", 0), cell("poses", "position", 1), value("/robot/charger/Level")]],
  hcrp: [[cell("players", "position", 1), cell("players", "position", "speed")]],
};

/** The chart to begin with: what of it is there by now, and whether that is all of it. */
export function firstChart(
  state: State,
  format: string,
): { readonly paths: readonly SeriesPath[]; readonly isWhole: boolean } {
  for (const wanted of WORTHWHILE[format] ?? []) {
    const paths = wanted
      .map((path) => ("set" in path && path.id === HERO ? { ...path, id: heroOf(state, path.set) } : path))
      .filter((path) => isThere(state, path));
    if (paths.length > 0) return { paths, isWhole: paths.length === wanted.length };
  }
  // What a robot tells has any name: until something better comes, the first number.
  const [any] = format === "mira" ? numericPaths(state) : [];
  return { paths: any === undefined ? [] : [any.path], isWhole: false };
}

function isThere(state: State, path: SeriesPath): boolean {
  const told = "set" in path && path.item === "speed" ? { ...path, item: 0 } : path;
  return !Number.isNaN(numberAt(state, told));
}

/** The hero, else the first of a set. */
function heroOf(state: State, name: string): number | string {
  const set = state.sets.get(name);
  const hero = set?.columns.get("label")?.data.indexOf("hero" as never) ?? -1;
  return set?.ids[Math.max(0, hero)] ?? HERO;
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

/** The number at a path of a state that is shown; NaN: there is none, and no state tells a speed. */
export function numberAt(state: State, path: SeriesPath): number {
  if ("value" in path) return numberIn(state.values.get(path.value), path.keys);
  const set = state.sets.get(path.set);
  const column = set?.columns.get(path.column);
  if (set === undefined || column === undefined) return Number.NaN;
  const row = rowOf(set.ids, path.id);
  if (row < 0) return Number.NaN;
  const at = row * column.width;
  if (path.item === "speed") return Number.NaN;
  if (path.item === "length") return Math.hypot(...(column.data.slice(at, at + column.width) as Float64Array));
  const cell = column.data[at + (path.item ?? 0)];
  return typeof cell === "number" ? cell : Number.NaN;
}

/** The numbers of a cell; of what moves or turns also how fast it does, recorded or not. */
function* itemsOf(column: string, width: number, hasVelocity: boolean): Generator<SeriesItem> {
  if (width === 1) yield null;
  else for (let item = 0; item < width; item++) yield item;
  if (width === 3 && column.endsWith("velocity")) yield "length";
  if (width === 3 && column === "position" && !hasVelocity) yield "speed";
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
