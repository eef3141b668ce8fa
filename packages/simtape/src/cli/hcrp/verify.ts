import type { Command } from "commander";
import { RecordingError } from "../../model/error.ts";
import { verify, type VerifyReport } from "../../record/compact/verify.ts";
import { EXIT } from "../failure.ts";
import { findingToPlain, tellFindings } from "../info.ts";
import { toJson } from "../json.ts";
import { byteSize, counted, Output, paint, Progress } from "../output.ts";
import { budgetOf, bundleNamed, type ReadOptions, reads } from "../recordings.ts";

interface VerifyCommand extends ReadOptions {
  readonly json?: boolean;
}

export function addVerify(program: Command): void {
  reads(program.command("verify"))
    .summary("whether HCRP recordings keep every rule")
    .description(
      "Reads HCRP recordings strictly: every crc, checksum and length, every event to its last byte, every snapshot against the state before it. Exit 0: all sound; 3: damaged but readable; 1: unreadable.",
    )
    .argument("<file...>", "paths, folders, URLs, or - for standard input")
    .option("--json", "one JSON object per file")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape verify live/ run.hcrp\n  $ simtape verify run.hcrp --json | jq .stateHash",
    )
    .action(async (files: string[], options: VerifyCommand) => {
      const out = new Output();
      let exit: number = EXIT.done;
      for (const file of files) {
        const progress = new Progress(`verifying ${file}`);
        let report: VerifyReport | null = null;
        let failure = "";
        try {
          report = await verify(await bundleNamed(file, options), {
            budget: budgetOf(options),
            onProgress: (done, total) => progress.show(done, total, (value) => counted(value, "chunk")),
          });
        } catch (error) {
          if (!RecordingError.is(error)) throw error;
          failure = error.message;
        } finally {
          progress.end();
        }
        if (report === null) {
          const color = options.json === true ? toJson({ file, status: "unreadable", error: failure }) : null;
          await out.line(color ?? `${file}: ${paint.red("unreadable")}: ${failure}`);
          exit = EXIT.failed;
        } else {
          const { findings, ...rest } = report;
          if (options.json === true) await out.line(toJson({ file, ...rest, findings: findings.map(findingToPlain) }));
          else await tell(out, file, report);
          if (report.status === "damaged" && exit === EXIT.done) exit = EXIT.lossy;
        }
        await out.flush();
      }
      process.exitCode = exit;
    });
}

async function tell(out: Output, file: string, report: VerifyReport): Promise<void> {
  const color = report.status === "sound" ? paint.green : paint.red;
  const state = report.isFinished === false ? `${report.representation}, not finished` : report.representation;
  const size = report.bytes === null ? "" : `, ${byteSize(report.bytes)}`;
  await out.line(
    `${file}: ${color(report.status)}, ${state}: ${counted(report.chunks, "chunk")}, ${counted(report.snapshots, "snapshot")}, ${counted(report.events, "event")}, ${counted(report.ticks, "tick")}${size}`,
  );
  if (report.stateHash !== null) await out.line(`  events ${report.eventHash}, state at the end ${report.stateHash}`);
  if (report.findings.length > 0) await out.lines(tellFindings(report.findings));
}
