import type { Command } from "commander";
import type { Store } from "simtape";
import { EXIT, Output, say, storeAt, toJson } from "simtape/serving";
import { versionList } from "../scene/versions.ts";

interface Flags {
  readonly force?: boolean;
  readonly json?: true;
}

interface ImportFlags extends Flags {
  readonly worlds?: string;
  readonly worldId?: string;
  readonly worldVersion?: string;
}

interface ExportFlags extends Flags {
  readonly worlds?: string;
  readonly version: string;
}

/** Adds `import` and `export`. */
export function addMcpr(program: Command): void {
  program
    .command("import")
    .summary("make an HCRP recording of a .mcpr")
    .description(
      "Makes an HCRP recording of a .mcpr, as ReplayMod and ServerReplay write it. Every packet is accounted for: in the\nrecording, or named and counted.",
    )
    .argument("<in.mcpr>")
    .argument("<out.hcrp>")
    .option("--force", "overwrite an existing file")
    .option("--worlds <store>", "keep the chunks of the world in this folder or s3://bucket/prefix")
    .option("--world-id <uuid>", "of the world; else always the same one of a server")
    .option("--world-version <text>", "of the world; else one of this file")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc import run.mcpr run.hcrp\n  $ simtape-mc import run.mcpr recordings/run.hcrp --worlds recordings",
    )
    .action(async (input: string, output: string, { json, force = false, worlds, ...world }: ImportFlags) => {
      const { importMcpr } = await import("./import.ts");
      const report = await importMcpr(input, output, { force, ...world, worlds: storeOf(worlds) });
      const out = new Output();
      const left = [...report.tally].filter(([, { left: count }]) => count > 0);
      if (json === true) {
        await out.line(toJson({ ...report, tally: Object.fromEntries(report.tally) }));
      } else {
        const carried = [...report.tally.values()].reduce((sum, { carried: count }) => sum + count, 0);
        await out.line(
          `${output}: ${report.ticks} ticks of ${report.version}; ${carried} of ${report.packets} packets carried, ${report.marks} marks`,
        );
        if (report.world !== null)
          await out.line(`  world ${report.world.id}, version ${report.world.version}: ${report.world.chunks} chunks`);
        for (const [name, { left: count }] of left.sort(([, a], [, b]) => b.left - a.left))
          await out.line(`  not carried: ${count} × ${name}`);
        const stray = [...report.tally.values()].reduce((sum, { stray: count }) => sum + count, 0);
        if (stray > 0) await out.line(`  of things that are not there: ${stray}`);
        if (report.refused !== null)
          await out.line(`  refused by the recorder: ${report.refused.count}, the first: ${report.refused.first}`);
        if (report.unread > 0) await out.line(`  not understood: ${report.unread}`);
      }
      await out.flush();
      if (report.damage !== null) say(`simtape-mc: ${report.damage}; what comes before it is in ${output}`);
      const isWhole = report.damage === null && report.unread === 0 && report.refused === null;
      process.exitCode = isWhole ? EXIT.done : EXIT.lossy;
    });

  program
    .command("export")
    .summary("make a .mcpr of an HCRP recording")
    .description(
      "Makes a .mcpr of an HCRP recording, for ReplayMod: all that a spectator is shown, over its world or over nothing.",
    )
    .argument("<in.hcrp>")
    .argument("<out.mcpr>")
    .option("--version <v>", `of the game: ${versionList()}`, "1.21.4")
    .option("--force", "overwrite an existing file")
    .option("--worlds <store>", "folder or s3://bucket/prefix with the world below it; its chunks go into the file")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc export run.hcrp run.mcpr --version 1.16.5\n  $ simtape-mc export recordings/run.hcrp run.mcpr --worlds recordings",
    )
    .action(async (input: string, output: string, { version, json, force = false, worlds }: ExportFlags) => {
      const { exportMcpr } = await import("./export.ts");
      const report = await exportMcpr(input, output, version, { force, worlds: storeOf(worlds) });
      const out = new Output();
      if (json === true) await out.line(toJson(report));
      else {
        await out.line(
          `${output}: ${report.packets} packets of ${version}, ${report.marks} marks, ${report.chunks} chunks`,
        );
      }
      await out.flush();
      if (report.leftOut > 0) say(`simtape-mc: ${report.leftOut} chunks that are farther away are left out`);
      if (worlds !== undefined && report.chunks === 0)
        say("simtape-mc: the world of this recording is not in the store");
      for (const name of report.unknown) say(`simtape-mc: ${version} has no ${name}: something else stands for it`);
      process.exitCode = report.unknown.length + report.leftOut === 0 ? EXIT.done : EXIT.lossy;
    });
}

function storeOf(worlds: string | undefined): Store | undefined {
  return worlds === undefined ? undefined : storeAt(worlds);
}
