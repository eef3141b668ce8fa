import type { Command } from "commander";
import type { Store } from "simtape";
import { storeAt } from "simtape/serving";
import { EXIT, Output, say, toJson } from "simtape/command";
import type { Lost } from "./import.ts";
import { versionList } from "../scene/versions.ts";

interface Flags {
  readonly force?: boolean;
  readonly json?: true;
}

interface ImportFlags extends Flags {
  readonly version?: string;
  readonly worlds?: string;
  readonly worldId?: string;
  readonly worldVersion?: string;
}

interface ExportFlags extends Flags {
  readonly worlds?: string;
  readonly version: string;
}

/** Adds the commands `import` and `export`. */
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
    .option("--version <v>", "version of the game, when a damaged file no longer says it")
    .option("--worlds <store>", "store the chunks of the world in this folder or s3://bucket/prefix")
    .option(
      "--world-id <uuid>",
      "id of the world (default: from an export of simtape, or made from the name of the server)",
    )
    .option("--world-version <text>", "version of the world (default: made from this file)")
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
        const unknown = [...report.tally.values()].reduce((sum, { unknown: count }) => sum + count, 0);
        if (unknown > 0) await out.line(`  about things that are not there: ${unknown}`);
        if (report.refused !== null)
          await out.line(`  refused by the recorder: ${report.refused.count}, the first: ${report.refused.first}`);
        if (report.unread > 0) await out.line(`  not understood: ${report.unread}`);
      }
      await out.flush();
      for (const { message } of report.findings) say(`simtape-mc: ${message}`);
      if (report.lost !== null) say(`simtape-mc: ${lostText(report.lost, report.milliseconds)}`);
      const isWhole = report.damage === null && report.unread === 0 && report.refused === null;
      process.exitCode = isWhole ? EXIT.done : EXIT.lossy;
    });

  program
    .command("export")
    .summary("make a .mcpr of an HCRP recording")
    .description(
      "Makes a .mcpr of an HCRP recording, for ReplayMod: everything that a spectator sees, over its world or over an empty one.",
    )
    .argument("<in.hcrp>")
    .argument("<out.mcpr>")
    .option("--version <v>", `version of the game: ${versionList()}`, "1.21.4")
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

function lostText({ kept, written, milliseconds }: Lost, until: number): string {
  const of = written === null ? "" : ` of ${written}`;
  const behind = milliseconds === null || milliseconds === 0 ? "" : `; ${seconds(milliseconds)} behind it are lost`;
  return `${kept}${of} bytes of packets were taken apart, up to ${seconds(until)}${behind}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}

function storeOf(worlds: string | undefined): Store | undefined {
  return worlds === undefined ? undefined : storeAt(worlds);
}
