/**
 * What a statement names, read from the syntax tree that DuckDB's `json_serialize_sql` gives of it. Everything here may name
 * too much and never too little: DuckDB looks at every row again.
 */

/** A node of the syntax tree. */
export interface Node {
  readonly [key: string]: unknown;
}

/** A table that a statement names, once for each place at which it does. */
export interface TableUse {
  readonly name: string;
  /** Where: bytes of UTF-8 from the start of the statement; 0: not known. */
  readonly place: number;
  /** What columns are qualified by there. */
  readonly alias: string;
  /** Terms of the WHERE of its SELECT, each of which must be true of its rows; with columns of this table alone. */
  readonly terms: readonly Term[];
}

/** A term of a WHERE about a column of the table. */
export interface Term {
  readonly column: string;
  /** `test`: any other term about this column alone. */
  readonly is: "<" | "<=" | ">" | ">=" | "=" | "in" | "test";
  /** Constant expressions that the column is compared with; of a `test` the term itself. */
  readonly values: readonly Node[];
}

/** All that a statement names. */
export interface Named {
  readonly uses: readonly TableUse[];
  /** Names that are columns or parts of them, in lower case; null: all columns of all tables. */
  readonly columns: ReadonlySet<string> | null;
  /** Tables that the statement makes itself (WITH), in lower case. */
  readonly own: ReadonlySet<string>;
}

/** Where a node stands. */
interface Place {
  /** What the WHERE of its SELECT says of tables. */
  readonly terms: ReadonlyMap<Node, readonly Term[]>;
  /** Whether a SELECT around it has a table of recordings, whose columns may be meant. */
  readonly hasTable: boolean;
  /** Names that its SELECT gives to columns, which an ORDER BY means first. */
  readonly given: ReadonlySet<string>;
}

/** What the statement whose tree this is names. */
export function namedIn(tree: Node): Named {
  const uses: TableUse[] = [];
  const columns = new Set<string>();
  const own = withsIn(tree);
  const aliases = aliasesIn(tree);
  let isAll = false;
  const visit = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, place);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    if (node["type"] === "SELECT_NODE") {
      const inside = insideOf(node, place, own.clear);
      for (const [key, inner] of Object.entries(node)) visit(inner, key === "cte_map" ? place : inside);
      return;
    }
    // those of other schemas are DuckDB's own
    if (node["type"] === "BASE_TABLE" && /^(main|kept)?$/i.test(textOf(node["schema_name"]))) {
      const name = String(node["table_name"]);
      const alias = textOf(node["alias"]) || name;
      if (!own.clear.has(name.toLowerCase())) {
        const at = Number(node["query_location"] ?? 0);
        uses.push({ name, place: at, alias, terms: place.terms.get(node) ?? [] });
      }
      // other names for columns: each may be any
      if (listOf(node["column_name_alias"]).length > 0) isAll = true;
    }
    if (node["type"] === "PIVOT" || node["type"] === "SHOW_REF") isAll = true;
    if (place.hasTable) {
      if (node["class"] === "STAR" || node["class"] === "POSITIONAL_REFERENCE" || node["ref_type"] === "NATURAL")
        isAll = true;
      const path = listOf(node["column_names"]).map((part) => String(part).toLowerCase());
      const rest = path.length > 1 && aliases.has(path[0]!) ? path.slice(1) : path;
      for (const name of rest) columns.add(name);
      for (const name of listOf(node["using_columns"])) columns.add(String(name).toLowerCase());
      // a table that is named as a value is all of its columns
      if (path.length > 0 && aliases.has(path.at(-1)!)) isAll = true;
    }
    if (node["type"] === "ORDER_MODIFIER")
      for (const order of listOf(node["orders"]) as Node[]) if (!isOfAnswer(order, place.given)) visit(order, place);
    if (node["type"] !== "ORDER_MODIFIER") for (const inner of Object.values(node)) visit(inner, place);
  };
  visit(tree, { terms: new Map(), hasTable: false, given: new Set() });
  return { uses, columns: isAll ? null : columns, own: own.all };
}

/** Whether an ORDER BY is by ALL, or by a name that the SELECT gives. */
function isOfAnswer(order: Node, given: ReadonlySet<string>): boolean {
  const expression = order["expression"] as Node | null;
  if (expression?.["class"] === "STAR") return expression["expr"] == null;
  const [name, ...more] = listOf(expression?.["column_names"]).map(String);
  return name !== undefined && more.length === 0 && given.has(name.toLowerCase());
}

function insideOf(select: Node, around: Place, derived: ReadonlySet<string>): Place {
  const leaves = flatLeaves(select["from_table"] as Node | null);
  const isTable = (leaf: Node): boolean =>
    leaf["type"] !== "SUBQUERY" && leaf["type"] !== "EMPTY" && !derived.has(textOf(leaf["table_name"]).toLowerCase());
  const given = (listOf(select["select_list"]) as Node[]).map((item) => textOf(item["alias"]).toLowerCase());
  return {
    terms: termsOf(select),
    hasTable: around.hasTable || leaves.some(isTable),
    given: new Set(given.filter((name) => name !== "")),
  };
}

/** The tables that a FROM joins, subqueries among them. */
export function flatLeaves(from: Node | null): Node[] {
  if (from == null) return [];
  return from["type"] === "JOIN" ? [...flatLeaves(from["left"] as Node), ...flatLeaves(from["right"] as Node)] : [from];
}

/** Tables that a statement makes by WITH; `clear`: those that cannot be tables of recordings of the same name. */
function withsIn(tree: Node): { readonly all: Set<string>; readonly clear: Set<string> } {
  const [all, unclear] = [new Set<string>(), new Set<string>()];
  for (const node of nodesIn(tree))
    for (const entry of listOf((node["cte_map"] as Node | undefined)?.["map"]) as Node[]) {
      const name = String(entry["key"]).toLowerCase();
      // made twice, or of a table of the same name
      const isNamedInside = [...nodesIn(entry)].some((inner) => textOf(inner["table_name"]).toLowerCase() === name);
      if (all.has(name) || isNamedInside) unclear.add(name);
      all.add(name);
    }
  return { all, clear: new Set([...all].filter((name) => !unclear.has(name))) };
}

/** What tables are called anywhere in a statement. */
function aliasesIn(tree: Node): ReadonlySet<string> {
  const aliases = new Set<string>();
  for (const node of nodesIn(tree)) {
    if (!["BASE_TABLE", "SUBQUERY", "TABLE_FUNCTION"].includes(String(node["type"])) || node["class"] !== undefined)
      continue;
    for (const name of [node["alias"], node["table_name"]])
      if (textOf(name) !== "") aliases.add(textOf(name).toLowerCase());
  }
  return aliases;
}

/** All nodes of a tree, in the order of its text. */
export function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  else if (typeof value === "object" && value !== null) {
    yield value as Node;
    for (const inner of Object.values(value)) yield* nodesIn(inner);
  }
}

/** The terms of a SELECT by the table that each is about. */
function termsOf(select: Node): ReadonlyMap<Node, readonly Term[]> {
  const found = new Map<Node, Term[]>();
  const leaves = leavesOf(select["from_table"] as Node | null);
  if (leaves === null) return found;
  for (const term of conjuncts(select["where_clause"] as Node | null)) {
    const refs = columnsIn(term);
    const [first] = refs;
    if (first === undefined || refs.some((path) => path.join(".") !== first.join("."))) continue;
    const leaf = leafOf(leaves, first);
    if (leaf === null) continue;
    const known = found.get(leaf) ?? [];
    known.push(...meaningOf(term, first.at(-1)!));
    found.set(leaf, known);
  }
  return found;
}

/**
 * The tables that a FROM joins, subqueries among them. Null where leaving out rows of one could change which rows of another
 * stand beside it: joins by position, to the nearest, and samples.
 */
function leavesOf(from: Node | null): Node[] | null {
  if (from == null) return [];
  if (from["sample"] != null) return null;
  if (from["type"] !== "JOIN") return [from];
  if (from["ref_type"] === "POSITIONAL" || from["ref_type"] === "ASOF") return null;
  const left = leavesOf(from["left"] as Node);
  const right = leavesOf(from["right"] as Node);
  return left === null || right === null ? null : [...left, ...right];
}

/** The table that a column is of: that which it names, or the only one. Null: not to be seen from here. */
function leafOf(leaves: readonly Node[], path: readonly string[]): Node | null {
  const isPlain = (leaf: Node): boolean =>
    leaf["type"] === "BASE_TABLE" && listOf(leaf["column_name_alias"]).length === 0;
  if (path.length === 1) return leaves.length === 1 && isPlain(leaves[0]!) ? leaves[0]! : null;
  if (path.length !== 2) return null;
  const called = leaves.filter((leaf) => {
    const name = textOf(leaf["alias"]) || textOf(leaf["table_name"]);
    return name.toLowerCase() === path[0]!.toLowerCase();
  });
  return called.length === 1 && isPlain(called[0]!) ? called[0]! : null;
}

function conjuncts(where: Node | null): Node[] {
  if (where == null) return [];
  if (where["type"] !== "CONJUNCTION_AND") return [where];
  return listOf(where["children"]).flatMap((child) => conjuncts(child as Node));
}

/** Paths of all columns in an expression. */
function columnsIn(value: unknown): (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap(columnsIn);
  if (typeof value !== "object" || value === null) return [];
  const node = value as Node;
  if (node["class"] === "COLUMN_REF") return [listOf(node["column_names"]).map(String)];
  return Object.values(node).flatMap(columnsIn);
}

const COMPARED: Readonly<Record<string, readonly [Term["is"], mirrored: Term["is"]]>> = {
  COMPARE_EQUAL: ["=", "="],
  COMPARE_LESSTHAN: ["<", ">"],
  COMPARE_LESSTHANOREQUALTO: ["<=", ">="],
  COMPARE_GREATERTHAN: [">", "<"],
  COMPARE_GREATERTHANOREQUALTO: [">=", "<="],
};

/** What a term with one column says. */
function meaningOf(term: Node, name: string): Term[] {
  const column = name.toLowerCase();
  const tests: Term[] = isPure(term) ? [{ column, is: "test", values: [term] }] : [];
  const isColumn = (node: unknown): boolean => (node as Node | null)?.["class"] === "COLUMN_REF";
  const compared = COMPARED[String(term["type"])];
  const [left, right] = [term["left"] as Node, term["right"] as Node];
  if (term["class"] === "COMPARISON" && compared !== undefined) {
    if (isColumn(left) && isBound(right)) tests.push({ column, is: compared[0], values: [right] });
    if (isColumn(right) && isBound(left)) tests.push({ column, is: compared[1], values: [left] });
  }
  const [lower, upper] = [term["lower"] as Node, term["upper"] as Node];
  if (term["type"] === "COMPARE_BETWEEN" && isColumn(term["input"])) {
    if (isBound(lower)) tests.push({ column, is: ">=", values: [lower] });
    if (isBound(upper)) tests.push({ column, is: "<=", values: [upper] });
  }
  const [input, ...values] = listOf(term["children"]) as Node[];
  if (term["type"] === "COMPARE_IN" && isColumn(input) && values.every(isConstant))
    tests.push({ column, is: "in", values });
  return tests;
}

/** Functions of constants that give the same at every call. */
const CONSTANT_FUNCTIONS = /^([-+*/%]|trunc|to_[a-z]+|abs|round|floor|ceil|make_timestamp|make_date)$/;
/** Likewise of texts. */
const TEXT_FUNCTIONS =
  /^(!?~~\*?|\|\||contains|starts_with|ends_with|prefix|suffix|lower|upper|length|replace|regexp_matches|regexp_full_match|not_like_escape|like_escape|ilike_escape)$/;

/**
 * A constant to compare with. A decimal number of more digits than a double has is one, too, as what is read has room for
 * rounding: programs write times so, as 7.4575000000000005.
 */
function isBound(node: Node): boolean {
  const { type } = (node["value"] ?? {}) as { readonly type?: { readonly id?: unknown } };
  return isConstant(node) || (node["class"] === "CONSTANT" && type?.id === "DECIMAL");
}

function isConstant(node: Node): boolean {
  switch (node["class"]) {
    case "CONSTANT":
      return isExact(node["value"]);
    case "CAST":
      return isConstant(node["child"] as Node);
    case "FUNCTION":
      return CONSTANT_FUNCTIONS.test(String(node["function_name"])) && listOf(node["children"]).every(isConstantItem);
    default:
      return false;
  }
}

/** Whether no number of a constant was rounded when the tree was read. */
export function isExact(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}

function isConstantItem(node: unknown): boolean {
  return isConstant(node as Node);
}

/** Whether a term can be decided for a value of its column alone. */
function isPure(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPure);
  if (typeof value !== "object" || value === null) return true;
  const node = value as Node;
  const kind = node["class"];
  if (kind === "SUBQUERY" || kind === "WINDOW" || kind === "LAMBDA" || kind === "PARAMETER") return false;
  if (kind === "CONSTANT") return isExact(node["value"]);
  if (kind === "FUNCTION") {
    const name = String(node["function_name"]);
    if (!TEXT_FUNCTIONS.test(name) && !CONSTANT_FUNCTIONS.test(name)) return false;
  }
  return Object.values(node).every(isPure);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
