import { readFile, stat } from "node:fs/promises";
import Table from "cli-table3";
import type { Command } from "commander";
import type { Store } from "../../../io/store/store.ts";
import { planRetention, type RetentionPlan, type RetentionRow, undoRetention } from "../../../record/retain/retain.ts";
import { applyRetention, type RetentionChange } from "../../../record/retain/apply.ts";
import { DAY, graceOf, HOUR, PolicyError, parsePolicy } from "../../../record/retain/policy.ts";
import type { RetentionPolicy } from "../../../record/retain/schema.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { NO_LINES } from "../../output/no-lines.ts";
import { toJson } from "../../../model/values/json.ts";
import { byteSize, counted, Output, Progress, say } from "../../run/terminal.ts";
import { isInS3, storeAt } from "../../input/command-path.ts";
import { visibleLine } from "../../../model/values/visible.ts";

interface RetainOptions {
  readonly policy?: string;
  readonly dryRun?: boolean;
  readonly apply?: boolean;
  readonly undo?: string;
  readonly now?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addRetain(program: Command): void {
  program
    .command("retain")
    .summary("delete old recordings of a store by a policy")
    .description(
      "Judges all HCRP recordings of a store by a policy, and lists what it would delete, and why. With --apply it marks them, and deletes those whose grace period since the mark is over, if the policy still says so. Exit 3: done, but some cannot be judged or could not be changed.",
    )
    .argument("<store>", "a folder, or s3://bucket/prefix")
    .option("--policy <file>", "the policy, JSON (docs/retention.md)")
    .option("--dry-run", "change nothing (the default)")
    .option("--apply", "mark, and delete what was marked a grace period ago")
    .option("--undo <id>", "remove the mark from a recording")
    .option("--now <date>", "judge as if it were this date; with --apply no later than now")
    .option("--all", "list also what stays")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape retain recordings --policy policy.json\n  $ simtape retain s3://replays/live --policy policy.json --apply --json\n  $ simtape retain recordings --undo run-77",
    )
    .action(async (name: string, options: RetainOptions) => {
      process.exitCode = await retain(name, options);
    });
}

async function retain(name: string, options: RetainOptions): Promise<number> {
  if (options.undo !== undefined) return undo(await storeNamed(name), options.undo, options);
  if (options.policy === undefined) throw new UsageError("say what stays: --policy FILE");
  if (options.apply === true && options.dryRun === true) throw new UsageError("--apply and --dry-run are opposites");
  const now = dateOf(options);
  const policy = await policyIn(options.policy);
  const store = await storeNamed(name);
  const progress = new Progress(options.apply === true ? "retaining" : "judging");
  const onProgress = (done: number, total: number): void =>
    progress.show(done, total, (value) => counted(value, "recording"));
  let plan: RetentionPlan;
  let changes: readonly RetentionChange[] | null = null;
  try {
    if (options.apply === true) ({ plan, changes } = await applyRetention(store, policy, now, { onProgress }));
    else plan = await planRetention(store, policy, now, { onProgress });
  } finally {
    progress.end();
  }
  const output = new Output();
  if (options.json === true) await output.line(reportJson(plan, policy, changes));
  else await output.lines(reportText(plan, policy, changes, options.all === true));
  await output.flush();
  for (const warning of plan.warnings) say(`simtape: ${warning}`);
  const doubtful = plan.rows.filter(({ isDoubtful }) => isDoubtful);
  if (doubtful.length > 0) say(`simtape: ${doubtful[0]!.id} ${doubtful[0]!.reason}${andMore(doubtful.length)}`);
  const failed = changes?.filter(({ did }) => did === "skipped" || did === "refused") ?? [];
  if (failed.length > 0)
    say(`simtape: ${failed[0]!.id} ${failed[0]!.did}: ${failed[0]!.reason}${andMore(failed.length)}`);
  return doubtful.length + failed.length > 0 ? EXIT.lossy : EXIT.done;
}

async function undo(store: Store, id: string, { policy, apply, now }: RetainOptions): Promise<number> {
  if (policy !== undefined || apply === true || now !== undefined)
    throw new UsageError("--undo takes nothing but the store");
  if (!(await undoRetention(store, id))) {
    say(`simtape: not marked: ${store.name}/${id}`);
    return EXIT.failed;
  }
  say(`${id} is marked no more; put it on hold in the policy to keep it`);
  return EXIT.done;
}

function dateOf({ now, apply }: RetainOptions): number {
  const clock = Date.now();
  if (now === undefined) return clock;
  const date = /^\d{4}-\d{2}-\d{2}/.test(now) ? Date.parse(now) : Number.NaN;
  if (Number.isNaN(date)) throw new UsageError(`not a date: ${JSON.stringify(now)}`);
  if (apply === true && date > clock)
    throw new UsageError(`nothing is deleted by a date that is yet to come: --now ${now}`);
  return date;
}

async function policyIn(path: string): Promise<RetentionPolicy> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`cannot read the policy ${path}: ${(error as NodeJS.ErrnoException).code}`);
  });
  try {
    return parsePolicy(JSON.parse(text));
  } catch (error) {
    if (error instanceof PolicyError || error instanceof SyntaxError)
      throw new UsageError(`policy ${path}: ${error.message}`);
    throw error;
  }
}

async function storeNamed(name: string): Promise<Store> {
  if (!isInS3(name) && (await stat(name).catch(() => null))?.isDirectory() !== true)
    throw new UsageError(`no such folder: ${name}`);
  return storeAt(name);
}

// ── reports ─────────────────────────────────────────────────────────────

/** What is or would be done about a row. */
function stepOf(row: RetentionRow, policy: RetentionPolicy, now: number): string {
  const { decision, placed } = row;
  const tombstone = placed === null || placed.tombstone.state === "undone" ? null : placed.tombstone;
  if (decision === "keep") return tombstone === null ? "keep" : "withdraw";
  if (tombstone === null) return "mark";
  if (tombstone.state === "deleting") return "delete";
  const left = tombstone.marked + graceOf(policy) - now;
  return left > 0 ? "wait" : "delete";
}

interface Sum {
  recordings: number;
  bytes: number;
}

/** By what happens, in the order of first meeting. */
function sums(items: readonly (readonly [what: string, bytes: number])[]): Map<string, Sum> {
  const all = new Map<string, Sum>();
  for (const [what, bytes] of items) {
    const sum = all.get(what) ?? { recordings: 0, bytes: 0 };
    sum.recordings++;
    sum.bytes += bytes;
    all.set(what, sum);
  }
  return all;
}

function reportJson(plan: RetentionPlan, policy: RetentionPolicy, changes: readonly RetentionChange[] | null): string {
  const rows = plan.rows.map((row) => ({
    id: row.id,
    recordingId: row.recordingId,
    class: row.class,
    bytes: row.bytes,
    end: new Date(row.end).toISOString(),
    decision: row.decision,
    reason: row.reason,
    planned: stepOf(row, policy, plan.now),
    marked: row.placed === null ? null : new Date(row.placed.tombstone.marked).toISOString(),
  }));
  const totals = sums(plan.rows.map(({ decision, bytes }) => [decision, bytes]));
  const { now, warnings } = plan;
  return toJson({
    now: new Date(now).toISOString(),
    applied: changes !== null,
    rows,
    ...(changes === null ? {} : { changes }),
    totals: { keep: totals.get("keep") ?? NOTHING, delete: totals.get("delete") ?? NOTHING },
    warnings,
  });
}

const NOTHING: Sum = { recordings: 0, bytes: 0 };

function reportText(
  plan: RetentionPlan,
  policy: RetentionPolicy,
  changes: readonly RetentionChange[] | null,
  withAll: boolean,
): string[] {
  const done = new Map((changes ?? []).map((change) => [change.id, change]));
  const listed = plan.rows.map((row) => {
    const change = done.get(row.id);
    const step = change === undefined ? stepOf(row, policy, plan.now) : change.did;
    return { row, step, reason: change?.reason ?? row.reason };
  });
  const table = new Table({
    head: [changes === null ? "would" : "did", "recording", "class", "size", "age", "reason"],
    colAligns: ["left", "left", "left", "right", "right", "left"],
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  const shown = listed.filter(({ step }) => withAll || step !== "keep");
  for (const { row, step, reason } of shown)
    table.push([step, row.id, row.class ?? "-", byteSize(row.bytes), ageText(plan.now - row.end), visibleLine(reason)]);
  const lines = shown.length > 0 ? [...table.toString().replace(/ +$/gm, "").split("\n"), ""] : [];
  const all = sums(listed.map(({ row, step }) => [step, row.bytes]));
  for (const [step, { recordings, bytes }] of [...all].sort(([a], [b]) => (a < b ? -1 : 1)))
    lines.push(`${step}: ${counted(recordings, "recording")}, ${byteSize(bytes)}`);
  if (listed.length === 0) lines.push("no recordings");
  if (changes === null && all.size > (all.has("keep") ? 1 : 0)) lines.push("nothing was changed; --apply does it");
  return lines;
}

function ageText(age: number): string {
  if (age < 2 * HOUR) return `${Math.max(0, Math.round(age / 60_000))} min`;
  return age < 2 * DAY ? `${Math.round(age / HOUR)} h` : `${Math.floor(age / DAY)} d`;
}

function andMore(count: number): string {
  return count > 1 ? ` (and ${count - 1} more)` : "";
}
