import { sql } from "kysely";
import type { Store } from "simtape";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { openData } from "../library/data.ts";
import { Sessions } from "../people/sessions.ts";
import { COPIES } from "./cut.ts";

/** Milliseconds between two sweeps. */
export const SWEEP_EVERY = 60_000;

/** Removes sessions and shares that have expired, and the copies that were made for them. */
export async function sweep({ query, settings }: Context): Promise<void> {
  await new Sessions(query, settings).sweep();
  const over = await query
    .selectFrom("shares")
    .select(["id", "key", "files"])
    .where(sql<boolean>`(expires < now() or revoked is not null or recording is null)`)
    .limit(1000)
    .execute();
  const data = await openData(settings);
  for (const { id, key, files } of over) {
    const folder = key?.slice(0, key.lastIndexOf("/") + 1) ?? "";
    for (const { name } of key === null ? [] : files) await data.remove(folder + name);
    await query.deleteFrom("shares").where("id", "=", id).execute();
  }
  await sweepCopies(query, data.store(COPIES));
}

/** Finds copies without a link, which an interrupted try has left. */
async function sweepCopies(query: Query, copies: Store): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of copies.list("")) keys.push(key);
  if (keys.length === 0) return;
  const rows = await query.selectFrom("shares").select(["id", "key", "state"]).execute();
  const making = new Set(rows.filter(({ state }) => state === "making").map(({ id }) => id));
  const kept = new Set(rows.map(({ key }) => key?.split("/")[1]));
  for (const key of keys) {
    const [folder] = key.split("/") as [string];
    // ids have 16 characters
    if (!kept.has(folder) && !making.has(folder.slice(0, 16))) await copies.delete(key);
  }
}
