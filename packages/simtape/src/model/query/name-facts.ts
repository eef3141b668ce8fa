import { LayoutError } from "../../bytes/error.ts";
import { listOf, type Members, membersOf, textIn, wholeOf } from "../kept/shapes.ts";
import { completeAxes } from "../axes/standard-axes.ts";
import type { State } from "../state/state.ts";
import type { Value } from "../values/value.ts";
import type { Extent } from "./extents.ts";
import { type CellFacts, kindOfData, type PathInfo, pathsIn, type SeriesKind, type Telling } from "./listing.ts";
import { type SeriesItem, unitOfItem } from "../state/path.ts";

/** What expressions can name in a whole recording beside values, without the things of its sets. */
export interface Outline {
  /** Whether nothing was found to be wrong with the recording. */
  readonly isSound: boolean;
  /** Kinds of all its events; null: not known. */
  readonly kinds: readonly string[] | null;
  /** Kinds that events of the recording may be of, whether there is one or not. */
  readonly possibleKinds: readonly string[];
  /** All its sets, in the order in which a name is looked for. */
  readonly sets: readonly SetFact[];
  /** Of all sets, also columns that no thing ever had. */
  readonly columns: readonly ColumnFact[];
  /** Names of values of which more may have been there than is in `NamedValues`. */
  readonly unlisted: readonly string[];
}

/** What expressions can name in values. */
export interface NamedValues {
  /** Numbers, booleans and texts. Those of the first and the last state come first: `ends` of them. */
  readonly values: readonly ValueFact[];
  readonly ends: number;
  /** Where paths are not listed: those in values of the first and the last state. */
  readonly hints: readonly string[];
}

/** What expressions can name in a whole recording, and between which numbers each stays. */
export interface NameFacts extends Outline {
  /** Null: not known. */
  readonly named: NamedValues | null;
}

export interface SetFact {
  readonly set: string;
  /** Ticks a second, for units that name ticks; null: not known. */
  readonly tickRate: number | null;
  /** False: no thing was ever in it. */
  readonly hasThings: boolean;
}

export interface ValueFact extends Pick<PathInfo, "path" | "text" | "unit" | "extent"> {
  /** Null: it is of several kinds, or several paths have this text. */
  readonly kind: SeriesKind | null;
}

/** A column of a set. */
export interface ColumnFact {
  readonly set: string;
  readonly column: string;
  readonly kind: SeriesKind;
  /** Of each number of a cell. */
  readonly units: readonly (string | null)[];
  /** Over all things of the set; without those of which for some thing nothing is known. */
  readonly extents: readonly (Extent & { readonly item: SeriesItem })[];
  /** Whether its numbers are known of every thing at every moment; false where that was not looked at. */
  readonly isComplete: boolean;
}

/** The least and the most of a number of a column, over all things that a set ever has. */
export interface ColumnExtent extends Extent {
  readonly set: string;
  readonly column: string;
  readonly item: SeriesItem;
}

/** What was there of values and sets in a whole recording. */
export interface Inventory {
  /** Those that ever had a thing. */
  readonly sets: readonly string[];
  /** Those that a thing ever had. */
  readonly columns: readonly InventoryColumn[];
  /** Names of values that were not looked into, or not as deep as they go. */
  readonly unlisted: readonly string[];
}

export interface InventoryColumn extends CellFacts {
  readonly set: string;
  readonly column: string;
  readonly isComplete: boolean;
}

/** What the facts of a recording are made of. */
export interface Surveyed extends Pick<Outline, "isSound" | "kinds" | "possibleKinds"> {
  /** The first state and the last. */
  readonly states: readonly State[];
  /** All paths; null: they were not listed. */
  readonly paths: readonly PathInfo[] | null;
  readonly inventory: Inventory;
  readonly telling: Telling;
}

/** Sums up a recording. Sets and columns are in the order in which an expression meets them that reads it. */
export function nameFactsOf({
  states,
  paths,
  inventory,
  telling,
  ...known
}: Surveyed): Outline & { readonly named: NamedValues } {
  const sets = new Map<string, SetFact>();
  const columns = new Map<string, ColumnFact>();
  const extents = columnExtentsIn(paths ?? []);
  const complete = new Set(inventory.columns.flatMap((one) => (one.isComplete ? [keyOf(one)] : [])));
  const add = (of: { readonly set: string; readonly column: string }, { width, unit, kind }: CellFacts): void => {
    const key = keyOf(of);
    if (columns.has(key)) return;
    const units = Array.from({ length: width }, (_, item) => unitOfItem(unit, width, item));
    const { set, column } = of;
    columns.set(key, { set, column, kind, units, extents: extents.get(key) ?? [], isComplete: complete.has(key) });
  };
  for (const { sets: all } of states) {
    for (const [set, { axes, columns: there }] of all) {
      const tickRate = completeAxes(axes).tickRate ?? null;
      if (!sets.has(set)) sets.set(set, { set, tickRate, hasThings: inventory.sets.includes(set) });
      for (const [column, cells] of there) add({ set, column }, { ...cells, kind: kindOfData(cells) });
    }
  }
  for (const set of inventory.sets) if (!sets.has(set)) sets.set(set, { set, tickRate: null, hasThings: true });
  for (const one of inventory.columns) add(one, one);
  return {
    ...known,
    sets: [...sets.values()],
    columns: [...columns.values()],
    unlisted: inventory.unlisted,
    named: valuesOf(states, paths, telling),
  };
}

function valuesOf(states: readonly State[], paths: readonly PathInfo[] | null, telling: Telling): NamedValues {
  const values = new Map<string, ValueFact>();
  for (const state of states) {
    for (const { path, text, unit, kind } of pathsIn({ ...state, sets: new Map() }, telling)) {
      const before = values.get(text);
      if (!("value" in path)) continue;
      values.set(text, {
        path,
        text,
        unit,
        kind: before === undefined || before.kind === kind ? kind : null,
        extent: null,
      });
    }
  }
  if (paths === null) return { values: [], ends: 0, hints: [...values.keys()] };
  const ends = values.size;
  const listed = new Set<string>();
  for (const { path, text, unit, kind, extent } of paths) {
    if (!("value" in path)) continue;
    const before = values.get(text);
    const isOne = !listed.has(text) && (before === undefined || before.kind === kind);
    listed.add(text);
    values.set(text, { path, text, unit, kind: isOne ? kind : null, extent: isOne ? extent : null });
  }
  return { values: [...values.values()], ends, hints: [] };
}

/** By column. */
function columnExtentsIn(paths: readonly PathInfo[]): ReadonlyMap<string, ColumnFact["extents"]> {
  const columns = new Map<string, Map<SeriesItem, Extent | null>>();
  for (const { path, extent } of paths) {
    if ("value" in path) continue;
    const key = keyOf(path);
    const known = columns.get(key) ?? new Map<SeriesItem, Extent | null>();
    columns.set(key, known);
    const before = known.get(path.item);
    known.set(path.item, before === undefined ? extent : joined(before, extent));
  }
  return new Map(
    [...columns].map(([key, items]) => [
      key,
      [...items].flatMap(([item, extent]) => (extent === null ? [] : [{ item, ...extent }])),
    ]),
  );
}

function keyOf({ set, column }: { readonly set: string; readonly column: string }): string {
  return JSON.stringify([set, column]);
}

function joined(a: Extent | null, b: Extent | null): Extent | null {
  return a === null || b === null ? null : { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

/** All extents of columns. */
export function columnExtentsOf({ columns }: Pick<Outline, "columns">): readonly ColumnExtent[] {
  return columns.flatMap(({ set, column, extents }) => extents.map((extent) => ({ set, column, ...extent })));
}

/** As a side-car keeps it. Throws `LayoutError`. */
export function outlineIn(value: Value): Outline {
  const { isSound, kinds, possibleKinds, sets, columns, unlisted } = membersOf(value);
  for (const kind of kinds === null ? [] : listOf(kinds)) textIn(kind);
  for (const text of [...listOf(possibleKinds), ...listOf(unlisted)]) textIn(text);
  for (const one of listOf(sets)) checkSet(membersOf(one));
  for (const one of listOf(columns)) checkColumn(membersOf(one));
  return { isSound: isSound === true, kinds, possibleKinds, sets, columns, unlisted } as unknown as Outline;
}

/** As a side-car keeps them. Throws `LayoutError`. */
export function namedValuesIn(value: Value): NamedValues {
  const { values, ends, hints } = membersOf(value);
  for (const one of listOf(values)) checkValue(membersOf(one));
  for (const text of listOf(hints)) textIn(text);
  return { values, ends: wholeOf(ends), hints } as unknown as NamedValues;
}

function checkSet({ set, tickRate, hasThings }: Members): void {
  textIn(set);
  if ((tickRate !== null && !Number.isFinite(tickRate)) || typeof hasThings !== "boolean")
    throw new LayoutError("malformed", "a set of which not all is known", 0);
}

function checkValue({ path, text, unit, kind, extent }: Members): void {
  textIn(membersOf(path)["value"]);
  for (const key of listOf(membersOf(path)["keys"])) {
    if (typeof key !== "string" && typeof key !== "number")
      throw new LayoutError("malformed", "a path with a key of no kind", 0);
  }
  checkFacts(kind === null ? "text" : kind, [unit ?? null]);
  textIn(text);
  if (extent !== null) checkExtent(membersOf(extent));
}

function checkColumn({ set, column, kind, units, extents, isComplete }: Members): void {
  for (const text of [set, column]) textIn(text);
  checkFacts(kind, listOf(units));
  if (typeof isComplete !== "boolean") throw new LayoutError("malformed", "a column of which not all is known", 0);
  for (const one of listOf(extents)) {
    const { item, ...extent } = membersOf(one);
    if (item !== null && typeof item !== "string" && typeof item !== "number")
      throw new LayoutError("malformed", "an extent of no number", 0);
    checkExtent(extent);
  }
}

const KINDS: readonly Value[] = ["number", "integer", "boolean", "text"] satisfies readonly SeriesKind[];

function checkFacts(kind: Value | undefined, units: readonly Value[]): void {
  if (!KINDS.includes(kind ?? null)) throw new LayoutError("malformed", "a path of no kind", 0);
  for (const unit of units) if (unit !== null) textIn(unit);
}

function checkExtent({ least, most }: Members): void {
  if (![least, most].every(Number.isFinite)) throw new LayoutError("malformed", "an extent without numbers", 0);
}
