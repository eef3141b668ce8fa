import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT, Output, say, toJson } from "simtape/command";
import { versionList } from "../scene/versions.ts";
import { VERSION } from "./place.ts";

/** Adds the command `demo`. */
export function addDemo(program: Command): void {
  program
    .command("demo")
    .summary("a game with players that is recorded, and its replays")
    .description(
      "Starts a game server, players who run about and build, a recording proxy before it and a replay server: all on this machine, and none of it needs Minecraft. Ends with Ctrl+C.\nThe game server and the players are flying-squid and mineflayer, which are installed apart.",
    )
    .option("--store <folder>", "folder for the recordings, default: a new temporary one")
    .option("--json", "print the addresses as one JSON object")
    .addHelpText("after", "\nExamples:\n  $ simtape-mc demo\n  $ simtape-mc demo --store recordings")
    .action(async ({ store: named, json }: { readonly store?: string; readonly json?: true }) => {
      const store = named ?? (await mkdtemp(join(tmpdir(), "simtape-mc-demo-")));
      const { Demo } = await import("./demo.ts");
      const demo = await Demo.start(store, (text) => say(`simtape-mc: ${text}`));
      const output = new Output();
      if (json === true) await output.line(toJson({ game: demo.game, replays: demo.replays, store }));
      else {
        await output.line(`game     ${demo.game}    for clients of ${VERSION}: what you do is recorded`);
        await output.line(`replays  ${demo.replays}    for clients of ${versionList("and")}`);
        await output.line(`viewer   simtape view ${store} --open`);
      }
      await output.flush();
      say("Ctrl+C ends");
      await interrupted();
      await demo.close();
      process.exitCode = EXIT.done;
    });
}

/** Settles on Ctrl+C or SIGTERM. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
