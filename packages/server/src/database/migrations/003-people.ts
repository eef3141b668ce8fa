import { type Kysely, sql } from "kysely";

/**
 * Sessions end when they are not used; the people in a recording; shares of a cut copy; indexes of the audit by action
 * and time.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  "alter table sessions add column used timestamptz not null default now()",
  'create index sessions_user on sessions ("user")',
  "create index tokens_owner on tokens (owner, made desc)",
  `create table subjects (
    recording text not null references recordings on delete cascade,
    identity text not null,
    primary key (recording, identity)
  )`,
  "create index subjects_identity on subjects (identity, recording)",
  // a share outlives its recording until its copy is removed
  `alter table shares
    drop constraint shares_recording_fkey,
    alter column recording drop not null,
    add foreign key (recording) references recordings on delete set null,
    add column state text not null default 'ready' check (state in ('making', 'ready', 'failed')),
    add column error text,
    add column key text,
    add column files jsonb not null default '[]'`,
  "create index shares_owner on shares (owner, made desc)",
  "create index audit_action on audit (action, id desc)",
  "create index audit_at on audit (at)",
  // also where a replica or a restored dump disables ordinary triggers
  "alter table audit enable always trigger audit_is_kept",
  // actions on an open server are logged under this account; it cannot sign in
  "insert into users (id, name, role) values ('operator', 'operator', 'admin')",
];
