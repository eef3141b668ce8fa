import { SqlError } from "./error.ts";
import { existing, literal, quoted } from "./names.ts";
import { type Parsed, unitsBefore } from "./parse.ts";
import { columnUses, type Scope } from "./scope.ts";
import type { MissingColumn } from "./wordings.ts";

/** Names of columns by the names of their tables; the keys are in lower case. */
export type Columns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What the column `name` may be of at a place of a statement. Null: not known, or not the same at all places. */
export function scopeAt({ tree, sql }: Parsed, { name, how }: MissingColumn, at: number | null): Scope | null {
  const uses = columnUses(tree).filter((use) => use.path.includes(name.toLowerCase()) && use.how === how);
  const here = at === null ? [] : uses.filter(({ place }) => place > 0 && unitsBefore(sql, place) === at);
  const [first, ...others] = (here.length > 0 ? here : uses).map(({ scope }) => scope);
  const isSame = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return isSame ? (first ?? null) : null;
}

/** A column that RENAME names and that is missing; null: there is none. DuckDB passes over it. */
export function missingRename({ tree, renames }: Parsed, columns: Columns): MissingColumn | null {
  const uses = renames ? columnUses(tree).filter(({ how }) => how === "rename") : [];
  const missing = uses.find(({ path, scope }) => {
    const isKnown = scope?.tables.every((table) => columns.has(table.toLowerCase())) === true;
    return isKnown && !namesIn(columns, scope).some((one) => one.toLowerCase() === path.at(-1));
  });
  return missing === undefined ? null : { name: missing.path.at(-1)!, isPattern: false, how: "rename" };
}

/** The columns of a scope; of one that is not known those of all tables. */
export function namesIn(columns: Columns, scope: Scope | null): string[] {
  const tables = scope === null ? [...columns.keys()] : scope.tables.map((table) => table.toLowerCase());
  return [...(scope?.names ?? []), ...tables.flatMap((table) => [...(columns.get(table)?.values() ?? [])])];
}

/** Names the columns that there are, where they are known. Of what DuckDB does not notice there is no cause. */
export function noColumn(
  { name, isPattern }: MissingColumn,
  scope: Scope | null,
  columns: Columns,
  { cause, at }: Pick<SqlError, "at" | "cause">,
  sql: string,
): SqlError {
  const isWhole = scope?.tables.every((table) => columns.has(table.toLowerCase())) === true;
  const names = isWhole ? namesIn(columns, scope) : [];
  // a list that has the name cannot be right
  const isListed = names.some((one) => one.toLowerCase() === name.toLowerCase());
  const where = scope === null || isListed ? " where the statement names it" : ` in ${scope.called.join(" or ")}`;
  const list = names.length === 0 || isListed ? "" : `; ${existing(name, names)}`;
  const text = at !== null && sql[at] === '"' ? `; a text has single quotes: ${literal(name)}` : "";
  const what = isPattern ? "no column matches" : "no column";
  return new SqlError("no-column", `${what} ${quoted(name)}${where}${text}${list}`, cause, at);
}
