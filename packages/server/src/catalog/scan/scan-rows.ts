import { sql } from "kysely";
import type { Query } from "../../database/database.ts";
import { newId } from "../../ids.ts";
import type { Group } from "../../library/grouping.ts";
import { ownerIn } from "../../library/uploaded.ts";

/** The columns of a row that a scan of the library needs. */
export interface KnownRow {
  readonly id: string;
  readonly key: string;
  readonly stamp: string;
  readonly state: string;
  readonly digest: string | null;
}

const COLUMNS = ["id", "key", "stamp", "state", "digest"] as const;
const AT_ONCE = 1000;

/** Yields all rows that are not gone, in batches. */
export async function rowsOfAll(query: Query): Promise<readonly KnownRow[]> {
  const rows: KnownRow[] = [];
  for (let last = ""; ; ) {
    const piece = await query
      .selectFrom("recordings")
      .select(COLUMNS)
      .where("key", ">", last)
      .orderBy("key")
      .limit(5 * AT_ONCE)
      .execute();
    // push one at a time: a call with this many arguments would overflow the stack
    for (const row of piece) rows.push(row);
    if (piece.length < 5 * AT_ONCE) return rows;
    last = piece.at(-1)!.key;
  }
}

export async function rowsAt(query: Query, keys: readonly string[]): Promise<readonly KnownRow[]> {
  const rows: KnownRow[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE)
    for (const row of await query
      .selectFrom("recordings")
      .select(COLUMNS)
      .where("key", "in", keys.slice(at, at + AT_ONCE))
      .execute())
      rows.push(row);
  return rows;
}

export async function markGone(query: Query, rows: readonly KnownRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await query
      .updateTable("recordings")
      .set({ state: "gone", changed: sql`now()` })
      .where("state", "<>", "live")
      .where(
        "id",
        "in",
        rows.slice(at, at + AT_ONCE).map(({ id }) => id),
      )
      .execute();
}

/** Removes rows of recordings that nothing is known of yet. */
export async function removeNew(query: Query, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await query.deleteFrom("recordings").where("id", "in", ids).where("state", "=", "new").execute();
}

/** The columns of a row other than its key. Decisions of users stay. */
export function columnsOf(
  { files }: Group,
  stamp: string,
): { readonly files: string; readonly bytes: number; readonly stamp: string } {
  const facts = files.map((file) => ({ name: file.key.split("/").at(-1)!, bytes: file.bytes, etag: file.etag }));
  return { files: JSON.stringify(facts), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), stamp };
}

/**
 * Adds recordings to the catalog, or updates the files in their rows. Returns the ids by key, without those of live
 * recordings; `isIndexed`: the recording was gone and is back unchanged, and its facts are still there.
 */
export async function noteAll(
  query: Query,
  found: readonly { readonly group: Group; readonly stamp: string }[],
  known: ReadonlyMap<string, KnownRow>,
): Promise<ReadonlyMap<string, { readonly id: string; readonly isIndexed: boolean }>> {
  const owners = await usersAmong(query, [...new Set(found.map(({ group }) => ownerIn(group.key)))]);
  const back = found.filter(({ group, stamp }) => {
    const row = known.get(group.key);
    return row?.state === "gone" && row.stamp === stamp && row.digest !== null;
  });
  const noted = new Map<string, { id: string; isIndexed: boolean }>();
  if (back.length > 0) {
    const rows = await query
      .updateTable("recordings")
      .set({ state: sql`case when error is null then 'indexed' else 'failed' end`, changed: sql`now()` })
      .where("state", "=", "gone")
      .where(
        "key",
        "in",
        back.map(({ group }) => group.key),
      )
      .returning(["id", "key"])
      .execute();
    for (const { id, key } of rows) noted.set(key, { id, isIndexed: true });
  }
  const others = found.filter(({ group }) => !noted.has(group.key));
  if (others.length === 0) return noted;
  const values = others.map(({ group, stamp }) => ({
    ...{
      id: newId(),
      key: group.key,
      name: group.name,
      ...columnsOf(group, stamp),
      state: "new" as const,
      error: null,
    },
    ...{ metadata: "{}", channels: "[]", findings: "[]", summary: "", names: "" },
    owner: owners.get(ownerIn(group.key) ?? "") ?? null,
  }));
  const rows = await query
    .insertInto("recordings")
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet((builder) => ({
          files: builder.ref("excluded.files"),
          bytes: builder.ref("excluded.bytes"),
          stamp: builder.ref("excluded.stamp"),
          state: builder.ref("excluded.state"),
          error: null,
          changed: sql`now()`,
        }))
        .where("recordings.state", "<>", "live"),
    )
    .returning(["id", "key"])
    .execute();
  for (const { id, key } of rows) noted.set(key, { id, isIndexed: false });
  return noted;
}

async function usersAmong(query: Query, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
  const named = ids.filter((id) => id !== null);
  if (named.length === 0) return new Map();
  const rows = await query.selectFrom("users").select("id").where("id", "in", named).execute();
  return new Map(rows.map(({ id }) => [id, id]));
}
