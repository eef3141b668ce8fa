import { rm } from "node:fs/promises";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { openData } from "../library/data.ts";
import { exportFolder, FILE_JOBS } from "../operations/export.ts";
import type { Who } from "./who.ts";

/** Removes the derived copies of recordings: links and the copies that were cut for them, exports, analyses, alerts. */
export async function removeCopies(
  { query, settings }: Context,
  { accounts }: Pick<Who, "accounts">,
  recordings: readonly string[],
): Promise<void> {
  const data = await openData(settings);
  const shares = await query
    .selectFrom("shares")
    .select(["id", "key", "files"])
    .where(sql<boolean>`(owner = any(${[...accounts]}) or recording = any(${[...recordings]}))`)
    .execute();
  for (const { id, key, files } of shares) {
    const folder = key?.slice(0, key.lastIndexOf("/") + 1) ?? "";
    for (const { name } of key === null ? [] : files) await data.remove(folder + name);
    if (folder !== "") await data.removeFolder(folder.slice(0, -1));
    await query.deleteFrom("shares").where("id", "=", id).execute();
  }
  await query
    .deleteFrom("analyses")
    .where(sql<boolean>`(recording = any(${[...recordings]}) or other = any(${[...recordings]}))`)
    .execute();
  await query
    .deleteFrom("alerts")
    .where("recording", "in", [...recordings, ""])
    .execute();
  const exports = await query
    .selectFrom("jobs")
    .select("id")
    .where("kind", "in", FILE_JOBS)
    .where(sql<boolean>`input ->> 'recording' = any(${[...recordings]})`)
    .execute();
  for (const { id } of exports) {
    await rm(exportFolder(settings, id), { recursive: true, force: true });
    await query
      .updateTable("jobs")
      .set({ result: null })
      .where("id", "=", id)
      .where("state", "<>", "running")
      .execute();
  }
}
