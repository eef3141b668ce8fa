import type { Jobs } from "./queue.ts";

/** Milliseconds between two checks. */
export const RECONCILE_EVERY = 60_000;

/**
 * Work that a part of the server has recorded and not done yet: each has a job, unless the node ended between the two
 * writes.
 */
export interface Owed {
  /** Kind of the job that does it. */
  readonly kind: string;
  /** Subjects of all jobs that should exist. */
  readonly subjects: () => Promise<readonly string[]>;
}

/**
 * Adds the missing jobs: a node may have been killed after it recorded the work and before it added the job. A
 * superfluous job does no harm, because doing it twice has the effect of doing it once. Returns how many jobs were
 * missing, by kind.
 */
export async function reconcile(jobs: Jobs, owed: readonly Owed[]): Promise<Readonly<Record<string, number>>> {
  const added: Record<string, number> = {};
  for (const { kind, subjects } of owed) {
    const missing = await jobs.missing(kind, await subjects());
    await jobs.addAll(kind, missing);
    if (missing.length > 0) added[kind] = missing.length;
  }
  return added;
}
