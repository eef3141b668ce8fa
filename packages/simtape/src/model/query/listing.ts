import type { Column, ColumnKind, Interpolation } from "../state/column.ts";
import type { State } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import type { Value } from "../values/value.ts";
import type { Extent } from "./extents.ts";
import {
  findPath,
  isLeaf,
  itemsOf,
  nearest,
  PathError,
  pathText,
  type SeriesItem,
  type SeriesPath,
  unitOfItem,
} from "../state/path.ts";

/** What a path holds. A boolean is 0 or 1 in a series. */
export type SeriesKind = "number" | "integer" | "boolean" | "text";

/** What is known of a path. */
export interface PathInfo {
  readonly path: SeriesPath;
  /** `vehicles/7/position.x` */
  readonly text: string;
  readonly unit: string | null;
  /** Where it holds things of several kinds, the one that has room for all of them. */
  readonly kind: SeriesKind;
  /** How it moves between two recorded moments; `"hold"`: not at all. */
  readonly interpolation: Interpolation;
  /** The first and the last recorded moment at which it is there; null where only one moment was looked at. */
  readonly first: Time | null;
  readonly last: Time | null;
  /**
   * Of the numbers that it was at the recorded moments, booleans as 0 and 1. Null where only one moment was looked at,
   * where there was none, of texts, and of a speed, which no moment has by itself.
   */
  readonly extent: Extent | null;
}

/** Cells of one array that are distinguished, and depth to which values are looked into: a picture is no set of series. */
export const MAX_CELLS = 64;
export const MAX_DEPTH = 6;

/** What is known of a path where only one moment was looked at. */
const ONE_MOMENT = { first: null, last: null, extent: null } as const;

/** What a state and a format tell beside the state itself. */
export interface Telling {
  /** Unit of a value by its name; see `Traits.unitOf`. */
  unitOf?(value: string): string | null;
  /** How a value moves; see `StateModel.interpolation`. */
  interpolation?(value: string): Interpolation;
}

/**
 * Every number, boolean and text of a state, values first; of arrays the first 64 cells, of values 6 keys deep. `telling`
 * says what is known of values by their names; absent: nothing.
 */
export function* pathsIn(state: State, telling: Telling = {}): Generator<PathInfo> {
  for (const [value, content] of state.values) {
    const unit = telling.unitOf?.(value) ?? null;
    const interpolation = telling.interpolation?.(value) ?? "hold";
    for (const { keys, kind } of leavesOf(content, [])) {
      const path: SeriesPath = { value, keys };
      const how = keys.length === 0 ? interpolation : "hold";
      yield { path, text: pathText(path), unit, kind, interpolation: how, ...ONE_MOMENT };
    }
  }
  for (const [set, { ids, columns }] of state.sets) {
    for (const id of ids) {
      for (const [column, cells] of columns) yield* cellPaths(set, id, column, { ...cells, kind: kindOfData(cells) });
    }
  }
}

/** Every number of a state, values first; of values the units are not stated. */
export function* numericPaths(state: State): Generator<PathInfo> {
  for (const path of pathsIn(state)) if (path.kind !== "text") yield path;
}

/** What is known of a column. */
export type CellFacts = Pick<Column, "width" | "unit" | "interpolation"> & { readonly kind: SeriesKind };

/** What is known of the numbers in one cell. */
export function* cellPaths(
  set: string,
  id: number | string,
  column: string,
  { width, unit, interpolation, kind }: CellFacts,
  { first, last }: Pick<PathInfo, "first" | "last"> = ONE_MOMENT,
  extentOf: (item: SeriesItem) => Extent | null = () => null,
): Generator<PathInfo> {
  for (const item of itemsOf(column, { width })) {
    const path: SeriesPath = { set, id, column, item };
    yield {
      path,
      text: pathText(path),
      unit: unitOfItem(unit, width, item),
      kind: typeof item === "string" ? "number" : kind,
      interpolation,
      ...{ first, last },
      extent: extentOf(item),
    };
  }
}

/** The path that a text names in a state. Throws `PathError`, which names some that are there, when there is none. */
export function parsePath(text: string, state: State): SeriesPath {
  const found = findPath(text, state);
  if (found !== null) return found;
  throw new PathError(text, nearest(text, textsOf(pathsIn(state))));
}

export function* textsOf(paths: Iterable<PathInfo>): Generator<string> {
  for (const { text } of paths) yield text;
}

export function kindOfColumn(kind: ColumnKind): SeriesKind {
  return kind === "string" ? "text" : kind === "f64" || kind === "f32" ? "number" : "integer";
}

export function kindOfData({ data }: Pick<Column, "data">): SeriesKind {
  if (Array.isArray(data)) return "text";
  return data instanceof Float64Array || data instanceof Float32Array ? "number" : "integer";
}

export function kindOfValue(value: number | bigint | boolean | string): SeriesKind {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "bigint" ? "integer" : "number";
}

function* leavesOf(
  value: Value,
  keys: readonly (string | number)[],
): Generator<{ readonly keys: readonly (string | number)[]; readonly kind: SeriesKind }> {
  if (isLeaf(value)) yield { keys, kind: kindOfValue(value) };
  else if (keys.length < MAX_DEPTH) for (const [key, part] of partsOf(value)) yield* leavesOf(part, [...keys, key]);
}

/** Whether a value has more cells than are distinguished. */
export function hasMoreParts(value: Value): boolean {
  return (Array.isArray(value) || ArrayBuffer.isView(value)) && (value as ArrayLike<Value>).length > MAX_CELLS;
}

/** What is right below a value, as far as it is distinguished. */
export function* partsOf(value: Value): Generator<readonly [key: string | number, part: Value]> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const cells = value as ArrayLike<Value>;
    for (let i = 0; i < Math.min(cells.length, MAX_CELLS); i++) yield [i, cells[i]!];
  } else yield* Object.entries(value);
}
