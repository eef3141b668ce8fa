import { sql } from "kysely";
import type { Query } from "../../database/database.ts";
import type { Digests } from "./digest.ts";
import type { ExtentFact } from "./extents.ts";
import type { Facts } from "./facts.ts";
import { DRAWING } from "./thumbnail.ts";

/** Ids of paths, by path and unit: recordings of one kind share them. */
const PATHS = new Map<string, number>();
const MOST_PATHS = 50_000;

/** Replaces the facts of a recording. False: the recording has changed meanwhile, and another job follows. */
export async function keepFacts(
  query: Query,
  id: string,
  stamp: string,
  digests: Digests,
  facts: Facts,
): Promise<boolean> {
  const paths = await idsOfPaths(query, facts.extents);
  const isKept = await query.transaction().execute(async (within) => {
    const before = await within
      .selectFrom("recordings")
      .select(["digest", "error"])
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    const { numUpdatedRows } = await within
      .updateTable("recordings")
      .set({
        ...facts.recording,
        digest: digests.whole,
        file_digests: [...new Set([digests.whole, ...digests.files])],
        state: "indexed",
        error: null,
        indexed: sql`now()`,
      })
      .where("id", "=", id)
      .where("state", "<>", "gone")
      .where("stamp", "=", stamp)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    // a file that was touched has the same bytes, and is no news
    if (before?.digest !== digests.whole || before.error !== null) await addNews(within, id, digests.whole);
    for (const table of ["entities", "event_kinds", "extents", "subjects"] as const)
      await within.deleteFrom(table).where("recording", "=", id).execute();
    await inPieces(facts.entities, (entities) =>
      within
        .insertInto("entities")
        .values(entities.map((one) => ({ recording: id, ...one })))
        .execute(),
    );
    await inPieces(facts.events, (events) =>
      within
        .insertInto("event_kinds")
        .values(events.map((one) => ({ recording: id, ...one })))
        .execute(),
    );
    await inPieces(facts.extents, (extents) =>
      within
        .insertInto("extents")
        .values(
          extents.map(({ path, unit, least, most }) => {
            return { recording: id, path: paths.get(`${path}\n${unit}`)!, least, most };
          }),
        )
        .execute(),
    );
    if (facts.subjects.length > 0)
      await within
        .insertInto("subjects")
        .values([...new Set(facts.subjects)].map((identity) => ({ recording: id, identity })))
        .execute();
    const pictures = { ...facts.thumbnail, drawing: DRAWING };
    await within
      .insertInto("thumbnails")
      .values({ recording: id, ...pictures })
      .onConflict((conflict) => conflict.column("recording").doUpdateSet(pictures))
      .execute();
    return true;
  });
  return isKept;
}

/** Has the watched searches, if there are any, asked about the recording. */
async function addNews(within: Query, recording: string, digest: string): Promise<void> {
  const watched = await within.selectFrom("searches").select("id").where("watched", "is not", null).limit(1).execute();
  if (watched.length === 0) return;
  await within
    .insertInto("news")
    .values({ recording, digest })
    .onConflict((conflict) => conflict.column("recording").doUpdateSet({ digest }))
    .execute();
}

/** Marks recordings with the same content as twins; call it when a recording was added, changed or deleted. */
export async function markTwins(query: Query, digests: readonly (string | null)[]): Promise<void> {
  const known = [...new Set(digests.filter((digest) => digest !== null))];
  for (let at = 0; at < known.length; at += 1000)
    await sql`
      update recordings set twin = counted.count > 1
      from (
        select digest, count(*) filter (where state <> 'gone') as count
        from recordings where digest = any(${known.slice(at, at + 1000)}::text[]) group by digest
      ) counted
      where recordings.digest = counted.digest and recordings.twin <> (counted.count > 1)`.execute(query);
}

/** This runs outside of a transaction, so that no transaction waits for the new paths of another. */
async function idsOfPaths(query: Query, extents: readonly ExtentFact[]): Promise<ReadonlyMap<string, number>> {
  const keyOf = ({ path, unit }: { path: string; unit: string }): string => `${path}\n${unit}`;
  const missing = extents.filter((extent) => !PATHS.has(keyOf(extent)));
  if (PATHS.size > MOST_PATHS) PATHS.clear();
  const found = new Map<string, number>();
  for (const extent of extents) {
    const known = PATHS.get(keyOf(extent));
    if (known !== undefined) found.set(keyOf(extent), known);
  }
  if (missing.length > 0) {
    const rows = missing.map(({ path, unit }) => {
      const leaf = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
      return { path, unit, leaf, tail: leaf.slice(leaf.lastIndexOf(".") + 1) };
    });
    await query
      .insertInto("extent_paths")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const made = await query
      .selectFrom("extent_paths")
      .select(["id", "path", "unit"])
      .where(
        "path",
        "in",
        missing.map(({ path }) => path),
      )
      .execute();
    for (const row of made) {
      PATHS.set(keyOf(row), row.id);
      found.set(keyOf(row), row.id);
    }
  }
  return found;
}

/** PostgreSQL takes 65,535 values in a query. */
async function inPieces<T>(all: readonly T[], insert: (piece: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += 1000) await insert(all.slice(at, at + 1000));
}
