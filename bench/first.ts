/**
 * The first picture and the first far seek of recordings, without a seek index that was kept and with one, in one run:
 * `npm run bench:first [-- WORD…]`, of those whose name has one of the words. Five demos, 233 MB, 1.2 GB and 2.4 GB,
 * made in a temporary folder. In a real Chromium, behind `simtape view`; and `simtape state --at 99%`, with its start.
 * `--beside FOLDER` measures the build in another checkout, too, each case in turn: as it opens a recording for the first
 * time and for the second.
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
  /** Until all of it can be gone through: the picture may be that of its head. */
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

/** What the build of another checkout does, whatever it keeps. */
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

/** The first recording of what a demo wrote: others are its parts and companions. */
function mainIn(path: string): string {
  return join(path, readdirSync(path).find((name) => RECORDING.test(name))!);
}

async function figuresOf(checkout: string, path: string, ...options: readonly string[]): Promise<Figures> {
  const cli = join(checkout, CLI);
  const began = performance.now();
  run(cli, "state", path, "--at", "99%", ...options);
  const state = performance.now() - began;
  // of a server that was just started: nothing is known of the recording
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

/** In the page: a picture of the recording was drawn, or its state is there where it has no places. */
function isDrawn(): boolean {
  return typeof simtape === "object" && simtape.frame !== null && document.querySelector("canvas[data-time]") !== null;
}

/** In the page: settles when all of the recording is there. */
async function isWhole(): Promise<void> {
  while (simtape.state.value.phase !== "open") await new Promise((resolve) => setTimeout(resolve, 5));
}

/** In the page: from a seek to 99 % until its frame is there. */
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
