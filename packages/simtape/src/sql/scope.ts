import { flatLeaves, listOf, type Node, nodesIn, textOf } from "./statement.ts";

/** How a statement names a column: in an expression, behind `*`, in its RENAME, or in USING, for either side of the join. */
export type Naming = "expression" | "star" | "rename" | "left" | "right";

/** A place at which a statement names a column. */
export interface ColumnUse {
  /** Its name, with what it is qualified by; in lower case. */
  readonly path: readonly string[];
  /** Where: bytes of UTF-8 from the start of the statement; 0: not known. */
  readonly place: number;
  /** What columns there may be of. Null: not to be seen from the statement. */
  readonly scope: Scope | null;
  readonly how: Naming;
}

/** What the columns of a FROM are. */
export interface Scope {
  /** What its parts are called. */
  readonly called: readonly string[];
  /** Tables of recordings, all of whose columns there are. */
  readonly tables: readonly string[];
  /** Names that subqueries give to columns. */
  readonly names: readonly string[];
}

/** All places at which a statement names columns, by its tree. */
export function columnUses(tree: Node): ColumnUse[] {
  const uses: ColumnUse[] = [];
  const made = withsBy(tree);
  const visit = (value: unknown, around: readonly (readonly Node[])[]): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, around);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    if (node["class"] === "COLUMN_REF") {
      const path = listOf(node["column_names"]).map((part) => String(part).toLowerCase());
      uses.push({ path, place: placeOf(node), scope: scopeOf(path, around, made), how: "expression" });
    }
    for (const path of starNames(node))
      uses.push({ path, place: placeOf(node), scope: scopeOf(path, around, made), how: "star" });
    for (const path of renamesOf(node))
      uses.push({ path, place: placeOf(node), scope: scopeOf(path, around, made), how: "rename" });
    for (const name of namesOf(node["using_columns"]))
      for (const side of ["left", "right"] as const) {
        const scope = scopeOf([name], [flatLeaves(node[side] as Node)], made);
        uses.push({ path: [name], place: 0, scope, how: side });
      }
    if (node["type"] === "PIVOT") {
      const source = [flatLeaves(node["source"] as Node), ...around];
      for (const name of pivotNames(node))
        uses.push({ path: [name], place: 0, scope: scopeOf([name], source, made), how: "expression" });
      for (const inner of Object.values(node)) visit(inner, source);
      return;
    }
    const leaves = node["type"] === "SELECT_NODE" ? flatLeaves(node["from_table"] as Node | null) : [];
    const inside = leaves.some((leaf) => leaf["type"] !== "EMPTY") ? [leaves, ...around] : around;
    for (const [key, inner] of Object.entries(node)) visit(inner, key === "cte_map" ? around : inside);
  };
  visit(tree, []);
  return uses;
}

/** Bytes; 0: not known. */
function placeOf(node: Node): number {
  return Number(node["query_location"] ?? 0);
}

function namesOf(value: unknown): string[] {
  return listOf(value).map((name) => String(name).toLowerCase());
}

/** Columns that EXCLUDE, REPLACE and COLUMNS name. */
function starNames(node: Node): (readonly string[])[] {
  if (node["class"] !== "STAR") return [];
  const constants = [...nodesIn(node["expr"])].filter((inner) => inner["class"] === "CONSTANT");
  const chosen = constants.map((inner) => (inner["value"] as Node | null)?.["value"]);
  const qualified = listOf(node["qualified_exclude_list"]) as Node[];
  const excluded = [...listOf(node["exclude_list"]), ...qualified.map(({ column }) => column)];
  return ofStar(node, [...excluded, ...keysOf(node["replace_list"]), ...chosen]);
}

function renamesOf(node: Node): (readonly string[])[] {
  return node["class"] === "STAR" ? ofStar(node, keysOf(node["rename_list"])) : [];
}

/** Names, each with what the star is qualified by. */
function ofStar(star: Node, names: readonly unknown[]): (readonly string[])[] {
  const of = textOf(star["relation_name"]).toLowerCase();
  return namesOf(names).map((name) => (of === "" ? [name] : [of, name]));
}

/** The columns of pairs of a column and something else. */
function keysOf(entries: unknown): unknown[] {
  return (listOf(entries) as Node[]).map(({ key }) => (typeof key === "string" ? key : (key as Node)["column"]));
}

/** Columns that a PIVOT groups by, and those that an UNPIVOT takes. */
function pivotNames(node: Node): string[] {
  const entries = (listOf(node["pivots"]) as Node[]).flatMap((pivot) => listOf(pivot["entries"]) as Node[]);
  const taken = listOf(node["unpivot_names"]).length === 0 ? [] : entries.flatMap((entry) => listOf(entry["values"]));
  return namesOf([...listOf(node["groups"]), ...taken.map((value) => (value as Node)["value"])]);
}

/** `around`: the FROMs that the place sees, the nearest first. */
function scopeOf(path: readonly string[], around: readonly (readonly Node[])[], made: Withs): Scope | null {
  const own = path.length > 1 ? around.flat().find((leaf) => calledOf(leaf)?.toLowerCase() === path[0]) : undefined;
  return joined((own === undefined ? around[0] : [own])?.map((leaf) => offeredBy(leaf, made)) ?? [null]);
}

function calledOf(leaf: Node): string | null {
  return textOf(leaf["alias"]) || textOf(leaf["table_name"]) || null;
}

/** Queries that WITH gives names to, by these in lower case; null: more than one may be meant. */
type Withs = ReadonlyMap<string, Node | null>;

function withsBy(tree: Node): Withs {
  const made = new Map<string, Node | null>();
  for (const node of nodesIn(tree))
    for (const { key, value } of listOf((node["cte_map"] as Node | undefined)?.["map"]) as Node[]) {
      const name = String(key).toLowerCase();
      const { query, aliases } = value as Node;
      const isNamedInside = [...nodesIn(value)].some((inner) => textOf(inner["table_name"]).toLowerCase() === name);
      const isClear = !made.has(name) && !isNamedInside && listOf(aliases).length === 0;
      made.set(name, isClear ? (query as Node) : null);
    }
  return made;
}

/** The columns of one part of a FROM. */
function offeredBy(leaf: Node, made: Withs): Scope | null {
  if (listOf(leaf["column_name_alias"]).length > 0) return null;
  const called = [calledOf(leaf) ?? "the subquery"];
  if (leaf["type"] === "SUBQUERY") return renamed(answerOf(leaf["subquery"] as Node, made), called);
  if (leaf["type"] !== "BASE_TABLE") return null;
  const name = textOf(leaf["table_name"]);
  const query = made.get(name.toLowerCase());
  if (query === undefined) return { called: [name], tables: [name], names: [] };
  return query === null ? null : renamed(answerOf(query, made), called);
}

/** The columns of the answer of a SELECT. */
function answerOf(query: Node, made: Withs): Scope | null {
  const select = query["node"] as Node | undefined;
  if (select?.["type"] !== "SELECT_NODE") return null;
  const leaves = flatLeaves(select["from_table"] as Node | null);
  const parts = (listOf(select["select_list"]) as Node[]).flatMap((item): (Scope | null)[] => {
    if (item["class"] === "STAR") return isPlainStar(item) ? leaves.map((leaf) => offeredBy(leaf, made)) : [null];
    const name = textOf(item["alias"]) || textOf(listOf(item["column_names"]).at(-1));
    // of an expression without a name DuckDB makes one
    return [name === "" ? null : { called: [], tables: [], names: [name] }];
  });
  return joined(parts);
}

/** `*` itself, and not `v.*`, or one with names that are left out or replaced. */
function isPlainStar(star: Node): boolean {
  const isEmpty = (value: unknown): boolean =>
    value == null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
  const { class: _, type: _type, query_location: _place, ...rest } = star;
  return Object.values(rest).every(isEmpty);
}

function renamed(scope: Scope | null, called: readonly string[]): Scope | null {
  return scope === null ? null : { ...scope, called };
}

function joined(scopes: readonly (Scope | null)[]): Scope | null {
  if (scopes.includes(null)) return null;
  const all = scopes as readonly Scope[];
  const each = (of: (scope: Scope) => readonly string[]): string[] => [...new Set(all.flatMap(of))];
  return { called: each((one) => one.called), tables: each((one) => one.tables), names: each((one) => one.names) };
}
