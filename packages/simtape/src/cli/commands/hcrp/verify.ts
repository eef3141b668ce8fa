import type { Command } from "commander";
import { verify, type VerifyReport } from "../../../record/compact/verify.ts";
import { forEach } from "../../input/each.ts";
import { EXIT } from "../../run/failure.ts";
import { findingToPlain, tellFindings } from "../../output/findings.ts";
import { toJson } from "../../../model/values/json.ts";
import { byteSize, counted, Output, paint, Progress } from "../../run/terminal.ts";
import { budgetOf, bundleNamed, type ReadOptions, reads } from "../../input/recordings.ts";

interface VerifyCommand extends ReadOptions {
  readonly json?: boolean;
}

export function addVerify(program: Command): void {
  reads(program.command("verify"))
    .summary("whether HCRP recordings keep every rule")
    .description(
      "Reads HCRP recordings strictly: every crc, checksum and length, every event to its last byte, every snapshot against the state before it. Exit 0: all sound; 3: damaged but readable; 1: unreadable.",
    )
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .option("--json", "one JSON object per file")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape verify live/ run.hcrp\n  $ simtape verify run.hcrp --json | jq .stateHash",
    )
    .action(async (files: string[], options: VerifyCommand) => {
      const out = new Output();
      process.exitCode = await forEach(
        files,
        async (file) => {
          const report = await verified(file, options);
          const { findings, ...rest } = report;
          if (options.json === true) await out.line(toJson({ file, ...rest, findings: findings.map(findingToPlain) }));
          else await tell(out, file, report);
          await out.flush();
          return report.status === "damaged" ? EXIT.lossy : EXIT.done;
        },
        async (file, error) => {
          if (options.json === true) await out.line(toJson({ file, status: "unreadable", error, findings: [] }));
          else await out.line(`${file}: ${paint.red("unreadable")}: ${error.message}`);
          await out.flush();
        },
      );
    });
}

async function verified(file: string, options: VerifyCommand): Promise<VerifyReport> {
  const progress = new Progress(`verifying ${file}`);
  try {
    return await verify(await bundleNamed(file, options), {
      budget: budgetOf(options),
      onProgress: (done, total) => progress.show(done, total, (value) => counted(value, "chunk")),
    });
  } finally {
    progress.end();
  }
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
