/**
 * Tries the packages as they would be published: packs them, installs simtape in an empty project, and there compiles
 * with the oldest and the newest TypeScript, runs on the oldest and the newest Node, and bundles pages. In another empty
 * project it installs, compiles and runs simtape-core alone.
 *
 *   npm run package:try [-- --update]     --update writes the sizes of the pages into docs/size.md
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce } from "../../scripts/install-once.ts";
import { BUNDLERS, type Size, sizeOf } from "./bundles.ts";
import { openedInChromium } from "./chromium.ts";
import { keyOf, outdatedSizes, writeSizes } from "./sizes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = join(root, "test/package/tools");
const FORMATS = ["carla", "flightgear", "hcrp", "mira", "nanover"];
const RECORDINGS = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"];
const TYPESCRIPTS = {
  "5.7": join(tools, "node_modules/typescript-5.7"),
  "7.0": join(root, "node_modules/typescript"),
};
const RESOLUTIONS = { bundler: "esnext", nodenext: "nodenext" };
const NODES = ["node-20", "node-22", "node-24"];

/** Programs of the project, with the types and the libraries that each has. */
const PROGRAMS = [
  ["page.ts", [], ["es2022", "dom"]],
  ["node.ts", ["node"], ["es2022"]],
] as const;

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
};

/** Bytes of the package of simtape before its core became a package of its own, and the part of it that the core may have. */
const WHOLE = 1_473_767;
const PART = 0.6;

const folder = mkdtempSync(join(tmpdir(), "simtape-package-"));
const project = join(folder, "project");
let passed = 0;
let failed = 0;
try {
  installOnce(tools);
  const names = await namesOf(join(root, "packages/simtape"));
  const [demo, viewer, corpus, client, core, library] = pack();
  tryCore(core!);
  makeProject(core!, library!);
  await hasNames(names);
  install(corpus!);
  install(client!);
  compile();
  runOnNodes();
  await refuseViewWithoutViewer();
  demoIs("without", 2, "npm install simtape-demo");
  install(viewer!);
  install(demo!);
  demoIs("with", 0, "");
  await viewWithViewer();
  await bundle();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`package: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Prints and counts whether something holds. */
function report(what: string, problem: string | null): void {
  if (problem === null) passed++;
  else failed++;
  console.log(problem === null ? `  ok  ${what}` : `  NOT ${what}\n${problem}`);
}

function npm(words: readonly string[], cwd: string): string {
  const shell = process.platform === "win32";
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return execFileSync("npm", [...words, "--prefer-offline", "--no-audit", "--no-fund", "--silent"], {
    cwd,
    stdio: [...stdio],
    shell,
    encoding: "utf8",
  });
}

/**
 * Packs the simulations, the viewer, the corpus, the client, the core and the library, in this order, and gives their
 * paths. The last two share a build, which they shrink and divide, and from which the others are built.
 */
function pack(): string[] {
  return ["demo", "viewer", "corpus", "client", "core", "simtape"].map((name) => {
    const said = npm(["pack", "--json", "--pack-destination", folder], join(root, "packages", name));
    const [{ filename, size, unpackedSize, entryCount, files }] = JSON.parse(said.slice(said.indexOf("[\n"))) as [
      Packed,
    ];
    const paths = files.map(({ path }) => path);
    const strange = paths.filter((path) => path.endsWith(".map") || path.endsWith(".tsbuildinfo"));
    const missing = ["package.json", "README.md", "LICENSE"].filter((path) => !paths.includes(path));
    const problem = [...strange.map((path) => `has ${path}`), ...missing.map((path) => `lacks ${path}`)].join("\n");
    report(`${filename}: ${(unpackedSize / 1e6).toFixed(1)} MB in ${entryCount} files`, problem || null);
    if (name === "core") {
      const part = size / WHOLE;
      report(
        `${filename}: ${size} bytes, ${Math.round(part * 100)} %`,
        part < PART ? null : `more than ${PART * 100} %`,
      );
    }
    return join(folder, filename);
  });
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
}

function makeProject(core: string, library: string): void {
  makeFolder(project, "project");
  install(core);
  install(library);
}

/** A project with the files of a folder beside this script, the recordings, and no package. */
function makeFolder(target: string, files: string): void {
  cpSync(join(root, "test/package", files), target, { recursive: true });
  writeFileSync(join(target, "package.json"), '{ "private": true, "type": "module" }');
  for (const name of RECORDINGS) cpSync(join(root, "examples", name), join(target, name));
}

function install(tarball: string, target = project): void {
  npm(["install", "--ignore-scripts", tarball], target);
}

/** Installs simtape-core alone, compiles a program that uses its types, and runs one on all recordings. */
function tryCore(core: string): void {
  const target = join(folder, "core");
  makeFolder(target, "core");
  install(core, target);
  compile(target, [["core.ts", ["node"], ["es2022"]]]);
  run(target, ["core.mjs", ...RECORDINGS]);
}

/** What each entry of the package in a folder exports: an entry with a pattern stands for one of each format. */
async function namesOf(home: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Entries;
  const names = new Map<string, readonly string[]>();
  for (const [entry, { default: code }] of Object.entries(exports)) {
    if (code === undefined) continue;
    for (const name of entry.includes("*") ? FORMATS : [""]) {
      const module = (await import(join(home, code.replace("*", name)))) as object;
      names.set(entry.replace("*", name), Object.keys(module).sort());
    }
  }
  return names;
}

interface Entries {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
}

/** Compares the names with those that the installed package exports. */
async function hasNames(names: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const installed = await namesOf(join(project, "node_modules/simtape"));
  const differ = [...names].filter(([entry, expected]) => String(installed.get(entry)) !== String(expected));
  const problem = differ.map(([entry]) => `${entry} exports ${installed.get(entry)?.length} names`).join("\n");
  report(`the ${names.size} entries of simtape export what they export before the build is divided`, problem || null);
}

/**
 * Compiles strictly, and also checks the declarations of libraries. A program of Node has Node's types, a page those of
 * the DOM.
 */
function compile(
  target = project,
  programs: readonly (readonly [string, readonly string[], readonly string[]])[] = PROGRAMS,
): void {
  const types = ["@types/node", "undici-types"].map((name) => [
    join(root, "node_modules", name),
    join(target, "node_modules", name),
  ]);
  mkdirSync(join(target, "node_modules/@types"), { recursive: true });
  for (const [from, to] of types) symlinkSync(from!, to!, "junction");
  for (const [version, compiler] of Object.entries(TYPESCRIPTS)) {
    for (const [moduleResolution, module] of Object.entries(RESOLUTIONS)) {
      for (const [file, types, lib] of programs) {
        const compilerOptions = { ...STRICT, module, moduleResolution, types, lib };
        writeFileSync(join(target, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
        const { status, stdout } = spawnSync(process.execPath, [join(compiler, "bin/tsc"), "-p", target], {
          encoding: "utf8",
        });
        report(`TypeScript ${version}, ${moduleResolution}: ${file}`, status === 0 ? null : stdout);
      }
    }
  }
  for (const [, to] of types) rmSync(to!);
}

function runOnNodes(): void {
  run(project, ["smoke.mjs", ...RECORDINGS]);
  run(project, [cli(), "check", ...RECORDINGS]);
}

/** Runs a program in the Node that runs this script, and in other versions, if the tools have them for this machine. */
function run(cwd: string, words: readonly string[]): void {
  const isLinux = process.platform === "linux" && process.arch === "x64";
  const programs = [
    process.execPath,
    ...(isLinux ? NODES.map((name) => join(tools, "node_modules", name, "bin/node")) : []),
  ];
  if (!isLinux) console.log("  --  other versions of Node: only on Linux, x64");
  for (const program of programs) {
    const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
    const { status, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
    const what = words[0] === cli() ? "simtape check" : words[0];
    report(`Node ${version}: ${what}`, status === 0 ? null : stderr);
  }
}

function cli(): string {
  return join(project, "node_modules/simtape/bin/simtape.js");
}

async function refuseViewWithoutViewer(): Promise<void> {
  const { status, stderr } = spawnSync(process.execPath, [cli(), "view", "town.log"], {
    cwd: project,
    encoding: "utf8",
  });
  const isSaid = status === 2 && stderr.includes("npm install simtape-viewer");
  report("simtape view without simtape-viewer says how to get it", isSaid ? null : `${status}: ${stderr}`);
}

function demoIs(how: "with" | "without", expected: number, said: string): void {
  const words = ["demo", "carla", "-o", `demo-${how}`, "--seconds", "2"];
  const { status, stderr } = spawnSync(process.execPath, [cli(), ...words], { cwd: project, encoding: "utf8" });
  const isSo = status === expected && stderr.includes(said);
  report(`simtape demo ${how} simtape-demo ends with ${expected}`, isSo ? null : `${status}: ${stderr}`);
}

async function viewWithViewer(): Promise<void> {
  const view = spawn(process.execPath, [cli(), "view", "town.log"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      view.stdout.once("data", (text: Buffer) => resolve(String(text).trim()));
      view.once("exit", (status) => reject(new Error(`simtape view ended with ${status}`)));
    });
    const page = await (await fetch(address)).text();
    report("simtape view with simtape-viewer serves the page", page.includes("<script") ? null : page);
  } finally {
    view.kill();
  }
}

async function bundle(): Promise<void> {
  const sizes = new Map<string, Size>();
  for (const [entry, bundlers] of [
    ...FORMATS.map((format) => [format, format === "carla" ? Object.keys(BUNDLERS) : ["esbuild"]] as const),
    ["all", Object.keys(BUNDLERS)] as const,
  ]) {
    const script = join(project, `${entry}.js`);
    if (!existsSync(script)) {
      writeFileSync(script, readFileSync(join(project, "carla.js"), "utf8").replaceAll("carla", entry));
    }
    for (const bundler of bundlers) {
      const built = join(folder, `built-${entry}-${bundler}`);
      mkdirSync(built);
      sizes.set(keyOf(entry, bundler), await sizeOf(bundler, script, built));
      if (entry === "all") {
        const problem = await openedInChromium(built, project, RECORDINGS, bundler === "esbuild");
        report(`a page by ${bundler} opens every format`, problem);
      }
    }
  }
  if (process.argv.includes("--update")) writeSizes(sizes);
  const wrong = outdatedSizes(sizes);
  report(
    "docs/size.md is up to date",
    wrong.length === 0 ? null : `${wrong.join("\n")}\n(npm run package:try -- --update)`,
  );
}
