import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { Settings } from "../settings.ts";
import { FILE_JOBS } from "./export.ts";

/** Milliseconds between two sweeps. */
export const SWEEP_JOBS_EVERY = 3600_000;

/** Milliseconds after which no request still sends an export that was made for it. */
const LONGEST_AT_ONCE = 6 * 3600_000;

/** Removes jobs that ended a week ago, and exports that are a day old. */
export async function sweepJobs(query: Query, { data }: Settings): Promise<unknown> {
  const { numDeletedRows } = await query
    .deleteFrom("jobs")
    .where("ended", "<", sql<Date>`now() - interval '7 days'`)
    .executeTakeFirst();
  const folder = join(resolve(data), "exports");
  const names = await readdir(folder).catch((): string[] => []);
  const kept = await query
    .selectFrom("jobs")
    .select("id")
    .where("kind", "in", FILE_JOBS)
    .where((builder) =>
      builder.or([builder("ended", "is", null), builder("ended", ">", sql<Date>`now() - interval '1 day'`)]),
    )
    .execute();
  const known = new Set(kept.map(({ id }) => String(id)));
  const over = names.filter((name) => /^\d+(\.work)?$/.test(name) && !known.has(name.replace(".work", "")));
  for (const name of over) await rm(join(folder, name), { recursive: true, force: true });
  // of requests that a node did not survive
  const old = Date.now() - LONGEST_AT_ONCE;
  for (const name of names.filter((each) => each.startsWith("at-once-"))) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && found.mtimeMs < old) await rm(join(folder, name), { recursive: true, force: true });
  }
  return { jobs: Number(numDeletedRows), exports: over.length };
}
