import { type Kysely, sql } from "kysely";

/**
 * The people that a line of the audit is about: who did the action, whom it was done to, and the name of a failed
 * sign-in.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `create function audit_people(who text, action text, details jsonb) returns text[]
    language sql immutable parallel safe as $$
      select array_remove(
        array[who, details->>'user', case when action = 'sign-in failed' then details->>'name' end]
          || array(
            select jsonb_array_elements_text(
              case when jsonb_typeof(details->'users') = 'array' then details->'users' else '[]' end
            )
          ),
        null
      )
    $$`,
  "create index audit_people on audit using gin (audit_people(who, action, details))",
];
