import { type Command, Option } from "commander";
import { copy, rewrite } from "../ops/copy.ts";
import { bringDictionary } from "./dictionary-beside.ts";
import { EXIT } from "./failure.ts";
import { toJson } from "./json.ts";
import { counted, Output } from "./output.ts";
import { bundleNamed, openNamed, reads, warnOfDamage } from "./recordings.ts";
import { formatOf, type TargetOptions, targetOf, writes, writingOf } from "./target.ts";

interface CopyOptions extends TargetOptions {
  readonly rewrite?: boolean;
  readonly dialect?: string;
  readonly compression?: "store" | "fast" | "small";
  readonly json?: boolean;
}

export function addCopy(program: Command): void {
  writes(
    reads(program.command("copy"))
      .summary("an exact copy, or the same messages laid out anew")
      .description("Copies a recording byte for byte, all its files; with --rewrite, lays the same messages out anew.")
      .argument("<file>", "path, folder or URL")
      .argument("[output]", "where to write"),
  )
    .option("--rewrite", "rebuild indexes and counts, join segments, change compression or dialect")
    .option("--dialect <name>", "with --rewrite: version or dialect of the format (see its README)")
    .addOption(new Option("--compression <how>", "with --rewrite").choices(["store", "fast", "small"]))
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape copy run.traj backup.traj\n  $ simtape copy flight.fgtape small.fgtape --rewrite --dialect continuous-compressed\n  $ simtape copy live/ run.hcrp --rewrite --dialect v1",
    )
    .action(async (file: string, output: string | undefined, options: CopyOptions) => {
      const target = await targetOf(output, options, file);
      const recording = await openNamed(file);
      try {
        const out = new Output();
        await bringDictionary(recording, target);
        const isAnew = options.rewrite === true || options.dialect !== undefined || options.compression !== undefined;
        if (isAnew) {
          const { dialect, compression } = options;
          const report = await rewrite(recording, await writingOf(formatOf(recording)), target.sink, {
            dialect,
            compression,
          });
          await out.line(
            options.json === true ? toJson(report) : `${target.path}: ${counted(report.messages, "message")}`,
          );
        } else {
          const report = await copy(recording, await bundleNamed(file), target.sink);
          if (options.json === true) await out.line(toJson(report));
          else for (const { name, bytes } of report.files) await out.line(`${name}: ${counted(bytes, "byte")}`);
        }
        await out.flush();
        warnOfDamage(recording, file);
        process.exitCode = EXIT.done;
      } finally {
        await recording.close();
      }
    });
}
