/**
 * Makes the kinds of lines into constants of the senders in C++ and Python. They stand between two comments in the only
 * file of each sender.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LINES } from "../packages/simtape/src/record/lines/commands.ts";

const FILES = fileURLToPath(new URL("../senders/", import.meta.url));

export function cppSender(): string {
  const constants = [...LINES.keys()].map((kind) => `inline constexpr const char* ${nameOf(kind)} = "${kind}";`);
  return withKinds("cpp/simtape.hpp", "//", constants);
}

export function pythonSender(): string {
  const constants = [...LINES.keys()].map((kind) => `    "${kind}",`);
  return withKinds("python/simtape_sender.py", "#", ["KINDS = (", ...constants, ")"]);
}

function nameOf(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
}

function withKinds(path: string, comment: string, lines: readonly string[]): string {
  const source = readFileSync(FILES + path, "utf8");
  const first = `${comment} kinds: made by \`npm run schemas\` of the lines that a recorder takes\n`;
  const last = `${comment} end of kinds\n`;
  const [from, to] = [source.indexOf(first), source.indexOf(last)];
  if (from < 0 || to < from) throw new Error(`${path}: expected "${first}" … "${last}", found no such lines`);
  return `${source.slice(0, from + first.length)}${lines.join("\n")}\n${source.slice(to)}`;
}
