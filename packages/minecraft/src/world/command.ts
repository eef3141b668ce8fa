import type { Command } from "commander";
import { storeAt } from "simtape/serving";
import { EXIT, Output, say, toJson, UsageError } from "simtape/command";
import { worldId, worldVersion } from "./names.ts";

interface Flags {
  readonly store: string;
  readonly id?: string;
  readonly version?: string;
  readonly json?: true;
}

interface ImportFlags extends Flags {
  readonly id: string;
  readonly version: string;
  readonly dimension?: string;
  readonly replace?: true;
}

/** Most rows of damage that are printed. */
const MOST_ROWS = 50;
const DIMENSION = /^([\w-][\w.-]{0,99}:)?[\w-][\w.-]{0,99}(\/[\w-][\w.-]{0,99}){0,7}$/;

/** Adds the commands `world import`, `world list` and `world check`. */
export function addWorld(program: Command): void {
  const world = program
    .command("world")
    .summary("keep the worlds that recordings were made in")
    .description("Keeps the worlds that recordings were made in: each chunk once, by content, beside the recordings.");

  world
    .command("import")
    .summary("put the chunks of a world of the game into a store")
    .description(
      "Puts the chunks of a world of the game into a store, from its folder or from a folder of region files (r.X.Z.mca), since 1.13.\nDamaged chunks are named and left out; the exit code is 3 then.",
    )
    .argument("<folder>", "folder of the world, or of region files")
    .requiredOption("--store <store>", "folder of the recordings, or s3://bucket/prefix")
    .requiredOption("--id <uuid>", "id of the world, as recordings name it")
    .requiredOption(
      "--version <text>",
      "version of the world, as recordings name it: 16 bytes as hexadecimal digits, or a short name",
    )
    .option(
      "--dimension <name>",
      "dimension of a folder of region files (default: as its path says); for a world: import only this dimension",
    )
    .option("--replace", "replace chunks of that version in the store (default: keep them)")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc world import server/world --store recordings --id 5ba7a26a-0e4d-4b9c-8155-0123456789ab --version spring\n  $ simtape-mc world import world/dimensions/moon/far/region --dimension moon:far --store recordings --id 5ba7a26a-0e4d-4b9c-8155-0123456789ab --version spring",
    )
    .action(async (folder: string, { store, id, version, dimension, replace, json }: ImportFlags) => {
      const name = { id: worldId(id), version: worldVersion(version) };
      const { importWorld } = await import("./folder.ts");
      const options = { dimension: qualified(dimension), replaces: replace };
      const report = await importWorld(folder, storeAt(store), name, options);
      const output = new Output();
      if (json === true) await output.line(toJson(report));
      else {
        await output.line(
          `${report.id}, version ${report.version}: ${report.chunks} chunks, ${report.added} of them new`,
        );
        for (const [of, count] of Object.entries(report.dimensions)) await output.line(`  ${of}: ${count}`);
        if (report.unfinished > 0) await output.line(`  not finished by the game: ${report.unfinished}`);
      }
      await output.flush();
      for (const { file, x, z, reason } of report.damaged.slice(0, MOST_ROWS))
        say(`simtape-mc: ${file}: ${x === null ? "all" : `chunk ${x}, ${z}`} left out: ${reason}`);
      if (report.damaged.length > MOST_ROWS) say(`simtape-mc: … and ${report.damaged.length - MOST_ROWS} more`);
      process.exitCode = report.damaged.length === 0 ? EXIT.done : EXIT.lossy;
    });

  world
    .command("list")
    .summary("list the worlds of a store")
    .description("Lists the versions of the worlds in a store, with their chunks by dimension.")
    .requiredOption("--store <store>", "folder of the recordings, or s3://bucket/prefix")
    .option("--json", "print JSON, a world a line")
    .addHelpText("after", "\nExample:\n  $ simtape-mc world list --store recordings")
    .action(async ({ store, json }: Flags) => {
      const { chunksOf, worldsIn } = await import("./worlds.ts");
      const output = new Output();
      const at = storeAt(store);
      for (const name of await worldsIn(at)) {
        const found = await chunksOf(at, name);
        const counts = Object.entries(found.dimensions).map(([of, count]) => `${of} ${count}`);
        await output.line(json === true ? toJson(found) : `${name.id}  ${shown(name.version)}  ${counts.join(", ")}`);
      }
      await output.flush();
      process.exitCode = EXIT.done;
    });

  world
    .command("check")
    .summary("check that the worlds of a store are complete")
    .description(
      "Checks that every chunk that a store names exists and has its SHA-256. Prints the others; the exit code is 3 then.\nRemove what it names, and import again.",
    )
    .requiredOption("--store <store>", "folder of the recordings, or s3://bucket/prefix")
    .option("--id <uuid>", "only this world")
    .option("--version <text>", "only this version")
    .option("--json", "print JSON, a problem a line")
    .addHelpText("after", "\nExample:\n  $ simtape-mc world check --store recordings")
    .action(async ({ store, json, ...wanted }: Flags) => {
      const { problemsOf, worldsIn } = await import("./worlds.ts");
      const at = storeAt(store);
      const id = wanted.id === undefined ? null : worldId(wanted.id);
      const version = wanted.version === undefined ? null : worldVersion(wanted.version);
      const worlds = (await worldsIn(at)).filter(
        (of) => of.id === (id ?? of.id) && of.version === (version ?? of.version),
      );
      if (worlds.length === 0) throw new UsageError(`no such world in ${store}`);
      const output = new Output();
      let count = 0;
      for (const name of worlds)
        for await (const problem of problemsOf(at, name)) {
          count++;
          await output.line(json === true ? toJson({ ...name, ...problem }) : problem.message);
        }
      await output.flush();
      say(count === 0 ? "all is whole" : `problems: ${count}`);
      process.exitCode = count === 0 ? EXIT.done : EXIT.lossy;
    });
}

/** The name that a version was made of, if it was. */
function shown(version: string): string {
  const text = Buffer.from(version.replace(/(00)+$/, ""), "hex").toString();
  return /^[\x20-\x7e]+$/.test(text) ? `${version} (${text})` : version;
}

/** In the form that recordings use; `UsageError` for a name that no world has. */
function qualified(dimension: string | undefined): string | undefined {
  if (dimension === undefined) return undefined;
  if (!DIMENSION.test(dimension))
    throw new UsageError(`--dimension is a name as minecraft:the_nether, not ${dimension}`);
  return dimension.includes(":") ? dimension : `minecraft:${dimension}`;
}
