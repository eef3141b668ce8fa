import { realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, CommanderError } from "commander";
import { type FormatModule, formatFrom } from "../../format-module.ts";
import { FORMATS } from "../../formats.ts";
import type { Format } from "../../model/format.ts";
import { collected } from "./collected.ts";
import { UsageError } from "../run/failure.ts";

/** Real paths of the modules that were named, and all formats with those that they make. */
let modules: readonly string[] = [];
let formats: readonly Format[] = FORMATS;

/** Every format that this command knows: simtape's, then those of the modules that were named. */
export function allFormats(): readonly Format[] {
  return formats;
}

/** Real paths of the format modules that were named. */
export function formatModules(): readonly string[] {
  return modules;
}

/** Adds the option that names format modules to all commands of the program; `useFormatModules` heeds it. */
export function takesFormatModules(program: Command): Command {
  return program
    .option(
      "--format-module <file>",
      "JavaScript module of a format of another package; SIMTAPE_FORMAT_MODULES names more",
      collected,
    )
    .configureHelp({ showGlobalOptions: true });
}

/**
 * Loads the modules that a command line and the environment name: before there are any commands, as these have options of
 * formats. Throws `UsageError`.
 */
export async function useFormatModules(words: readonly string[]): Promise<void> {
  const fromEnvironment = (process.env["SIMTAPE_FORMAT_MODULES"] ?? "").split(delimiter).filter((path) => path !== "");
  modules = [...new Set([...fromEnvironment, ...namedIn(words)].map(realPath))];
  const made = [...FORMATS];
  for (const path of modules) made.push(await loaded(path, made));
  formats = made;
}

function namedIn(words: readonly string[]): readonly string[] {
  const command = takesFormatModules(new Command().exitOverride().configureOutput({ writeErr: () => undefined }));
  try {
    command.parseOptions([...words]);
  } catch (error) {
    // The program says what is wrong with them.
    if (!(error instanceof CommanderError)) throw error;
  }
  return command.opts<{ formatModule?: readonly string[] }>().formatModule ?? [];
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new UsageError(`no format module there: ${path}`);
  }
}

/** Throws `UsageError` for what is no format module, and for a format that is there already. */
async function loaded(path: string, others: readonly Format[]): Promise<Format> {
  let format: Format;
  try {
    format = await formatFrom((await import(pathToFileURL(path).href)) as FormatModule, path);
  } catch (error) {
    throw new UsageError(`the format module cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (others.some(({ id }) => id === format.id))
    throw new UsageError(`there is a format ${JSON.stringify(format.id)} already: ${path}`);
  return format;
}
