import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as library from "./migrations/001-library.ts";
import * as people from "./migrations/003-people.ts";
import * as live from "./migrations/004-live.ts";
import * as review from "./migrations/006-review.ts";
import * as catalog from "./migrations/007-catalog.ts";
import * as orders from "./migrations/008-orders.ts";
import * as words from "./migrations/009-words.ts";
import * as auditPeople from "./migrations/010-audit-people.ts";
import * as erasing from "./migrations/011-erasing.ts";
import * as things from "./migrations/014-things.ts";
import * as sqlFacts from "./migrations/015-sql.ts";
import * as analyses from "./migrations/016-analyses.ts";
import * as alerts from "./migrations/017-alerts.ts";
import * as companions from "./migrations/018-companions.ts";
import * as maps from "./migrations/019-maps.ts";
import * as deletions from "./migrations/020-deletions.ts";
import * as companionDigests from "./migrations/021-companion-digests.ts";
import * as pictures from "./migrations/022-pictures.ts";
import * as clipLost from "./migrations/023-clip-lost.ts";
import type { Tables } from "./tables.ts";

/** Migrations by name, in their order. A released migration never changes. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "001-library": library,
  "003-people": people,
  "004-live": live,
  "006-review": review,
  "007-catalog": catalog,
  "008-orders": orders,
  "009-words": words,
  "010-audit-people": auditPeople,
  "011-erasing": erasing,
  "014-things": things,
  "015-sql": sqlFacts,
  "016-analyses": analyses,
  "017-alerts": alerts,
  "018-companions": companions,
  "019-maps": maps,
  "020-deletions": deletions,
  "021-companion-digests": companionDigests,
  "022-pictures": pictures,
  "023-clip-lost": clipLost,
};

/**
 * Brings the tables to the present release, or to the migration `until`; several nodes may do it at once. Throws the
 * error of the database, and an error when the database is of a later release.
 */
export async function migrate(database: Kysely<Tables>, until?: string): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = until === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(until);
  if (error !== undefined) throw error;
}

/** What this release knows of the database: its last migration, an earlier one, or none of its own. */
export function migrationIs(name: string): "last" | "earlier" | "unknown" {
  if (name === Object.keys(MIGRATIONS).at(-1)) return "last";
  return Object.hasOwn(MIGRATIONS, name) ? "earlier" : "unknown";
}

/** Whether all migrations were run; this takes one small query. */
export async function isMigrated(database: Kysely<Tables>): Promise<boolean> {
  const last = Object.keys(MIGRATIONS).at(-1)!;
  const { rows } = await sql<{ found: string | null }>`select to_regclass('kysely_migration')::text as found`.execute(
    database,
  );
  if (rows[0]?.found == null) return false;
  const named = await sql<{ name: string }>`select name from kysely_migration where name = ${last}`.execute(database);
  return named.rows.length > 0;
}
