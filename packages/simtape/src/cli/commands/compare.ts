import { type Command, Option } from "commander";
import type { CompareOptions } from "../../compare/compare.ts";
import { CompareError } from "../../compare/error.ts";
import type { Alignment, Comparison, Match } from "../../compare/report.ts";
import { toJson } from "../../model/values/json.ts";
import { PathError } from "../../model/state/path.ts";
import { collected } from "../input/collected.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { clock, parseDuration, parseRange, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { comparisonText } from "../output/comparison-text.ts";
import { findingToPlain } from "../output/findings.ts";
import { reportOf, writeReport } from "../output/html-report.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { Output, Progress } from "../run/terminal.ts";

interface CompareCommand extends ReadOptions {
  readonly align: string;
  readonly match: Match;
  readonly rule?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly near?: string;
  readonly html?: string;
  readonly view?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function addCompare(program: Command): void {
  reads(program.command("compare"))
    .summary("where two recordings differ")
    .description(
      "Goes through two recordings side by side: the first difference, how far each path is apart, what only one has, events that differ. Exit 0: the same; 3: they differ.",
    )
    .argument("<a>", "path, folder, URL, or - for standard input")
    .argument("<b>", "the other one; of another format, what both have is compared")
    .option(
      "--align <how>",
      "what is at the same time: start, utc, tick, mark:TEXT, event:KIND, correlate:PATH",
      "start",
    )
    .addOption(
      new Option("--match <how>", "which things are the same").choices(["id", "name", "nearest"]).default("id"),
    )
    .option(
      "--rule <rule>",
      "how far a path may be apart: 'vehicles/*.position: 0.01 m', 'frame: ignore' (may be given more than once; the last that fits counts)",
      collected,
    )
    .option("--from <time>", "first time of A, inclusive")
    .option("--until <time>", "last time of A, exclusive")
    .option("--near <time>", "moments of the two that are at most so far apart are one: 1ms")
    .option("--html <file>", "write a report with plots, in one file")
    .option("--view <address>", "with --html: the page of simtape view to which times link, http://localhost:8080/")
    .option("--force", "overwrite an existing report")
    .option("--json", "one JSON object with everything")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape compare before.log after.log\n  $ simtape compare before.log after.log --rule 'vehicles/*.position: 0.01 m' --rule 'platform-time: ignore'\n  $ simtape compare flight.fgtape flown-again.fgtape --align event:take-off --html report.html\n  $ simtape compare run.tape robot.hcrp --align utc --match name --json | jq .first\n  $ simtape compare a.tape b.tape --align correlate:poses//robot/Odometry/position.x`,
    )
    .action(async (a: string, b: string, options: CompareCommand) => {
      const report = await reportOf(options, [a, b]);
      const output = new Output();
      const found = await withRecording(a, options, (one) =>
        withRecording(b, options, async (other) => {
          const progress = new Progress("comparing");
          const { start, end } = await parseRange(options, one);
          const asked: CompareOptions = {
            ...{ start, end, align: options.align as Alignment, match: options.match, rules: options.rule },
            near: nearOf(options),
            onProgress: (time, range) => progress.show(time - range.start, range.end - range.start, clock),
          };
          const { compare } = await import("../../compare/compare.ts");
          return usable(() => compare(one, other, asked)).finally(() => progress.end());
        }),
      );
      if (report !== null) {
        const { comparisonPage } = await import("../../compare/page.ts");
        await writeReport(report, comparisonPage(found, { a, b, view: options.view }));
      }
      if (options.json === true) await output.line(toJson(plain(found, a, b)));
      else await output.lines(comparisonText(found, a, b));
      await output.flush();
      process.exitCode = found.same ? EXIT.done : EXIT.lossy;
    });
}

/** As `--json` prints it: docs/comparison.schema.json. */
function plain(found: Comparison, a: string, b: string): Record<string, unknown> {
  const sideOf = (file: string, { findings, ...side }: Comparison["a"]): Record<string, unknown> => ({
    file,
    ...side,
    findings: findings.map(findingToPlain),
  });
  return { ...found, a: sideOf(a, found.a), b: sideOf(b, found.b) };
}

function nearOf({ near }: CompareCommand): number | undefined {
  if (near === undefined) return undefined;
  const time = parseDuration(near);
  if (time === null || time < 0) throw new UsageError(`--near takes a time such as 1ms, not ${JSON.stringify(near)}`);
  return time;
}

/** What does not fit the recordings is wrong usage. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CompareError || error instanceof PathError ? new UsageError(error.message) : error;
  }
}
