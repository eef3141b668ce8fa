import type { EntitySet } from "../model/state/state.ts";

/** Ids that are wanted, as they were given and as numbers where they are: `"24"` and 24 are one thing. Null: all. */
export function wantedIds(ids: readonly (number | string)[] | undefined): ReadonlySet<number | string> | null {
  if (ids === undefined) return null;
  const wanted = new Set(ids);
  for (const id of ids) {
    wanted.add(String(id));
    if (String(Number(id)) === String(id)) wanted.add(Number(id));
  }
  return wanted;
}

/** Rows of the set that are wanted, ascending. */
export function pickedRows({ ids }: EntitySet, wanted: ReadonlySet<number | string> | null): Uint32Array {
  const rows = Uint32Array.from(ids.keys());
  return wanted === null ? rows : rows.filter((row) => wanted.has(ids[row]!));
}
