import { indexRecording, owedIndexes } from "../catalog/index/index-recording.ts";
import { announce, lookFor, owedAlerts } from "../alerts/alerts.ts";
import { Readers } from "../answers/readers.ts";
import { scanHandler } from "../catalog/scan/scan-job.ts";
import { deleteAsked, owedDeletions } from "../catalog/deletion.ts";
import { Companions } from "../catalog/companions.ts";
import { analyse, sweepAnalyses } from "../operations/analyse.ts";
import type { Context } from "../context.ts";
import { checkRecording } from "../operations/check.ts";
import { exportRecording } from "../operations/export.ts";
import { renderRecording } from "../operations/render.ts";
import { SWEEP_JOBS_EVERY, sweepJobs } from "../operations/sweep-jobs.ts";
import { cutShare, owedShares } from "../shares/cut.ts";
import { SWEEP_EVERY, sweep } from "../shares/sweep.ts";
import { abandonedEnder, LOOK_EVERY } from "../live/end-abandoned.ts";
import { keepRun } from "../ghosts/ghosts.ts";
import { reviewHandlers, reviewOwed } from "./review-handlers.ts";
import { LOOK_EVERY as UPLOADS_EVERY, owedUploads, placeUpload, sweepUploads } from "../uploads/place.ts";
import { keepInLake, lakeSweeper, SWEEP_EVERY as LAKE_EVERY } from "../lake/lake.ts";
import { type Owed, RECONCILE_EVERY, reconcile } from "../jobs/reconcile.ts";
import type { Handler } from "../jobs/worker.ts";

/** What each kind of job does. */
export function handlersOf(context: Context): ReadonlyMap<string, Handler> {
  const { query, library, jobs, settings, log } = context;
  // its threads start with the first expression
  const readers = new Readers(settings, log);
  const endAbandoned = abandonedEnder(context);
  const sweepLake = lakeSweeper(context);
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
  return new Map<string, Handler>([
    ["scan", scanHandler(context)],
    ["share", ({ subject }, work) => cutShare(context, subject, work)],
    ["check", ({ subject }, work) => checkRecording(query, library, subject, work)],
    ["export", (job, work) => exportRecording(query, settings, job, work)],
    ["render", (job, work) => renderRecording(context, job, work)],
    ["stats", (job, work) => analyse(query, library, job, work)],
    ["compare", (job, work) => analyse(query, library, job, work)],
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
    ["lake", ({ subject }, work) => keepInLake(context, subject, work)],
    [
      "lake-sweep",
      async (_, { signal }) => {
        try {
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
