import type { Database } from "./duckdb.ts";
import { isFact } from "./facts.ts";
import { literal } from "./names.ts";
import { type Limited, limitedBy, type Parsed, sqlOf, unitsBefore } from "./parse.ts";
import { listOf, type Node, type TableUse } from "./statement.ts";
import type { Span, TablePlan, Wanted } from "./wanted.ts";

const NO_LIMIT: Limited = { span: null, ids: null, kinds: null, recordings: [] };

/** What is read for a statement: for each table all that any mention of it needs. `prunes` false: everything. */
export async function planOf(
  database: Database,
  parsed: Parsed,
  recordings: readonly string[],
  prunes: boolean,
): Promise<readonly TablePlan[]> {
  const byName = new Map<string, TableUse[]>();
  for (const use of parsed.uses) {
    const name = use.name.toLowerCase();
    byName.set(name, [...(byName.get(name) ?? []), use]);
  }
  const plans: TablePlan[] = [];
  for (const [name, uses] of byName) {
    const limits: Limited[] = [];
    for (const use of uses) limits.push(prunes ? await limitedBy(database, use) : NO_LIMIT);
    const names = new Set<string>();
    for (const { recordings: terms } of limits)
      for (const found of await recordingsThat(database, recordings, terms)) names.add(found);
    const wanted: Wanted = {
      columns: prunes ? parsed.columns : null,
      spans: all(limits.map(({ span }) => span)),
      ids: isFact(name) ? null : (all(limits.map(({ ids }) => ids))?.flat() ?? null),
      kinds: name === "events" ? (all(limits.map(({ kinds }) => kinds))?.flat() ?? null) : null,
      isLearnedWhole: !prunes,
    };
    const isWhole = wanted.spans === null && wanted.ids === null && names.size === recordings.length;
    plans.push({
      at: uses[0]!.place === 0 ? null : unitsBefore(parsed.sql, uses[0]!.place),
      ...{ name: uses[0]!.name, recordings: names, wanted, isWhole, isOwn: parsed.own.has(name) },
      key: keyOf(names, wanted),
    });
  }
  return plans;
}

/** Null where one is: all is needed. */
function all<T>(limits: readonly (T | null)[]): T[] | null {
  return limits.includes(null) ? null : (limits as T[]);
}

function keyOf(names: ReadonlySet<string>, { columns, spans, ids, kinds }: Wanted): string {
  const finite = (span: Span): string[] => Object.values(span).map(String);
  return JSON.stringify([[...names], columns === null ? null : [...columns].sort(), spans?.map(finite), ids, kinds]);
}

/** The names for which all terms are true. */
async function recordingsThat(
  database: Database,
  names: readonly string[],
  terms: readonly Node[],
): Promise<readonly string[]> {
  if (terms.length === 0 || names.length === 0) return names;
  let left = names;
  for (const term of terms) {
    const test = await sqlOf(database, unqualified(term) as Node);
    if (test === null) continue;
    const values = left.map((name) => `(${literal(name)})`).join(", ");
    const rows = await database
      .rows(`SELECT recording FROM (VALUES ${values}) AS names(recording) WHERE ${test}`)
      .catch(() => null);
    if (rows === null) continue;
    const found = new Set(rows.map(([name]) => String(name)));
    left = left.filter((name) => found.has(name));
  }
  return left;
}

/** A term without the names of tables before columns. */
function unqualified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unqualified);
  if (typeof value !== "object" || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unqualified(inner)]));
  if (node["class"] === "COLUMN_REF") node["column_names"] = listOf(node["column_names"]).slice(-1);
  return node;
}
