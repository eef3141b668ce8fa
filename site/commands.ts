import { execFileSync } from "node:child_process";

/** A page with the help of every command of the program at `cli`, as it is printed. */
export function commandsPage(cli: string): string {
  const env = { ...process.env, COLUMNS: "100" };
  const parts = [
    "# Commands",
    "The help of every command, as `--help` prints it. [Commands and their output](/cli) describes what they print.",
  ];
  const add = (words: readonly string[]): void => {
    const help = execFileSync(process.execPath, [cli, ...words, "--help"], { encoding: "utf8", env });
    parts.push(`## ${["simtape", ...words].join(" ")}`, `\`\`\`text\n${help.trimEnd()}\n\`\`\``);
    const [, commands = ""] = help.split("\nCommands:\n");
    for (const [, name] of commands.matchAll(/^ {2}([a-z]\S*)/gm)) {
      if (name !== "help" && name !== "complete") add([...words, name!]);
    }
  };
  add([]);
  return `${parts.join("\n\n")}\n`;
}
