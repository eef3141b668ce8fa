import { type Kysely, sql } from "kysely";

/**
 * Indexes that give the recordings of a collection, and of an owner, in order; statistics of lengths and dates for the
 * planner.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  "drop index recordings_owner",
  `create index recordings_owner on recordings (owner, added desc, id desc)
    where owner is not null and state <> 'gone'`,
  "drop index recordings_collection",
  `create index recordings_collection on recordings (collection, added desc, id desc)
    where collection is not null and state <> 'gone'`,
  // the planner ignores what it knows of the expressions of a partial index
  "create statistics recordings_when on (coalesce(started, '-infinity')) from recordings",
  "create statistics recordings_length on (coalesce(seconds, -1)) from recordings",
];
