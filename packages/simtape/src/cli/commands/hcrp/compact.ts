import { type Command, InvalidArgumentError } from "commander";
import { dictionaryFile } from "../../../formats/hcrp/chunk/dictionary.ts";
import { hcrp } from "../../../formats/hcrp/format.ts";
import type { Finding } from "../../../model/error.ts";
import { compact, type CompactReport, isCompactionOf } from "../../../record/compact/compact.ts";
import { ghost } from "../../../record/compact/ghost.ts";
import { splits, statistics } from "../../../record/compact/visitors.ts";
import { zstdDictionaryId } from "../../../codec/zstd.ts";
import { collected } from "../../input/collected.ts";
import { dictionaryFrom } from "./dictionary.ts";
import { heed } from "../../run/ending.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { putNeeded } from "../../output/needed.ts";
import { byteSize, counted, Progress, say } from "../../run/terminal.ts";
import { commandPath } from "../../input/command-path.ts";
import { fixerFrom } from "./names.ts";
import { budgetOf, budgeted, bundleNamed, type ReadOptions } from "../../input/recordings.ts";
import { report } from "../../output/report.ts";
import { mustFit, type TargetOptions, writes } from "../../output/target.ts";
import { targetOf } from "../../output/target-of.ts";

interface CompactCommand extends TargetOptions, ReadOptions {
  readonly level?: number;
  readonly dictionary?: string;
  readonly names?: string;
  readonly repair?: boolean;
  readonly columns?: boolean;
  readonly analyse?: readonly string[];
  readonly json?: boolean;
}

/** Analyses by name. */
const ANALYSES = { statistics, splits, ghost } as const;

export function addCompact(program: Command): void {
  writes(
    budgeted(program.command("compact"))
      .summary("one small file of a finished HCRP recording")
      .description(
        "Merges the chunks of a finished HCRP recording into larger frames, drops superfluous snapshots, compresses again, and compares state and events with the source before the file gets its name. The same recording gives the same bytes; an output that already has them stays as it is. Exit 0: done; 3: done, but a repaired recording had lost chunks; 1: not finished, damaged or unreadable.",
      )
      .argument("<file>", "path, folder, URL, or - for standard input")
      .argument("[output]", "where to write"),
  )
    .option("--level <n>", "zstd level, 1 to 22", levelOf)
    .option("--columns", "a third smaller, but only for readers that know the column filter, such as simtape")
    .option("--dictionary <file>", "zstd dictionary to compress with, see simtape dictionary")
    .option(
      "--names <file>",
      "names of blocks, items … that changed: those of older data versions are brought up to date",
    )
    .option("--repair", "accept a recording that crashed or is damaged, leave out damaged chunks")
    .option(
      "--analyse <name>",
      `add to the metadata: ${Object.keys(ANALYSES).join(", ")} (may be given more than once)`,
      collected,
    )
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape compact live/ run.hcrp\n  $ simtape compact crashed/ run.hcrp --repair --analyse statistics --analyse splits",
    )
    .action(async (file: string, output: string | undefined, options: CompactCommand) => {
      const path = output ?? options.output;
      const isThere = path !== undefined && path !== "-" && (await commandPath(path).kind()) === "file";
      const dictionary = options.dictionary === undefined ? undefined : await dictionaryFrom(options.dictionary);
      const dictionaries = async (id: number): Promise<Uint8Array | null> =>
        dictionary !== undefined && zstdDictionaryId(dictionary) === id ? dictionary : null;
      const fixer = options.names === undefined ? undefined : await fixerFrom(options.names);
      const { columns = false } = options;
      const bundle = await bundleNamed(file);
      const existing = isThere && options.force !== true ? commandPath(path).source : null;
      // what is there may be what is asked for; anything else needs --force
      const isPresent =
        existing !== null && (await isCompactionOf(existing, bundle, dictionaries, columns, budgetOf(options)));
      const target = await targetOf(
        output,
        { ...options, force: isPresent || options.force === true, dialect: "v1" },
        file,
      );
      mustFit(target, hcrp);
      const names = options.analyse ?? [];
      const progress = new Progress("compacting");
      // it reads back what it wrote, more strictly than the gate of other commands
      const made = await compact(bundle, target.sink, {
        level: options.level,
        columns,
        dictionary,
        dictionaries,
        budget: budgetOf(options),
        fixer,
        repair: options.repair,
        visitors: names.map((name) => ANALYSES[analysisOf(name)]()),
        existing,
        onProgress: (done, total) => progress.show(done, total, (value) => counted(value, "chunk")),
      }).finally(() => progress.end());
      if (dictionary !== undefined) await putNeeded(dictionaryFile(dictionary), target);
      heed(file, { findings: lossesIn(made) });
      await report(target, options, { output: target.path, ...made }, tell(target.path, made));
      for (const name of made.unresolved) say(`simtape: ${name}`);
      process.exitCode = made.unresolved.length > 0 ? EXIT.lossy : EXIT.done;
    });
}

/** What a repaired recording had lost. */
function lossesIn({ losses, chunksLost, ticksLost }: CompactReport): Finding[] {
  const messages = losses.map((loss) => `left out ${loss}`);
  if (messages.length === 0 && chunksLost + ticksLost > 0)
    messages.push(`${counted(chunksLost, "chunk")} and ${counted(ticksLost, "tick")} are lost`);
  return messages.map((message) => ({ code: "left-out", severity: "loss", message }));
}

function tell(path: string, report: CompactReport): string[] {
  if (report.status === "present") return [`${path}: there already, made of generation ${report.generation}`];
  const { bytesBefore, bytesAfter } = report;
  const share = bytesBefore === 0 ? 0 : (bytesAfter / bytesBefore - 1) * 100;
  const change = `${Math.abs(share).toFixed(1)} % ${share > 0 ? "more" : "less"}`;
  const lines = [
    `${path}: ${byteSize(bytesBefore)} to ${byteSize(bytesAfter)} (${change}), ${counted(report.chunks, "chunk")} in ${counted(report.frames, "frame")}, ${counted(report.snapshotsDropped, "snapshot")} dropped`,
    `  ${counted(report.events, "event")} and the state at ${counted(report.hashesCompared, "chunk boundary", "chunk boundaries")} are the same`,
  ];
  if (report.chunksLost > 0 || report.ticksLost > 0)
    lines.push(
      `  lost: ${counted(report.chunksLost, "chunk")}, ${counted(report.ticksLost, "tick")}, ${counted(report.eventsLost, "readable event")}`,
    );
  return lines;
}

function levelOf(text: string): number {
  const level = Number(text);
  if (Number.isInteger(level) && level >= 1 && level <= 22) return level;
  throw new InvalidArgumentError("a whole number from 1 to 22");
}

function analysisOf(name: string): keyof typeof ANALYSES {
  if (name in ANALYSES) return name as keyof typeof ANALYSES;
  throw new UsageError(`no analysis ${JSON.stringify(name)}; there are ${Object.keys(ANALYSES).join(", ")}`);
}
