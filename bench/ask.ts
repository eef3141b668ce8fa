/**
 * Measures `simtape find --where` over many recordings: `npm run bench:ask [-- --short] [FORMAT…]`. For each format it
 * makes a folder of 300 recordings with 1 GB in all, or with `--short` 30 with 30 MB. It runs the command without
 * side-cars and with them, for an expression that needs messages, and for one that side-cars rule out. The files have
 * just been written, so the system reads them from its memory, and not from a disk.
 */
import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CASES } from "./make/cases.ts";

/** For each format an expression about values, and one that is never true, as the extents of its paths show. */
const ASKED: Readonly<Record<string, readonly [asked: string, never: string]>> = {
  carla: ["any vehicles (distance(it, vehicles[1]) < 3 m)", "any vehicles (throttle > 2)"],
  "flightgear, plain": ["/position/altitude-ft > 100 ft", "/position/altitude-ft > 200000 ft"],
  nanover: ["energy.kinetic > 0 kJ/mol", "energy.kinetic < -1 kJ/mol"],
};
const MAIN = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));

const words = process.argv.slice(2);
const isShort = words.includes("--short");
const wanted = words.filter((word) => !word.startsWith("--"));
const [count, bytes] = isShort ? [30, 30e6] : [300, 1e9];

interface Answer {
  readonly asked: number;
  readonly decided: number;
  readonly recordings: readonly unknown[];
  readonly unfit: readonly { readonly message: string }[];
}

function simtape(...given: readonly string[]): { readonly seconds: number; readonly stdout: string } {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...given], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (status !== 0) throw new Error(`${given.join(" ")}: ${stderr}`);
  return { seconds: (performance.now() - began) / 1000, stdout };
}

function find(folder: string, what: string, where: string): void {
  const { seconds, stdout } = simtape("find", folder, "--where", where, "--json");
  const { asked, decided, recordings } = JSON.parse(stdout) as Answer;
  console.log(
    `  ${what.padEnd(32)} ${seconds.toFixed(2)} s: ${recordings.length} of ${asked} fit, ${decided} decided by side-cars`,
  );
}

for (const { name, file, make } of CASES) {
  const asked = ASKED[name];
  if (asked === undefined || (wanted.length > 0 && !wanted.some((word) => name.startsWith(word)))) continue;
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    const runs = join(folder, "runs");
    mkdirSync(runs);
    const paths = Array.from({ length: count }, (_, k) => join(runs, `${String(k).padStart(3, "0")}${extname(file)}`));
    const fd = openSync(paths[0]!, "w");
    for (const piece of await make(bytes / count)) writeSync(fd, piece);
    closeSync(fd);
    for (const path of paths.slice(1)) copyFileSync(paths[0]!, path);
    const megabytes = (count * statSync(paths[0]!).size) / 1e6;
    console.log(`${name}: ${count} recordings, ${megabytes.toFixed(0)} MB`);
    find(runs, "without side-cars", asked[0]);
    find(runs, "without side-cars, never true", asked[1]);
    const { seconds } = simtape("index", "--paths", ...paths);
    console.log(`  ${"making side-cars".padEnd(32)} ${seconds.toFixed(2)} s`);
    find(runs, "with side-cars", asked[0]);
    find(runs, "with side-cars, never true", asked[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
