import { type Kysely, sql } from "kysely";

/** What the clip of a review does not have of its recording. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table reviews add column clip_lost jsonb not null default '[]'`.execute(database);
}
