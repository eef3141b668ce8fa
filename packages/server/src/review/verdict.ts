import type { SinkBundle } from "simtape";
import { isRecorded, writeVerdict } from "simtape/record";
import { annotated } from "simtape/serving";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { PermanentError } from "../jobs/worker.ts";
import type { Library } from "../library/library.ts";
import { readText } from "../library/text.ts";
import { put } from "./clip.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Milliseconds until the job checks again whether a recording is complete or a clip is cut. */
const AGAIN = 5000;
/** Milliseconds after which it no longer waits for a clip. */
const CLIP_TIMEOUT = 10 * 60_000;

/**
 * Writes a verdict and its marks into the recording and its clip: into the metadata where the format has a place for
 * them, otherwise as notes beside the file. A failure at any moment leaves the old file. A second run gives the same
 * files.
 */
export async function keepVerdict({ query, library, jobs }: Context, id: string): Promise<unknown> {
  const review = await query
    .selectFrom("reviews")
    .leftJoin("users", "users.id", "reviews.judge")
    .selectAll("reviews")
    .select("users.name as judgeName")
    .where("reviews.id", "=", id)
    .executeTakeFirst();
  if (review?.verdict == null) throw new PermanentError("the review has no verdict");
  const places = await query
    .selectFrom("recordings")
    .select(["id", "key", "state"])
    .where("id", "in", [review.recording ?? "", review.clip ?? ""])
    .execute();
  // the catalog has a clip a little before the file of the clip exists
  const clip = places.find((one) => one.id === review.clip);
  const isNew = Date.now() - (review.closed?.getTime() ?? 0) < CLIP_TIMEOUT;
  const isCutting = isNew && review.clip_error === null && (clip === undefined || clip.state === "gone");
  if (places.some(({ state }) => state === "live") || isCutting) {
    await jobs.add("verdict", id, { after: AGAIN });
    return { waits: true };
  }
  const marks = await query.selectFrom("review_marks").selectAll().where("review", "=", id).orderBy("time").execute();
  const faults: string[] = [];
  let written = 0;
  for (const { id: recording, key, state } of places) {
    if (state === "gone") continue;
    // the clip begins later, so its times are smaller
    const shift = recording === review.clip ? -(review.clip_first ?? 0) : 0;
    try {
      await keepIn(library, key, {
        id,
        verdict: review.verdict,
        remark: review.remark ?? "",
        subject: review.subject,
        judge: review.judgeName ?? review.judge ?? "",
        at: review.closed!.getTime(),
        marks: marks
          .filter(({ time }) => time + shift >= 0)
          .map(({ time, thing, label, severity }) => ({ time: (time + shift) * 1e9, thing, label, severity })),
      });
      written++;
      await failpoint("review/verdict-kept");
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      faults.push(`${key}: ${error.message}`);
    }
  }
  const fault = written === 0 && faults.length === 0 ? "the recording is no longer there" : faults.join("; ") || null;
  await query
    .updateTable("reviews")
    .set({ written: written > 0 ? sql<Date>`now()` : null, written_error: fault })
    .where("id", "=", id)
    .execute();
  if (fault !== null) throw new PermanentError(fault);
  await failpoint("review/verdict-noted");
  await jobs.add("scan", "library");
  return { written };
}

async function keepIn(library: Library, key: string, verdict: Parameters<typeof writeVerdict>[2]): Promise<void> {
  const from = library.bundle(key);
  if (await isRecorded(from)) {
    await writeVerdict(from, await unchanged(library, key), verdict);
    return;
  }
  const beside = `${key}.provenance.json`;
  const { id, subject, judge, remark, at } = verdict;
  const verdictText = `${verdict.verdict}: ${subject}${remark === "" ? "" : `. ${remark}`} (${judge}, ${new Date(at).toISOString()}, review ${id})`;
  const text = await annotated(from, await readText(library, beside), [
    { at: 0, kind: "verdict", text: verdictText },
    ...verdict.marks.map(({ time, thing, label, severity }) => ({
      at: time,
      kind: "review",
      text: `${thing === null ? "" : `${thing}: `}${label}${severity === 0 ? "" : ` (severity ${severity})`}`,
    })),
  ]);
  if (text !== null) await put(library.replacement(beside), beside.split("/").at(-1)!, text);
}

/** A sink that replaces a file only if the file did not change meanwhile; otherwise what was written is thrown away. */
export async function unchanged(library: Library, key: string): Promise<SinkBundle> {
  const before = await etagOf(library, key);
  const to = library.replacement(key);
  return {
    name: to.name,
    open: async (name) => {
      const sink = await to.open(name);
      const close = sink.close.bind(sink);
      return Object.assign(sink, {
        close: async () => {
          if ((await etagOf(library, key)) === before) return close();
          await sink.abort();
          throw new Error(`the file has changed meanwhile: ${key}`);
        },
      });
    },
  };
}

async function etagOf(library: Library, key: string): Promise<string | null> {
  const opened = await library.open(key);
  await opened?.close();
  return opened?.file.etag ?? null;
}
