import { listOf, type Node } from "./statement.ts";

/** A SELECT of one table each of whose rows is answered without the others: its answer can be made of some rows at a time. */
export interface RowByRow {
  /** Rows of the answer at most; null: all. */
  readonly limit: number | null;
}

/** Expressions that look at one row; any other may look at several. */
const CLASSES: readonly unknown[] = "COLUMN_REF CONSTANT COMPARISON CONJUNCTION BETWEEN OPERATOR CAST CASE STAR".split(
  " ",
);

/** Functions of one row; operators are, too. */
const FUNCTIONS =
  /^(abs|ceil|ceiling|floor|round|trunc|sqrt|cbrt|pow|power|exp|ln|log|log2|log10|sign|sin|cos|tan|asin|acos|atan|atan2|degrees|radians|pi|greatest|least|isnan|isfinite|lower|upper|length|len|trim|substr|substring|replace|concat|contains|starts_with|ends_with|prefix|suffix|regexp_matches|regexp_extract|regexp_replace|split_part|list_contains|list_extract|array_extract|typeof|epoch|epoch_ms|date_trunc|date_part|strftime|json_extract|json_extract_string)$/i;

/** What a statement is, by its tree; null: its rows depend on one another. */
export function rowByRowOf(statement: Node): RowByRow | null {
  const select = statement["node"] as Node | null;
  if (select?.["type"] !== "SELECT_NODE" || (select["from_table"] as Node | null)?.["type"] !== "BASE_TABLE")
    return null;
  const { select_list: list, from_table: from, where_clause: where, modifiers, ...rest } = select;
  if ((from as Node)["sample"] != null || rest["having"] != null || rest["qualify"] != null || rest["sample"] != null)
    return null;
  const others = [rest["group_expressions"], rest["group_sets"], (rest["cte_map"] as Node | null)?.["map"]];
  if (others.some((one) => listOf(one).length > 0) || rest["aggregate_handling"] !== "STANDARD_HANDLING") return null;
  if (!isOfOneRow(list) || !isOfOneRow(where)) return null;
  const [modifier, ...more] = listOf(modifiers) as Node[];
  if (modifier === undefined) return { limit: null };
  const limit = limitOf(modifier);
  return limit === null || more.length > 0 ? null : { limit };
}

function isOfOneRow(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isOfOneRow);
  if (typeof value !== "object" || value === null) return true;
  const node = value as Node;
  const isOne =
    node["class"] === "FUNCTION"
      ? node["is_operator"] === true || FUNCTIONS.test(String(node["function_name"]))
      : node["class"] === undefined || CLASSES.includes(node["class"]);
  return isOne && Object.values(node).every(isOfOneRow);
}

/** Null: it is no number of rows from the first on. */
function limitOf(modifier: Node): number | null {
  if (modifier["type"] !== "LIMIT_MODIFIER" || modifier["offset"] != null) return null;
  const value = (modifier["limit"] as Node | null)?.["value"] as Node | undefined;
  const limit = value?.["value"];
  return Number.isSafeInteger(limit) && (limit as number) > 0 ? (limit as number) : null;
}
