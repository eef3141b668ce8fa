import { sql } from "kysely";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import type { Owed } from "../jobs/reconcile.ts";
import { PermanentError, type Handler, MOST_ATTEMPTS } from "../jobs/worker.ts";

/** Wraps `work` of a request about a subject: when it has failed for good, the request gets the error. */
export function asRequest({ query }: Context, work: Handler): Handler {
  return async (job, given) => {
    try {
      return await work(job, given);
    } catch (error) {
      const isOver = error instanceof PermanentError || job.attempts >= MOST_ATTEMPTS;
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

/** Requests that are not done. */
export function owedRequests({ query }: Pick<Context, "query">): readonly Owed[] {
  return (["export", "erase"] as const).map((kind) => ({
    kind: `${kind}-subject`,
    subjects: async () => {
      const rows = await query
        .selectFrom("subject_requests")
        .select("id")
        .where("kind", "=", kind)
        .where("state", "=", "waiting")
        .execute();
      return rows.map(({ id }) => id);
    },
  }));
}

/** Retries a request that has failed. False: the request has not failed. */
export async function retryRequest({ query, jobs }: Context, id: string): Promise<boolean> {
  const row = await query
    .updateTable("subject_requests")
    .set({ state: "waiting", error: null, ended: null })
    .where("id", "=", id)
    .where("state", "=", "failed")
    .returning("kind")
    .executeTakeFirst();
  await failpoint("subjects/retried");
  if (row !== undefined) await jobs.add(`${row.kind}-subject`, id);
  return row !== undefined;
}
