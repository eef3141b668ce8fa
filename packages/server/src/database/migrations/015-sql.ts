import { type Kysely, sql } from "kysely";

/**
 * What the table `recordings` of questions in SQL has and the catalog lacked: the version of the format, and the wall clock
 * of t = 0 in microseconds. Recordings that were indexed earlier lack both, and are opened for it until they are indexed
 * again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table recordings add column version text, add column epoch double precision`.execute(database);
}
