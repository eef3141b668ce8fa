import type { Command } from "commander";
import { RecordingError } from "../model/error.ts";
import { check } from "../ops/check.ts";
import { findingsBeside } from "./checks.ts";
import { tellsItself } from "./ending.ts";
import { EXIT } from "./failure.ts";
import { findingToPlain, tellFindings } from "./info.ts";
import { toJson } from "./json.ts";
import { counted, Output, paint, Progress } from "./output.ts";
import { type ReadOptions, reads, withRecording } from "./recordings.ts";

export function addCheck(program: Command): void {
  reads(program.command("check"))
    .summary("whether recordings are sound")
    .description(
      "Reads and decodes everything, and reports every finding; for a recording folder also what its journal holds. Exit 0: all sound; 3: damaged but readable; 1: unreadable.",
    )
    .argument("<file...>", "paths, folders, URLs, or - for standard input")
    .option("--json", "one JSON object per file")
    .addHelpText("after", "\nExamples:\n  $ simtape check *.fgtape\n  $ simtape check run.tape --json | jq .findings")
    .action(async (files: string[], options: ReadOptions & { json?: boolean }) => {
      const output = new Output();
      let exit: number = EXIT.done;
      for (const file of files) {
        const result = await checkFile(file, options);
        if (options.json === true) {
          await output.line(toJson({ file, ...result, findings: result.findings.map(findingToPlain) }));
        } else {
          const color = result.status === "sound" ? paint.green : paint.red;
          const count = result.messages === undefined ? "" : `, ${counted(result.messages, "message")}`;
          await output.line(
            `${file}: ${color(result.status)}${count}${result.error === undefined ? "" : `: ${result.error}`}`,
          );
          if (result.findings.length > 0) await output.lines(tellFindings(result.findings));
        }
        await output.flush();
        if (result.status === "unreadable") exit = EXIT.failed;
        else if (result.status === "damaged" && exit === EXIT.done) exit = EXIT.lossy;
      }
      process.exitCode = exit;
    });
}

interface FileReport {
  readonly status: "sound" | "damaged" | "unreadable";
  readonly format?: string;
  readonly messages?: number;
  readonly error?: string;
  readonly findings: Awaited<ReturnType<typeof check>>["findings"];
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
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
    return { status: "unreadable", error: error.message, findings: [] };
  } finally {
    progress.end();
  }
}
