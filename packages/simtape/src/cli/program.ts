import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { BudgetError } from "../bytes/budget.ts";
import { FORMATS } from "../formats.ts";
import { LockedError } from "../io/node/file-lock.ts";
import { SourceError } from "../io/source.ts";
import { StoreError } from "../io/store.ts";
import { RecordingError } from "../model/error.ts";
import type { Format } from "../model/reader.ts";
import { addCommands } from "./commands.ts";
import { begin, end, over } from "./ending.ts";
import { EXIT, UsageError } from "./failure.ts";
import { takesFormatModules, useFormatModules } from "./formats.ts";
import { say, talk } from "./output.ts";
import { S3_HELP } from "./s3-help.ts";
import { hide } from "./secrets.ts";

/** Carries out a command line; gives the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  process.exitCode = undefined;
  begin();
  for (const word of words) hide(/[a-z][a-z\d+.-]*:\/\/.*/is.exec(word)?.[0] ?? "");
  try {
    await (await makeProgram(words)).parseAsync(words, { from: "user" });
    return await end(Number(process.exitCode ?? EXIT.done));
  } catch (error) {
    return fail(error);
  } finally {
    await over();
  }
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

async function makeProgram(words: readonly string[]): Promise<Command> {
  await useFormatModules(words);
  const program = new Command("simtape");
  program
    .description(`One deck for every tape: ${namesOf(FORMATS)} recordings.`)
    .version(version(), "-V, --version")
    .showHelpAfterError("(add --help for the options)")
    .exitOverride()
    .configureOutput({ writeErr: talk })
    .addHelpText(
      "after",
      `\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 done but data was lost or differs.\nResults go to standard output, everything else to standard error.\nShell completion: source <(simtape complete bash), also zsh, fish and powershell.\n\n${S3_HELP}`,
    );
  takesFormatModules(program);
  await addCommands(program, words[0]);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(add --help for the options)");
  // says how to complete words in a shell, and completes them
  if (words[0] === "complete" || words.length < 2) (await import("@bomb.sh/tab/commander")).default(program);
  return program;
}

/** As in a sentence: "one, another and a third". */
function namesOf(formats: readonly Format[]): string {
  return new Intl.ListFormat("en-GB").format(formats.map(({ name }) => name));
}

/** What the system refused, in its own words. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** One line on standard error, and the exit code that goes with it. */
function fail(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof UsageError) {
    say(`simtape: ${error.message}`);
    return EXIT.usage;
  }
  if (
    RecordingError.is(error) ||
    error instanceof BudgetError ||
    error instanceof SourceError ||
    error instanceof StoreError ||
    error instanceof LockedError ||
    isOfSystem(error)
  ) {
    say(`simtape: ${error.message}`);
    return EXIT.failed;
  }
  talk(`simtape: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.failed;
}
