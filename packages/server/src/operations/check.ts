import { check, open } from "simtape";
import { fileSpool } from "simtape/node";
import type { Query } from "../database/database.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import type { Library } from "../library/library.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Most findings that are stored with the job. */
const MOST = 100;

/** Reads the whole recording and reports what is wrong with it. */
export async function checkRecording(query: Query, library: Library, id: string, work: Work): Promise<unknown> {
  const row = await query.selectFrom("recordings").select("key").where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new PermanentError("the recording is no longer there");
  try {
    await using recording = await open(library.bundle(row.key), { spool: fileSpool(), signal: work.signal });
    const total = (await recording.statistics()).reduce((sum, { messages }) => sum + messages, 0);
    const onProgress = (messages: number): void => work.progress(total === 0 ? 1 : messages / total);
    const { status, messages, findings } = await check(recording, { signal: work.signal, onProgress });
    const kept = findings.slice(0, MOST).map(({ code, severity, message }) => ({ code, severity, message }));
    return { status, messages, findings: kept, more: findings.length - kept.length };
  } catch (error) {
    throw isUnreadable(error) ? new PermanentError(error.message) : error;
  }
}
