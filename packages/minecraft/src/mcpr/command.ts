import type { Command } from "commander";
import { EXIT, Output, say, toJson } from "simtape/serving";

interface Flags {
  readonly force?: boolean;
  readonly json?: true;
}

interface ExportFlags extends Flags {
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
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample:\n  $ simtape-mc import run.mcpr run.hcrp")
    .action(async (input: string, output: string, { json, force = false }: Flags) => {
      const { importMcpr } = await import("./import.ts");
      const report = await importMcpr(input, output, { force });
      const out = new Output();
      const left = [...report.tally].filter(([, { left: count }]) => count > 0);
      if (json === true) {
        await out.line(toJson({ ...report, tally: Object.fromEntries(report.tally) }));
      } else {
        const carried = [...report.tally.values()].reduce((sum, { carried: count }) => sum + count, 0);
        await out.line(
          `${output}: ${report.ticks} ticks of ${report.version}; ${carried} of ${report.packets} packets carried, ${report.marks} marks`,
        );
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
      "Makes a .mcpr of an HCRP recording, for ReplayMod: all that a spectator is shown, over an empty world.",
    )
    .argument("<in.hcrp>")
    .argument("<out.mcpr>")
    .option("--version <v>", "of the game: 1.16.5 or 1.21.4", "1.21.4")
    .option("--force", "overwrite an existing file")
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample:\n  $ simtape-mc export run.hcrp run.mcpr --version 1.16.5")
    .action(async (input: string, output: string, { version, json, force = false }: ExportFlags) => {
      const { exportMcpr } = await import("./export.ts");
      const report = await exportMcpr(input, output, version, { force });
      const out = new Output();
      if (json === true) await out.line(toJson(report));
      else await out.line(`${output}: ${report.packets} packets of ${version}, ${report.marks} marks`);
      await out.flush();
      for (const name of report.unknown) say(`simtape-mc: ${version} has no ${name}: something else stands for it`);
      process.exitCode = report.unknown.length === 0 ? EXIT.done : EXIT.lossy;
    });
}
