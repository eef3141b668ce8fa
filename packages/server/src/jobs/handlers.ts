import { indexRecording } from "../catalog/index-recording.ts";
import { scanHandler } from "../catalog/scan-job.ts";
import type { Context } from "../context.ts";
import { checkRecording } from "../operations/check.ts";
import { exportRecording } from "../operations/export.ts";
import { SWEEP_JOBS_EVERY, sweepJobs } from "../operations/sweep-jobs.ts";
import { cutShare } from "../shares/cut.ts";
import { SWEEP_EVERY, sweep } from "../shares/sweep.ts";
import { abandonedEnder, LOOK_EVERY } from "../live/end-abandoned.ts";
import { keepRun } from "../ghosts/ghosts.ts";
import { reviewHandlers } from "../review/handlers.ts";
import { LOOK_EVERY as UPLOADS_EVERY, placeUpload, sweepUploads } from "../uploads/place.ts";
import type { Handler } from "./worker.ts";

/** What can be done, by kind of job. */
export function handlersOf(context: Context): ReadonlyMap<string, Handler> {
  const { query, library, jobs, settings } = context;
  const endAbandoned = abandonedEnder(context);
  return new Map<string, Handler>([
    ["scan", scanHandler(context)],
    ["share", ({ subject }, work) => cutShare(context, subject, work)],
    ["check", ({ subject }, work) => checkRecording(query, library, subject, work)],
    ["export", (job, work) => exportRecording(query, settings, job, work)],
    [
      "sweep-jobs",
      async () => {
        try {
          return await sweepJobs(query, settings);
        } finally {
          await jobs.add("sweep-jobs", "jobs", { after: SWEEP_JOBS_EVERY });
        }
      },
    ],
    [
      "sweep",
      async () => {
        try {
          await sweep(context);
        } finally {
          await jobs.add("sweep", "", { after: SWEEP_EVERY });
        }
      },
    ],
    [
      "live",
      async () => {
        try {
          return await endAbandoned();
        } finally {
          await jobs.add("live", "library", { after: LOOK_EVERY });
        }
      },
    ],
    ["upload", ({ subject }, work) => placeUpload(context, subject, work)],
    [
      "sweep-uploads",
      async () => {
        try {
          await sweepUploads(context);
        } finally {
          await jobs.add("sweep-uploads", "uploads", { after: UPLOADS_EVERY });
        }
      },
    ],
    [
      "index",
      async ({ subject }, work) => {
        await indexRecording(context, subject, work);
        await keepRun(context, subject);
      },
    ],
    ...reviewHandlers(context),
  ]);
}
