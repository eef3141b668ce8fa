import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { EXIT, failureOf, Output, say, toJson, UsageError } from "simtape/command";
import { addCommands } from "./commands.ts";

/** Runs a command line of `simtape-mc`; returns the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  const program = makeProgram();
  try {
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    return fail(error, words);
  }
}

function makeProgram(): Command {
  const program = new Command("simtape-mc");
  program
    .description("Minecraft's protocol for simtape: record players, replay to normal clients, race ghosts.")
    .version(version(), "-V, --version")
    .showHelpAfterError("(add --help for the options)")
    .exitOverride()
    // The --version of a command means the version of the game.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 done but data was lost or differs.\nResults go to standard output, everything else to standard error.",
    );
  addCommands(program);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(add --help for the options)");
  return program;
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Prints one line on standard error; with `--json`, also an object on standard output. */
async function fail(error: unknown, words: readonly string[]): Promise<number> {
  // the user asked for help or the version
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  // commander has printed the error
  const failure = failureOf(error instanceof CommanderError ? new UsageError(error.message) : error);
  if (failure.code === "internal")
    say(`simtape-mc: a fault of simtape itself, please report it: ${(error as Error).stack ?? failure.message}`);
  else if (!(error instanceof CommanderError)) say(`simtape-mc: ${failure.message}`);
  if (words.includes("--json")) {
    const output = new Output();
    await output.line(toJson({ error: failure }));
    await output.flush();
  }
  return failure.exit;
}
