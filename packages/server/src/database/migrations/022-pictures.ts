import { type Kysely, sql } from "kysely";

/** Which drawing the pictures of a recording are of: those of an earlier one are made again. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table thumbnails add column drawing integer not null default 0`.execute(database);
}
