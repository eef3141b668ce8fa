import { type Kysely, sql } from "kysely";

/**
 * The results of a review: a clip, marks, a verdict that is written into the recording. Runs and their ghosts. Requests
 * whose result is read later: retention plans, exports and erasures of a subject.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `alter table reviews
    add column until timestamptz,
    add column clip text references recordings on delete set null,
    add column clip_first double precision,
    add column clip_error text,
    add column written timestamptz,
    add column written_error text,
    add column judge text`,
  // the assignee stays known when the account is deleted
  "alter table reviews drop constraint reviews_assignee_fkey",
  "create index reviews_subject on reviews (lower(subject))",
  "create index reviews_reporter on reviews (reporter, made desc)",
  "create index reviews_recording on reviews (recording)",
  `create table review_marks (
    id text primary key,
    review text not null references reviews on delete cascade,
    author text not null,
    time double precision not null,
    thing text,
    label text not null,
    severity integer not null default 0,
    made timestamptz not null default now()
  )`,
  "create index review_marks_review on review_marks (review, time)",
  "alter table holds add column review text references reviews on delete cascade",
  // people who are in clips must not learn that they were reported
  "insert into collections (id, name, public) values ('reports', 'reports', 'off') on conflict do nothing",
  `create table runs (
    recording text primary key references recordings on delete cascade,
    digest text not null,
    map text,
    world text,
    milliseconds bigint not null,
    uuid text not null,
    name text not null,
    step double precision,
    track jsonb
  )`,
  "create index runs_map on runs (map, milliseconds)",
  "create index runs_world on runs (world, milliseconds)",
  `create table retention_plans (
    id text primary key,
    policy text not null,
    state text not null default 'making' check (state in ('making', 'ready', 'applying', 'applied', 'failed')),
    content jsonb,
    error text,
    made timestamptz not null default now(),
    ended timestamptz
  )`,
  `create table subject_requests (
    id text primary key,
    kind text not null check (kind in ('export', 'erase')),
    who jsonb,
    state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
    report jsonb,
    key text,
    error text,
    made timestamptz not null default now(),
    ended timestamptz
  )`,
];
