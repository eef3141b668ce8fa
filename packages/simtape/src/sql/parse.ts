import type { Database } from "./duckdb.ts";
import { SqlError } from "./error.ts";
import { literal } from "./names.ts";
import { type RowByRow, rowByRowOf } from "./row-by-row.ts";
import { listOf, type Named, namedIn, type Node, nodesIn, type TableUse, type Term, textOf } from "./statement.ts";
import { type UnitSources, unitSources } from "./units.ts";
import { OPEN, type Span, type WantedId } from "./wanted.ts";
import { parserWording } from "./wordings.ts";

/** A statement that only reads. */
export interface Parsed extends Named {
  readonly sql: string;
  /** Its syntax tree. */
  readonly tree: Node;
  /** Texts that stand in it as constants. */
  readonly texts: readonly string[];
  /** Whether it gives columns of `*` other names. */
  readonly renames: boolean;
  readonly units: UnitSources;
  /** Null: the statement needs all rows at once. */
  readonly rowByRow: RowByRow | null;
  /** Whether it is SHOW TABLES. */
  readonly listsTables: boolean;
}

const NONE = "there is no statement";

/** Reads a statement. Rejects with `SqlError` for what is no SQL, and for what is not one SELECT. */
export async function parse(database: Database, sql: string): Promise<Parsed> {
  // places are those of the statement as it was given
  const text = sql.trimEnd().replace(/;$/, "");
  if (text.trim() === "") throw new SqlError("statement", NONE);
  if (text.includes("\0")) throw new SqlError("syntax", "a statement has no zero bytes");
  const tree = await treeOf(database, text);
  if (tree["error"] === true) {
    const message = String(tree["error_message"]);
    if (tree["error_type"] === "not implemented") throw new SqlError("statement", notAllowed(text));
    const at = unitsBefore(text, Number(tree["position"] ?? Number.NaN));
    const said = parserWording(message) ?? `no SQL: ${message.replace(/[.!]$/, "")}`;
    throw new SqlError("syntax", `${said}${placeOf(text, at)}`, undefined, at);
  }
  const statements = listOf(tree["statements"]);
  if (statements.length === 0) throw new SqlError("statement", NONE);
  if (statements.length > 1) throw new SqlError("statement", `one statement, not ${statements.length}`);
  const statement = statements[0] as Node;
  const nodes = [...nodesIn(statement)];
  if (nodes.some((node) => node["class"] === "PARAMETER"))
    throw new SqlError("statement", "the statement has a parameter, as ? or $1; write the value in its place");
  const listsTables = isShowTables(statement);
  if (!listsTables && nodes.some(isCatalogue)) throw new SqlError("statement", CATALOGUE);
  const renames = nodes.some((node) => listOf(node["rename_list"]).length > 0);
  return {
    ...{ sql: text, tree: statement, texts: textsIn(nodes), renames, listsTables },
    ...{ units: unitSources(statement), rowByRow: rowByRowOf(statement) },
    ...namedIn(statement),
  };
}

const CATALOGUE =
  "lists of DuckDB have no tables of recordings; the statement SHOW TABLES lists them, DESCRIBE TABLE the columns of one";
/** Functions and schemas of DuckDB that list tables. */
const LISTS = /^(duckdb_(tables|views|columns|constraints|indexes)|pragma_\w+)$/i;
const SCHEMAS = /^(information_schema|pg_catalog)$/i;

function isShowTables(statement: Node): boolean {
  const select = statement["node"] as Node | undefined;
  const from = select?.["from_table"] as Node | null | undefined;
  return from?.["type"] === "SHOW_REF" && from["table_name"] === '"tables"';
}

/** Whether DuckDB answers it from its list of tables, which has those alone that a statement before this named. */
function isCatalogue(node: Node): boolean {
  switch (node["type"]) {
    case "SHOW_REF":
      return node["query"] == null;
    case "BASE_TABLE":
      return SCHEMAS.test(textOf(node["schema_name"]));
    case "TABLE_FUNCTION":
      return LISTS.test(textOf((node["function"] as Node | null)?.["function_name"]));
    default:
      return false;
  }
}

const COMMENTS = /--.*|\/\*[\s\S]*?\*\//g;

/** DuckDB makes a type of the values of a PIVOT without IN, which is no SELECT. */
function notAllowed(text: string): string {
  return /^\s*(pivot|(with|from|select)\b[^;]*\bpivot)(_wider)?\b/i.test(text.replace(COMMENTS, ""))
    ? "PIVOT needs the values that become columns, as in ON id IN (24, 25)"
    : "only SELECT is allowed (also WITH, FROM, VALUES, DESCRIBE, SUMMARIZE and SHOW TABLES)";
}

function textsIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    const { value } = (node["class"] === "CONSTANT" ? node["value"] : {}) as { readonly value?: unknown };
    return typeof value === "string" ? [value] : [];
  });
}

async function treeOf(database: Database, text: string): Promise<Node> {
  const json = String(await database.value(`SELECT json_serialize_sql(${literal(text)}::VARCHAR)`));
  // "no place" is 2^64 - 1, which is no double; nothing that is looked for stands at 0
  return JSON.parse(json.replace(/"query_location":\d{16,}/g, '"query_location":0')) as Node;
}

/** UTF-16 units before a byte of the text as UTF-8; null: there is no such byte. */
export function unitsBefore(text: string, byte: number): number | null {
  if (!Number.isSafeInteger(byte)) return null;
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, byte)).length;
}

/** `, line 2, letter 5`, of the place at which it is wrong. */
function placeOf(text: string, at: number | null): string {
  if (at === null) return "";
  const before = text.slice(0, at).split("\n");
  const column = before.at(-1)!.length + 1;
  return before.length === 1 ? `, at letter ${column}` : `, line ${before.length}, letter ${column}`;
}

/** What of a table one mention needs; null in place of a part: all of it. */
export interface Limited {
  readonly span: Span | null;
  readonly ids: readonly WantedId[] | null;
  readonly kinds: readonly string[] | null;
  /** Terms that only recordings of some names fulfil. */
  readonly recordings: readonly Node[];
}

/** The constants of the terms, which DuckDB itself computes. */
export async function limitedBy(database: Database, { terms }: TableUse): Promise<Limited> {
  let span: Span | null = null;
  let ids: readonly WantedId[] | null = null;
  let kinds: readonly string[] | null = null;
  const recordings: Node[] = [];
  for (const term of terms) {
    if (term.is === "test") {
      if (term.column === "recording") recordings.push(term.values[0]!);
    } else if (term.column === "time")
      span = await narrowed(database, span, term, "from", "until", "CAST(%s AS DOUBLE)");
    else if (term.column === "utc")
      span = await narrowed(
        database,
        span,
        term,
        "fromUtc",
        "untilUtc",
        "CAST(epoch_us(CAST(%s AS TIMESTAMP)) AS DOUBLE)",
      );
    else if (term.column === "id" && isEqual(term)) ids ??= await idsOf(database, term);
    else if (term.column === "kind" && isEqual(term)) kinds ??= await textsOf(database, term);
  }
  return { span, ids, kinds, recordings };
}

function isEqual({ is }: Term): boolean {
  return is === "=" || is === "in";
}

async function narrowed(
  database: Database,
  before: Span | null,
  { is, values }: Term,
  from: "from" | "fromUtc",
  until: "until" | "untilUtc",
  as: string,
): Promise<Span | null> {
  const found: number[] = [];
  for (const value of values) {
    const [number] = (await computed(database, value, as)) ?? [];
    if (typeof number !== "number" || Number.isNaN(number)) return before;
    found.push(number);
  }
  const span = { ...(before ?? OPEN) };
  if (is !== "<" && is !== "<=") span[from] = Math.max(span[from], Math.min(...found));
  if (is !== ">" && is !== ">=") span[until] = Math.min(span[until], Math.max(...found));
  return span;
}

/** Null: they may be equal to ids that are written in another way. */
async function idsOf(database: Database, { values }: Term): Promise<WantedId[] | null> {
  const ids: WantedId[] = [];
  for (const value of values) {
    const [id, type] = (await computed(database, value, "CAST(%s AS VARCHAR), typeof(%s)")) ?? [];
    const isText = type === "VARCHAR";
    if (typeof id !== "string" || (!isText && !/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/.test(String(type)))) return null;
    // DuckDB compares a text with a number as numbers
    if (isText && /^\s*[-+.\d]/.test(id) && !/^(0|-?[1-9]\d*)$/.test(id)) return null;
    ids.push({ id, isText });
  }
  return ids;
}

async function textsOf(database: Database, { values }: Term): Promise<string[] | null> {
  const texts: string[] = [];
  for (const value of values) {
    const [text, type] = (await computed(database, value, "%s, typeof(%s)")) ?? [];
    if (typeof text !== "string" || type !== "VARCHAR") return null;
    texts.push(text);
  }
  return texts;
}

/** Values of expressions of a constant, written with `%s`; null: it has none. */
async function computed(database: Database, value: Node, as: string): Promise<readonly unknown[] | null> {
  const text = await sqlOf(database, value);
  if (text === null) return null;
  const rows = await database.rows(`SELECT ${as.replaceAll("%s", () => `(${text})`)}`).catch(() => null);
  return rows?.[0] ?? null;
}

/** An expression of the tree as SQL; null: it cannot be written so. */
export async function sqlOf(database: Database, expression: Node): Promise<string | null> {
  const tree = await treeOf(database, "SELECT 1");
  const [statement] = listOf(tree["statements"]) as [{ node: Record<string, unknown> }];
  statement.node["select_list"] = [{ ...expression, alias: "" }];
  try {
    const text = String(await database.value(`SELECT json_deserialize_sql(${literal(JSON.stringify(tree))}::JSON)`));
    return text.replace(/^SELECT /i, "");
  } catch {
    return null;
  }
}
