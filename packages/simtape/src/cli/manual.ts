import type { Command, Option } from "commander";

/** The page of the manual, in roff, made of what `--help` says. */
export function manualOf(program: Command, after: string): string {
  const lines = [
    '.TH SIMTAPE 1 "" "simtape" "User Commands"',
    ".SH NAME",
    `simtape \\- ${roff(program.description().replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B simtape",
    "\\fIcommand\\fR [\\fIoptions\\fR]",
    ".SH COMMANDS",
    ...program.commands.filter((one) => one.name() !== "complete").flatMap((one) => commandLines(one, [])),
    ".SH OPTIONS OF ALL COMMANDS",
    ...program.options.flatMap(optionLines),
    ".SH NOTES",
    ...paragraphs(after),
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines(command: Command, above: readonly string[]): string[] {
  const path = [...above, command.name()];
  if (command.commands.length > 0) return command.commands.flatMap((inner) => commandLines(inner, path));
  const usage = command.usage();
  return [
    `.SS "simtape ${roff(path.join(" "))} ${roff(usage)}"`,
    ...paragraphs(command.description()),
    ...command.options.flatMap(optionLines),
  ];
}

function optionLines({ flags, description, argChoices }: Option): string[] {
  const choices = argChoices === undefined ? "" : ` (${argChoices.join(", ")})`;
  return [".TP", `.B ${roff(flags)}`, roff(`${description}${choices}`)];
}

function paragraphs(text: string): string[] {
  return text
    .trim()
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [".PP"] : [roff(line.trim())]));
}

/** Text in roff: no line of it is a request, and hyphens are those that are typed. */
function roff(text: string): string {
  const safe = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq");
  const plain = safe.replace(
    /[^\x20-\x7e]/gu,
    (letter) => `\\[u${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
