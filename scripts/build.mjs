/**
 * Builds the named parts whose sources have changed since their last build: `build.mjs simtape viewer`. Removes the
 * files of the earlier build first. With `--force` it builds every named part.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamps = join(root, "node_modules/.cache/simtape-build");

/** For each part: its folder; a file that exists when it is built; and the sources of other parts that it uses. */
const PARTS = {
  client: { folder: "packages/client", result: "dist/index.js", from: [] },
  simtape: { folder: "packages/simtape", result: "dist/cli/main.js", from: [] },
  demo: { folder: "packages/demo", result: "dist/index.js", from: ["packages/simtape/src"] },
  server: { folder: "packages/server", result: "dist/prepared-database.tar.gz", from: ["packages/simtape/src"] },
  poselog: { folder: "examples/format-poselog", result: "dist/poselog.js", from: ["packages/simtape/src"] },
  nmea: { folder: "examples/format-nmea", result: "dist/nmea.js", from: ["packages/simtape/src"] },
  viewer: {
    folder: "packages/viewer",
    result: "dist/index.html",
    from: ["packages/client/src", "packages/simtape/src", "packages/server/src/rooms"],
  },
  minecraft: {
    folder: "packages/minecraft",
    result: "dist/program.js",
    from: ["packages/client/src", "packages/simtape/src"],
  },
};
const ALWAYS = ["package-lock.json", "tsconfig.base.json", "scripts/copy-ready.mjs", "scripts/build.mjs"];
/** No build reads these. */
const APART = new Set(["dist", "node_modules", "test", "bench"]);

const words = process.argv.slice(2);
const isForced = words.includes("--force");
for (const name of words.filter((word) => word !== "--force")) {
  const part = PARTS[name];
  if (part === undefined) {
    process.stderr.write(`no part is called ${name}: there are ${Object.keys(PARTS).join(", ")}\n`);
    process.exit(2);
  }
  build(name, part);
}

function build(name, { folder, result, from }) {
  const stamp = join(stamps, name);
  const digest = digestOf([...ALWAYS, folder, ...from]);
  const isBuilt = existsSync(join(root, folder, result)) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
  if (isBuilt && !isForced) return;
  rmSync(stamp, { force: true });
  rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  // else the build of the viewer prints a line for each of its files
  const quiet = name === "viewer" ? ["--", "--logLevel", "warn"] : [];
  const { status } = spawnSync("npm", ["run", "build", "--silent", ...quiet], {
    cwd: join(root, folder),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, digest);
}

/** SHA-256 over the names and bytes of all files at these paths that a build can read. */
function digestOf(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    const at = join(root, path);
    if (statSync(at).isDirectory()) {
      for (const name of readdirSync(at).sort()) if (!APART.has(name)) add(`${path}/${name}`);
    } else hash.update(`${path}\0`).update(readFileSync(at)).update("\0");
  };
  for (const path of paths) add(path);
  return hash.digest("hex");
}
