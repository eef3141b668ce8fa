/**
 * Tries the packages as they would be published: packs them, installs simtape in an empty project, and there compiles
 * with the oldest and the newest TypeScript, runs on the oldest and the newest Node, and bundles pages.
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

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
};

const folder = mkdtempSync(join(tmpdir(), "simtape-package-"));
const project = join(folder, "project");
let passed = 0;
let failed = 0;
try {
  installOnce(tools);
  const [demo, viewer, corpus, client, library] = pack();
  makeProject(library!);
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
 * Packs the simulations, the viewer, the corpus, the client and the library, in this order, and gives their paths. The
 * library is last, because packing it shrinks its build, from which the others are built.
 */
function pack(): string[] {
  return ["demo", "viewer", "corpus", "client", "simtape"].map((name) => {
    const said = npm(["pack", "--json", "--pack-destination", folder], join(root, "packages", name));
    const [{ filename, unpackedSize, entryCount, files }] = JSON.parse(said.slice(said.indexOf("[\n"))) as [Packed];
    const paths = files.map(({ path }) => path);
    const strange = paths.filter((path) => path.endsWith(".map") || path.endsWith(".tsbuildinfo"));
    const missing = ["package.json", "README.md", "LICENSE"].filter((path) => !paths.includes(path));
    const problem = [...strange.map((path) => `has ${path}`), ...missing.map((path) => `lacks ${path}`)].join("\n");
    report(`${filename}: ${(unpackedSize / 1e6).toFixed(1)} MB in ${entryCount} files`, problem || null);
    return join(folder, filename);
  });
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
}

function makeProject(library: string): void {
  cpSync(join(root, "test/package/project"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  for (const name of RECORDINGS) cpSync(join(root, "examples", name), join(project, name));
  install(library);
}

function install(tarball: string): void {
  npm(["install", "--ignore-scripts", tarball], project);
}

/**
 * Compiles strictly, and also checks the declarations of libraries. A program of Node has Node's types, a page those of
 * the DOM.
 */
function compile(): void {
  mkdirSync(join(project, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "junction");
  }
  for (const [version, compiler] of Object.entries(TYPESCRIPTS)) {
    for (const [moduleResolution, module] of Object.entries(RESOLUTIONS)) {
      for (const [file, types, lib] of [
        ["page.ts", [], ["es2022", "dom"]],
        ["node.ts", ["node"], ["es2022"]],
      ] as const) {
        const compilerOptions = { ...STRICT, module, moduleResolution, types, lib };
        writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
        const { status, stdout } = spawnSync(process.execPath, [join(compiler, "bin/tsc"), "-p", project], {
          encoding: "utf8",
        });
        report(`TypeScript ${version}, ${moduleResolution}: ${file}`, status === 0 ? null : stdout);
      }
    }
  }
  for (const name of ["@types/node", "undici-types"]) rmSync(join(project, "node_modules", name));
}

/**
 * Runs the library in the Node that runs this script, and in other versions, if the tools have them for this machine.
 */
function runOnNodes(): void {
  const isLinux = process.platform === "linux" && process.arch === "x64";
  const programs = [
    process.execPath,
    ...(isLinux ? NODES.map((name) => join(tools, "node_modules", name, "bin/node")) : []),
  ];
  if (!isLinux) console.log("  --  other versions of Node: only on Linux, x64");
  for (const program of programs) {
    const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
    for (const words of [
      ["smoke.mjs", ...RECORDINGS],
      [cli(), "check", ...RECORDINGS],
    ]) {
      const { status, stderr } = spawnSync(program, words, { cwd: project, encoding: "utf8" });
      report(`Node ${version}: ${words[0] === cli() ? "simtape check" : words[0]}`, status === 0 ? null : stderr);
    }
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
