import type { Command } from "commander";
import type { SourceBundle } from "../../io/source/source.ts";
import { openBundle } from "../../model/open.ts";
import type { Recording } from "../../model/recording.ts";
import { type RepairReport, repair } from "../../ops/repair.ts";
import { bringNeeded } from "../output/needed.ts";
import { tellsItself } from "../run/ending.ts";
import { besides } from "../output/gated.ts";
import { EXIT } from "../run/failure.ts";
import { findingToPlain, tellFindings } from "../output/findings.ts";
import { counted, grouped } from "../run/terminal.ts";
import { bringing, keepBeside } from "../output/provenance.ts";
import { allFormats } from "../input/formats.ts";
import { budgetOf, bundleNamed, openNamed, type ReadOptions, reads, withGiven } from "../input/recordings.ts";
import { report } from "../output/report.ts";
import { mustFit, type TargetOptions, writes } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { endingFor, formatOf, writingOf } from "../input/format-of.ts";

export function addRepair(program: Command): void {
  writes(
    reads(program.command("repair"))
      .summary("a sound recording from a damaged one")
      .description(
        "Writes everything that can be read as a sound recording, and reports exactly what was kept and lost. Never changes the source. Exit 0: nothing was lost; 3: something was lost; 1: nothing can be read.",
      )
      .argument("<file>", "path, folder, URL, or - for standard input")
      .argument("[output]", "where to write"),
  )
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape repair crashed.fgtape whole.fgtape\n  $ simtape repair torn.tape -o whole.tape --json | jq .lost",
    )
    .action(
      async (file: string, output: string | undefined, options: TargetOptions & ReadOptions & { json?: boolean }) => {
        const target = await targetOf(output, options, file);
        const recording = await openNamed(file, options);
        try {
          tellsItself(recording);
          const format = formatOf(recording);
          const bundle = await bundleNamed(file, options);
          mustFit(target, format, endingFor(recording, bundle.name));
          const own = await bringing(target, file);
          keepBeside(target, () => Promise.resolve(own));
          await bringNeeded(recording, target);
          const reopen = (written: SourceBundle): Promise<Recording> =>
            openBundle(withGiven(besides(written, target.written), options), allFormats(), {
              budget: budgetOf(options),
            });
          const repaired = await repair(recording, bundle, await writingOf(format), target.sink, reopen);
          const { lost, rebuilt, findings } = repaired;
          const plain = {
            ...repaired,
            lost: lost.map(findingToPlain),
            rebuilt: rebuilt.map(findingToPlain),
            findings: findings.map(findingToPlain),
          };
          await report(target, options, plain, tell(repaired, file, target.path));
          const isLossy = lost.length > 0 || findings.some(({ severity }) => severity === "loss");
          process.exitCode = isLossy ? EXIT.lossy : EXIT.done;
        } finally {
          await recording.close();
        }
      },
    );
}

function tell(report: RepairReport, file: string, path: string): string[] {
  if (report.status === "sound") {
    const warnings = report.findings.length > 0 ? tellFindings(report.findings) : [];
    return [`${file}: nothing to repair; ${path} is an exact copy`, ...warnings];
  }
  const { messagesKept, bytesKept, bytesLost, rebuilt } = report;
  const noted = [...report.lost, ...rebuilt].map(({ message }) => message);
  // what the reader did not find is no loss of the repair: what was made again has the finding's words first
  const before = report.findings.filter(
    ({ severity, message }) => severity === "loss" && !noted.some((text) => text.startsWith(message)),
  );
  const lost = [...report.lost, ...before];
  return [
    `${path}: ${counted(messagesKept, "message")} kept, ${grouped(bytesLost)} of ${counted(bytesKept + bytesLost, "byte")} lost`,
    ...(lost.length > 0 ? tellFindings(lost) : []),
    ...rebuilt.map(({ message }) => `  rebuilt ${message}`),
  ];
}
