/**
 * Builds the parts that are named, and only those whose sources are not what they were built of: `build.mjs simtape
 * viewer`. What an earlier build left is removed first. With `--force`, each part is built.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamps = join(root, "node_modules/.cache/simtape-build");

/** What each part is made of beside its own sources, and the file that is there when it is built. */
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
/** Not made into anything. */
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
  // what was built says too little to be read each time
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

/** Of the names and bytes of all files that count. */
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
