import type { Command } from "commander";
import { UsageError } from "../run/failure.ts";

/** Which uses of a command an option is for, by the name under which commander keeps the option. */
export type OptionUses = Readonly<Record<string, readonly string[]>>;

/**
 * Throws `UsageError` if the command line gives an option that is for other uses than the present ones. Defaults and the
 * environment do not count. `said` names a list of uses, as `--from nanover`.
 */
export function mustFitUses(
  command: Command,
  options: OptionUses,
  present: readonly string[],
  said: (uses: readonly string[]) => string,
): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const uses = options[name];
    if (uses === undefined || command.getOptionValueSource(name) !== "cli") continue;
    if (!uses.some((use) => present.includes(use)))
      throw new UsageError(`${option.long ?? option.flags} is for ${said(uses)}, not for ${said(present)}`);
  }
}
