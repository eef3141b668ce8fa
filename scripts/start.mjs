/**
 * The main job on an embedded default: what is in each recording that ships with the project, the state of one at half
 * time; then one new recording of each format, made by the demo simulations in `demo/`, and whether they are sound.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = `${root}packages/simtape/dist/cli/main.js`;

process.stdout.on("error", () => process.exit(0));

function simtape(...words) {
  process.stdout.write(`\n$ simtape ${words.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...words], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

for (const name of readdirSync(`${root}examples`).sort()) simtape("info", `examples/${name}`);
simtape("state", "examples/town.log", "--at", "50%");
if (!existsSync(`${root}demo/race.hcrp`)) simtape("demo", "-o", "demo", "--seconds", "20", "--force");
simtape(
  "check",
  ...readdirSync(`${root}demo`)
    .sort()
    .map((name) => `demo/${name}`),
);
process.stdout.write("\nTry your own: npx simtape info FILE\n");
