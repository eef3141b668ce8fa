import { type Kysely, sql } from "kysely";

/** Live recordings under leases; owners of rooms. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create table live (
    recording text primary key references recordings on delete cascade,
    sender text not null,
    via text not null check (via in ('lines', 'segments')),
    node text,
    lease timestamptz not null,
    begun timestamptz not null default now(),
    heard timestamptz not null default now()
  )`,
  "alter table rooms add column owner text",
];
