import { type Kysely, sql } from "kysely";

/**
 * Saved searches have an expression, and can be watched. `news`: recordings whose bytes no watched search has been asked
 * about; the transaction that indexes a recording adds it. `alerts`: one for each search, recording and digest of its bytes.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  "alter table searches add column expression text, add column watched timestamptz",
  "create index searches_watched on searches (watched) where watched is not null",
  `create table news (
    recording text primary key references recordings on delete cascade,
    digest text not null
  )`,
  `create table alerts (
    id text primary key,
    search text not null references searches on delete cascade,
    recording text not null references recordings on delete cascade,
    digest text not null,
    count integer,
    seconds double precision,
    first double precision,
    trouble text,
    made timestamptz not null default now(),
    read timestamptz,
    unique (search, recording, digest)
  )`,
  "create index alerts_recording on alerts (recording)",
  "create index alerts_made on alerts (search, made desc, id desc)",
];
