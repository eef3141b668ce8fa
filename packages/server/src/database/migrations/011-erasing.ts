import { type Kysely, sql } from "kysely";

/**
 * Lines of the audit never change, with one exception: while a subject is erased, an opaque id replaces their name in
 * the details of a line. Who did what, when and from where does not change.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create function is_erasing() returns boolean language sql stable as $$
    select exists (
      select 1 from subject_requests
      where id = current_setting('simtape.erasing', true) and kind = 'erase' and state = 'waiting'
    )
  $$`,
  // the database refuses every other statement as before, even one that matches no line
  `create or replace function audit_is_kept() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and is_erasing() then return null; end if;
    raise exception 'the audit log is never changed';
  end $$`,
  `create function audit_is_kept_but() returns trigger language plpgsql as $$
  begin
    if is_erasing() and to_jsonb(new) - 'details' - 'recording' = to_jsonb(old) - 'details' - 'recording'
      then return new;
    end if;
    raise exception 'the audit log is never changed';
  end $$`,
  "create trigger audit_is_kept_but before update on audit for each row execute function audit_is_kept_but()",
  // also where a replica or a restored dump disables ordinary triggers
  "alter table audit enable always trigger audit_is_kept_but",
];
