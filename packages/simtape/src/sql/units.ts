import type { SqlColumn } from "./kinds.ts";
import { listOf, type Node, nodesIn } from "./statement.ts";

/** From which columns those of an answer are. All names are in lower case. */
export interface UnitSources {
  /** The column of each item of the outermost SELECT; null in it: it is of none. Null: the items have a star. */
  readonly items: readonly (string | null)[] | null;
  /** Names that a SELECT gives to something else than the column of this name. */
  readonly computed: ReadonlySet<string>;
}

/** Functions whose values have the unit of their first argument. */
const KEEPING =
  /^(min|max|avg|mean|sum|first|last|any_value|arbitrary|median|mode|abs|round|floor|ceil|ceiling|trunc|arg_min|arg_max|min_by|max_by|lag|lead|first_value|last_value|nth_value|quantile_(cont|disc)|stddev(_pop|_samp)?)$/;

/** Where the units of an answer come from, read from the tree of its statement. */
export function unitSources(tree: Node): UnitSources {
  const computed = new Set<string>();
  for (const node of nodesIn(tree))
    if (node["type"] === "SELECT_NODE")
      for (const item of listOf(node["select_list"]) as Node[]) {
        const { alias: given = "" } = item as { alias?: string };
        const alias = given.toLowerCase();
        if (alias !== "" && columnOf(item) !== alias) computed.add(alias);
      }
  const node = tree["node"] as Node | undefined;
  const items = node?.["type"] === "SELECT_NODE" ? (listOf(node["select_list"]) as Node[]) : [];
  const isPlain = items.length > 0 && items.every((item) => item["class"] !== "STAR" && item["columns"] !== true);
  return { items: isPlain ? items.map(columnOf) : null, computed };
}

/** The column whose unit the values of an expression have; null: they have none that is known. */
function columnOf(expression: Node): string | null {
  switch (expression["class"]) {
    case "COLUMN_REF":
      return String(listOf(expression["column_names"]).at(-1)).toLowerCase();
    case "CAST":
      return columnOf(expression["child"] as Node);
    case "FUNCTION":
    case "WINDOW": {
      const [first] = listOf(expression["children"]) as Node[];
      const isKept = first !== undefined && KEEPING.test(String(expression["function_name"]).toLowerCase());
      return isKept ? columnOf(first) : null;
    }
    default:
      return null;
  }
}

/**
 * The unit of a column of an answer. `units`: of the columns that tables have, by their names in lower case; null: tables
 * have different ones.
 */
export function unitOf(
  { items, computed }: UnitSources,
  column: { readonly place: number; readonly name: string; readonly count: number },
  units: ReadonlyMap<string, string | null>,
): string | null {
  const isByPlace = items?.length === column.count;
  const source = isByPlace ? items[column.place]! : column.name.toLowerCase();
  if (source === null) return null;
  // a name that a SELECT inside gives to something else
  return computed.has(source) ? null : (units.get(source) ?? null);
}

/** Units of the columns of several tables, by their names in lower case; null: tables have different ones. */
export function unitsOf(tables: readonly (readonly SqlColumn[])[]): ReadonlyMap<string, string | null> {
  const units = new Map<string, string | null>();
  for (const { name, unit } of tables.flat()) {
    const key = name.toLowerCase();
    units.set(key, units.has(key) && units.get(key) !== unit ? null : unit);
  }
  return units;
}
