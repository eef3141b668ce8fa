import type { Context } from "../context.ts";
import { keepTrack } from "../ghosts/ghosts.ts";
import type { Handler } from "../jobs/worker.ts";
import { applyPlan, makePlan, scheduled } from "../retention/retention.ts";
import { eraseWho } from "../subjects/erase.ts";
import { exportWho } from "../subjects/export.ts";
import { asRequest } from "../subjects/requests.ts";
import { cutClip } from "./clip.ts";
import { keepVerdict } from "./verdict.ts";

/** Jobs of reviews, retention, ghosts and subjects. */
export function reviewHandlers(context: Context): readonly (readonly [string, Handler])[] {
  return [
    ["clip", ({ subject }, work) => cutClip(context, subject, work)],
    ["verdict", ({ subject }) => keepVerdict(context, subject)],
    ["retention-plan", ({ subject }, work) => makePlan(context, subject, work)],
    ["retention-apply", ({ subject }, work) => applyPlan(context, subject, work)],
    ["retention", (_, work) => scheduled(context, work)],
    ["ghost", ({ subject }, work) => keepTrack(context, subject, work)],
    ["export-subject", asRequest(context, ({ subject }, work) => exportWho(context, subject, work))],
    ["erase-subject", asRequest(context, ({ subject }, work) => eraseWho(context, subject, work))],
  ];
}
