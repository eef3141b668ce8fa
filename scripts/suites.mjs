/**
 * Runs the slow suites whose sources have changed since they passed. `.ci/passed.json`, which is committed, has a
 * digest of the sources of each suite. `--all` runs every suite, and so does the first commit of a day in CI. Names
 * choose suites: `node scripts/suites.mjs server site`. `--list` prints which would run. At the end the script repeats
 * what the failed suites printed about their failures.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PASSED = `${ROOT}.ci/passed.json`;

/** Files with which every suite is built and run. */
const TOOLS = ["package.json", "package-lock.json", "tsconfig.base.json", "scripts/build.mjs", "scripts/suites.mjs"];
/** Files of the library's tests that tests of other packages use. */
const SUPPORT = [
  "packages/simtape/test/support",
  "packages/simtape/test/*.ts",
  "packages/simtape/test/fixtures",
  "test/*.ts",
];
const LIBRARY = ["packages/simtape/src", "packages/simtape/package.json", "packages/demo/src", "packages/client/src"];

/** Relative paths of modules that a source imports. */
const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*"(\.{1,2}\/[^"]+)"/g;
const SOURCE = /\.[cm]?[jt]sx?$/;

/** Lines of a suite's output that say what failed, and why. */
const FAILURE = /^ *(FAIL|\S*Error|not ok|✗|×)[ :]/;

/** The command of each suite, and the paths of its sources. */
const SUITES = {
  queries: {
    command: "npm run test:queries",
    paths: [
      ...LIBRARY,
      ...SUPPORT,
      "packages/simtape/test/model",
      "packages/simtape/test/ask",
      "packages/simtape/test/compare",
      "packages/simtape/test/stats",
      "packages/simtape/test/race",
      "vitest.config.ts",
      "docs",
      "examples/*.*",
    ],
  },
  command: {
    command: "npm run test:command",
    paths: [
      ...LIBRARY,
      ...SUPPORT,
      "packages/simtape/test/cli",
      "packages/simtape/test/docs",
      "packages/server/src",
      "packages/viewer/src",
      "vitest.config.ts",
      "docs",
      "examples/*.*",
    ],
  },
  programs: {
    command: "npm run test:programs",
    paths: [
      ...LIBRARY,
      ...SUPPORT,
      "packages/simtape/test/export",
      "packages/simtape/test/lake",
      "packages/simtape/test/live",
      "packages/simtape/test/record",
      "packages/simtape/test/sql",
      "packages/simtape/test/io",
      "packages/simtape/test/docs/lake.test.ts",
      "packages/simtape/test/docs/sql.test.ts",
      "docs/lake.md",
      "docs/sql.md",
      "vitest.config.ts",
      "examples/*.*",
    ],
  },
  server: {
    command: "npm run test:server",
    paths: [
      ...LIBRARY,
      ...SUPPORT,
      "packages/server",
      "packages/viewer/src",
      "clients",
      "vitest.config.ts",
      "examples/*.*",
    ],
  },
  pages: {
    command: "npm run test:pages",
    paths: [
      ...LIBRARY,
      ...SUPPORT,
      "packages/viewer",
      "packages/server/src",
      "packages/server/test/pages.test.ts",
      "packages/server/test/support",
      "packages/simtape/test/browser",
      "vitest.config.ts",
      "examples",
    ],
  },
  faults: {
    command: "npm run test:faults",
    paths: [...LIBRARY, ...SUPPORT, "packages/simtape/test", "senders", "vitest.config.ts", "examples/*.*"],
  },
  minecraft: {
    command: "cd packages/minecraft && npm ci --no-audit --no-fund --silent && npm run types --silent && npm test",
    paths: [...LIBRARY, ...SUPPORT, "packages/minecraft", "packages/server/src", "packages/viewer/src", "senders/java"],
  },
  packages: {
    command: "npm run package:try --silent",
    paths: [
      ...LIBRARY,
      "packages/*/package.json",
      "packages/core",
      "packages/corpus",
      "packages/viewer/src",
      "packages/create-simtape-format",
      "packages/simtape/template",
      "test/package",
      "scripts",
      "docs",
    ],
  },
  site: {
    command: "npm run site --silent",
    paths: [...LIBRARY, "packages/viewer/src", "site", "docs", "examples/*", "*.md"],
  },
};

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
const unknown = names.find((name) => !Object.hasOwn(SUITES, name));
if (unknown !== undefined) {
  process.stderr.write(`no suite ${unknown}: ${Object.keys(SUITES).join(", ")}\n`);
  process.exit(2);
}
const isAll = words.includes("--all") || names.length > 0 || (process.env["CI"] === "true" && isFirstOfDay());
const passed = existsSync(PASSED) ? JSON.parse(readFileSync(PASSED, "utf8")) : {};
const failures = [];
for (const name of names.length > 0 ? names : Object.keys(SUITES)) {
  const { command, paths } = SUITES[name];
  const digest = digestOf([...TOOLS, ...paths]);
  const last = passed[name];
  if (!isAll && last?.digest === digest) {
    process.stdout.write(`suite ${name}: not run, nothing it depends on has changed since it passed on ${last.date}\n`);
    continue;
  }
  process.stdout.write(`suite ${name}: ${command}\n`);
  if (words.includes("--list")) continue;
  const start = Date.now();
  const { status, said } = await run(command);
  const seconds = Math.round((Date.now() - start) / 1000);
  process.stdout.write(`suite ${name}: ${status === 0 ? "passed" : "FAILED"} in ${seconds} s\n`);
  if (status !== 0) failures.push({ name, said });
  // if the sources changed while the suite ran, it has not passed with these
  else if (digestOf([...TOOLS, ...paths]) === digest) {
    passed[name] = { digest, date: new Date().toISOString().slice(0, 10), seconds };
    const sorted = Object.fromEntries(Object.entries(passed).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(PASSED, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}
for (const { name, said } of failures) process.stdout.write(`\nsuite ${name} FAILED:\n${said}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Runs a command, and shows its output while it runs. `said`: its lines about failures, and its last lines. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: ROOT, shell: true, stdio: ["inherit", "pipe", "pipe"] });
    const about = new Set();
    let last = [];
    let rest = "";
    const take = (chunk) => {
      const lines = `${rest}${stripVTControlCharacters(chunk.toString())}`.split("\n");
      rest = lines.pop();
      for (const line of lines) if (FAILURE.test(line) && about.size < 100) about.add(line.slice(0, 400));
      last = [...last, ...lines].slice(-30);
    };
    for (const name of ["stdout", "stderr"]) {
      child[name].on("data", (chunk) => {
        process[name].write(chunk);
        take(chunk);
      });
    }
    child.on("close", (status) => resolve({ status, said: [...about, "...", ...last, rest].join("\n") }));
  });
}

/**
 * SHA-256 over Node's version, and over the names and bytes of all files at these paths that git does not ignore, and
 * of the files that they import from anywhere in the repository.
 */
function digestOf(paths) {
  const hash = createHash("sha256").update(process.versions.node.split(".")[0]);
  for (const path of [...withImported(listed(paths.map(pathspec)))].sort((a, b) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0`).update(
      createHash("sha256")
        .update(readFileSync(ROOT + path))
        .digest(),
    );
  }
  return hash.digest("hex").slice(0, 32);
}

function listed(pathspecs) {
  const names = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--", ...pathspecs], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  return new Set(
    names
      .toString()
      .split("\0")
      .filter((path) => path !== "" && existsSync(ROOT + path)),
  );
}

/** The files, and those of the repository that they import by relative paths, and so on. */
function withImported(files) {
  const known = listed(["."]);
  // a set that grows while it is iterated gives what is added as well
  for (const path of files) {
    if (!SOURCE.test(path)) continue;
    for (const [, target] of readFileSync(ROOT + path, "utf8").matchAll(IMPORTED)) {
      const imported = posix.join(posix.dirname(path), target);
      if (known.has(imported)) files.add(imported);
    }
  }
  return files;
}

/** A folder with all in it, a file, or a pattern whose asterisk stays within a folder. */
function pathspec(path) {
  return path.includes("*") ? `:(glob)${path}` : path;
}

/** Whether the commit before this one is of another day. */
function isFirstOfDay() {
  try {
    const dates = execFileSync("git", ["log", "-2", "--format=%cs"], { cwd: ROOT }).toString().trim().split("\n");
    return dates.length === 2 && dates[0] !== dates[1];
  } catch {
    return false;
  }
}
