/** simtape-server/commands: the commands that this package adds to `simtape`. */
import { mkdir } from "node:fs/promises";
import type { Command } from "commander";
import { EXIT, Output, say, UsageError } from "simtape/command";
import { addBackupCommands } from "../backup/commands.ts";
import { configured, type Flags, printed, settingsFrom } from "../command-settings.ts";
import { addFind } from "../clients/find.ts";
import { addPush } from "../clients/push.ts";
import { limitNewSpace } from "./new-space.ts";
import { addUserCommands } from "../people/commands.ts";
import type { Node } from "./serve.ts";
import type { Settings } from "../settings.ts";

interface ServeFlags extends Flags {
  /** `true`: the folder is the default one. */
  readonly demo?: string | true;
}

/** Adds `serve`, `work`, `push`, `find`, `user`, `backup` and `restore`. */
export function addServerCommands(program: Command): void {
  configured(program.command("serve"))
    .summary("serve a library of recordings to a team, in the browser")
    .description(
      "Serves the recordings of a folder or bucket: finds, lists and searches them, and plays them in the browser.\nPrints its address. Needs no other program and changes no recording. Ctrl+C ends it.",
    )
    .argument("[store]", "folder of recordings, or s3://BUCKET/PREFIX")
    .option("--demo [folder]", "serve recordings of small simulations, which it makes in this folder (simtape-demo)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape serve recordings\n  $ simtape serve --demo\n  $ simtape serve recordings --from nanover=ws://127.0.0.1:38801\n  $ simtape serve recordings --into foxglove,nanover\n  $ simtape serve s3://tapes --database postgres://simtape@db/simtape --bus nats://bus:4222 --print-config",
    )
    .action(async (given: string | undefined, { demo, ...flags }: ServeFlags) => {
      if (demo !== undefined && given !== undefined)
        throw new UsageError(`--demo has a folder of its own: simtape serve --demo ${given}`);
      const store = demo === undefined ? given : demo === true ? "simtape-demo" : demo;
      if (demo !== undefined && store?.startsWith("s3://") === true) throw new UsageError("--demo takes a folder");
      const settings = await settingsFrom(store, flags);
      if (flags.printConfig === true) return printed(settings);
      if (demo !== undefined) await mkdir(settings.store, { recursive: true });
      const grown = limitNewSpace();
      const { serve } = await import("./serve.ts");
      const node = await serve(settings).catch(async (error: unknown) => {
        const { understood } = await import("./understood.ts");
        throw understood(error, settings);
      });
      grown();
      const output = new Output();
      await output.line(node.address);
      await output.flush();
      if (node.isOpen)
        say("all who reach this address are administrators; simtape user add NAME --role admin for accounts");
      say("Ctrl+C ends");
      const filling = new AbortController();
      if (demo !== undefined) void fill(settings, node, filling.signal);
      endsWith(() => {
        filling.abort();
        return node.close();
      });
      await node.ended;
      process.exitCode = EXIT.done;
    });

  configured(program.command("work"))
    .summary("do the jobs of a server in a separate process")
    .description(
      "Does the jobs of the server with the same --database and --bus, until Ctrl+C: indexing, exports, retention.",
    )
    .argument("[store]", "folder of recordings, or s3://BUCKET/PREFIX, the same as the server")
    .addHelpText(
      "after",
      "\nExample:\n  $ simtape work s3://tapes --database postgres://simtape@db/simtape --bus nats://bus:4222",
    )
    .action(async (store: string | undefined, flags: Flags) => {
      const settings = await settingsFrom(store, flags);
      if (flags.printConfig === true) return printed(settings);
      if (settings.database.startsWith("embedded:"))
        throw new UsageError("an embedded database belongs to one process: --database postgres://… is needed");
      const { workAlone } = await import("./work.ts");
      const worker = await workAlone(settings);
      say("doing jobs; Ctrl+C ends");
      endsWith(() => worker.stop());
      await worker.ended;
      process.exitCode = EXIT.done;
    });

  addPush(program);
  addFind(program);
  addUserCommands(program);
  addBackupCommands(program);
}

async function fill(settings: Settings, node: Node, signal: AbortSignal): Promise<void> {
  const { fillDemo } = await import("../demo/demo.ts");
  try {
    await fillDemo(settings, node, signal);
    say("the demo is complete");
  } catch (error) {
    if (!signal.aborted) say(`the demo is not complete: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The first signal ends it in order, a second signal at once. */
function endsWith(close: () => Promise<unknown>): void {
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (isEnding) process.exit(EXIT.failed);
      isEnding = true;
      void close();
    });
}
