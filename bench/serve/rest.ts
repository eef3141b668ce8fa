/**
 * Measures the memory of a server at rest after a fresh start, with the embedded database and five recordings:
 * `npm run bench:rest [-- --seconds 30,60,120] [--start]`. The seconds count from when the last recording is indexed.
 * `--start`: in the environment that `npm start` and the unit files give the server.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { later, print, useOf } from "./measure.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
const FORMATS = ["carla", "flightgear", "hcrp", "mira", "nanover"];

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "30,60,120" }, start: { type: "boolean", default: false } },
});
const environment = values.start ? { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" } : {};
const folder = mkdtempSync(join(tmpdir(), "simtape-rest-"));
for (const format of FORMATS) execFileSync(process.execPath, [CLI, "demo", format, "-o", folder], { stdio: "ignore" });
const server = spawn(process.execPath, [CLI, "serve", folder, "--port", "0"], {
  env: { ...process.env, ...environment },
  stdio: ["ignore", "pipe", "ignore"],
});
try {
  const begun = performance.now();
  const [address] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  process.stdout.write(`the server answers after ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
  while (!(await isIndexed(address.trim()))) await later(500);
  const indexed = performance.now();
  process.stdout.write(`all recordings are indexed after ${((indexed - begun) / 1000).toFixed(1)} s\n`);
  for (const second of values.seconds.split(",").map(Number)) {
    await later(indexed + second * 1000 - performance.now());
    print({ [`memory after ${second} s, MiB`]: useOf(server.pid!).memory });
  }
} finally {
  server.kill();
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

async function isIndexed(address: string): Promise<boolean> {
  const answer = await fetch(`${address}/api/recordings?state=indexed`);
  const { recordings } = (await answer.json()) as { readonly recordings: readonly unknown[] };
  return recordings.length === FORMATS.length;
}
