import { Command, CommanderError } from "commander";
import { FORMATS } from "../formats.ts";
import type { Format } from "../model/format.ts";
import { addCommands } from "./commands.ts";
import { begin, end, over } from "./run/ending.ts";
import { EXIT, failureOf, UsageError } from "./run/failure.ts";
import { takesFormatModules, useFormatModules } from "./input/formats.ts";
import { toJson } from "../model/values/json.ts";
import { Output, say, talk } from "./run/terminal.ts";
import { takesTimeout } from "./input/timeout.ts";
import { S3_HELP } from "./input/s3-help.ts";
import { hide } from "./run/secrets.ts";
import { version } from "./run/version.ts";

/** Carries out a command line; gives the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  process.exitCode = undefined;
  begin();
  // no scheme is longer: without the limit, a long word would take the square of its length
  for (const word of words) hide(/[a-z][a-z\d+.-]{0,40}:\/\/.*/is.exec(word)?.[0] ?? "");
  try {
    const completion = await completed(words);
    if (completion === null) await (await makeProgram(words)).parseAsync(words, { from: "user" });
    else process.stdout.write(completion);
    return await end(Number(process.exitCode ?? EXIT.done));
  } catch (error) {
    return await fail(error, words);
  } finally {
    await over();
  }
}

async function makeProgram(words: readonly string[]): Promise<Command> {
  await useFormatModules(words);
  const program = new Command("simtape");
  program
    .description(`Opens, converts, repairs and replays simulation recordings: ${namesOf(FORMATS)}.`)
    .version(version(), "-V, --version")
    .showHelpAfterError("(add --help for the options)")
    .exitOverride()
    .configureOutput({ writeErr: talk })
    .addHelpText("after", `\n${AFTER}`);
  takesTimeout(takesFormatModules(program));
  // the version alone needs no command
  if (!["-V", "--version"].includes(words[0] ?? "")) await addCommands(program, words[0]);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(add --help for the options)");
  // the scripts of other shells than bash, and the line in the help
  if (words[0] === "complete" || words.length < 2) (await import("@bomb.sh/tab/commander")).default(program);
  return program;
}

/** What `simtape complete` prints for bash, and for a command line behind `--`; null: something else is asked for. */
async function completed(words: readonly string[]): Promise<string | null> {
  if (words[0] !== "complete" || (words[1] !== "bash" && words[1] !== "--")) return null;
  const { BASH, completions, toShell } = await import("./completion.ts");
  return words[1] === "bash" ? BASH : toShell(await completions(await makeProgram([]), words.slice(2)));
}

/** The page of the manual: see `npm run manual`. */
export async function manual(): Promise<string> {
  const { manualOf } = await import("./manual.ts");
  return manualOf(await makeProgram([]), AFTER);
}

const AFTER = `Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but data was lost or differs.\nResults go to standard output, everything else to standard error.\nShell completion: source <(simtape complete bash), also zsh, fish and powershell.\n\n${S3_HELP}`;

/** As in a sentence: "one, another and a third". */
function namesOf(formats: readonly Format[]): string {
  const names = formats.map(({ name }) => name);
  // `Intl.ListFormat` takes tens of milliseconds to load
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}

/** How a command ends that came to nothing: one line on standard error, with `--json` an object on standard output too. */
export async function fail(error: unknown, words: readonly string[]): Promise<number> {
  // help and version were asked for
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const failure = failureOf(error);
  if (failure.code === "internal") {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    talk(`simtape: a fault of simtape itself, please report it: ${stack}\n`);
  } else if (!(error instanceof CommanderError)) say(`simtape: ${failure.message}`);
  if (error instanceof UsageError && error.excerpt !== null) talk(`${error.excerpt}\n`);
  if (isForPrograms(words)) {
    const output = new Output();
    await output.line(toJson({ error: failure }));
    await output.flush();
  }
  return failure.exit;
}

/** Whether what a command line prints is JSON; one that is wrong tells so itself. */
function isForPrograms(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  return options.some(
    (word, i) => /^--(json|format=ndjson)$/.test(word) || (word === "ndjson" && options[i - 1] === "--format"),
  );
}
