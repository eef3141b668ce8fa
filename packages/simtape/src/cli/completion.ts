import { stat } from "node:fs/promises";
import type { Command, Option } from "commander";
import type { Recording } from "../model/recording.ts";
import { allFormats } from "./input/formats.ts";
import { withRecording } from "./input/with-recording.ts";

/** What may stand at the end of a command line. */
export interface Completions {
  /** Words, with what they mean. */
  readonly words: readonly (readonly [word: string, meaning: string])[];
  /** Names of files may stand there, too. */
  readonly files: boolean;
}

/** Bytes of a recording that is opened for the names in it: a user waits. */
const LARGEST = 64 << 20;

/** What completes the last of the words behind the program's name. */
export async function completions(program: Command, words: readonly string[]): Promise<Completions> {
  const cur = words.at(-1) ?? "";
  let command = program;
  const files: string[] = [];
  let open: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (open !== undefined) open = undefined;
    else if (word.startsWith("-")) open = optionCalled(word, command, program);
    else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner === undefined) files.push(word);
      else command = inner;
    }
  }
  const { words: found, files: areFiles } = await candidates(program, command, open, cur, files);
  return { words: found.filter(([word]) => word.startsWith(cur)), files: areFiles };
}

async function candidates(
  program: Command,
  command: Command,
  open: Option | undefined,
  cur: string,
  files: readonly string[],
): Promise<Completions> {
  if (open !== undefined) return valuesOf(open, files);
  if (cur.startsWith("-")) {
    const options = [...command.options, ...(command === program ? [] : program.options)];
    return plain(options.map(({ long, short, description }) => [long ?? short ?? "", description]));
  }
  if (command.commands.length > 0)
    return plain(command.commands.map((one) => [one.name(), one.summary() || one.description()]));
  const argument = command.registeredArguments[files.length] ?? command.registeredArguments.at(-1);
  if (argument?.name() === "expression") return inside(files, (recording) => expressionsIn(recording, cur));
  if (argument?.name() === "format") return plain(allFormats().map(({ id, name }) => [id, name]));
  return { words: [], files: argument !== undefined };
}

/** The option that takes the next word. */
function optionCalled(word: string, command: Command, program: Command): Option | undefined {
  const option = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
  return option?.required === true ? option : undefined;
}

async function valuesOf(option: Option, files: readonly string[]): Promise<Completions> {
  if (option.argChoices !== undefined) return plain(option.argChoices.map((choice) => [choice, ""]));
  const value = /<([^>]*)>/.exec(option.flags)?.[1] ?? "";
  const name = option.attributeName();
  if (name === "to") return plain(allFormats().map(({ id, name: called }) => [id, called]));
  if (name === "channel" || name === "exclude")
    return inside(files, async ({ channels }) => channels.map((channel) => [channel.name, channel.schema.name]));
  if (name === "path" && value === "glob")
    return inside(files, async (recording) => {
      const { start, end } = await recording.timeline();
      const { sets, values } = await recording.state((start + end) / 2);
      return [
        ...[...sets.keys()].map((set) => [set, "set"] as const),
        ...[...values.keys()].map((path) => [path, ""] as const),
      ];
    });
  return { words: [], files: /file|folder|from|json/.test(value) };
}

function plain(words: Completions["words"]): Completions {
  return { words, files: false };
}

/** An expression that goes on with what the recording has: shells complete whole words, so the part before stays. */
async function expressionsIn(recording: Recording, cur: string): Promise<Completions["words"]> {
  const { completeExpression } = await import("../ask/complete.ts");
  const { words, from } = await completeExpression(recording, cur);
  return words.map((word) => [cur.slice(0, from) + word, ""]);
}

/** Names in the recording that is named on the line; nothing where it cannot be read soon. */
async function inside(
  files: readonly string[],
  names: (recording: Recording) => Promise<Completions["words"]>,
): Promise<Completions> {
  const [file] = files;
  if (file === undefined) return plain([]);
  try {
    const found = await stat(file);
    if (found.isFile() && found.size > LARGEST) return plain([]);
    return plain(await withRecording(file, {}, names));
  } catch {
    return plain([]);
  }
}

/** For the scripts of shells: a line for each word, and a last one that says whether files may stand there (0) or not (4). */
export function toShell({ words, files }: Completions): string {
  return [...words.map(([word, meaning]) => `${word}\t${meaning.replace(/\s+/g, " ")}`), `:${files ? 0 : 4}`, ""].join(
    "\n",
  );
}

/** Needs bash alone. Words are cut at blanks: `:` and `=` are parts of names, though bash takes them for ends of words. */
export const BASH: string = `# bash completion for simtape
_simtape() {
  local words cur out line breaks
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ "\${COMP_LINE:0:COMP_POINT}" == *" " ]] && words+=("")
  cur="\${words[\${#words[@]}-1]}"
  breaks="\${cur%"\${cur##*[:=]}"}"
  out="$(simtape complete -- "\${words[@]:1}" 2>/dev/null)"
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ -n "$line" && "$line" != :* ]] && COMPREPLY+=("\${line#"$breaks"}")
  done <<< "$out"
  [[ "$out" == *:4 ]] && compopt +o default +o bashdefault 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _simtape simtape
`;
