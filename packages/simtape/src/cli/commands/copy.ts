import { type Command, Option } from "commander";
import { copyExactly, rewrite } from "../../ops/copy.ts";
import { bringNeeded } from "../output/needed.ts";
import { gated, soundAs } from "../output/gated.ts";
import { EXIT } from "../run/failure.ts";
import { counted, grouped, tellLost } from "../run/terminal.ts";
import { bringing, damageOf, keepBeside } from "../output/provenance.ts";
import { bundleNamed, openNamed, type ReadOptions, reads } from "../input/recordings.ts";
import { filesOf, report } from "../output/report.ts";
import { inDialect, mustFit, type TargetOptions, writes } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { endingFor, formatOf, writingOf } from "../input/format-of.ts";

interface CopyOptions extends TargetOptions, ReadOptions {
  readonly rewrite?: boolean;
  readonly compression?: "store" | "fast" | "small";
  readonly json?: boolean;
}

export function addCopy(program: Command): void {
  writes(
    reads(program.command("copy"))
      .summary("an exact copy, or the same messages laid out again")
      .description("Copies all files of a recording byte for byte; with --rewrite, lays out the same messages again.")
      .argument("<file>", "path, folder, URL, or - for standard input")
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
      const recording = await openNamed(file, options);
      try {
        const format = formatOf(recording);
        const { dialect, compression } = options;
        const bundle = await bundleNamed(file, options);
        const isRewritten = options.rewrite === true || dialect !== undefined || compression !== undefined;
        mustFit(target, format, isRewritten ? "" : endingFor(recording, bundle.name));
        const own = await bringing(target, file);
        keepBeside(target, async () => (isRewritten ? await damageOf(target, file, recording) : null) ?? own);
        await bringNeeded(recording, target);
        if (isRewritten) {
          const writing = await writingOf(format);
          const { messages, changed, lost } = await inDialect(
            dialect,
            gated(
              target,
              options,
              (to) => rewrite(recording, writing, to, { dialect, compression }),
              soundAs(recording),
            ),
          );
          const lines = changed.map(({ path, count }) => `  stored another way: ${path} (${grouped(count)})`);
          const first = `${target.path}: ${counted(messages, "message")}`;
          await report(target, options, { messages, changed, lost }, [first, ...lines, ...tellLost(lost)]);
          if (changed.length + lost.length > 0) process.exitCode = EXIT.lossy;
        } else {
          await copyExactly(recording, bundle, target.sink);
          const lines = filesOf(target).map(({ name, bytes }) => `${name}: ${counted(bytes, "byte")}`);
          await report(target, options, {}, lines);
        }
      } finally {
        await recording.close();
      }
    });
}
