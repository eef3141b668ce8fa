import type { Command } from "commander";
import { Output, UsageError } from "simtape/command";
import { flagOf, type Given, SETTINGS, type Settings, SettingsError, settingsOf, shownSettings } from "./settings.ts";

/** Flags by the names that commander gives them: those of `SETTINGS`, and those that all these commands share. */
export interface Flags extends Record<string, string | boolean | undefined> {
  readonly config?: string;
  readonly printConfig?: boolean;
}

/** Adds a flag for each setting, or for the named ones, and a flag for a file of settings. */
export function configured(command: Command, names?: readonly (keyof Settings)[]): Command {
  for (const [name, { help, environment, isSecret }] of Object.entries(SETTINGS)) {
    if (name === "store" || names?.includes(name as keyof Settings) === false) continue;
    // every user of the machine can see the command line
    const where = isSecret === true ? `; better ${environment[0]}` : "";
    command.option(`${flagOf(name)} <value>`, `${help}${where}`);
  }
  command.option("--config <file>", 'file with settings as JSON, such as {"publicOrigin": "https://…"}');
  if (names === undefined) command.option("--print-config", "print the settings without secrets, and exit");
  return command;
}

/** Throws `UsageError` for an invalid setting. */
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
