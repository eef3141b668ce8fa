/**
 * Changes one place of the sources at a time, and checks whether a test notices:
 * `tsx scripts/mutate.ts [COUNT] [--seed N] [--whole]`. A seed chooses the places. The tests that import the file run
 * first. If they notice nothing and `--whole` is given, all of `npm test` runs, and for files of the server its suite.
 * Prints a table, and restores each file. Exit 1: no test noticed one of the changes.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["packages/simtape/src", "packages/server/src", "packages/viewer/src"];
/** Files that other programs write. */
const GENERATED = /openapi\.ts$|\.d\.ts$/;
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{ "+": "-", "-": "+", "*": "/", "&&": "||", "||": "&&", "??": "&&" },
};
/** Nodes of types, of which no program runs anything. */
const TYPES = /^TS(?!As|NonNull|Satisfies|ParameterProperty)|^ImportDeclaration$/;

const MINUTES = 10;

interface Place {
  readonly file: string;
  readonly from: number;
  readonly until: number;
  readonly by: string;
}

const words = process.argv.slice(2);
const seedAt = words.indexOf("--seed");
const random = mulberry(seedAt < 0 ? 29 : Number(words.splice(seedAt, 2)[1]));
const isWhole = words.includes("--whole");
const count = Number(words.find((word) => !word.startsWith("--")) ?? 30);

if (spawnSync("git", ["diff", "--quiet", "HEAD", "--", ...FOLDERS], { cwd: root }).status !== 0) {
  console.error(
    "the sources have changes that are not committed: commit them first, because a killed run leaves its change in the sources",
  );
  process.exit(2);
}
const all = FOLDERS.flatMap(filesIn).flatMap(placesIn);
let unnoticed = 0;
console.log("| place | change | noticed by |\n|---|---|---|");
for (let n = 0; n < count; n++) {
  const place = all[Math.floor(random() * all.length)]!;
  const path = join(root, place.file);
  const text = readFileSync(path, "utf8");
  const restore = (): void => writeFileSync(path, text);
  const stop = (): void => {
    restore();
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  let by: string | null;
  try {
    writeFileSync(path, text.slice(0, place.from) + place.by + text.slice(place.until));
    by = noticedBy(place);
  } finally {
    restore();
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  if (by === null) unnoticed++;
  else if (by.endsWith(".ts") && !passes(by)) {
    console.error(`${by} also fails without the change: run npm run build, and repair the test first`);
    process.exit(2);
  }
  const line = text.slice(0, place.from).split("\n").length;
  const change = `${text.slice(place.from, place.until)} → ${place.by}`.replaceAll("|", "\\|");
  console.log(`| ${place.file}:${line} | \`${change}\` | ${by ?? "**nothing**"} |`);
}
console.log(`\n${count - unnoticed} of ${count} noticed`);
if (unnoticed > 0) process.exitCode = 1;

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !GENERATED.test(name))
    .map((name) => join(folder, name))
    .sort();
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly value?: unknown;
  readonly operator?: string;
  readonly left?: Node;
  readonly right?: Node;
}

/** Every operator, boolean and number of a file, with what replaces it. */
function placesIn(file: string): readonly Place[] {
  const text = readFileSync(join(root, file), "utf8");
  const found: Place[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) look(one);
    if (!isNode(node) || TYPES.test(node.type)) return;
    const { start, end, value, operator, left, right } = node;
    if (node.type === "Literal" && typeof value === "boolean")
      found.push({ file, from: start, until: end, by: String(!value) });
    if (node.type === "Literal" && typeof value === "number")
      found.push({ file, from: start, until: end, by: String(value + 1) });
    const by = OPERATORS[operator ?? ""];
    if (/^(?:Binary|Logical)Expression$/.test(node.type) && by !== undefined) {
      const from = text.indexOf(operator!, left!.end);
      if (from < right!.start) found.push({ file, from, until: from + operator!.length, by });
    }
    for (const child of Object.values(node)) look(child);
  };
  look(parseSync(file, text).program);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** The first test file that fails, or the compiler; null if none does. */
function noticedBy({ file }: Place): string | null {
  const [folder] = FOLDERS.filter((one) => file.startsWith(one));
  const project = join(folder!, "..", "tsconfig.json");
  if (spawnSync("npx", ["tsc", "-p", project, "--noEmit"], { cwd: root, stdio: "ignore" }).status !== 0)
    return "the compiler";
  const related = ["related", "--run", "--bail", "1", file];
  const runs = [related];
  if (isWhole && folder === "packages/server/src") runs.push([...related, "--mode", "server"]);
  if (isWhole) runs.push(["run", "--bail", "1"]);
  for (const run of runs) {
    const { status, stdout } = spawnSync("npx", ["vitest", ...run, "--reporter", "json"], {
      ...{ cwd: root, encoding: "utf8", maxBuffer: 1 << 30, timeout: MINUTES * 60_000 },
    });
    if (status === 0) continue;
    const failed = /"status":"failed"[^{}]*?"name":"([^"]+)"/.exec(stdout)?.[1];
    return failed === undefined ? "a run that ended early" : relative(root, failed);
  }
  return null;
}

function passes(test: string): boolean {
  return spawnSync("npx", ["vitest", "run", test], { cwd: root, stdio: "ignore" }).status === 0;
}

/** Mulberry32: the same numbers for the same seed. */
function mulberry(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let t = Math.imul(at ^ (at >>> 15), 1 | at);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
