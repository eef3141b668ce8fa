import type { Column } from "./column.ts";
import type { Value } from "../values/value.ts";

/**
 * Which number of a cell. Null: the column has one for each thing. `"length"`: that of the vector which the numbers of
 * the cell are. `"speed"`: how fast the place moves that the first three of them are, in the column's unit per second.
 */
export type SeriesItem = number | "length" | "speed" | null;

/** A number or text in a value: the value's name, and the keys that lead to it. */
export interface ValuePath {
  readonly value: string;
  readonly keys: readonly (string | number)[];
}

/** A number or text in a column: of which thing of which set, and which number of the cell. */
export interface CellPath {
  readonly set: string;
  readonly id: number | string;
  readonly column: string;
  readonly item: SeriesItem;
}

/** One number or text of a state. */
export type SeriesPath = ValuePath | CellPath;

const AXES = "xyzw";

/** A path that is not there. */
export class PathError extends RangeError {
  /** As it was written. */
  readonly path: string;
  /** Some that are there, those that begin alike first. */
  readonly existing: readonly string[];

  constructor(path: string, existing: readonly string[]) {
    const there = existing.length === 0 ? "there is none" : `there are: ${existing.join(", ")}`;
    super(`no path ${JSON.stringify(path)}; ${there}`);
    this.name = "PathError";
    this.path = path;
    this.existing = existing;
  }
}

/**
 * The path as text: `vehicles/7/position.x`, `/robot/Odometry.pose.x`, `energy.kinetic`. Numbers of a cell are called
 * x, y, z and w, and those behind by their place.
 */
export function pathText(path: SeriesPath): string {
  if ("value" in path) return [path.value, ...path.keys].join(".");
  return `${path.set}/${path.id}/${path.column}${itemText(path.item)}`;
}

function itemText(item: SeriesItem): string {
  if (item === null) return "";
  return `.${(typeof item === "number" && AXES[item]) || item}`;
}

/** Values, things and columns by their names: a state, or one that is still folded. */
export interface Named {
  readonly values: ReadonlyMap<string, Value>;
  readonly sets: ReadonlyMap<string, NamedSet>;
}

interface NamedSet {
  readonly ids: readonly (number | string)[];
  readonly columns: ReadonlyMap<string, { readonly width: number }>;
}

/** The path that a text names in a state; null when it is not there. What begins with `.` is the fold's own. */
export function findPath(text: string, state: Named): SeriesPath | null {
  for (const value of state.values.keys()) {
    if (value.startsWith(".") || !text.startsWith(value)) continue;
    const keys = keysOf(state.values.get(value), text.slice(value.length));
    if (keys !== null) return { value, keys };
  }
  for (const [name, set] of state.sets) {
    if (name.startsWith(".") || !text.startsWith(`${name}/`)) continue;
    const path = cellOf(name, set, text.slice(name.length + 1));
    if (path !== null) return path;
  }
  return null;
}

/** The keys that lead to a number or text in a value: `.pose.x` → `["pose", "x"]`. Keys may have dots of their own. */
function keysOf(value: Value | undefined, text: string): (string | number)[] | null {
  if (text === "") return isLeaf(value) ? [] : null;
  if (!text.startsWith(".") || typeof value !== "object" || value === null) return null;
  const rest = text.slice(1);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const key = Number.parseInt(rest, 10);
    const behind = rest.slice(String(key).length);
    const keys = rest.startsWith(String(key)) ? keysOf((value as readonly Value[])[key], behind) : null;
    return keys === null ? null : [key, ...keys];
  }
  for (const [key, part] of Object.entries(value)) {
    const keys = rest.startsWith(key) ? keysOf(part as Value, rest.slice(key.length)) : null;
    if (keys !== null) return [key, ...keys];
  }
  return null;
}

function cellOf(set: string, { ids, columns }: NamedSet, text: string): CellPath | null {
  for (const [column, cells] of columns) {
    if (column.startsWith(".")) continue;
    for (const item of itemsOf(column, cells)) {
      const end = `/${column}${itemText(item)}`;
      if (!text.endsWith(end)) continue;
      const id = text.slice(0, -end.length);
      const found = ids.find((one) => String(one) === id);
      if (found !== undefined) return { set, id: found, column, item };
    }
  }
  return null;
}

/** What can be asked of a cell: its numbers; of a velocity its length, too, and of a place how fast it moves. */
export function* itemsOf(column: string, { width }: Pick<Column, "width">): Generator<SeriesItem> {
  if (width === 1) yield null;
  else for (let item = 0; item < width; item++) yield item;
  if (width !== 3) return;
  if (column.endsWith("velocity")) yield "length";
  if (column === "position") yield "speed";
}

/** Whether it is a number, a boolean or a text by itself. */
export function isLeaf(value: Value | undefined): value is number | bigint | boolean | string {
  return (
    typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || typeof value === "string"
  );
}

/** The part of a value that keys lead to; undefined: there is none. */
export function partAt(value: Value | undefined, keys: readonly (string | number)[]): Value | undefined {
  let part: unknown = value;
  for (const key of keys) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Readonly<Record<string | number, unknown>>)[key];
  }
  return part as Value | undefined;
}

/** Unit of one number of a column: where the column names one for each of its numbers (`"deg deg ft"`), that one. */
export function unitOfItem(unit: string | null, width: number, item: SeriesItem): string | null {
  if (item === "speed") return unit === null ? null : `${unit}/s`;
  const units = unit?.split(" ") ?? [];
  return units.length === width && typeof item === "number" ? units[item]! : unit;
}

/** Paths named in an error. */
const NAMED = 8;

/** The first few of `texts`, those first that have the longest beginning in common with `text`. */
export function nearest(text: string, texts: Iterable<string>): string[] {
  const found: { readonly text: string; readonly common: number }[] = [];
  for (const other of texts) {
    let common = 0;
    while (common < text.length && text[common] === other[common]) common++;
    const at = found.findIndex((one) => one.common < common);
    if (at < 0 && found.length >= NAMED) continue;
    found.splice(at < 0 ? found.length : at, 0, { text: other, common });
    if (found.length > NAMED) found.pop();
  }
  return found.map((one) => one.text);
}
