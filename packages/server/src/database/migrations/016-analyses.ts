import { type Kysely, sql } from "kysely";

/**
 * Statistics of recordings and comparisons of two, as jobs found them. `id` is a digest of what was asked, so that the same
 * question has one row. `stamps`: those of the recordings when they were read.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table analyses (
    id text primary key,
    kind text not null,
    recording text not null references recordings on delete cascade,
    other text references recordings on delete cascade,
    options jsonb not null,
    stamps text[] not null,
    same boolean,
    result jsonb not null,
    made timestamptz not null default now()
  )`.execute(database);
  await sql`create index analyses_recording on analyses (recording)`.execute(database);
  await sql`create index analyses_other on analyses (other) where other is not null`.execute(database);
}
