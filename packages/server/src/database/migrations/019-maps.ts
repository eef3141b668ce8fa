import { type Kysely, sql } from "kysely";

/**
 * The map that a recording was made on, as its metadata name it, as a column: the library is counted by it. Pictures in
 * which things move.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  `alter table recordings add column map text generated always as (nullif(left(metadata ->> 'map', 300), '')) stored`,
  "create index recordings_map on recordings (map, added desc, id desc) where map is not null and state <> 'gone'",
  "alter table thumbnails add column moving text",
  "create index entities_people on entities (set, recording)",
];
