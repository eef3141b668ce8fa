import { LayoutError } from "../../bytes/error.ts";
import { listOf, membersOf, textIn } from "../kept/shapes.ts";
import type { Value } from "../value.ts";
import type { Extent } from "./extents.ts";
import type { PathInfo } from "./listing.ts";
import type { SeriesItem } from "./path.ts";

/** The least and the most of a number of a column, over all things that a set ever has. */
export interface ColumnExtent extends Extent {
  readonly set: string;
  readonly column: string;
  readonly item: SeriesItem;
}

/** Those of all columns among paths; without those of which for some thing nothing is known. */
export function columnExtentsOf(paths: readonly PathInfo[]): readonly ColumnExtent[] {
  const found = new Map<string, ColumnExtent | null>();
  for (const { path, extent } of paths) {
    if ("value" in path) continue;
    const { set, column, item } = path;
    const key = JSON.stringify([set, column, item]);
    const known = found.get(key);
    if (known === null) continue;
    if (extent === null) found.set(key, null);
    else {
      const { least, most } = known ?? extent;
      found.set(key, {
        ...{ set, column, item },
        ...{ least: Math.min(least, extent.least), most: Math.max(most, extent.most) },
      });
    }
  }
  return [...found.values()].filter((one) => one !== null);
}

/** As a side-car keeps them. Throws `LayoutError`. */
export function columnExtentsIn(value: Value): readonly ColumnExtent[] {
  return listOf(value).map((one) => {
    const { set, column, item, least, most } = membersOf(one);
    for (const text of [set, column]) textIn(text);
    if (item !== null && typeof item !== "string" && typeof item !== "number")
      throw new LayoutError("malformed", "an extent of no number", 0);
    if (![least, most].every(Number.isFinite)) throw new LayoutError("malformed", "an extent without numbers", 0);
    return one as unknown as ColumnExtent;
  });
}
