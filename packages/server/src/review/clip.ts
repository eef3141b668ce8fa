import { FORMATS, EditError, partnersOf, type SinkBundle } from "simtape";
import { excerpt } from "simtape/serving";
import { UsageError } from "simtape/command";
import { fileSpool } from "simtape/node";
import { sql } from "kysely";
import { REPORTS } from "../catalog/reports.ts";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { failpoint } from "../failpoint.ts";
import { newId } from "../ids.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import { readText } from "../library/text.ts";
import { TAIL, USUAL } from "./reviews.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Folder of the library that holds clips. */
const CLIPS = "clips/";
/** Milliseconds until a live recording is checked again. */
const AGAIN = 2000;

/**
 * Cuts the range of a report out of its recording, into a new recording below `clips/`, with a note that says who was
 * reported, and why. The review has what the clip does not have. The source does not change. A second run makes the same
 * file.
 */
export async function cutClip({ query, library, jobs }: Context, id: string, work: Work): Promise<unknown> {
  const review = await query
    .selectFrom("reviews")
    .innerJoin("recordings", "recordings.id", "reviews.recording")
    .select(["recordings.key", "recordings.name", "recordings.state", "recordings.format", "recordings.digest"])
    .select(["reviews.first", "reviews.last", "reviews.subject", "reviews.text"])
    .select(sql<boolean>`coalesce(until > now(), false)`.as("isWaiting"))
    .where("reviews.id", "=", id)
    .executeTakeFirst();
  if (review === undefined || review.state === "gone") return failed(query, id, "the recording is no longer there");
  if (review.isWaiting && review.state === "live") {
    await jobs.add("clip", id, { after: AGAIN });
    return { waits: true };
  }
  const { key: source, name, digest } = review;
  const key = `${CLIPS}${id}.${endingOf(review.format, source)}`;
  const clip = await placeFor(query, id, key, `${name} (report)`);
  await failpoint("review/clip-placed");
  if ((await library.open(key).then(closed)) === false) {
    const main = key.slice(CLIPS.length);
    const provenance = `${main}.provenance.json`;
    // left by an earlier try that was interrupted
    for (const name of [...partnersOf(main, FORMATS), provenance]) await library.remove(CLIPS + name);
    const { to, closeMain } = mainLast(library.sink(key), main);
    try {
      const beside = await readText(library, `${source}.provenance.json`);
      const report = await excerpt(
        library.bundle(source),
        to,
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
          // the default range of a report ends when the report was made
          const at = review.first === null && review.state === "live" ? Math.max(0, last - TAIL * 1e9 - from) : 0;
          const text = `${review.subject}${review.text === "" ? "" : `: ${review.text}`}`;
          return [
            { op: "trim", from, until: last },
            { op: "annotate", at, kind: "report", text },
          ];
        },
        { name: source, sha256: digest, beside, spool: fileSpool(), signal: work.signal },
      );
      if (report.beside !== null) await put(library.sink(key), provenance, report.beside);
      await query
        .updateTable("reviews")
        .set({ clip_lost: JSON.stringify(report.lost) })
        .where("id", "=", id)
        .execute();
      await failpoint("review/clip-provenance");
      await closeMain();
    } catch (error) {
      if (isUnreadable(error) || error instanceof EditError || error instanceof UsageError)
        return failed(query, id, error.message);
      throw error;
    }
  }
  await failpoint("review/clip-cut");
  await query.updateTable("reviews").set({ clip_error: null }).where("id", "=", id).execute();
  await jobs.add("scan", "library");
  return { clip, key };
}

/**
 * Wraps `to` so that its main file appears only when `closeMain` is called: the main file shows that all other files
 * are complete.
 */
function mainLast(to: SinkBundle, main: string): { readonly to: SinkBundle; readonly closeMain: () => Promise<void> } {
  let closeMain = (): Promise<void> => Promise.resolve();
  const open = async (name: string = main) => {
    const sink = await to.open(name);
    if (name !== main) return sink;
    closeMain = sink.close.bind(sink);
    return Object.assign(sink, { close: () => Promise.resolve() });
  };
  return { to: { name: to.name, open }, closeMain: () => closeMain() };
}

async function failed(query: Query, id: string, why: string): Promise<never> {
  await query.updateTable("reviews").set({ clip_error: why }).where("id", "=", id).execute();
  throw new PermanentError(why);
}

/**
 * Makes the row of the clip in the catalog before its file, so that the clip is in its collection from the first
 * moment.
 */
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

/** The usual file ending of the format; the format of a live recording is not known yet. */
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
