import { type Kysely, sql } from "kysely";

/** The parts of a name that is written as one word are found, too: `HotLap2` by `lap` and by `2`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS: readonly string[] = [
  "alter table recordings drop column words",
  `alter table recordings add column words tsvector generated always as (
    to_tsvector('simple', translate(name, './_-', '    ') || ' ' || name || ' ' || summary || ' ' || names || ' '
      || regexp_replace(name, '([[:lower:][:digit:]])([[:upper:]])|([[:alpha:]])([[:digit:]])', '\\1\\3 \\2\\4', 'g'))
  ) stored`,
  "create index recordings_words on recordings using gin (words)",
];
