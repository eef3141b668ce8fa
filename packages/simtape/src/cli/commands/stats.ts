import type { Command } from "commander";
import type { RecordingStatistics } from "../../stats/report.ts";
import { toJson } from "../../model/values/json.ts";
import { failureLine, forEach } from "../input/each.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { clock, parseRange, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { statisticsText } from "../output/statistics-text.ts";
import { findingToPlain } from "../output/findings.ts";
import { damageIn } from "../run/ending.ts";
import { EXIT } from "../run/failure.ts";
import { Output, Progress, say } from "../run/terminal.ts";

interface StatsCommand extends ReadOptions {
  readonly from?: string;
  readonly until?: string;
  readonly json?: boolean;
}

export function addStats(program: Command): void {
  reads(program.command("stats"))
    .summary("extents, means, quantiles, rates, distances")
    .description(
      "Goes through recordings: extent, mean and quantiles of each path, rate and longest gap of each channel, how far each thing went, events a minute.",
    )
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--json", "one JSON object per recording")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape stats town.log\n  $ simtape stats flights --json | jq -c '[.file, .travels[0].distance]'\n  $ simtape stats town.log --from 10s --until 20s --json | jq '.paths[] | select(.path == "vehicles/*/forward-speed")'`,
    )
    .action(async (named: string[], options: StatsCommand) => {
      const output = new Output();
      let isFirst = true;
      process.exitCode = await forEach(
        named,
        async (file) => {
          const { found, damage } = await statisticsOf(file, options);
          if (options.json === true) await output.line(toJson({ file, ...found, findings: damage }));
          else await output.lines([...(isFirst ? [] : [""]), ...statisticsText(file, found)]);
          isFirst = false;
          await output.flush();
          return EXIT.done;
        },
        async (file, error) => {
          say(`simtape: ${failureLine(file, error)}`);
          if (options.json === true) await output.line(toJson({ file, error, findings: [] }));
          await output.flush();
        },
      );
    });
}

async function statisticsOf(
  file: string,
  options: StatsCommand,
): Promise<{ found: RecordingStatistics; damage: readonly unknown[] }> {
  return withRecording(file, options, async (recording) => {
    const range = await parseRange(options, recording);
    const { end } = await recording.timeline();
    const progress = new Progress(file);
    const { statistics } = await import("../../stats/statistics.ts");
    const found = await statistics(recording, {
      ...range,
      onProgress: (time) => progress.show(time, end, clock),
    }).finally(() => progress.end());
    return { found, damage: damageIn(recording.findings).map(findingToPlain) };
  });
}
