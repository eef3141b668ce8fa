import { type Kysely, sql } from "kysely";

/**
 * Tables and indexes for the search. Paths have their own rows: recordings of one kind share them, and "altitude above
 * 3,000 ft" first finds the few paths of that name, each with its unit. Every order of the list has an index, in which
 * an unknown value is the least.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  "drop table extents",
  `create table extent_paths (
    id integer primary key generated always as identity,
    path text not null,
    leaf text not null,
    tail text not null,
    unit text not null default '',
    unique (path, unit)
  )`,
  "create index extent_paths_leaf on extent_paths (leaf text_pattern_ops)",
  "create index extent_paths_tail on extent_paths (tail)",
  `create table extents (
    recording text not null references recordings on delete cascade,
    path integer not null references extent_paths,
    least double precision not null,
    most double precision not null,
    primary key (recording, path)
  )`,
  "create index extents_most on extents (path, most)",
  "create index extents_least on extents (path, least)",
  // another recording has the same content
  "alter table recordings add column twin boolean not null default false",
  "create index recordings_twin on recordings (added desc, id desc) where twin and state <> 'gone'",
  "alter table recordings add column file_digests text[] not null default '{}'",
  "create index recordings_files on recordings using gin (file_digests)",
  "create index recordings_lost on recordings (bytes) where state = 'gone'",
  "create index recordings_state on recordings (state) where state in ('new', 'failed', 'live')",
  "create index recordings_name on recordings (name, id) where state <> 'gone'",
  "create index recordings_bytes on recordings (bytes, id) where state <> 'gone'",
  "drop index recordings_started",
  "create index recordings_started on recordings (coalesce(started, '-infinity'), id) where state <> 'gone'",
  "drop index recordings_seconds",
  "create index recordings_seconds on recordings (coalesce(seconds, -1), id) where state <> 'gone'",
];
