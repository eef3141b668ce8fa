import { open } from "simtape";
import { fileSpool } from "simtape/node";
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Owed } from "../../jobs/reconcile.ts";
import { PermanentError, type Work } from "../../jobs/worker.ts";
import { digestsOf } from "./digest.ts";
import { factsOf } from "./facts.ts";
import { keepFacts, markTwins } from "./keep.ts";
import { SeekIndexes, WORTH_BYTES } from "./seek-indexes.ts";
import { DRAWING } from "./thumbnail.ts";
import type { FindingFact } from "../../database/tables.ts";
import { isUnreadable, tellUnreadable } from "../../library/unreadable.ts";

/** Recordings whose pictures are made again at once: those that come go before the next of them. */
const REDRAWN = 100;

/**
 * Recordings that were added to the catalog a minute ago or earlier and are not indexed; a recording that is being
 * written is updated again and again. Of those that are indexed, some whose pictures are of an earlier drawing.
 */
export function owedIndexes({ query }: Pick<Context, "query">): Owed {
  return {
    kind: "index",
    subjects: async () => {
      const rows = await query
        .selectFrom("recordings")
        .select("id")
        .where("state", "=", "new")
        .where("stamp", "<>", "")
        .where("changed", "<", sql<Date>`now() - interval '1 minute'`)
        .execute();
      const old = await query
        .selectFrom("thumbnails")
        .innerJoin("recordings", "recordings.id", "thumbnails.recording")
        .select("recordings.id")
        .where("state", "=", "indexed")
        .where("drawing", "<", DRAWING)
        .orderBy("added", "desc")
        .limit(REDRAWN)
        .execute();
      return [...rows, ...old].map(({ id }) => id);
    },
  };
}

/**
 * Indexes a recording: reads its facts and writes them into the catalog. It replaces all of them, so that it may run
 * twice.
 */
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
  // the next scan of the library updates the row
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
    const message = tellUnreadable(library, key, error);
    const finding: FindingFact = { code: error.code, severity: "error", message, count: 1 };
    await query
      .updateTable("recordings")
      .set({ state: "failed", error: message, digest: digests.whole, indexed: sql`now()` })
      .set({ findings: JSON.stringify([finding]) })
      .set({ file_digests: [...new Set([digests.whole, ...digests.files])] })
      .where("id", "=", id)
      .where("state", "<>", "gone")
      .where("stamp", "=", stamp)
      .execute();
    throw new PermanentError(message);
  } finally {
    await markTwins(query, [row.digest, digests.whole]).catch(() => undefined);
  }
}
