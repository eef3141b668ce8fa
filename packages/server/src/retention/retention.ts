import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { StoreError } from "simtape";
import {
  applyRetention,
  parsePolicy,
  planRetention,
  PolicyError,
  type RetentionPlan,
  type RetentionPolicy,
  retentionIdOf,
  undoRetention,
} from "simtape/retention";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import type { ClaimedJob } from "../jobs/queue.ts";
import type { Owed } from "../jobs/reconcile.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";

/** Most rows of a plan that are stored for display. */
const MOST_ROWS = 5000;
const HOUR = 3_600_000;

/** A policy, and the digest that shows whether it is still the same. */
export interface Policy {
  readonly policy: RetentionPolicy;
  readonly digest: string;
}

/** A plan as it is shown. */
interface PlanContent {
  readonly judged: string;
  readonly recordings: number;
  readonly kept: number;
  readonly going: number;
  readonly bytesGoing: number;
  readonly warnings: readonly string[];
  /** First what is deleted or doubtful, then what is kept; at most 5,000 rows. */
  readonly rows: readonly {
    readonly recording: string | null;
    readonly id: string;
    readonly class: string | null;
    readonly bytes: number;
    readonly ended: string;
    readonly decision: "keep" | "delete";
    readonly reason: string;
    readonly marked: string | null;
  }[];
}

/** The policy that the settings name. Throws `Problem`. */
export async function policyOf({ settings }: Pick<Context, "settings">): Promise<Policy> {
  if (settings.retention === null) throw new Problem(409, "there is no policy: start the server with --retention FILE");
  try {
    const text = await readFile(settings.retention, "utf8");
    const digest = createHash("sha256").update(text).digest("hex");
    return { policy: parsePolicy(JSON.parse(text)), digest };
  } catch (error) {
    if (error instanceof PolicyError || error instanceof SyntaxError)
      throw new Problem(409, `the policy cannot be followed: ${error.message}`);
    throw new Problem(409, `the policy cannot be read (${(error as NodeJS.ErrnoException).code ?? ""})`);
  }
}

/** Asks for a plan, and returns its id. Throws `Problem`. */
export async function askForPlan(context: Context): Promise<string> {
  const { digest } = await policyOf(context);
  const id = newId();
  await context.query.insertInto("retention_plans").values({ id, policy: digest }).execute();
  await failpoint("retention/plan-asked");
  await context.jobs.add("retention-plan", id);
  return id;
}

/**
 * Asks to carry out a plan that was reviewed; this is possible once, and only while the policy is the same. Throws
 * `Problem`.
 */
export async function askToApply(context: Context, id: string): Promise<void> {
  const { digest } = await policyOf(context);
  const { numUpdatedRows } = await context.query
    .updateTable("retention_plans")
    .set({ state: "applying" })
    .where("id", "=", id)
    .where("state", "=", "ready")
    .where("policy", "=", digest)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    const row = await context.query
      .selectFrom("retention_plans")
      .select(["state", "policy"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) throw new Problem(404, "the plan does not exist");
    if (row.policy !== digest) throw new Problem(409, "the policy has changed since: make a new plan");
    throw new Problem(409, `the plan is ${row.state}: only a plan that is ready can be run, and only once`);
  }
  await failpoint("retention/run-asked");
  await context.jobs.add("retention-apply", id);
}

/** Plans that wait until they are made or carried out. */
export function owedPlans({ query }: Pick<Context, "query">): readonly Owed[] {
  const of = (kind: string, state: "making" | "applying"): Owed => ({
    kind,
    subjects: async () => {
      const rows = await query.selectFrom("retention_plans").select("id").where("state", "=", state).execute();
      return rows.map(({ id }) => id);
    },
  });
  return [of("retention-plan", "making"), of("retention-apply", "applying")];
}

/** Compares the whole library with the policy; changes no recording. */
export async function makePlan(context: Context, id: string, work: Work): Promise<unknown> {
  return kept(context, id, "ready", async (policy) => {
    const plan = await planRetention(context.library.store(""), policy, Date.now(), optionsOf(work));
    return { plan };
  });
}

/** Marks recordings that are due, and deletes those whose grace period is over, by the present policy and holds. */
export async function applyPlan(context: Context, id: string, work: Work): Promise<unknown> {
  const result = await kept(context, id, "applied", async (policy) => {
    const { plan, changes } = await applyRetention(context.library.store(""), policy, Date.now(), optionsOf(work));
    return { plan, changes };
  });
  await failpoint("retention/noted");
  await context.jobs.add("scan", "library");
  return result;
}

/** Does a scheduled run: makes a plan and carries it out at once. */
export async function scheduled(context: Context, job: Pick<ClaimedJob, "id">): Promise<unknown> {
  const { settings, jobs, query } = context;
  if (settings.retention === null || settings.retentionHours === 0) return null;
  try {
    // one plan for each job, however often the job is tried
    const id = `clock-${job.id}`;
    const { digest } = await policyOf(context);
    await query
      .insertInto("retention_plans")
      .values({ id, policy: digest, state: "applying" })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await failpoint("retention/scheduled");
    await jobs.add("retention-apply", id);
    return { plan: id };
  } finally {
    await jobs.add("retention", "library", { after: settings.retentionHours * HOUR });
  }
}

/** Removes the marks of recordings that are on hold. A recording whose deletion has begun cannot be held back. */
export async function unmarked({ query, library }: Context, recording: string): Promise<void> {
  const row = await query.selectFrom("recordings").select("key").where("id", "=", recording).executeTakeFirst();
  const id = row === undefined ? null : retentionIdOf(row.key);
  if (id === null) return;
  try {
    await undoRetention(library.store(""), id);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

type Done = { readonly plan: RetentionPlan; readonly changes?: readonly unknown[] };

async function kept(
  context: Context,
  id: string,
  state: "ready" | "applied",
  work: (policy: RetentionPolicy) => Promise<Done>,
): Promise<unknown> {
  const { query } = context;
  const row = await query
    .selectFrom("retention_plans")
    .select(["policy", "state"])
    .where("id", "=", id)
    .executeTakeFirst();
  // an earlier try has carried it out
  if (row === undefined || row.state === state) return null;
  try {
    const { policy, digest } = await policyOf(context);
    if (row.policy !== digest) throw new PermanentError("the policy has changed since");
    const { plan, changes } = await work({ ...policy, hold: [...(policy.hold ?? []), ...(await held(context))] });
    await failpoint("retention/judged");
    const content = { ...(await contentOf(context, plan)), ...(changes === undefined ? {} : { changes }) };
    await query
      .updateTable("retention_plans")
      .set({ state, content: JSON.stringify(content), error: null, ended: sql<Date>`now()` })
      .where("id", "=", id)
      .execute();
    const { recordings, going } = content;
    return { recordings, going };
  } catch (error) {
    if (!(error instanceof PermanentError || error instanceof Problem)) throw error;
    await query
      .updateTable("retention_plans")
      .set({ state: "failed", error: error.message, ended: sql<Date>`now()` })
      .where("id", "=", id)
      .execute();
    throw new PermanentError(error.message);
  }
}

/** Ids in the store of all recordings that are on hold. */
async function held({ query }: Context): Promise<string[]> {
  const rows = await query
    .selectFrom("holds")
    .innerJoin("recordings", "recordings.id", "holds.recording")
    .select("recordings.key")
    .where("recordings.state", "<>", "gone")
    .distinct()
    .execute();
  return rows.flatMap(({ key }) => retentionIdOf(key) ?? []);
}

async function contentOf({ query }: Context, { now, rows, warnings }: RetentionPlan): Promise<PlanContent> {
  const going = rows.filter(({ decision }) => decision === "delete");
  const doubtful = rows.filter(({ decision, isDoubtful }) => decision === "keep" && isDoubtful);
  const staying = rows.filter(({ decision, isDoubtful }) => decision === "keep" && !isDoubtful);
  const shown = [...going, ...doubtful, ...staying].slice(0, MOST_ROWS);
  const keys = shown.flatMap(({ files }) => files.map(({ key }) => key));
  const known =
    keys.length === 0
      ? []
      : await query.selectFrom("recordings").select(["id", "key"]).where(sql<boolean>`key = any(${keys})`).execute();
  const ids = new Map(known.map(({ id, key }) => [key, id]));
  return {
    judged: new Date(now).toISOString(),
    recordings: rows.length,
    kept: rows.length - going.length,
    going: going.length,
    bytesGoing: going.reduce((sum, { bytes }) => sum + bytes, 0),
    warnings,
    rows: shown.map(({ id, class: of, bytes, end, decision, reason, files, placed }) => ({
      recording: files.map(({ key }) => ids.get(key)).find((one) => one !== undefined) ?? null,
      ...{ id, class: of, bytes, ended: new Date(end).toISOString(), decision, reason },
      marked: placed?.tombstone.state === "marked" ? new Date(placed.tombstone.marked).toISOString() : null,
    })),
  };
}

function optionsOf({ signal, progress }: Work) {
  return { signal, onProgress: (done: number, total: number) => progress(total === 0 ? 1 : done / total) };
}
