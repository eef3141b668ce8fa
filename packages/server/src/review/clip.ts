import { FORMATS, EditError, type SinkBundle } from "simtape";
import { excerpt, UsageError } from "simtape/serving";
import { fileSpool } from "simtape/node";
import { sql } from "kysely";
import { REPORTS } from "../catalog/reports.ts";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { newId } from "../ids.ts";
import { HopelessError, type Work } from "../jobs/worker.ts";
import { readText } from "../library/text.ts";
import { TAIL, USUAL } from "./reviews.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Milliseconds until a recording that goes on is looked at again. */
const AGAIN = 2000;

/**
 * Cuts what a report is about out of its recording, into one of its own below `clips/`. The source is not touched. Done
 * twice it is the same file.
 */
export async function cutClip({ query, library, jobs }: Context, id: string, work: Work): Promise<unknown> {
  const review = await query
    .selectFrom("reviews")
    .innerJoin("recordings", "recordings.id", "reviews.recording")
    .select(["recordings.key", "recordings.name", "recordings.state", "recordings.format", "recordings.digest"])
    .select(["reviews.first", "reviews.last"])
    .select(sql<boolean>`coalesce(until > now(), false)`.as("isWaiting"))
    .where("reviews.id", "=", id)
    .executeTakeFirst();
  if (review === undefined || review.state === "gone") return failed(query, id, "the recording is no longer there");
  if (review.isWaiting && review.state === "live") {
    await jobs.add("clip", id, { after: AGAIN });
    return { waits: true };
  }
  const { key: source, name, digest } = review;
  const key = `clips/${id}.${endingOf(review.format, source)}`;
  const clip = await placeFor(query, id, key, `${name} (report)`);
  if ((await library.open(key).then(closed)) === false) {
    try {
      const beside = await readText(library, `${source}.provenance.json`);
      const report = await excerpt(
        library.bundle(source),
        library.sink(key),
        async (recording) => {
          const { start, end } = await recording.timeline();
          const last = Math.min(end + 1000, review.last === null ? Infinity : review.last * 1e9);
          const usual = last - (USUAL + (review.state === "live" ? TAIL : 0)) * 1e9;
          const from = Math.max(start, review.first === null ? usual : review.first * 1e9);
          await query
            .updateTable("reviews")
            .set({ clip_first: from / 1e9 })
            .where("id", "=", id)
            .execute();
          return [{ op: "trim", from, until: last }];
        },
        { name: source, sha256: digest, beside, spool: fileSpool(), signal: work.signal },
      );
      if (report.beside !== null)
        await put(library.sink(key), `${key.split("/").at(-1)}.provenance.json`, report.beside);
    } catch (error) {
      if (isUnreadable(error) || error instanceof EditError || error instanceof UsageError)
        return failed(query, id, error.message);
      throw error;
    }
  }
  await query.updateTable("reviews").set({ clip_error: null }).where("id", "=", id).execute();
  await jobs.add("scan", "library");
  return { clip, key };
}

async function failed(query: Query, id: string, why: string): Promise<never> {
  await query.updateTable("reviews").set({ clip_error: why }).where("id", "=", id).execute();
  throw new HopelessError(why);
}

/** The row of the clip in the catalog, made before its file so that its collection is known from the first moment. */
async function placeFor(query: Query, review: string, key: string, name: string): Promise<string> {
  return query.transaction().execute(async (within) => {
    await within
      .insertInto("recordings")
      .values({
        ...{ id: newId(), key, name, files: "[]", bytes: 0, stamp: "", state: "gone", collection: REPORTS },
        ...{ metadata: "{}", channels: "[]", findings: "[]", summary: "", names: "" },
      })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
    const { id } = await within.selectFrom("recordings").select("id").where("key", "=", key).executeTakeFirstOrThrow();
    await within.updateTable("reviews").set({ clip: id }).where("id", "=", review).execute();
    const held = await within.selectFrom("holds").select("id").where("recording", "=", id).executeTakeFirst();
    if (held === undefined)
      await within
        .insertInto("holds")
        .values({ id: newId(), recording: id, reason: `clip of report ${review}`, review })
        .execute();
    return id;
  });
}

/** Of the format, as it is usually called; a live one is of no known format yet. */
function endingOf(format: string | null, key: string): string {
  const own = key.slice(key.lastIndexOf("/") + 1);
  const usual = FORMATS.find(({ id }) => id === format)?.extensions[0];
  return usual ?? (own.includes(".") ? own.slice(own.lastIndexOf(".") + 1) : "tape");
}

async function closed(opened: { close(): Promise<void> } | null): Promise<boolean> {
  await opened?.close();
  return opened !== null;
}

export async function put(to: SinkBundle, name: string, text: string): Promise<void> {
  const sink = await to.open(name);
  await sink.write(new TextEncoder().encode(text));
  await sink.close();
}
