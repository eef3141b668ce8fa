import type { Command } from "commander";
import { held } from "../../../io/sink/held.ts";
import { SourceError } from "../../../io/source/source.ts";
import { type Finding, Findings, RecordingError } from "../../../model/error.ts";
import { openBundle } from "../../../model/open.ts";
import { readBack } from "../../../ops/sound.ts";
import { type BagReport, importBag } from "../../../formats/mcap/bag/import.ts";
import { allFormats } from "../../input/formats.ts";
import { budgeted, budgetOf, bundleNamed, type ReadOptions } from "../../input/recordings.ts";
import { findingToPlain, tellFindings } from "../../output/findings.ts";
import { report } from "../../output/report.ts";
import { inDialect, type TargetOptions, writes } from "../../output/target.ts";
import { targetOf } from "../../output/target-of.ts";
import { EXIT } from "../../run/failure.ts";
import { counted, grouped, Progress } from "../../run/terminal.ts";

interface McapOptions extends TargetOptions, ReadOptions {
  readonly json?: boolean;
}

export function addMcap(program: Command): void {
  writes(
    budgeted(program.command("mcap"))
      .summary("an MCAP file of a ROS 1 bag")
      .description(
        "Writes all messages of a ROS 1 bag (version 2.0) as an MCAP file, which every command then opens: payloads, times, topics, types, definitions, and what connections state. Bags that were never closed, are cut or damaged give what is left of them. Exit 3: something was lost.",
      )
      .argument("<bag>", "path, URL, one in S3, or - for standard input")
      .argument("[output]", "where to write"),
  )
    .option("--dialect <name>", "zstd, plain or unchunked; by default zstd")
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape mcap drive.bag -o drive.mcap\n  $ simtape mcap drive.bag drive.mcap --json",
    )
    .action(async (name: string, output: string | undefined, options: McapOptions) => {
      const target = await targetOf(output, options, name);
      const bundle = await bundleNamed(name, options);
      const source = await bundle.open();
      if (source === null) throw new SourceError("failed", `nothing there: ${name}`);
      const progress = new Progress("converting");
      try {
        const budget = budgetOf(options);
        const found = new Findings();
        const done = await held(target.sink, async (files) => {
          const { dialect } = options;
          const onProgress = (at: number, size: number): void => progress.show(at, size);
          const made = await inDialect(dialect, importBag(source, files, found, { budget, dialect, onProgress }));
          await using written = await readBack(openBundle(files.written, allFormats(), { budget }));
          const counts = await written.statistics();
          const messages = counts.reduce((sum, one) => sum + one.messages, 0);
          if (messages !== made.messages) {
            const message = `${messages} of ${made.messages} messages can be read again: ${target.path}`;
            throw new RecordingError("malformed", message, { format: "mcap" });
          }
          return made;
        });
        progress.end();
        const findings = found.list();
        await report(
          target,
          options,
          { ...done, findings: findings.map(findingToPlain) },
          tell(target.path, done, findings),
        );
        const isLossy = findings.some(({ severity }) => severity === "loss" || severity === "damage");
        process.exitCode = isLossy ? EXIT.lossy : EXIT.done;
      } finally {
        progress.end();
        await source.close();
      }
    });
}

function tell(
  path: string,
  { messages, channels, chunks, isIndexed }: BagReport,
  findings: readonly Finding[],
): string[] {
  const packed = Object.entries(chunks).map(([compression, count]) => `${grouped(count)} ${compression}`);
  const of = packed.length === 0 ? "" : `; chunks of the bag: ${packed.join(", ")}`;
  const open = isIndexed ? "" : "; without an index";
  const first = `${path}: ${counted(messages, "message")} of ${counted(channels, "connection")}${of}${open}`;
  return [first, ...(findings.length === 0 ? [] : tellFindings(findings))];
}
