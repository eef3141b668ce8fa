import { type Kysely, sql } from "kysely";

/**
 * Tables of the first release. Text search is a column that the database keeps: it needs no second write. Extents have
 * two indexes by path, so that "altitude above 3,000 ft" reads only the rows that answer it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create table users (
    id text primary key,
    name text not null unique,
    role text not null check (role in ('recorder', 'viewer', 'player', 'staff', 'admin')),
    password text,
    subject text unique,
    identities jsonb not null default '[]',
    disabled boolean not null default false,
    made timestamptz not null default now()
  )`,
  `create table sessions (
    hash text primary key,
    "user" text not null references users on delete cascade,
    expires timestamptz not null,
    made timestamptz not null default now()
  )`,
  `create table tokens (
    id text primary key,
    hash text not null unique,
    name text not null,
    owner text not null references users on delete cascade,
    scopes jsonb not null,
    expires timestamptz,
    revoked timestamptz,
    used timestamptz,
    made timestamptz not null default now()
  )`,
  `create table collections (
    id text primary key,
    name text not null unique,
    public text not null default 'off' check (public in ('off', 'own', 'all')),
    made timestamptz not null default now()
  )`,
  `create table recordings (
    id text primary key,
    key text not null unique,
    name text not null,
    files jsonb not null,
    bytes bigint not null,
    stamp text not null,
    state text not null check (state in ('new', 'indexed', 'failed', 'live', 'gone')),
    error text,
    format text,
    digest text,
    started timestamptz,
    first double precision,
    last double precision,
    seconds double precision,
    metadata jsonb not null default '{}',
    channels jsonb not null default '[]',
    findings jsonb not null default '[]',
    has_findings boolean generated always as (jsonb_array_length(findings) > 0) stored,
    summary text not null default '',
    names text not null default '',
    owner text references users on delete set null,
    collection text references collections on delete set null,
    added timestamptz not null default now(),
    changed timestamptz not null default now(),
    indexed timestamptz,
    words tsvector generated always as (
      to_tsvector('simple', translate(name, './_-', '    ') || ' ' || name || ' ' || summary || ' ' || names)
    ) stored
  )`,
  "create index recordings_added on recordings (added desc, id desc) where state <> 'gone'",
  "create index recordings_started on recordings (started desc, id desc) where state <> 'gone'",
  "create index recordings_format on recordings (format, added desc, id desc) where state <> 'gone'",
  "create index recordings_seconds on recordings (seconds, id) where state <> 'gone'",
  "create index recordings_digest on recordings (digest) where digest is not null",
  "create index recordings_findings on recordings (added desc, id desc) where has_findings and state <> 'gone'",
  "create index recordings_words on recordings using gin (words)",
  "create index recordings_metadata on recordings using gin (metadata jsonb_path_ops)",
  "create index recordings_owner on recordings (owner, added desc) where owner is not null",
  "create index recordings_collection on recordings (collection, added desc, id desc) where collection is not null",
  `create table entities (
    recording text not null references recordings on delete cascade,
    set text not null,
    name text not null,
    label text not null,
    kind text not null,
    primary key (recording, set, name)
  )`,
  "create index entities_label on entities (lower(label), recording)",
  "create index entities_name on entities (lower(name), recording)",
  `create table extents (
    recording text not null references recordings on delete cascade,
    path text not null,
    unit text,
    least double precision not null,
    most double precision not null,
    primary key (recording, path)
  )`,
  "create index extents_most on extents (path, most)",
  "create index extents_least on extents (path, least)",
  `create table event_kinds (
    recording text not null references recordings on delete cascade,
    kind text not null,
    title text not null,
    count integer not null,
    primary key (recording, kind)
  )`,
  "create index event_kinds_kind on event_kinds (kind, recording)",
  `create table thumbnails (
    recording text primary key references recordings on delete cascade,
    svg text not null
  )`,
  `create table tags (
    recording text not null references recordings on delete cascade,
    tag text not null,
    primary key (recording, tag)
  )`,
  "create index tags_tag on tags (tag, recording)",
  `create table searches (
    id text primary key,
    owner text not null references users on delete cascade,
    name text not null,
    query text not null,
    made timestamptz not null default now(),
    unique (owner, name)
  )`,
  `create table shares (
    id text primary key,
    hash text not null unique,
    recording text not null references recordings on delete cascade,
    first double precision,
    last double precision,
    owner text not null references users on delete cascade,
    expires timestamptz not null,
    revoked timestamptz,
    made timestamptz not null default now()
  )`,
  // no reference to users: the lines stay when the account is deleted
  `create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    who text,
    role text not null,
    action text not null,
    recording text,
    request text,
    address text,
    details jsonb not null default '{}'
  )`,
  "create index audit_recording on audit (recording, id desc)",
  "create index audit_who on audit (who, id desc)",
  `create function audit_is_kept() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit log is never changed';
  end $$`,
  `create trigger audit_is_kept before update or delete or truncate on audit
    for each statement execute function audit_is_kept()`,
  `create table jobs (
    id bigint generated always as identity primary key,
    kind text not null,
    subject text not null,
    input jsonb not null default '{}',
    state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    attempts integer not null default 0,
    lease timestamptz,
    progress real not null default 0,
    error text,
    result jsonb,
    due timestamptz not null default now(),
    made timestamptz not null default now(),
    ended timestamptz
  )`,
  "create unique index jobs_once on jobs (kind, subject) where state = 'waiting'",
  "create index jobs_due on jobs (due, id) where state in ('waiting', 'running')",
  "create index jobs_ended on jobs (ended) where ended is not null",
  `create table notes (
    id text primary key,
    recording text not null references recordings on delete cascade,
    author text not null,
    time double precision not null,
    thing text,
    text text not null,
    made timestamptz not null default now()
  )`,
  "create index notes_recording on notes (recording, time)",
  `create table rooms (
    id text primary key,
    name text not null,
    recordings jsonb not null,
    clock jsonb not null,
    generation bigint not null default 0,
    leader text,
    made timestamptz not null default now(),
    changed timestamptz not null default now()
  )`,
  `create table reviews (
    id text primary key,
    recording text references recordings on delete set null,
    subject text not null,
    reporter text,
    text text not null,
    first double precision,
    last double precision,
    score double precision not null default 0,
    flags jsonb not null default '[]',
    state text not null default 'open' check (state in ('open', 'assigned', 'closed')),
    assignee text references users on delete set null,
    verdict text,
    remark text,
    made timestamptz not null default now(),
    closed timestamptz
  )`,
  "create index reviews_queue on reviews (state, score desc, made)",
  `create table holds (
    id text primary key,
    recording text not null references recordings on delete cascade,
    reason text not null,
    made timestamptz not null default now()
  )`,
  "create index holds_recording on holds (recording)",
];
