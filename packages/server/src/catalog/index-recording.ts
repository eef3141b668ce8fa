import { open } from "simtape";
import { fileSpool } from "simtape/node";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { HopelessError, type Work } from "../jobs/worker.ts";
import { digestsOf } from "./digest.ts";
import { factsOf } from "./facts.ts";
import { keepFacts, markTwins } from "./keep.ts";
import { SeekIndexes, WORTH_BYTES } from "./seek-indexes.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** What a recording says of itself, into the catalog. All of it is replaced, so that it may be done twice. */
export async function indexRecording(
  { query, library, settings }: Pick<Context, "query" | "library" | "settings">,
  id: string,
  { signal, progress }: Work,
): Promise<void> {
  const row = await query
    .selectFrom("recordings")
    .select(["key", "state", "stamp", "files", "bytes", "digest"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined || row.state === "gone" || row.state === "live") return;
  const { key, stamp } = row;
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  const keys = row.files.map(({ name }) => folder + name);
  const digests = await digestsOf(library, keys, signal, (part) => progress(part * 0.3));
  // the next look at the library notes it
  if (digests === null) return;
  const indexes = new SeekIndexes(settings);
  try {
    const isIndexed = row.bytes >= WORTH_BYTES && (await indexes.make(id, library, key, signal));
    progress(0.6);
    const seekIndex = isIndexed ? ((await indexes.source(id)) ?? undefined) : undefined;
    await using recording = await open(library.bundle(key), { spool: fileSpool(), signal, seekIndex });
    const facts = await factsOf(recording, signal);
    progress(0.95);
    await keepFacts(query, id, stamp, digests, facts);
  } catch (error) {
    if (!isUnreadable(error) || signal.aborted) throw error;
    await query
      .updateTable("recordings")
      .set({ state: "failed", error: error.message.slice(0, 2000), digest: digests.whole, indexed: sql`now()` })
      .set({ file_digests: [...new Set([digests.whole, ...digests.files])] })
      .where("id", "=", id)
      .where("state", "<>", "gone")
      .where("stamp", "=", stamp)
      .execute();
    throw new HopelessError(error.message);
  } finally {
    await markTwins(query, [row.digest, digests.whole]).catch(() => undefined);
  }
}
