import { isOfSomeWorld } from "simtape/world";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Library } from "../library/library.ts";
import type { Traces } from "./traces.ts";

/**
 * Renames files and folders whose names contain the subject: the files of a recording at once, so that it stays one
 * recording and keeps its id. Files of a kept recording stay. Returns the number of renamed files.
 */
export async function renameFiles(
  { query, library }: Context,
  traces: Traces,
  kept: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const rows = await query
    .selectFrom("recordings")
    .select(["id", "key", "files", "state"])
    .where("state", "<>", "gone")
    .execute();
  const stays = new Set<string>();
  for (const { id, key, files } of rows)
    if (kept.includes(id)) for (const { name } of files) stays.add(key.slice(0, key.lastIndexOf("/") + 1) + name);
  const found: string[] = [];
  for await (const { key } of library.list(signal))
    if (traces.isIn(key) && !stays.has(key) && !isOfSomeWorld(key)) found.push(key);
  for (const key of found) {
    signal.throwIfAborted();
    await copy(library, key, traces.masked(key));
  }
  for (const { id, key } of rows)
    if (traces.isIn(key) && !kept.includes(id)) {
      const to = traces.masked(key);
      await query.transaction().execute(async (within) => {
        // a scan may have found the recording at its new place meanwhile, or this finds it again at its old place
        const there = await within
          .selectFrom("recordings")
          .select(["id", sql<boolean>`added < (select added from recordings where id = ${id})`.as("isOlder")])
          .where("key", "=", to)
          .executeTakeFirst();
        if (there !== undefined)
          await within
            .deleteFrom("recordings")
            .where("id", "=", there.isOlder ? id : there.id)
            .execute();
        await within.updateTable("recordings").set({ key: to, stamp: "", state: "new" }).where("id", "=", id).execute();
      });
    }
  for (const key of found) await library.remove(key);
  // the deepest folders first
  for (const folder of [...(await library.folders())].reverse())
    if (traces.isIn(folder)) await library.removeFolder(folder);
  return found.length;
}

/** Does nothing when the target exists: an earlier try was interrupted. */
async function copy(library: Library, from: string, to: string): Promise<void> {
  const [opened, there] = await Promise.all([library.open(from), library.open(to)]);
  await there?.close();
  if (opened === null) return;
  try {
    if (there !== null) return;
    const sink = await library.sink(to).open();
    try {
      if (opened.file.bytes > 0)
        for await (const piece of opened.stream(0, opened.file.bytes)) await sink.write(piece as Uint8Array);
      await sink.close();
    } catch (error) {
      await sink.abort();
      throw error;
    }
  } finally {
    await opened.close();
  }
}
