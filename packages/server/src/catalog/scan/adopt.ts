import { sql } from "kysely";
import type { Query } from "../../database/database.ts";
import type { FileFact } from "../../database/tables.ts";
import type { Group } from "../../library/grouping.ts";
import type { Library } from "../../library/library.ts";
import { digestsOf } from "../index/digest.ts";
import { markTwins } from "../index/keep.ts";
import { columnsOf } from "./scan-rows.ts";

/** A recording whose file has disappeared from its place. */
export interface LostRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly digest: string | null;
  readonly files: readonly FileFact[];
}

const AT_ONCE = 1000;

/** Recordings that are gone and may be one of these under another name, found by their size. */
export async function lostOf(query: Query, groups: readonly Group[]): Promise<ReadonlyMap<number, readonly LostRow[]>> {
  const sizes = [...new Set(groups.map(({ files }) => files.reduce((sum, { bytes }) => sum + bytes, 0)))];
  const lost = new Map<number, LostRow[]>();
  for (let at = 0; at < sizes.length; at += AT_ONCE) {
    const rows = await query
      .selectFrom("recordings")
      .select(["id", "key", "name", "bytes", "digest", "files"])
      .where("state", "=", "gone")
      .where("digest", "is not", null)
      .where("bytes", "in", sizes.slice(at, at + AT_ONCE))
      .orderBy("changed", "desc")
      .limit(10 * AT_ONCE)
      .execute();
    for (const row of rows) lost.set(row.bytes, [...(lost.get(row.bytes) ?? []), row]);
  }
  return lost;
}

/**
 * Gives the id of a recording that is gone, with all that users have added to it, to the file with the same content.
 * False: the file has the content of none of them.
 */
export async function adopt(
  query: Query,
  library: Library,
  group: Group,
  stamp: string,
  rows: readonly LostRow[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const keys = group.files.map(({ key }) => key);
  const digests = await digestsOf(library, keys, signal);
  const row = rows.find(({ digest }) => digest === digests?.whole);
  if (digests === null || row === undefined) return false;
  // keep a name that a user has given
  const isNamed = row.name !== row.key.split("/").at(-1) && row.name !== row.key.split("/").at(-2);
  const { numUpdatedRows } = await query
    .updateTable("recordings")
    .set({
      ...columnsOf(group, stamp),
      key: group.key,
      name: isNamed ? row.name : group.name,
      state: sql`case when error is null then 'indexed' else 'failed' end`,
      changed: sql`now()`,
    })
    .where("id", "=", row.id)
    // another node may have done it first
    .where("state", "=", "gone")
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await markTwins(query, [row.digest]);
  return true;
}
