import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { failpoint } from "../failpoint.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import { lower, recordingsOf, type Who } from "./who.ts";
import { Zip } from "./zip.ts";

/** Makes one zip of all data of a subject: the recordings that the subject is in, and the rows about the subject. */
export async function exportWho({ query, library }: Context, id: string, { signal, progress }: Work): Promise<unknown> {
  const request = await query
    .selectFrom("subject_requests")
    .select(["who", "state"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (request?.who == null || request.state !== "waiting") return null;
  const who = request.who as Who;
  const key = `exports/${id}.zip`;
  // left by an earlier try that was interrupted
  await library.remove(key);
  const sink = await library.sink(key).open();
  const recordings = await recordingsOf(query, who);
  const missing: string[] = [];
  let bytes = 0;
  try {
    const zip = new Zip(sink);
    for (const [i, recording] of recordings.entries()) {
      const folder = recording.key.slice(0, recording.key.lastIndexOf("/") + 1);
      for (const { name } of await filesOf(query, recording.id)) {
        signal.throwIfAborted();
        const opened = await library.open(folder + name);
        if (opened === null) missing.push(folder + name);
        else {
          const { bytes: size } = opened.file;
          try {
            await zip.add(`recordings/${folder}${name}`, size === 0 ? [] : opened.stream(0, size));
          } finally {
            await opened.close();
          }
        }
      }
      progress((i + 1) / recordings.length);
    }
    const rows = { who, recordings, ...(await rowsOf(query, who)), missing };
    await zip.add("rows.json", [Buffer.from(`${JSON.stringify(rows, null, 2)}\n`)]);
    await zip.finish();
    bytes = sink.position;
    await sink.close();
    await failpoint("subjects/exported");
  } catch (error) {
    await sink.abort();
    throw error instanceof RangeError ? new PermanentError(error.message) : error;
  }
  const report = { recordings: recordings.length, bytes, missing: missing.length };
  await query
    .updateTable("subject_requests")
    .set({ state: "done", key, error: null, report: JSON.stringify(report), ended: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
  return report;
}

async function filesOf(query: Query, id: string): Promise<readonly { readonly name: string }[]> {
  const row = await query.selectFrom("recordings").select("files").where("id", "=", id).executeTakeFirst();
  return row?.files ?? [];
}

async function rowsOf(query: Query, { names, uuids, accounts }: Who) {
  const called = lower([...names, ...uuids]);
  const ids = accounts.length === 0 ? [""] : accounts;
  return {
    accounts: await query
      .selectFrom("users")
      .select(["id", "name", "role", "identities", "made"])
      .where("id", "in", ids)
      .execute(),
    notes: await query
      .selectFrom("notes")
      .selectAll()
      .where("author", "in", [...ids, ...names])
      .execute(),
    reported: await query
      .selectFrom("reviews")
      .select(["id", "recording", "text", "state", "made"])
      .where("reporter", "in", [...ids, ...names])
      .execute(),
    reviewed: await query
      .selectFrom("reviews")
      .select(["id", "recording", "state", "verdict", "remark", "made", "closed"])
      .where(sql<boolean>`lower(subject) = any(${called})`)
      .execute(),
    audit: await query
      .selectFrom("audit")
      .select(["at", "action", "recording"])
      .where("who", "in", ids)
      .orderBy("id")
      .execute(),
  };
}
