import { type Kysely, sql } from "kysely";

/** SHA-256 of each companion, so that clients need not send what is there; null: an earlier release took it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table companions add column digest text`.execute(database);
}
