/**
 * The first half of `npm start`: builds what is not built yet, and makes a recording of each format in `demo/`. Then the
 * script in `package.json` becomes the server, so that no other process stays.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = `${root}packages/simtape/dist/cli/main.js`;
const DEMOS = {
  nanover: "molecule.nanover.zip",
  carla: "town.log",
  mira: "robot.tape",
  flightgear: "flight.fgtape",
  hcrp: "race.hcrp",
};

process.stdout.on("error", () => process.exit(0));

/** Runs a command to its end. If it fails, the script ends as well. */
function run(command, words) {
  const { status } = spawnSync(command, words, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

run(process.execPath, [`${root}scripts/build.mjs`, "simtape", "demo", "server", "viewer"]);
for (const [format, name] of Object.entries(DEMOS)) {
  if (!existsSync(`${root}demo/${name}`)) run(process.execPath, [cli, "demo", format, "-o", "demo", "--seconds", "60"]);
}
process.stdout.write("\nYour own: npx simtape serve FOLDER, or npx simtape view FILE\n\nThe library opens at\n\n");
