import type { Database } from "./duckdb.ts";
import { sqlOf } from "./parse.ts";
import { isExact, type Node, nodesIn } from "./statement.ts";

/** Expressions that constants alone may make. */
const CLASSES: readonly unknown[] = ["FUNCTION", "OPERATOR", "CAST", "COMPARISON", "CONJUNCTION", "BETWEEN", "CASE"];
/** Without a row, or a query of their own, these have no value. */
const OTHERS: readonly unknown[] = [
  ...["COLUMN_REF", "STAR", "SUBQUERY", "WINDOW", "LAMBDA", "LAMBDA_REF", "PARAMETER", "POSITIONAL_REFERENCE"],
];
/** These may leave out parts of theirs: what is wrong in such a part may never be looked at. */
const CHOOSING: readonly unknown[] = [
  "CASE_EXPR",
  "CONJUNCTION_AND",
  "CONJUNCTION_OR",
  "OPERATOR_COALESCE",
  "OPERATOR_TRY",
];
/** Expressions of a statement that are tried, at most. */
const MOST = 32;

/** Whether an expression of constants in a statement that failed has no value, so that it fails whatever the rows are. */
export async function failsOfItself(database: Database, tree: Node): Promise<boolean> {
  let left = MOST;
  for (const part of constantParts(tree)) {
    if (left-- === 0) return false;
    const text = await sqlOf(database, part);
    if (text === null) continue;
    try {
      await database.rows(`SELECT ${text}`);
    } catch {
      return true;
    }
  }
  return false;
}

/** Expressions of constants, the largest of each. */
function* constantParts(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* constantParts(item);
  else if (typeof value === "object" && value !== null) {
    const node = value as Node;
    const isPart = CLASSES.includes(node["class"]);
    if (isPart && [...nodesIn(node)].every(isConstant)) yield node;
    else if (!CHOOSING.includes(node["type"])) for (const inner of Object.values(node)) yield* constantParts(inner);
  }
}

/** A number that was rounded when the tree was read is another one. */
function isConstant(node: Node): boolean {
  return !OTHERS.includes(node["class"]) && (node["class"] !== "CONSTANT" || isExact(node["value"]));
}
