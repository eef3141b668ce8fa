import { sql } from "kysely";
import type { Context } from "../context.ts";
import { openData } from "../library/data.ts";
import { Sessions } from "../people/sessions.ts";

/** Milliseconds between two looks for what is over. */
export const SWEEP_EVERY = 60_000;

/** Removes what is over: sessions, shares, and the copies that were made for them. */
export async function sweep({ query, settings }: Context): Promise<void> {
  await new Sessions(query, settings).sweep();
  const over = await query
    .selectFrom("shares")
    .select(["id", "key", "files"])
    .where(sql<boolean>`(expires < now() or revoked is not null or recording is null)`)
    .limit(1000)
    .execute();
  if (over.length === 0) return;
  const data = await openData(settings);
  for (const { id, key, files } of over) {
    const folder = key?.slice(0, key.lastIndexOf("/") + 1) ?? "";
    for (const { name } of key === null ? [] : files) await data.remove(folder + name);
    await query.deleteFrom("shares").where("id", "=", id).execute();
  }
}
