import type { Command } from "commander";
import { DEMOS } from "../demo/index.ts";
import { makeFolders } from "../io/node/folders.ts";
import { EXIT, UsageError } from "./failure.ts";
import { toJson } from "./json.ts";
import { Output } from "./output.ts";
import { isInS3, commandPath, under } from "./command-path.ts";
import { formatFor, targetOf } from "./target.ts";

export function addDemo(program: Command): void {
  program
    .command("demo")
    .summary("realistic recordings of any size, made by small simulations")
    .description(
      "Makes recordings with small simulations: one of each format, or of the one named. The same seed gives the same bytes.",
    )
    .argument("[format]", `${Object.keys(DEMOS).join(", ")}; absent: all`)
    .option("-o, --output <folder>", "where to put them", "demo")
    .option("--seconds <n>", "how long", "60")
    .option("--entities <n>", "how many atoms, vehicles, robots, aircraft or players")
    .option("--seed <n>", "which course things take", "1")
    .option("--force", "overwrite an existing file")
    .option("--json", "one JSON object per recording")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape demo -o demo\n  $ simtape demo carla -o . --seconds 3600 --entities 200 --seed 7",
    )
    .action(
      async (
        name: string | undefined,
        options: Record<"output" | "seconds" | "seed", string> & { entities?: string; force?: boolean; json?: boolean },
      ) => {
        const ids = name === undefined ? Object.keys(DEMOS) : [demoFormat(name)];
        const seconds = positive("--seconds", options.seconds);
        const seed = positive("--seed", options.seed);
        commandPath(options.output);
        if (!isInS3(options.output)) await makeFolders(options.output);
        const out = new Output();
        for (const id of ids) {
          const { file, what, entities, load } = DEMOS[id]!;
          const path = under(options.output, file);
          const { sink, written } = await targetOf(path, { force: options.force === true });
          const { demo } = await load();
          const count = options.entities === undefined ? entities : positive("--entities", options.entities);
          await demo({ seconds, entities: count, seed }, sink);
          const made = await written.open();
          const bytes = await made?.size();
          await made?.close();
          await out.line(
            options.json === true
              ? toJson({ format: id, path, bytes, seconds, entities: count, seed })
              : `${path}: ${what}, ${seconds} s, ${bytes} bytes`,
          );
          await out.flush();
        }
        process.exitCode = EXIT.done;
      },
    );
}

/** Id of a format that there is a simulation of. Throws `UsageError`. */
function demoFormat(name: string): string {
  const { id } = formatFor(name, name);
  if (id in DEMOS) return id;
  throw new UsageError(`there is no simulation of ${id}; there are ${Object.keys(DEMOS).join(", ")}`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0)
    throw new UsageError(`${option} takes a positive number, not ${JSON.stringify(text)}`);
  return value;
}
