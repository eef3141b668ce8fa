import type { ByteCursor } from "../../../bytes/cursor.ts";
import type { ColumnData } from "../../../model/state/column.ts";
import type { Value } from "../../../model/values/value.ts";
import { type NameAt, walkPatch } from "../layout/patch.ts";

/** A change of another format's state. What did not change is not there. */
export interface StateChange {
  readonly values?: { readonly [path: string]: Value };
  /** Paths. */
  readonly deleted?: readonly string[];
  readonly sets?: readonly SetChange[];
}

/** What becomes of an entity set: operations, in order. */
export interface SetChange {
  readonly set: string;
  readonly operations: readonly SetOperation[];
}

/** In order; cells are those of the column named before. */
export type SetOperation =
  | { readonly clear: true }
  /** Rows 0 to `count` - 1, and no columns. */
  | { readonly count: number }
  | { readonly remove: readonly (number | string)[] }
  | { readonly add: readonly (number | string)[] }
  | { readonly column: string; readonly width: number; readonly unit: string | null }
  | { readonly drop: string }
  /** Of all rows, ascending by id. */
  | { readonly cells: ColumnData }
  | { readonly ids: readonly (number | string)[]; readonly cells: ColumnData };

/** The operations of a patch as plain values. Throws `LayoutError` at the first that does not fit. */
export function readStateChange(cursor: ByteCursor, nameAt: NameAt): StateChange {
  const values: Record<string, Value> = Object.create(null) as Record<string, Value>;
  const deleted: string[] = [];
  const sets: SetChange[] = [];
  walkPatch(cursor, nameAt, {
    value: (path, value) => {
      if (value === undefined) deleted.push(path);
      else values[path] = value;
    },
    set: (name) => {
      const operations: SetOperation[] = [];
      sets.push({ set: name, operations });
      return {
        clear: () => operations.push({ clear: true }),
        dense: (count) => operations.push({ count }),
        removeRows: (ids) => operations.push({ remove: ids }),
        addRows: (ids) => operations.push({ add: ids }),
        column: (column, { width, unit }) => operations.push({ column, width, unit }),
        dropColumn: (column) => operations.push({ drop: column }),
        cells: (ids, cells) => operations.push(ids === null ? { cells } : { ids, cells }),
      };
    },
  });
  return {
    ...(Object.keys(values).length > 0 ? { values } : {}),
    ...(deleted.length > 0 ? { deleted } : {}),
    ...(sets.length > 0 ? { sets } : {}),
  };
}
