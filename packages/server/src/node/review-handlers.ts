import type { Context } from "../context.ts";
import { keepTrack } from "../ghosts/ghosts.ts";
import type { Owed } from "../jobs/reconcile.ts";
import type { Handler } from "../jobs/worker.ts";
import { applyPlan, makePlan, owedPlans, scheduled } from "../retention/retention.ts";
import { asRequest, owedRequests } from "../subjects/requests.ts";
import { owedReviews } from "../review/owed.ts";

/** Jobs of reviews, retention, ghosts and subjects. Jobs load their code as those of `handlersOf` do. */
export function reviewHandlers(context: Context): readonly (readonly [string, Handler])[] {
  return [
    ["clip", async ({ subject }, work) => (await import("../review/clip.ts")).cutClip(context, subject, work)],
    ["verdict", async ({ subject }) => (await import("../review/verdict.ts")).keepVerdict(context, subject)],
    ["retention-plan", ({ subject }, work) => makePlan(context, subject, work)],
    ["retention-apply", ({ subject }, work) => applyPlan(context, subject, work)],
    ["retention", (job) => scheduled(context, job)],
    ["ghost", ({ subject }, work) => keepTrack(context, subject, work)],
    [
      "export-subject",
      asRequest(context, async ({ subject }, work) =>
        (await import("../subjects/export.ts")).exportWho(context, subject, work),
      ),
    ],
    [
      "erase-subject",
      asRequest(context, async ({ subject }, work) =>
        (await import("../subjects/erase.ts")).eraseWho(context, subject, work),
      ),
    ],
  ];
}

/** The records of reviews, retention, ghosts and subjects that need a job. */
export function reviewOwed(context: Context): readonly Owed[] {
  const { retention, retentionHours } = context.settings;
  const isByClock = retention !== null && retentionHours > 0;
  return [
    { kind: "retention", subjects: () => Promise.resolve(isByClock ? ["library"] : []) },
    ...owedPlans(context),
    ...owedReviews(context),
    ...owedRequests(context),
  ];
}
