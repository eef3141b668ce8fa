import { type Kysely, sql } from "kysely";

/** Files that show the worlds of recordings: `file` is the name under which the data folder has the bytes. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create table companions (
    recording text not null references recordings on delete cascade,
    name text not null,
    file text not null,
    bytes bigint not null,
    added timestamptz not null default now(),
    primary key (recording, name)
  )`,
];
