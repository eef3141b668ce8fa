import type { Command } from "commander";
import { Output, UsageError } from "simtape/serving";
import { flagOf, type Given, SETTINGS, type Settings, SettingsError, settingsOf, shownSettings } from "./settings.ts";

/** Flags by the names that commander gives them: those of `SETTINGS`, and of all these commands. */
export interface Flags extends Record<string, string | boolean | undefined> {
  readonly config?: string;
  readonly printConfig?: boolean;
}

/** Adds a flag for each setting, or for those that are named, and for a file of them. */
export function configured(command: Command, names?: readonly (keyof Settings)[]): Command {
  for (const [name, { help, environment, isSecret }] of Object.entries(SETTINGS)) {
    if (name === "store" || names?.includes(name as keyof Settings) === false) continue;
    // what is on a command line can be seen by all on the machine
    const where = isSecret === true ? `; better ${environment[0]}` : "";
    command.option(`${flagOf(name)} <value>`, `${help}${where}`);
  }
  command.option("--config <file>", "settings as JSON: the same names, as publicOrigin");
  if (names === undefined)
    command.option("--print-config", "print the settings that would be used, without secrets, and end");
  return command;
}

/** Throws `UsageError` for what has no meaning. */
export async function settingsFrom(store: string | undefined, flags: Flags): Promise<Settings> {
  try {
    return await settingsOf({ ...(flags as Given), ...(store === undefined ? {} : { store }) }, flags.config);
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.message) : error;
  }
}

export async function printed(settings: Settings): Promise<void> {
  const output = new Output();
  await output.lines(JSON.stringify(shownSettings(settings), null, 2).split("\n"));
  await output.flush();
}
