/**
 * `npm start`: builds what is not built yet, makes a recording of each format in `demo/`, and serves them as a library
 * to this machine until Ctrl+C.
 */
import { spawn, spawnSync } from "node:child_process";
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

const serve = spawn(process.execPath, [cli, "serve", "demo", "--port", "0"], {
  cwd: root,
  stdio: ["ignore", "pipe", "inherit"],
});
serve.stdout.setEncoding("utf8").once("data", (address) => {
  process.stdout.write(
    `\nThe library is open at\n\n  ${address.trim()}\n\nYour own: npx simtape serve FOLDER, or npx simtape view FILE\n`,
  );
});
let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    isEnding = true;
    serve.kill();
  });
}
serve.on("exit", (code) => process.exit(isEnding ? 0 : (code ?? 1)));
