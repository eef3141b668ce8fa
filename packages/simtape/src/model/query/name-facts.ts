import { LayoutError } from "../../bytes/error.ts";
import { listOf, type Members, membersOf, textIn } from "../kept/shapes.ts";
import type { Value } from "../value.ts";
import type { Extent } from "./extents.ts";
import type { PathInfo, SeriesKind } from "./listing.ts";
import type { SeriesItem } from "./path.ts";

/** What expressions can name in a whole recording, without the things of its sets, and between which numbers each stays. */
export interface NameFacts {
  /** Whether nothing was found to be wrong with the recording. */
  readonly isSound: boolean;
  /** Kinds of all its events; null: not known. */
  readonly kinds: readonly string[] | null;
  /** Numbers, booleans and texts in values. */
  readonly values: readonly ValueFact[];
  readonly columns: readonly ColumnFact[];
}

export type ValueFact = Pick<PathInfo, "path" | "text" | "unit" | "kind" | "extent">;

/** A column of a set. */
export interface ColumnFact {
  readonly set: string;
  readonly column: string;
  readonly kind: SeriesKind;
  /** Of each number of a cell. */
  readonly units: readonly (string | null)[];
  /** Over all things of the set; without those of which for some thing nothing is known. */
  readonly extents: readonly (Extent & { readonly item: SeriesItem })[];
}

/** The least and the most of a number of a column, over all things that a set ever has. */
export interface ColumnExtent extends Extent {
  readonly set: string;
  readonly column: string;
  readonly item: SeriesItem;
}

/** Sums up all paths of a recording. */
export function nameFactsOf(
  paths: readonly PathInfo[],
  { isSound, kinds }: Pick<NameFacts, "isSound" | "kinds">,
): NameFacts {
  const values: ValueFact[] = [];
  const columns = new Map<string, Summed>();
  for (const { path, text, unit, kind, extent } of paths) {
    if ("value" in path) {
      values.push({ path, text, unit, kind, extent });
      continue;
    }
    const { set, column, item } = path;
    const key = JSON.stringify([set, column]);
    const known = columns.get(key) ?? { set, column, kind, units: [], extents: new Map() };
    columns.set(key, known);
    if (typeof item !== "string") known.units[item ?? 0] = unit;
    const before = known.extents.get(item);
    known.extents.set(item, before === undefined ? extent : joined(before, extent));
  }
  return {
    ...{ isSound, kinds, values },
    columns: [...columns.values()].map(({ extents, ...rest }) => ({
      ...rest,
      extents: [...extents].flatMap(([item, extent]) => (extent === null ? [] : [{ item, ...extent }])),
    })),
  };
}

interface Summed extends Omit<ColumnFact, "extents" | "units"> {
  readonly units: (string | null)[];
  readonly extents: Map<SeriesItem, Extent | null>;
}

function joined(a: Extent | null, b: Extent | null): Extent | null {
  return a === null || b === null ? null : { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

/** All extents of columns. */
export function columnExtentsOf({ columns }: NameFacts): readonly ColumnExtent[] {
  return columns.flatMap(({ set, column, extents }) => extents.map((extent) => ({ set, column, ...extent })));
}

/** As a side-car keeps them. Throws `LayoutError`. */
export function nameFactsIn(value: Value): NameFacts {
  const { isSound, kinds, values, columns } = membersOf(value);
  for (const kind of kinds === null ? [] : listOf(kinds)) textIn(kind);
  for (const one of listOf(values)) checkValue(membersOf(one));
  for (const one of listOf(columns)) checkColumn(membersOf(one));
  return { isSound: isSound === true, kinds, values, columns } as unknown as NameFacts;
}

function checkValue({ path, text, unit, kind, extent }: Members): void {
  textIn(membersOf(path)["value"]);
  for (const key of listOf(membersOf(path)["keys"])) {
    if (typeof key !== "string" && typeof key !== "number")
      throw new LayoutError("malformed", "a path with a key of no kind", 0);
  }
  checkFacts(kind, [unit ?? null]);
  textIn(text);
  if (extent !== null) checkExtent(membersOf(extent));
}

function checkColumn({ set, column, kind, units, extents }: Members): void {
  for (const text of [set, column]) textIn(text);
  checkFacts(kind, listOf(units));
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
