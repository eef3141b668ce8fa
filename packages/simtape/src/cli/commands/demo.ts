import type { Command } from "commander";
import type { SinkBundle } from "../../io/sink/sink.ts";
import { allFormats } from "../input/formats.ts";
import { makeFolders } from "../../io/node/folders.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { gated, soundAs } from "../output/gated.ts";
import { toJson } from "../../model/values/json.ts";
import { Output } from "../run/terminal.ts";
import { isInS3, commandPath, under } from "../input/command-path.ts";
import { targetOf } from "../output/target-of.ts";
import { formatFor } from "../input/format-of.ts";

/** The module of the simulations. */
const MODULE = "simtape-demo";

/** What that module has: a simulation for each format. */
type Demos = Readonly<
  Record<
    string,
    {
      readonly file: string;
      readonly what: string;
      readonly entities: number;
      readonly worlds?: readonly {
        readonly file: string;
        readonly load: () => Promise<(options: DemoOptions) => Uint8Array | Promise<Uint8Array>>;
      }[];
      readonly load: () => Promise<{ readonly demo: (options: DemoOptions, to: SinkBundle) => Promise<void> }>;
    }
  >
>;

interface DemoOptions {
  readonly seconds: number;
  readonly entities: number;
  readonly seed: number;
}

export function addDemo(program: Command): void {
  program
    .command("demo")
    .summary("realistic recordings of any size, made by small simulations")
    .description(
      "Makes recordings with small simulations: one of each format that has a simulation, or of the format named. Files that show its world lie beside each. The same seed gives the same bytes.",
    )
    .argument(
      "[format]",
      `${allFormats()
        .map(({ id }) => id)
        .join(", ")}; absent: all`,
    )
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
        const demos = await simulations();
        const ids = name === undefined ? Object.keys(demos) : [demoFormat(name, demos)];
        const seconds = positive("--seconds", options.seconds);
        const seed = positive("--seed", options.seed);
        commandPath(options.output);
        if (!isInS3(options.output)) await makeFolders(options.output);
        const out = new Output();
        for (const id of ids) {
          const { file, what, entities, worlds = [], load } = demos[id]!;
          const path = under(options.output, file);
          const target = await targetOf(path, { force: options.force === true });
          const { demo } = await load();
          const count = options.entities === undefined ? entities : positive("--entities", options.entities);
          const chosen = { seconds, entities: count, seed };
          target.before(async () => {
            for (const world of worlds) await target.put(world.file, await (await world.load())(chosen), target.force);
            return undefined;
          });
          await gated(target, {}, (to) => demo(chosen, to), soundAs());
          const bytes = target.files.get(target.main);
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

/** The simulations, by the id of their format. Throws `UsageError` where their package is not installed. */
async function simulations(): Promise<Demos> {
  try {
    return ((await import(MODULE)) as { readonly DEMOS: Demos }).DEMOS;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(
      "the simulations are a package of their own: npm install simtape-demo (with -g where simtape was installed so)",
    );
  }
}

/** Id of a format that there is a simulation of. Throws `UsageError`. */
function demoFormat(name: string, demos: Demos): string {
  const { id } = formatFor(name, name);
  if (id in demos) return id;
  throw new UsageError(`there is no simulation of ${id}; there are ${Object.keys(demos).join(", ")}`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0)
    throw new UsageError(`${option} takes a positive number, not ${JSON.stringify(text)}`);
  return value;
}
