import type { Command } from "commander";
import type { Finding } from "../../model/error.ts";
import { check } from "../../ops/check.ts";
import { findingsBeside } from "./checks.ts";
import { forEach } from "../input/each.ts";
import { tellsItself } from "../run/ending.ts";
import { EXIT } from "../run/failure.ts";
import { findingToPlain, tellFindings } from "../output/findings.ts";
import { toJson } from "../../model/values/json.ts";
import { counted, Output, paint, Progress } from "../run/terminal.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";

export function addCheck(program: Command): void {
  reads(program.command("check"))
    .summary("whether recordings are sound")
    .description(
      "Reads and decodes everything, and reports every finding; for a recording folder also what its journal holds. Exit 0: all sound; 3: damaged but readable, or one of a folder unreadable; 1: unreadable.",
    )
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .option("--json", "one JSON object per file")
    .addHelpText("after", "\nExamples:\n  $ simtape check *.fgtape\n  $ simtape check run.tape --json | jq .findings")
    .action(async (files: string[], options: ReadOptions & { json?: boolean }) => {
      const output = new Output();
      process.exitCode = await forEach(
        files,
        async (file) => {
          const report = await checkFile(file, options);
          if (options.json === true)
            await output.line(toJson({ file, ...report, findings: report.findings.map(findingToPlain) }));
          else await output.lines(tell(file, report));
          await output.flush();
          return report.status === "sound" ? EXIT.done : EXIT.lossy;
        },
        async (file, error) => {
          if (options.json === true) await output.line(toJson({ file, status: "unreadable", error, findings: [] }));
          else await output.line(`${file}: ${paint.red("unreadable")}: ${error.message}`);
          await output.flush();
        },
      );
    });
}

interface FileReport {
  readonly status: "sound" | "damaged";
  readonly format: string;
  readonly messages: number;
  readonly findings: readonly Finding[];
}

function tell(file: string, { status, messages, findings }: FileReport): string[] {
  const color = status === "sound" ? paint.green : paint.red;
  const line = `${file}: ${color(status)}, ${counted(messages, "message")}`;
  return findings.length === 0 ? [line] : [line, ...tellFindings(findings)];
}

async function checkFile(file: string, options: ReadOptions): Promise<FileReport> {
  const progress = new Progress(`checking ${file}`);
  try {
    return await withRecording(file, options, async (recording) => {
      tellsItself(recording);
      const report = await check(recording, {
        onProgress: (messages) => progress.show(messages, null, (value) => counted(value, "message")),
      });
      const { format } = recording.info;
      const beside = await findingsBeside(file, recording);
      if (beside.length === 0) return { format, ...report };
      return { format, ...report, status: "damaged", findings: [...report.findings, ...beside] };
    });
  } finally {
    progress.end();
  }
}
