import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { fileSpool } from "../../io/node/index.ts";
import { type LakeChange, updateLake } from "../../lake/lake.ts";
import { setTable } from "../../lake/layout.ts";
import { type LakeSweep, sweepLake } from "../../lake/sweep.ts";
import { toJson } from "../../model/values/json.ts";
import type { Time } from "../../model/values/time.ts";
import { collected } from "../input/collected.ts";
import { isInS3, storeAt } from "../input/command-path.ts";
import { exitAmong } from "../input/each.ts";
import { lakeSources } from "../input/lake-sources.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { parseDuration } from "../input/time.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { byteSize, counted, Output, Progress, say } from "../run/terminal.ts";

interface LakeCommand extends ReadOptions {
  readonly output?: string;
  readonly set?: readonly string[];
  readonly sets: boolean;
  readonly every?: Time;
  readonly channels?: boolean;
  readonly keepVanished?: boolean;
  readonly sweep?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Changes that have a line of their own. */
const MOST_LINES = 20;

const DID: readonly LakeChange["did"][] = [
  ...(["added", "replaced", "mended", "removed", "kept", "left", "failed", "unchanged"] as const),
];

export function addLake(program: Command): void {
  seeks(program.command("lake"))
    .summary("a Parquet data set of all recordings, kept current")
    .description(
      "Writes the recordings of a store as a data set for DuckDB, Spark, Trino, ClickHouse and pandas: Parquet files in folders by table, format, day and recording, with a manifest for each recording. A second run reads only what is new or changed, replaces it, and removes recordings that the store no longer has. May run in several places at once, and be ended at any moment: the next run does the rest. Exit 3: done, but recordings are damaged or unreadable, or another run was at work on them.",
    )
    .argument("<store>", "a folder with recordings, or s3://bucket/prefix")
    .requiredOption("-o, --output <lake>", "where the data set is: a folder, or s3://bucket/prefix")
    .option("--set <name>", "only this set of the state (may be given more than once)", collected)
    .addOption(new Option("--no-sets", "facts alone: recordings, channels, events, findings").conflicts("set"))
    .option("--every <time>", "rows of sets at this interval instead of at recorded moments: 100ms", everyOf)
    .option("--channels", "a table for each channel, too")
    .option("--keep-vanished", "keep recordings that are in the store no more")
    .option("--sweep", "afterwards delete files older than a day that no manifest names")
    .option("--dry-run", "change nothing, say what would be done")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      `\nTables: recordings, channels, events, findings, and one for each set; columns as in simtape sql.\nOther options than those of the last run write all recordings again.\n\nExamples:\n  $ simtape lake recordings -o lake\n  $ simtape lake s3://replays/live -o s3://analytics/runs --every 1s\n  $ duckdb -c "select format, count(*) from read_parquet('lake/recordings/**/*.parquet', hive_partitioning = true) group by all"`,
    )
    .action(async (store: string, options: LakeCommand) => {
      process.exitCode = await lake(store, options.output!, options);
    });
}

function everyOf(text: string): Time {
  const time = parseDuration(text);
  if (time === null || time <= 0) throw new InvalidArgumentError("a time such as 50ms or 1s.");
  return time;
}

async function lake(store: string, output: string, options: LakeCommand): Promise<number> {
  if (!isInS3(store) && !isInS3(output) && resolve(store) === resolve(output))
    throw new UsageError("the data set needs a folder of its own");
  const target = storeAt(output, true);
  const sources = await lakeSources(store, options);
  const { set, sets, every, channels, keepVanished, dryRun } = options;
  const progress = new Progress("recordings");
  const changes: LakeChange[] = [];
  try {
    const run = updateLake(target, sources, {
      ...{ sets: sets ? set : [], every, channels, keepVanished, dryRun, spool: fileSpool() },
      onProgress: (done, total) => progress.show(done, total, String),
    });
    for await (const change of run) changes.push(change);
  } finally {
    progress.end();
  }
  const swept = options.sweep === true && dryRun !== true ? await sweepLake(target) : null;
  const absent = dryRun === true ? [] : absentAmong(set ?? [], changes);
  await report(output, changes, absent, swept, options);
  return exitOf(changes);
}

/** The sets of which no recording of the lake has rows. */
function absentAmong(sets: readonly string[], changes: readonly LakeChange[]): string[] {
  const tables = new Set(changes.flatMap((one) => one.tables));
  return [...new Set(sets)].filter((set) => !tables.has(setTable(set)));
}

function exitOf(changes: readonly LakeChange[]): number {
  const failed = changes.filter(({ did }) => did === "failed").length;
  const isLossy = changes.some(({ did, outcome }) => did === "left" || isDamaged({ did, outcome }));
  const exit = exitAmong(changes.length - failed, failed);
  return exit === EXIT.done && isLossy ? EXIT.lossy : exit;
}

function isDamaged({ did, outcome }: Pick<LakeChange, "did" | "outcome">): boolean {
  return did !== "removed" && (outcome === "damaged" || outcome === "unreadable");
}

async function report(
  output: string,
  changes: readonly LakeChange[],
  absent: readonly string[],
  swept: LakeSweep | null,
  { json, dryRun }: LakeCommand,
): Promise<void> {
  const others = changes.filter(({ did }) => did !== "unchanged");
  const written = changes.filter(({ did }) => did === "added" || did === "replaced");
  const counts = Object.fromEntries(DID.map((did) => [did, changes.filter((one) => one.did === did).length]));
  const rows = written.reduce((sum, one) => sum + one.rows, 0);
  const bytes = written.reduce((sum, one) => sum + one.bytes, 0);
  const damaged = changes.filter(isDamaged);
  const out = new Output();
  if (json === true) {
    const shown = damaged.map(({ recording, file, outcome, findings }) => ({ recording, file, outcome, findings }));
    await out.line(
      toJson({
        lake: output,
        isDryRun: dryRun === true,
        counts,
        rows,
        bytes,
        changes: others,
        damaged: shown,
        absent,
        swept,
      }),
    );
  } else {
    for (const one of others.slice(0, MOST_LINES)) await out.line(lineOf(one, dryRun === true));
    if (others.length > MOST_LINES) await out.line(`  … and ${others.length - MOST_LINES} more; --json lists all`);
    const parts = DID.filter((did) => counts[did]! > 0).map((did) => `${counted(counts[did]!, did, did)}`);
    const size = written.length > 0 && dryRun !== true ? `; ${counted(rows, "row")}, ${byteSize(bytes)} written` : "";
    await out.line(
      `${output}: ${parts.join(", ") || "nothing in it"}${size}${dryRun === true ? "; nothing was changed" : ""}`,
    );
  }
  if (json !== true && swept !== null)
    await out.line(`${counted(swept.files, "file")} of no manifest deleted, ${byteSize(swept.bytes)}`);
  await out.flush();
  for (const set of absent) say(`simtape: no recording has rows of a set "${set}"`);
  for (const { file, did, reason } of others) if (reason !== null) say(`simtape: ${file} ${did}: ${reason}`);
  for (const { file, outcome, findings } of damaged.slice(0, MOST_LINES))
    say(`simtape: ${file} is ${outcome!}: ${counted(findings, "finding")}, see the table findings`);
  if (damaged.length > MOST_LINES) say(`simtape: ${damaged.length - MOST_LINES} more are damaged; --json lists all`);
}

function lineOf({ did, file, rows, bytes }: LakeChange, isDryRun: boolean): string {
  const size = rows > 0 && !isDryRun ? `: ${counted(rows, "row")}, ${byteSize(bytes)}` : "";
  return `  ${did} ${file}${size}`;
}
