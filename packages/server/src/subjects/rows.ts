import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { Traces } from "./traces.ts";

/**
 * A column that may contain text, from the database's own catalogue: this includes columns that are newer than this
 * code.
 */
interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** The column identifies the row for other rows, or is generated from other columns: it cannot be changed alone. */
  readonly isFixed: boolean;
}

/** A value that names a subject. */
export interface RowTrace {
  readonly table: string;
  readonly column: string;
  /** Id of the row, if it has one. */
  readonly id: string | null;
  /** The recording that the row belongs to; null: none. */
  readonly recording: string | null;
}

interface Found extends RowTrace {
  readonly place: string;
  readonly text: string;
  readonly spec: Column;
}

/** Most rows in memory at once. */
const AT_ONCE = 1000;
/** Tables of the migrations themselves. */
const OWN = "kysely\\_%";

/** All columns that are not numbers, times or booleans. */
async function columnsOf(query: Query): Promise<readonly Column[]> {
  const { rows } = await sql<Column>`
    select c.relname::text as "table", a.attname::text as "column", format_type(a.atttypid, a.atttypmod) as type,
      (a.attgenerated <> '' or exists (select 1 from pg_constraint k
        where k.conrelid = c.oid and k.contype in ('p', 'f') and a.attnum = any(k.conkey)
          and not (k.contype = 'p' and array_length(k.conkey, 1) > 1))) as "isFixed"
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname not like ${OWN}
      and a.attnum > 0 and not a.attisdropped and t.typcategory not in ('N', 'B', 'D', 'T')
    order by c.relname, a.attnum`.execute(query);
  return rows;
}

/** Finds every value of every table that names a subject; returns also the number of searched columns. */
export async function tracesInRows(
  query: Query,
  traces: Traces,
  visit: (found: Found) => Promise<void> | void,
): Promise<number> {
  const columns = await columnsOf(query);
  for (const table of new Set(columns.map((one) => one.table))) {
    const own = columns.filter((one) => one.table === table);
    const named = (name: string) =>
      own.some(({ column }) => column === name) ? sql`${sql.ref(name)}::text` : sql`null`;
    const texts = own.map(({ column }) => sql`coalesce(${sql.ref(column)}::text, '')`);
    const all = sql`lower(concat_ws(' ', ${sql.join(texts)}))`;
    const isNear =
      traces.runs === null
        ? sql`true`
        : sql`(${sql.join([sql`false`, ...traces.runs.map((run) => sql`position(${run} in ${all}) > 0`)], sql` or `)})`;
    for (let after = "(0,0)"; ; ) {
      const { rows } = await sql<{ place: string; id: string | null; recording: string | null; texts: string[] }>`
        select ctid::text as place, ${named("id")} as id, ${named("recording")} as recording, array[${sql.join(texts)}] as texts
        from ${sql.table(table)} where ctid > ${after}::tid and ${isNear} order by ctid limit ${AT_ONCE}`.execute(
        query,
      );
      for (const { place, id, recording, texts: values } of rows)
        for (const [i, spec] of own.entries()) {
          const text = values[i]!;
          if (traces.isIn(text)) await visit({ table, column: spec.column, id, recording, place, text, spec });
        }
      if (rows.length < AT_ONCE) break;
      after = rows.at(-1)!.place;
    }
  }
  return columns.length;
}

/**
 * Replaces the names of a subject by the token in every value that `mayChange` allows and that is no key; values that
 * cannot be changed stay, and the next search finds them. Returns what it changed.
 */
export async function maskRows(
  query: Query,
  traces: Traces,
  request: string,
  mayChange: (found: RowTrace) => boolean,
): Promise<readonly RowTrace[]> {
  const found: Found[] = [];
  await tracesInRows(query, traces, (one) => void found.push(one));
  const changed: RowTrace[] = [];
  for (const one of found) {
    const { table, column, id, recording, text, spec } = one;
    if (spec.isFixed || !mayChange(one)) continue;
    try {
      const count = await query.transaction().execute(async (within) => {
        // the audit allows only this change, and only during such a request
        await sql`select set_config('simtape.erasing', ${request}, true)`.execute(within);
        const { numAffectedRows } = await sql`update ${sql.table(table)}
          set ${sql.ref(column)} = ${traces.masked(text)}::${sql.raw(spec.type)}
          where ctid = (select ctid from ${sql.table(table)} where ${sql.ref(column)}::text = ${text}
            and ${rowOf(id, recording)} limit 1)`.execute(within);
        return numAffectedRows ?? 0n;
      });
      if (count > 0n) changed.push({ table, column, id, recording });
    } catch (error) {
      // another row already has that value, or the column does not allow it: the next search finds and reports it
      if (!/^2[23]/.test(String((error as { code?: unknown }).code))) throw error;
    }
  }
  return changed;
}

/** Changes the rows with this value one at a time: each needs a new value of its own. */
function rowOf(id: string | null, recording: string | null) {
  if (id !== null) return sql`id::text = ${id}`;
  return recording === null ? sql`true` : sql`recording::text = ${recording}`;
}
