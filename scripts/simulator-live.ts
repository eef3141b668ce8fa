import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { open, type Recording } from "../packages/simtape/src/index.ts";
import { toJson } from "../packages/simtape/src/model/json.ts";
import { fromFile } from "../packages/simtape/src/io/node/index.ts";
import { Fgfs, fgfsCommand } from "./fgfs.ts";

/**
 * Records a real FlightGear while it flies, and drives it: `npm run simulator:live`. Compares what was recorded with the
 * properties of the paused simulator, what it shows of a played recording with the recording, and where pilots appear
 * with where they were recorded. Exit 1: something differs. Skipped without fgfs and Xvfb.
 */
const command = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));
const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const MP_PORT = 5_599;
const TELNET_PORT = 5_598;
/** Signals that the simulator computes from others at another moment of its frame, or owns while it replays. */
const OWNED = [/^\/environment\//, /ground-elev|agl|magnetic/, /^\/consumables\//, /^\/controls\/lighting\//];
const results: [what: string, figures: string, isRight: boolean][] = [];

async function main(): Promise<void> {
  const fgfs = fgfsCommand();
  if (fgfs === null || spawnSync("Xvfb", ["-help"]).error !== undefined) {
    console.log("skipped: fgfs or Xvfb is not installed (Debian: flightgear, xvfb)");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "simtape-live-"));
  const home = process.env["FGFS_HOME"] ?? join(folder, "home");
  const words = [
    ...fgfs,
    `--multiplay=in,10,127.0.0.1,${MP_PORT}`,
    "--callsign=REAL",
    `--telnet=socket,bi,30,localhost,${TELNET_PORT},tcp`,
  ];
  const simulator = await Fgfs.start(words, home);
  try {
    const tape = await recorded(simulator, folder);
    await beside(simulator, tape, folder);
    await playedBy(simulator, tape);
    await driven(simulator, tape, ["--rate", "1"]);
    await driven(simulator, join(examples, "race.hcrp"), ["--origin", "47.4,8.5,430,30"]);
    await traffic(simulator, join(examples, "town.log"));
  } finally {
    await simulator.end();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\nFlightGear ${simulator.version}\n\n| what | figures | |\n|---|---|---|`);
  for (const [what, figures, isRight] of results) console.log(`| ${what} | ${figures} | ${isRight ? "" : "wrong"} |`);
  if (results.some(([, , isRight]) => !isRight)) process.exitCode = 1;
}

/** Records ten seconds of a flight, pauses it, and compares the last frame with the properties. */
async function recorded(simulator: Fgfs, folder: string): Promise<string> {
  await simulator.set("/controls/engines/engine/throttle", 0.3);
  await simulator.set("/controls/flight/aileron", 0.2);
  const tape = join(folder, "live.fgtape");
  const recorder = started(["record", "--from", "flightgear", simulator.url, "-o", tape, "--json"]);
  // a busy machine takes its time until packets arrive
  await until(() => Promise.resolve((statSync(`${tape}.take`, { throwIfNoEntry: false })?.size ?? 0) > 8192));
  await sleep(10_000);
  await simulator.set("/sim/freeze/master", true);
  await sleep(5000);
  const end = await ended(recorder);
  await using recording = await open(fromFile(tape));
  const { start, end: last } = await recording.timeline();
  const state = await recording.state(last);
  const paths = [...state.values.keys()];
  const shown = await simulator.sample(paths);
  let same = 0;
  const differ: string[] = [];
  for (const [i, path] of paths.entries()) {
    if (isSame(state.values.get(path), shown[i])) same++;
    else differ.push(`${path}: ${toJson(state.values.get(path))}, ${String(shown[i])}`);
  }
  await simulator.set("/sim/freeze/master", false);
  const { messages } = JSON.parse(end) as { messages: number };
  const rate = messages / ((last - start) / 1e9);
  results.push([
    "recorded, signals equal to the paused simulator",
    `${same} of ${paths.length}; ${rate.toFixed(1)}/s`,
    differ.length <= 9,
  ]);
  for (const line of differ) console.error(`    ${line}`);
  return tape;
}

/** Signals of every frame, as bits, by longitude: no two frames of a flight have the same one. */
async function framesOf(
  path: string,
): Promise<{ names: string[]; frames: Map<number, readonly unknown[]>; times: number[] }> {
  await using recording = await open(fromFile(path));
  const frames = new Map<number, readonly unknown[]>();
  const times: number[] = [];
  let names: string[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      if (channel.name !== "signals") continue;
      const values = channel.schema.decode(batch.payload(i), batch.context) as Record<string, unknown>;
      if (names.length === 0) names = Object.keys(values);
      times.push(batch.time[i]!);
      frames.set(
        Number(values["/position/longitude-deg"]),
        names.map((name) => values[name]),
      );
    }
  }
  return { names, frames, times };
}

/** Compares what was recorded with the tape that FlightGear's own recorder has of the same seconds. */
async function beside(simulator: Fgfs, tape: string, folder: string): Promise<void> {
  const own = join(folder, "own");
  mkdirSync(own);
  await simulator.set("/sim/replay/tape-directory", own);
  await simulator.run("save-tape", {});
  await until(async () => Promise.resolve(readdirSync(own).some((name) => name.endsWith(".fgtape"))));
  await sleep(2000);
  const theirs = await framesOf(join(own, readdirSync(own).find((name) => name.endsWith(".fgtape"))!));
  const ours = await framesOf(tape);
  const wrong = new Map<string, number>();
  let frames = 0;
  let values = 0;
  let equal = 0;
  for (const [longitude, mine] of ours.frames) {
    const its = theirs.frames.get(longitude);
    if (its === undefined) continue;
    frames++;
    for (const [i, name] of ours.names.entries()) {
      const at = theirs.names.indexOf(name);
      if (at < 0) continue;
      values++;
      if (Object.is(mine[i], its[at])) equal++;
      else wrong.set(name, (wrong.get(name) ?? 0) + 1);
    }
  }
  for (const [name, count] of wrong) console.error(`    beside its own tape, ${name}: ${count} of ${frames} differ`);
  const share = frames / ours.frames.size;
  results.push([
    "beside FlightGear's own tape: the same frames, equal values",
    `${frames} of ${ours.frames.size} frames; ${equal} of ${values} values, ${wrong.size} signals differ`,
    share > 0.9 && wrong.size <= 12,
  ]);
  const gaps = ours.times
    .slice(1)
    .map((time, i) => (time - ours.times[i]!) / 1e6)
    .sort((a, b) => a - b);
  const part = (share_: number): string => (gaps[Math.floor(gaps.length * share_)] ?? 0).toFixed(0);
  results.push(["recorded, ms between two packets", `p50 ${part(0.5)}, p95 ${part(0.95)}, most ${part(0.9999)}`, true]);
}

/** The tape as the simulator plays it. */
async function playedBy(simulator: Fgfs, tape: string): Promise<void> {
  const normal = join(dirname(tape), "normal.fgtape");
  run([
    "copy",
    tape,
    normal,
    "--rewrite",
    "--dialect",
    simulator.version.startsWith("2020") ? "normal-2020" : "normal",
  ]);
  await using recording = await open(fromFile(normal));
  const isLoaded = await simulator.load(normal);
  results.push(["recorded, loaded by load-tape", isLoaded ? "yes" : "no", isLoaded]);
  if (!isLoaded) return;
  const zero = Number(recording.info.metadata["timeOrigin"]);
  await compared("recorded, played by FlightGear", recording, (time) => simulator.at(zero + time / 1e9, PATHS));
  await simulator.leave();
}

const PATHS = [
  "/position/latitude-deg",
  "/position/longitude-deg",
  "/position/altitude-ft",
  "/orientation/heading-deg",
  "/orientation/pitch-deg",
  "/orientation/roll-deg",
];

/** What the simulator shows while `simtape play` stands at five times. */
async function driven(simulator: Fgfs, file: string, more: readonly string[]): Promise<void> {
  await using recording = await open(fromFile(file));
  const { start, end } = await recording.timeline();
  const isFlight = recording.info.format === "flightgear";
  let worst = 0;
  for (let n = 1; n <= 3; n++) {
    const time = start + ((end - start) * n) / 4;
    const at = `${time / 1e9}s`;
    const player = started([
      "play",
      file,
      "--into",
      "flightgear",
      "--address",
      simulator.url,
      "--at",
      at,
      "--paused",
      ...more,
    ]);
    await until(async () => (await simulator.get("/sim/replay/replay-state")) === 1);
    await sleep(1500);
    const shown = await overTelnet(PATHS);
    await ended(player);
    if (!isFlight) continue;
    const { values } = await recording.state(time);
    const [latitude, longitude, altitude] = PATHS.map((path) => Number(values.get(path)));
    const metres = Math.hypot(
      (Number(shown[0]) - latitude!) * 111_000,
      (Number(shown[1]) - longitude!) * 111_000 * Math.cos((latitude! * Math.PI) / 180),
      (Number(shown[2]) - altitude!) * 0.3048,
    );
    worst = Math.max(worst, metres);
  }
  const name = file.replace(/^.*\//, "");
  results.push([`${name}, driven by simtape play`, isFlight ? `worst ${worst.toFixed(2)} m` : "shown", worst < 30]);
}

/** Properties as telnet gives them, with ten digits. */
async function overTelnet(paths: readonly string[]): Promise<string[]> {
  const socket = connect(TELNET_PORT, "localhost");
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.write(`data\r\n${paths.map((path) => `get ${path}\r\n`).join("")}`);
  await until(async () => Promise.resolve(text.split("\r\n").length > paths.length));
  socket.destroy();
  return text.split("\r\n").slice(0, paths.length);
}

/** Where the pilots of a town are. */
async function traffic(simulator: Fgfs, file: string): Promise<void> {
  const origin = ["--origin", "37.62,-122.38,5,0"];
  const player = started([
    ...["play", file, "--into", "flightgear", "--address", simulator.url, "--at", "3s", "--paused", "--traffic-only"],
    ...["--pilots", `127.0.0.1:${MP_PORT}`, ...origin],
  ]);
  await sleep(6000);
  let valid = 0;
  let near = 0;
  for (let i = 0; i < 40; i++) {
    const at = `/ai/models/multiplayer[${i}]`;
    if ((await simulator.get(`${at}/valid`)) !== true) continue;
    valid++;
    const latitude = Number(await simulator.get(`${at}/position/latitude-deg`));
    const longitude = Number(await simulator.get(`${at}/position/longitude-deg`));
    if (Math.abs(latitude - 37.62) < 0.02 && Math.abs(longitude + 122.38) < 0.02) near++;
  }
  await ended(player);
  results.push(["town.log as pilots, at the origin", `${near} of ${valid}`, valid > 0 && near === valid]);
}

async function compared(
  what: string,
  recording: Recording,
  shownAt: (time: number) => Promise<readonly unknown[]>,
): Promise<void> {
  const { start, end } = await recording.timeline();
  let same = 0;
  for (let n = 1; n <= 5; n++) {
    const time = Math.round(start + ((end - start) * n) / 6);
    const shown = await shownAt(time);
    const { values } = await recording.state(time);
    for (const [i, path] of PATHS.entries())
      if (Math.abs(Number(values.get(path)) - Number(shown[i])) < 0.5 && !OWNED.some((one) => one.test(path))) same++;
  }
  results.push([what, `${same} of ${5 * PATHS.length} values`, same === 5 * PATHS.length]);
}

function isSame(recorded: unknown, shown: unknown): boolean {
  const number = typeof recorded === "boolean" ? Number(recorded) : Number(recorded);
  return Math.fround(number) === Math.fround(Number(shown)) || number === Number(shown);
}

interface Running {
  readonly process: ReturnType<typeof spawn>;
  text: string;
  readonly code: Promise<number | null>;
}

function started(words: readonly string[]): Running {
  const process = spawn("node", [command, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const code = new Promise<number | null>((resolve) => process.once("close", resolve));
  const running: Running = { process, text: "", code };
  process.stdout!.on("data", (bytes: Buffer) => {
    running.text += bytes.toString();
  });
  return running;
}

/** Ends it as Ctrl+C does, and gives what it wrote. */
async function ended(running: Running): Promise<string> {
  running.process.kill("SIGINT");
  const code = await running.code;
  if (code !== 0) throw new Error(`simtape ended with ${code}`);
  return running.text;
}

function run(words: readonly string[]): void {
  const { status, stderr } = spawnSync("node", [command, ...words, "--force"], { encoding: "utf8" });
  if (status !== 0 && status !== 3) throw new Error(`simtape ${words.join(" ")}: ${stderr}`);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await sleep(200))
    if (Date.now() > end) throw new Error("nothing is shown after a minute");
}

await main();
