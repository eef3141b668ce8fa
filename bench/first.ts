/**
 * Measures the first picture and the first far seek of recordings, without a seek index and with a stored one, in one
 * run: `npm run bench:first [-- WORD…]`. With words, only recordings whose name contains one of them. The recordings
 * are five demos, and files of 233 MB, 1.2 GB and 2.4 GB in a temporary folder. A real Chromium opens them from
 * `simtape view`; `simtape state --at 99%` is measured with the start of the command. `--beside FOLDER` also measures
 * the build in another checkout, in turns with this one: the first and the second time that it opens a recording.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashOf, layoutOf } from "../packages/viewer/test/support/viewer.ts";
import { Chromium } from "./chromium.ts";
import { makeCarla } from "./make/carla.ts";
import { CASES } from "./make/cases.ts";
import { makeNanover } from "./make/nanover.ts";

const HERE = new URL("..", import.meta.url).pathname;
const CLI = "packages/simtape/bin/simtape.js";
const SIZE = { width: 1280, height: 720 };
const MB = 1e6;
const RECORDING = /\.(log|fgtape|hcrp|tape|traj|nanover\.zip)$/u;
const FLIGHT = CASES.find(({ name }) => name === "flightgear, plain")!;

type Pieces = Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>;
const demos = ["carla", "flightgear", "hcrp", "mira", "nanover"];
const large: readonly [name: string, file: string, make: () => Pieces][] = [
  ["flightgear 233 MB", "flight.fgtape", () => FLIGHT.make(233 * MB)],
  ["nanover 1.2 GB", "run.traj", () => makeNanover(1200 * MB)],
  ["carla 2.4 GB", "town.log", () => makeCarla(2400 * MB)],
];

/** Milliseconds. */
interface Figures {
  readonly picture: number;
  /** Until the whole recording is open; the first picture may be one of its beginning only. */
  readonly whole: number;
  readonly seek: number;
  readonly state: number;
}

const { values: line, positionals: words } = parseArgs({
  options: { beside: { type: "string" } },
  allowPositionals: true,
});
const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));
const folder = mkdtempSync(join(tmpdir(), "simtape-first-"));
const environment = { ...process.env, SIMTAPE_CACHE: join(folder, "cache"), NO_COLOR: "1" };
console.log(
  "milliseconds, without and with a seek index   first picture          all of it      first far seek      state --at 99%     index",
);
try {
  for (const id of demos.filter((demo) => isWanted(`${demo} demo`))) {
    const to = join(folder, id);
    command("demo", id, "-o", to);
    await measure(`${id} demo`, to);
    rmSync(to, { recursive: true });
  }
  for (const [name, file, make] of large.filter(([of]) => isWanted(of))) {
    const path = join(folder, file);
    const descriptor = openSync(path, "w");
    for (const piece of await make()) writeSync(descriptor, piece);
    closeSync(descriptor);
    await measure(name, path);
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name: string, path: string): Promise<void> {
  const main = statSync(path).isDirectory() ? mainIn(path) : path;
  if (line.beside !== undefined) await measureBeside(name, main, line.beside);
  const without = await figuresOf(HERE, main, "--no-index");
  const began = performance.now();
  const { bytes } = JSON.parse(command("index", "--cache", main, "--json")) as { bytes: number };
  const made = performance.now() - began;
  const beside = await figuresOf(HERE, main);
  const index = `${(bytes / 1000).toFixed(0)} kB in ${(made / 1000).toFixed(1)} s`;
  say(name, without, beside, index);
}

/** Measures the build of another checkout, with whatever it stores between the first and the second time. */
async function measureBeside(name: string, main: string, checkout: string): Promise<void> {
  const first = await figuresOf(checkout, main);
  const second = await figuresOf(checkout, main);
  rmSync(join(folder, "cache"), { recursive: true, force: true });
  say(`${name}, beside`, first, second, "");
}

function say(name: string, first: Figures, second: Figures, index: string): void {
  const pair = (of: keyof Figures): string => `${ms(first[of])} ${ms(second[of])}`;
  console.log(
    `${name.padEnd(43)} ${pair("picture")}   ${pair("whole")}   ${pair("seek")}   ${pair("state")}   ${index}`,
  );
}

/** The main recording of a demo: the other files are its parts and companions. */
function mainIn(path: string): string {
  return join(path, readdirSync(path).find((name) => RECORDING.test(name))!);
}

async function figuresOf(checkout: string, path: string, ...options: readonly string[]): Promise<Figures> {
  const cli = join(checkout, CLI);
  const began = performance.now();
  run(cli, "state", path, "--at", "99%", ...options);
  const state = performance.now() - began;
  // a server that has just started knows nothing of the recording
  const server = spawn(process.execPath, [cli, "view", path, ...options], { env: environment });
  try {
    const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
    await using chromium = new Chromium(SIZE);
    const opened = performance.now();
    await chromium.open(line.trim() + hashOf({ shared: { layout: layoutOf(["scene"]) } }), isDrawn);
    const picture = performance.now() - opened;
    await chromium.run(isWhole);
    const whole = performance.now() - opened;
    const seek = await chromium.run(farSeek);
    return { picture, whole, seek, state };
  } finally {
    server.kill();
    await once(server, "exit");
  }
}

/** In the page: whether a picture of the recording is drawn. */
function isDrawn(): boolean {
  return typeof simtape === "object" && simtape.frame !== null && document.querySelector("canvas[data-time]") !== null;
}

/** In the page: resolves when the whole recording is open. */
async function isWhole(): Promise<void> {
  while (simtape.state.value.phase !== "open") await new Promise((resolve) => setTimeout(resolve, 5));
}

/** In the page: milliseconds from a seek to 99 % until its frame is shown. */
async function farSeek(): Promise<number> {
  const { start, end } = simtape.bounds;
  const time = Math.round(start + 0.99 * (end - start));
  const began = performance.now();
  const shown = new Promise<void>((resolve) => {
    simtape.onFrame((frame) => {
      if (frame.time >= time) resolve();
    });
  });
  void simtape.seek(time);
  await shown;
  return performance.now() - began;
}

function command(...words: readonly string[]): string {
  return run(join(HERE, CLI), ...words);
}

function run(cli: string, ...words: readonly string[]): string {
  return execFileSync(process.execPath, [cli, ...words], { env: environment, encoding: "utf8", maxBuffer: 1 << 30 });
}

function ms(value: number): string {
  return value.toFixed(0).padStart(7);
}
