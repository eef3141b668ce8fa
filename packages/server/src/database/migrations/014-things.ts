import { type Kysely, sql } from "kysely";

/**
 * The ranges of the numbers of each thing: `{"vehicles/7/gear": [least, most, unit]}`. Recordings that were indexed
 * earlier lack it: the next scan of the library takes all of them as changed, and they are indexed again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table recordings add column thing_extents jsonb not null default '{}'`.execute(database);
  await sql`update recordings set stamp = '' where state in ('indexed', 'failed')`.execute(database);
}
