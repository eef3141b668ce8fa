/**
 * Makes the build for one of the two packages that share the source tree, before npm packs it:
 * `divide.mjs core` puts the files of simtape-core into `packages/core/dist`; `divide.mjs simtape` removes them from
 * `packages/simtape/dist`, whose other files then import simtape-core. Both build simtape first, and make it small.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { isOfCore } from "./core.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const simtape = join(root, "packages/simtape");
const dist = join(simtape, "dist");
const CORE = "simtape-core/dist/";

const [name] = process.argv.slice(2);
if (name !== "core" && name !== "simtape") {
  process.stderr.write(`no part is called ${name}: there are core, simtape\n`);
  process.exit(2);
}
// a package has no file of an earlier build
rmSync(dist, { recursive: true, force: true });
execFileSync("npm", ["run", "build", "--silent"], {
  cwd: simtape,
  stdio: "inherit",
  shell: process.platform === "win32",
});
execFileSync(process.execPath, [join(root, "scripts/shrink.mjs")], { stdio: "inherit" });
const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(dist.length + 1)
      .replaceAll("\\", "/"),
  );
if (name === "core") makeCore();
else makeSimtape();

function makeCore() {
  const target = join(root, "packages/core/dist");
  rmSync(target, { recursive: true, force: true });
  for (const path of paths.filter(isOfCore)) {
    mkdirSync(join(target, posix.dirname(path)), { recursive: true });
    cpSync(join(dist, path), join(target, path));
  }
}

function makeSimtape() {
  for (const path of paths) {
    if (isOfCore(path)) rmSync(join(dist, path));
    else if (/\.(js|d\.ts)$/.test(path)) importCore(path);
  }
  const { exports } = JSON.parse(readFileSync(join(simtape, "package.json"), "utf8"));
  for (const { types, default: code } of Object.values(exports)) {
    for (const entry of [types, code]) if (entry !== undefined) keepEntry(entry.slice("./dist/".length));
  }
}

/** Lets a module of simtape import those of the core from the other package. */
function importCore(path) {
  const text = readFileSync(join(dist, path), "utf8");
  const changed = text.replace(/(\b(?:from|import)\s*\(?\s*")(\.{1,2}\/[^"]+)"/g, (whole, before, target) => {
    const to = posix.join(posix.dirname(path), target);
    return isOfCore(to.replace(/\.ts$/, ".js")) ? `${before}${CORE}${to.replace(/\.ts$/, ".js")}"` : whole;
  });
  if (changed !== text) writeFileSync(join(dist, path), changed);
}

/** Leaves a module that exports the core's in the place of an entry that the core has. `*` stands for each folder. */
function keepEntry(entry) {
  const [before, behind] = entry.split("*");
  const found = behind === undefined ? [entry] : paths.filter((path) => isBetween(path, before, behind));
  for (const path of found.filter(isOfCore)) {
    mkdirSync(join(dist, posix.dirname(path)), { recursive: true });
    const module = path.replace(/\.d\.ts$/, ".js");
    writeFileSync(join(dist, path), `export * from "${CORE}${module}";\n`);
  }
}

function isBetween(path, before, behind) {
  return path.startsWith(before) && path.endsWith(behind) && !path.slice(before.length, -behind.length).includes("/");
}
