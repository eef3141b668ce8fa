import { indexRecording, owedIndexes } from "../catalog/index/index-recording.ts";
import { announce, lookFor, owedAlerts } from "../alerts/alerts.ts";
import { Readers } from "../answers/readers.ts";
import { scanHandler } from "../catalog/scan/scan-job.ts";
import { deleteAsked, owedDeletions } from "../catalog/deletion.ts";
import { Companions } from "../catalog/companions.ts";
import type { Context } from "../context.ts";
import { sweepAnalyses } from "../operations/sweep-analyses.ts";
import { SWEEP_JOBS_EVERY, sweepJobs } from "../operations/sweep-jobs.ts";
import { owedShares } from "../shares/owed.ts";
import { SWEEP_EVERY, sweep } from "../shares/sweep.ts";
import { abandonedEnder, LOOK_EVERY } from "../live/end-abandoned.ts";
import { keepRun } from "../ghosts/ghosts.ts";
import { SWEEP_EVERY as LAKE_EVERY } from "../lake/store.ts";
import { reviewHandlers, reviewOwed } from "./review-handlers.ts";
import { LOOK_EVERY as UPLOADS_EVERY, owedUploads, placeUpload, sweepUploads } from "../uploads/place.ts";
import { type Owed, RECONCILE_EVERY, reconcile } from "../jobs/reconcile.ts";
import type { Handler } from "../jobs/worker.ts";

/** What each kind of job does. A job that a server at rest does not do loads its code when it is done. */
export function handlersOf(context: Context): ReadonlyMap<string, Handler> {
  const { query, library, jobs, settings, log } = context;
  // its threads start with the first expression
  const readers = new Readers(settings, log);
  const endAbandoned = abandonedEnder(context);
  let sweepLake: ((signal: AbortSignal) => Promise<unknown>) | null = null;
  const owed = [...owedBy(context), ...reviewOwed(context)];
  /** Removes this job from the schedule, whether it succeeded or failed. */
  const again =
    (kind: string, subject: string, after: number, work: () => Promise<unknown>): Handler =>
    async () => {
      try {
        return await work();
      } finally {
        await jobs.add(kind, subject, { after });
      }
    };
  const analyse: Handler = async (job, work) =>
    (await import("../operations/analyse.ts")).analyse(query, library, job, work);
  return new Map<string, Handler>([
    ["scan", scanHandler(context)],
    ["share", async ({ subject }, work) => (await import("../shares/cut.ts")).cutShare(context, subject, work)],
    [
      "check",
      async ({ subject }, work) =>
        (await import("../operations/check.ts")).checkRecording(query, library, subject, work),
    ],
    [
      "export",
      async (job, work) => (await import("../operations/export.ts")).exportRecording(query, settings, job, work),
    ],
    ["render", async (job, work) => (await import("../operations/render.ts")).renderRecording(context, job, work)],
    ["stats", analyse],
    ["compare", analyse],
    [
      "sweep-jobs",
      again("sweep-jobs", "jobs", SWEEP_JOBS_EVERY, async () => {
        await sweepAnalyses(query);
        await new Companions(context).sweep();
        return sweepJobs(query, settings);
      }),
    ],
    ["sweep", again("sweep", "", SWEEP_EVERY, () => sweep(context))],
    ["live", again("live", "library", LOOK_EVERY, () => endAbandoned())],
    ["delete", ({ subject }) => deleteAsked(context, subject)],
    ["upload", ({ subject }, work) => placeUpload(context, subject, work)],
    ["sweep-uploads", again("sweep-uploads", "uploads", UPLOADS_EVERY, () => sweepUploads(context))],
    ["reconcile", again("reconcile", "", RECONCILE_EVERY, () => reconcile(jobs, owed))],
    [
      "index",
      async ({ subject }, work) => {
        await indexRecording(context, subject, work);
        await keepRun(context, subject);
        await announce(context, subject);
        if (settings.lake !== null) await jobs.add("lake", subject);
      },
    ],
    ["alerts", ({ subject }, work) => lookFor(context, readers, subject, work)],
    ["lake", async ({ subject }, work) => (await import("../lake/lake.ts")).keepInLake(context, subject, work)],
    [
      "lake-sweep",
      async (_, { signal }) => {
        try {
          // it remembers when it last read every manifest
          sweepLake ??= (await import("../lake/lake.ts")).lakeSweeper(context);
          return await sweepLake(signal);
        } finally {
          if (settings.lake !== null) await jobs.add("lake-sweep", "library", { after: LAKE_EVERY });
        }
      },
    ],
    ...reviewHandlers(context),
  ]);
}

/** Queues the jobs that are due: those for work that is recorded but not done, and those that run on a schedule. */
function owedBy(context: Context): readonly Owed[] {
  const always = (kind: string, subject: string): Owed => ({ kind, subjects: () => Promise.resolve([subject]) });
  return [
    always("scan", "library"),
    always("live", "library"),
    always("sweep", ""),
    always("sweep-jobs", "jobs"),
    always("sweep-uploads", "uploads"),
    { kind: "lake-sweep", subjects: () => Promise.resolve(context.settings.lake === null ? [] : ["library"]) },
    owedIndexes(context),
    owedAlerts(context),
    owedUploads(context),
    owedDeletions(context),
    owedShares(context),
  ];
}
