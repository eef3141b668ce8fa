import { join } from "node:path";
import type { Command } from "commander";
import { storeAt } from "simtape/serving";
import { EXIT, Output, say, UsageError } from "simtape/command";
import { versionList } from "../scene/versions.ts";
import { readKey } from "../tickets/key.ts";
import { PUBLIC, type Public } from "./access.ts";
import { isLoopback, reachable } from "./loopback.ts";

interface ServeFlags {
  readonly port: string;
  readonly host?: string;
  readonly version?: string;
  readonly insecure?: true;
  readonly viewers: string;
  readonly key?: string;
  readonly public?: string;
  readonly audit?: string;
  readonly worlds?: string;
  readonly server?: string;
}

/** Adds the command `serve`. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .summary("show recordings to clients of the game")
    .description(
      "Shows the recordings of a folder to normal clients of the game: a lobby, and any number of viewers on one clock.\nPrints its address. Ends with Ctrl+C.",
    )
    .argument("<store>", "folder of recordings")
    .requiredOption("--port <n>", "port; 0: any free port")
    .option("--host <address>", "address to listen on (default: all addresses; with --insecure 127.0.0.1)")
    .option("--version <v>", `the only version that clients may have; default: ${versionList("and")}`)
    .option(
      "--insecure",
      "do not verify clients at the session server: only for this machine, or behind a proxy on it that verifies them",
    )
    .option("--viewers <n>", "largest number of viewers", "100")
    .option(
      "--public <what>",
      "recordings that every player may open: off, own (those that the player is in) or all; default: all, with --key off",
    )
    .option("--key <file>", "accept tickets that this key has signed; simtape-mc ticket makes them")
    .option(
      "--audit <file>",
      "log of who saw what, one JSON object a line; with --key, the default is .replay/audit.jsonl in the store",
    )
    .option(
      "--worlds <store>",
      "folder or s3://bucket/prefix with the worlds below recordings (default: the folder of recordings)",
    )
    .option(
      "--server <url>",
      "server of a library with these recordings: staff get what viewers report, reviewers see what staff have marked; its token (read, report:trusted) is in SIMTAPE_SERVER_TOKEN",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc serve recordings --port 25570\n  $ simtape-mc serve recordings --port 25570 --version 1.21.4 --insecure\n  $ simtape-mc serve recordings --port 25570 --public own --key replay.key\n  $ simtape-mc serve recordings --port 25570 --worlds s3://replays\n  $ simtape-mc serve recordings --port 25570 --server https://tapes.example.org",
    )
    .action(
      async (store: string, { port, host, version, insecure, viewers, key, audit, worlds, ...flags }: ServeFlags) => {
        const { ReplayServer } = await import("./server.ts");
        const { Filing } = await import("./filing.ts");
        const isInsecure = insecure === true;
        const isPublic = publicOf(flags.public ?? (key === undefined ? "all" : "off"));
        const isGuarded = key !== undefined || isPublic !== "all";
        const server = await ReplayServer.listen({
          store,
          port: whole(port, "--port", 0, 65535),
          host: host ?? (isInsecure ? "127.0.0.1" : "0.0.0.0"),
          version,
          isInsecure,
          worlds: worlds === undefined ? undefined : storeAt(worlds),
          filing:
            flags.server === undefined
              ? undefined
              : new Filing(flags.server, process.env["SIMTAPE_SERVER_TOKEN"] || undefined, store),
          most: whole(viewers, "--viewers", 1, 10_000),
          access: {
            isPublic,
            key: key === undefined ? null : await readKey(key),
            audit: audit ?? (isGuarded ? join(store, ".replay", "audit.jsonl") : null),
          },
          report: say,
        });
        const output = new Output();
        const on = host ?? (isInsecure ? "127.0.0.1" : "0.0.0.0");
        await output.line(reachable(on, server.port));
        await output.flush();
        if (isInsecure)
          say(
            "clients may use any name: --insecure is only for this machine, or behind a proxy on it that verifies them",
          );
        else if (!isLoopback(on)) say(`it listens on ${on}: other machines connect to an address of this one`);
        say("Ctrl+C ends");
        await interrupted();
        await server.close();
        process.exitCode = EXIT.done;
      },
    );
}

function publicOf(text: string): Public {
  const found = PUBLIC.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--public is off, own or all, not ${text}`);
  return found;
}

function whole(text: string, option: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`${option} takes a whole number from ${least} to ${most}, not ${text}`);
  return value;
}

/** Settles on Ctrl+C or SIGTERM. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
