import type pg from "pg";
import type { Beginning } from "./archive.ts";

type Tables = Beginning["tables"];

/** Most rows in memory at once. */
const AT_ONCE = 500;

/** Returns all tables with the columns that are not generated; a table comes after the tables that it refers to. */
export async function tablesOf(client: pg.Client): Promise<Tables> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(`
    select relname::text as name,
      array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped
        and attgenerated = '' order by attnum) as columns,
      array(select confrelid::regclass::text from pg_constraint where conrelid = pg_class.oid and contype = 'f'
        and confrelid <> conrelid) as needs
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname not like 'kysely\\_%' order by relname`);
  const ordered: { name: string; columns: string[] }[] = [];
  const isReady = ({ needs }: { needs: string[] }): boolean =>
    needs.every((need) => ordered.some(({ name }) => name === need));
  for (let left = rows; left.length > 0; left = left.filter(({ name }) => !ordered.some((one) => one.name === name))) {
    const ready = left.filter(isReady);
    if (ready.length === 0) throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(", ")}`);
    for (const { name, columns } of ready) ordered.push({ name, columns });
  }
  return ordered;
}

/** Yields the rows of a table as JSON, some at a time, in the form of the database; call it within a transaction. */
export async function* rowsIn(client: pg.Client, { name, columns }: Tables[number]): AsyncGenerator<string[]> {
  await client.query("set local timezone = 'UTC'");
  await client.query(
    `declare all_rows cursor for
     select row_to_json(one)::text as line from (select ${listOf(columns)} from ${quoted(name)}) one`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${AT_ONCE} from all_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await client.query("close all_rows");
}

/** Inserts rows into a table that has these columns. */
export async function insertRows(
  client: pg.Client,
  { name, columns }: Tables[number],
  lines: readonly string[],
): Promise<void> {
  const list = listOf(columns);
  await client.query(
    `insert into ${quoted(name)} (${list}) overriding system value
     select ${list} from json_populate_recordset(null::${quoted(name)}, $1::json)`,
    [`[${lines.join(",")}]`],
  );
}

/** Generated ids continue after the restored ones. */
export async function continueNumbers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; column: string }>(`
    select attrelid::regclass::text as name, attname::text as column from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where attidentity <> '' and relnamespace = current_schema()::regnamespace`);
  for (const { name, column } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column)}), 1), count(*) > 0) from ${name}`,
      [name, column],
    );
}

function listOf(columns: readonly string[]): string {
  return columns.map(quoted).join(", ");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
