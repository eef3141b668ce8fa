import type { Command } from "commander";
import { UsageError } from "../run/failure.ts";

/** Commands of the package `simtape-server`. */
export const SERVER_COMMANDS: readonly string[] = ["serve", "work", "user", "push", "find", "backup", "restore"];

/** The module of that package that adds them. */
const MODULE = "simtape-server/commands";

/** Adds the commands of the server; where it is not installed, some that say how to get it. */
export async function serverCommands(): Promise<(program: Command) => void> {
  try {
    const { addServerCommands } = (await import(MODULE)) as { addServerCommands: (program: Command) => void };
    return addServerCommands;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    const { addFind } = await import("./find.ts");
    return (program) => {
      addMissing(program);
      // without a server there still are folders
      addFind(program);
    };
  }
}

function addMissing(program: Command): void {
  for (const name of SERVER_COMMANDS.filter((one) => one !== "find"))
    program
      .command(name, { hidden: name !== "serve" })
      .summary("a library of recordings for a team (package simtape-server)")
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => {
        throw new UsageError(
          "the server is a package of its own: npm install simtape-server (with -g where simtape was installed so)",
        );
      });
}
