import type { Command } from "commander";
import { openBundle } from "../model/open.ts";
import { repair } from "../ops/repair.ts";
import { bringDictionary } from "./dictionary-beside.ts";
import { EXIT } from "./failure.ts";
import { findingToPlain, tellFindings } from "./info.ts";
import { toJson } from "./json.ts";
import { counted, grouped, Output } from "./output.ts";
import { bundleNamed, knownFormats, openNamed, reads } from "./recordings.ts";
import { formatOf, type TargetOptions, targetOf, writes, writingOf } from "./target.ts";

export function addRepair(program: Command): void {
  writes(
    reads(program.command("repair"))
      .summary("a sound recording out of a damaged one")
      .description(
        "Writes everything that can be read as a sound recording, and says exactly what was kept and lost. Never in place. Exit 0: nothing was lost; 3: something was; 1: nothing can be read.",
      )
      .argument("<file>", "path, folder or URL")
      .argument("[output]", "where to write"),
  )
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape repair crashed.fgtape whole.fgtape\n  $ simtape repair torn.tape -o whole.tape --json | jq .lost",
    )
    .action(async (file: string, output: string | undefined, options: TargetOptions & { json?: boolean }) => {
      const target = await targetOf(output, options, file);
      const recording = await openNamed(file);
      try {
        const writing = await writingOf(formatOf(recording));
        await bringDictionary(recording, target);
        const reopen = (): ReturnType<typeof openBundle> => openBundle(target.written, knownFormats());
        const report = await repair(recording, await bundleNamed(file), writing, target.sink, reopen);
        const out = new Output();
        if (options.json === true) {
          const { lost, rebuilt, findings, ...rest } = report;
          await out.line(
            toJson({
              ...rest,
              lost: lost.map(findingToPlain),
              rebuilt: rebuilt.map(findingToPlain),
              findings: findings.map(findingToPlain),
            }),
          );
        } else if (report.status === "sound") {
          await out.line(`${file}: nothing to repair; ${target.path} is an exact copy`);
        } else {
          await out.line(
            `${target.path}: ${counted(report.messagesKept, "message")} kept, ${grouped(report.bytesLost)} of ${counted(report.bytesKept + report.bytesLost, "byte")} lost`,
          );
          if (report.lost.length > 0) await out.lines(tellFindings(report.lost));
          for (const { message } of report.rebuilt) await out.line(`  rebuilt ${message}`);
        }
        await out.flush();
        const isLossy = report.lost.length > 0 || report.findings.some(({ severity }) => severity === "loss");
        process.exitCode = isLossy ? EXIT.lossy : EXIT.done;
      } finally {
        await recording.close();
      }
    });
}
