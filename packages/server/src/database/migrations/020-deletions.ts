import { type Kysely, sql } from "kysely";

/** Recordings that are being deleted, with the files that they had when that was asked for. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create table deletions (
    recording text primary key references recordings on delete cascade,
    key text not null,
    files jsonb not null
  )`,
];
