import type { Command } from "commander";
import { EXIT, Output, say, UsageError } from "simtape/serving";

interface ServeFlags {
  readonly port: string;
  readonly host?: string;
  readonly version?: string;
  readonly insecure?: true;
  readonly viewers: string;
}

/** Adds `serve`. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .summary("show recordings to clients of the game")
    .description(
      "Shows the recordings of a folder to normal clients of the game: a lobby, and any number of viewers on one clock.\nPrints its address. Ends with Ctrl+C.",
    )
    .argument("<store>", "folder of recordings")
    .requiredOption("--port <n>", "port; 0 takes one that is free")
    .option("--host <address>", "address to listen on; without --insecure all, else 127.0.0.1")
    .option("--version <v>", "the only version that clients may have; else 1.16.5 and 1.21.4")
    .option(
      "--insecure",
      "do not ask the session server who a client is: for this machine, or behind a proxy that has asked",
    )
    .option("--viewers <n>", "viewers at most", "100")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc serve recordings --port 25570\n  $ simtape-mc serve recordings --port 25570 --version 1.21.4 --insecure",
    )
    .action(async (store: string, { port, host, version, insecure, viewers }: ServeFlags) => {
      const { ReplayServer } = await import("./server.ts");
      const isInsecure = insecure === true;
      const server = await ReplayServer.listen({
        store,
        port: whole(port, "--port", 0, 65535),
        host: host ?? (isInsecure ? "127.0.0.1" : "0.0.0.0"),
        version,
        isInsecure,
        most: whole(viewers, "--viewers", 1, 10_000),
        report: say,
      });
      const output = new Output();
      await output.line(`${host ?? "127.0.0.1"}:${server.port}`);
      await output.flush();
      if (isInsecure) say("clients may take any name: --insecure is for this machine, or behind a proxy that asks");
      say("Ctrl+C ends");
      await interrupted();
      await server.close();
      process.exitCode = EXIT.done;
    });
}

function whole(text: string, option: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`${option} takes a whole number from ${least} to ${most}, not ${text}`);
  return value;
}

/** Settles with Ctrl+C or SIGTERM. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
