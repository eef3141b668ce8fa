import { sql } from "kysely";
import type { Context } from "../context.ts";
import { HopelessError, type Handler, MOST_ATTEMPTS } from "../jobs/worker.ts";

/** `work` of a request about a subject: when it has failed for good, the request says so, and why. */
export function asRequest({ query }: Context, work: Handler): Handler {
  return async (job, given) => {
    try {
      return await work(job, given);
    } catch (error) {
      const isOver = error instanceof HopelessError || job.attempts >= MOST_ATTEMPTS;
      if (!given.signal.aborted)
        await query
          .updateTable("subject_requests")
          .set({
            error: error instanceof Error ? error.message : String(error),
            ...(isOver ? { state: "failed" as const, ended: sql<Date>`now()` } : {}),
          })
          .where("id", "=", job.subject)
          .where("state", "=", "waiting")
          .execute();
      throw error;
    }
  };
}

/** Does a request again that has failed. False: it has not. */
export async function retryRequest({ query, jobs }: Context, id: string): Promise<boolean> {
  const row = await query
    .updateTable("subject_requests")
    .set({ state: "waiting", error: null, ended: null })
    .where("id", "=", id)
    .where("state", "=", "failed")
    .returning("kind")
    .executeTakeFirst();
  if (row !== undefined) await jobs.add(`${row.kind}-subject`, id);
  return row !== undefined;
}
