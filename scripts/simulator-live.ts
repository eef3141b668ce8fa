import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Callsigns } from "../packages/simtape/src/formats/flightgear/write/callsigns.ts";
import { open } from "../packages/simtape/src/index.ts";
import { fromFile } from "../packages/simtape/src/io/node/index.ts";
import { type Origin, originAt, TangentPlane, unsetOrigin } from "../packages/simtape/src/model/axes/geodesy.ts";
import { toJson } from "../packages/simtape/src/model/values/json.ts";
import { placesOf } from "../packages/simtape/src/model/poses/place.ts";
import { Fgfs, fgfsCommand, type Property } from "./fgfs.ts";
import { framesOf, isAlike, isOwned } from "./fgfs-tape.ts";

/**
 * Records a real FlightGear while it flies, and plays recordings into it: `npm run simulator:live`. It compares the
 * recording with the properties of the stopped simulator and with the tape of FlightGear's own recorder, what the
 * simulator shows with the recording that is played, and the places of pilots with the recorded places. Exit 1:
 * something differs. Skipped without fgfs and Xvfb.
 */
const command = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));
const examples = fileURLToPath(new URL("../examples/", import.meta.url));
/** Port at which the simulator receives other pilots, and port to which it sends its own packets. */
const MP_PORT = 5599;
const OWN_PORT = 5597;
const TELNET_PORT = 5598;
/** At most so many signals of the ufo and its weather may arrive one frame later than in a tape. */
const LATER = 12;
/** Telnet gives ten digits. */
const TELNET_DIGITS = 1e-9;
/** Metres of a degree of latitude. */
const DEGREE = 111_320;
/** Seconds behind a frame, so that what the simulator shows lies between two frames. */
const BESIDE = 0.0131;
const LONGITUDE = "/position/longitude-deg";
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
    // without it the simulator opens no socket for other pilots
    `--multiplay=out,10,127.0.0.1,${OWN_PORT}`,
    "--callsign=REAL",
    `--telnet=socket,bi,30,localhost,${TELNET_PORT},tcp`,
  ];
  const simulator = await Fgfs.start(words, home);
  const dialect = simulator.version.startsWith("2020") ? "normal-2020" : "normal";
  try {
    await simulator.set("/controls/engines/engine/throttle", 0.3);
    await simulator.set("/controls/flight/aileron", 0.2);
    await recorded(simulator, join(folder, "each.fgtape"), 100);
    await beside(simulator, join(folder, "each.fgtape"), folder);
    await stopped(simulator, join(folder, "stopped.fgtape"));
    const tape = join(folder, "live.fgtape");
    await recorded(simulator, tape, 20);
    await others(tape);
    const normal = join(folder, "normal.fgtape");
    run(["copy", tape, normal, "--rewrite", "--dialect", dialect]);
    await loaded(simulator, normal);
    await driven(simulator, tape, normal, []);
    const race = join(folder, "race.fgtape");
    const origin = "47.4,8.5,430,30";
    run(["convert", join(examples, "race.hcrp"), race, "--origin", origin, "--dialect", dialect]);
    await driven(simulator, join(examples, "race.hcrp"), race, ["--origin", origin]);
    await traffic(simulator, join(examples, "town.log"), 3, [37.62, -122.38, 5, 0]);
    await traffic(simulator, join(examples, "flight.fgtape"), 20, null);
  } finally {
    await simulator.end();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\nFlightGear ${simulator.version}\n\n| what | figures | |\n|---|---|---|`);
  for (const [what, figures, isRight] of results) console.log(`| ${what} | ${figures} | ${isRight ? "" : "wrong"} |`);
  if (results.some(([, , isRight]) => !isRight)) process.exitCode = 1;
}

/** Records ten seconds of a flight. */
async function recorded(simulator: Fgfs, tape: string, asked: number): Promise<void> {
  const recorder = started([
    ...["record", "--from", "flightgear", simulator.url, "-o", tape, "--json"],
    ...["--rate", String(asked), "--pilots", String(OWN_PORT)],
  ]);
  // on a busy machine the first packets arrive late
  await until(() => Promise.resolve((statSync(`${tape}.take`, { throwIfNoEntry: false })?.size ?? 0) > 8192));
  const [began, cpu] = [performance.now(), cpuOf(recorder)];
  await sleep(10_000);
  const load = (1000 * (cpuOf(recorder) - cpu)) / (performance.now() - began);
  const { gaps, lost } = JSON.parse(await ended(recorder)) as { gaps: unknown[]; lost: unknown[] };
  const { times } = await signalsOf(tape);
  const steps = times.slice(1).map((time, i) => (time - times[i]!) / 1e6);
  const rate = (1000 * steps.length) / steps.reduce((sum, step) => sum + step, 0);
  steps.sort((a, b) => a - b);
  const part = (share: number): string => (steps[Math.floor(steps.length * share)] ?? 0).toFixed(0);
  results.push([
    `recorded, ${asked} packets a second asked`,
    `${rate.toFixed(1)}/s; ms between two: p50 ${part(0.5)}, p95 ${part(0.95)}; ${gaps.length} gaps, ${lost.length} losses; ${(100 * load).toFixed(0)} % of a core`,
    gaps.length === 0 && lost.length === 0,
  ]);
}

/** Records a simulator whose clock is stopped: the recording has one frame, with the values of the properties. */
async function stopped(simulator: Fgfs, tape: string): Promise<void> {
  await simulator.set("/sim/freeze/clock", true);
  const recorder = started(["record", "--from", "flightgear", simulator.url, "-o", tape, "--json"]);
  await until(() => Promise.resolve((statSync(`${tape}.take`, { throwIfNoEntry: false })?.size ?? 0) > 0));
  await sleep(4000);
  await ended(recorder);
  const { names, frames, times } = await signalsOf(tape);
  const shown = await simulator.sample(names);
  await simulator.set("/sim/freeze/clock", false);
  const [{ values } = { values: [] }] = frames.values();
  let same = 0;
  for (const [i, name] of names.entries()) {
    if (isSame(values[i], shown[i])) same++;
    else console.error(`    stopped, ${name}: recorded ${toJson(values[i])}, is ${String(shown[i])}`);
  }
  results.push([
    "recorded while the clock is stopped, signals equal to the properties",
    `${same} of ${names.length}, ${times.length} frame`,
    times.length === 1 && same === names.length,
  ]);
}

interface Signals {
  readonly names: readonly string[];
  /** Values and time of every frame, by longitude: no two frames of a flight have the same one. */
  readonly frames: ReadonlyMap<number, { readonly values: readonly unknown[]; readonly time: number }>;
  readonly times: readonly number[];
}

async function signalsOf(path: string): Promise<Signals> {
  await using recording = await open(fromFile(path));
  const frames = new Map<number, { values: readonly unknown[]; time: number }>();
  const times: number[] = [];
  let names: string[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      if (channel.name !== "signals") continue;
      const values = channel.schema.decode(batch.payload(i), batch.context) as Record<string, unknown>;
      if (names.length === 0) names = Object.keys(values);
      const time = batch.time[i]!;
      times.push(time);
      frames.set(Number(values[LONGITUDE]), { values: names.map((name) => values[name]), time });
    }
  }
  return { names, frames, times };
}

/** Compares what was recorded at every frame with the tape that FlightGear's own recorder has of the same seconds. */
async function beside(simulator: Fgfs, tape: string, folder: string): Promise<void> {
  const own = join(folder, "own");
  mkdirSync(own);
  await simulator.set("/sim/replay/tape-directory", own);
  await simulator.run("save-tape", {});
  await until(async () => Promise.resolve(readdirSync(own).some((name) => name.endsWith(".fgtape"))));
  await sleep(2000);
  const theirs = await signalsOf(join(own, readdirSync(own).find((name) => name.endsWith(".fgtape"))!));
  const ours = await signalsOf(tape);
  const wrong = new Map<string, number>();
  const inOrder = [...theirs.frames.values()].toSorted((a, b) => a.time - b.time);
  const next = new Map(inOrder.map((frame, i) => [frame, inOrder[i + 1]]));
  let newer = 0;
  const behind: number[] = [];
  const of = ours.names.map((name) => theirs.names.indexOf(name));
  let [frames, values, equal] = [0, 0, 0];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [longitude, mine] of ours.frames) {
    const its = theirs.frames.get(longitude);
    if (its === undefined) continue;
    frames++;
    first = Math.min(first, its.time);
    last = Math.max(last, its.time);
    behind.push((mine.time - its.time) / 1e6);
    for (const [i, name] of ours.names.entries()) {
      if (of[i]! < 0) continue;
      values++;
      if (Object.is(mine.values[i], its.values[of[i]!])) equal++;
      else {
        wrong.set(name, (wrong.get(name) ?? 0) + 1);
        if (Object.is(mine.values[i], next.get(its)?.values[of[i]!])) newer++;
      }
    }
  }
  for (const [name, count] of wrong) console.error(`    beside its own tape, ${name}: ${count} of ${frames} differ`);
  const meanwhile = theirs.times.filter((time) => time >= first && time <= last).length;
  const pace = (1e9 * (meanwhile - 1)) / (last - first);
  results.push([
    "beside FlightGear's own tape, frames",
    `its tape has ${frames} of our ${ours.frames.size}, we have ${frames} of its ${meanwhile} (${pace.toFixed(1)}/s)`,
    frames === ours.frames.size && meanwhile === frames,
  ]);
  behind.sort((a, b) => a - b);
  results.push([
    "beside FlightGear's own tape, times",
    `${(behind.at(-1)! - behind[0]!).toFixed(3)} ms between the least and the most difference`,
    behind.at(-1)! - behind[0]! < 1,
  ]);
  results.push([
    "beside FlightGear's own tape, values at equal times",
    `${equal} of ${values} equal to the bit; of ${wrong.size} signals, ${newer} of ${values - equal} are those of the next frame`,
    wrong.size <= LATER,
  ]);
}

/** Checks that the recording has the simulator's own multiplayer packets as those of another pilot. */
async function others(tape: string): Promise<void> {
  await using recording = await open(fromFile(tape));
  const { start, end } = await recording.timeline();
  let packets = 0;
  for await (const batch of recording.batches())
    for (const channel of batch.channel) if (recording.channels[channel]!.name === "multiplayer") packets++;
  const { sets } = await recording.state(end);
  const isThere = sets.get("aircraft")!.ids.includes("REAL");
  const rate = (1e9 * packets) / (end - start);
  results.push([
    "recorded, packets of a pilot that sends ten a second",
    `${packets} (${rate.toFixed(1)}/s)${isThere ? "" : ", no callsign"}`,
    isThere,
  ]);
}

/** Loads a recorded tape into the simulator, and compares what it shows. */
async function loaded(simulator: Fgfs, normal: string): Promise<void> {
  await using recording = await open(fromFile(normal));
  const isLoaded = await simulator.load(normal);
  results.push(["recorded, loaded by load-tape", isLoaded ? "yes" : "no", isLoaded]);
  if (!isLoaded) return;
  const tape = await framesOf(recording);
  const paths = [...(await recording.state((await recording.timeline()).end)).values.keys()];
  const counts = { same: 0, all: 0 };
  for (let n = 0; n < 5; n++) {
    const [from, to] = tape.pairs[Math.floor(((n + 0.5) / 5) * tape.pairs.length)]!;
    const [shown, ...values] = await simulator.at(from + 0.37 * (to - from), ["/sim/replay/time", ...paths]);
    const moment = await tape.moment(Number(shown));
    for (const [i, path] of paths.entries()) {
      const expected = isOwned(path) ? null : (moment?.(path) ?? null);
      if (expected === null) continue;
      counts.all++;
      if (isAlike(values[i]!, expected)) counts.same++;
      else console.error(`    ${path} at ${String(shown)}: shown ${values[i]}, recorded ${expected.value}`);
    }
  }
  results.push([
    "recorded, shown by FlightGear at five moments",
    `${counts.same} of ${counts.all} values`,
    counts.all > 0 && counts.same === counts.all,
  ]);
  await simulator.leave();
}

const PATHS = [
  "/position/latitude-deg",
  LONGITUDE,
  "/position/altitude-ft",
  "/orientation/heading-deg",
  "/orientation/pitch-deg",
  "/orientation/roll-deg",
];

/** Compares what the simulator shows while `simtape play` is paused at three times; `tape` has the expected values. */
async function driven(simulator: Fgfs, file: string, tape: string, more: readonly string[]): Promise<void> {
  await using recording = await open(fromFile(file));
  await using shownOf = await open(fromFile(tape));
  const { start, end } = await recording.timeline();
  const frames = await framesOf(shownOf);
  const counts = { same: 0, all: 0 };
  let worst = 0;
  for (let n = 1; n <= 3; n++) {
    const seconds = ((end - start) * n) / 4e9 + BESIDE;
    const player = started([
      ...["play", file, "--into", "flightgear", "--address", simulator.url],
      ...["--at", `${seconds}s`, "--paused", ...more],
    ]);
    // a converted recording begins at 1 s of its tape
    const zero = recording.info.format === "flightgear" ? frames.zero : 1;
    let clock = Number.NaN;
    await until(async () => {
      if ((await simulator.get("/sim/replay/replay-state")) !== 1) return false;
      clock = Number((await simulator.sample(["/sim/replay/time"]))[0]);
      return Math.abs(clock - zero - seconds) < 0.001;
    });
    // the simulator draws the moment in its next frame
    await sleep(1500);
    const cells = (await overTelnet(PATHS)).map(Number);
    await ended(player);
    const moment = await frames.moment(clock - zero + frames.zero);
    const expected = PATHS.map((path) => moment?.(path) ?? null);
    for (const [i, one] of expected.entries()) {
      counts.all++;
      if (one === null) continue;
      const tolerance = one.tolerance + Math.abs(Number(one.value)) * TELNET_DIGITS;
      if (isAlike(cells[i]!, { ...one, tolerance })) counts.same++;
      else console.error(`    ${PATHS[i]} at ${clock}: shown ${cells[i]}, recorded ${one.value}`);
    }
    const place = expected.slice(0, 3).map((one) => Number(one?.value));
    worst = Math.max(worst, metresBetween(cells, place));
  }
  results.push([
    `${file.replace(/^.*\//, "")}, driven by simtape play, read over telnet`,
    `${counts.same} of ${counts.all} values; places within ${(100 * worst).toFixed(1)} cm`,
    counts.same === counts.all,
  ]);
}

/** Metres between two places, each of which has degrees, degrees and feet. */
function metresBetween(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(
    (a[0]! - b[0]!) * DEGREE,
    (a[1]! - b[1]!) * DEGREE * Math.cos((b[0]! * Math.PI) / 180),
    (a[2]! - b[2]!) * 0.3048,
  );
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

/** Latitude, longitude and altitude of the pilots that the simulator shows, by their callsigns. */
async function pilotsOf(simulator: Fgfs): Promise<Map<string, Property[]>> {
  const names = ["callsign", "valid", "position/latitude-deg", "position/longitude-deg", "position/altitude-ft"];
  const nodes = Array.from({ length: 40 }, (_, i) => `/ai/models/multiplayer[${i}]`);
  const cells = await simulator.sample(nodes.flatMap((node) => names.map((name) => `${node}/${name}`)));
  const pilots = new Map<string, Property[]>();
  for (let at = 0; at < cells.length; at += names.length) {
    const [callsign, valid, ...where] = cells.slice(at, at + names.length);
    if (valid === 1) pilots.set(String(callsign), where);
  }
  return pilots;
}

/** Compares where the simulator shows pilots with the recorded places, while `simtape play` is paused. */
async function traffic(simulator: Fgfs, file: string, near: number, place: readonly number[] | null): Promise<void> {
  await using recording = await open(fromFile(file));
  const { start } = await recording.timeline();
  // only at a recorded moment the player shows the places of a state
  let time = start;
  for await (const batch of recording.batches({ end: start + near * 1e9 })) time = batch.time.at(-1) ?? time;
  const at = `${(time - start) / 1e9}s`;
  const player = started([
    ...["play", file, "--into", "flightgear", "--address", simulator.url, "--at", at, "--paused", "--traffic-only"],
    ...["--pilots", `127.0.0.1:${MP_PORT}`, ...(place === null ? [] : ["--origin", place.join(",")])],
  ]);
  const origin: Origin = place === null ? unsetOrigin() : originAt(...(place as [number, number, number, number]));
  const places = placesOf(await recording.state(time), origin);
  const callsigns = new Callsigns();
  const names = places.map((one) => callsigns.of(one));
  await until(async () => {
    const pilots = await pilotsOf(simulator);
    return names.every((name) => pilots.has(name));
  });
  const load = await loadOf(player);
  const shown = await pilotsOf(simulator);
  await ended(player);
  const plane = new TangentPlane(origin);
  let [there, worst] = [0, 0];
  for (const [i, one] of places.entries()) {
    const where = shown.get(names[i]!);
    if (where === undefined) continue;
    there++;
    const cells = [0, 0, 0];
    plane.toGeodetic(one.x, one.y, one.z, cells, 0);
    const expected = [cells[0]!, cells[1]!, cells[2]! / 0.3048];
    const off = metresBetween(where.map(Number), expected);
    if (off > 0.1) console.error(`    pilot ${names[i]}: shown ${where.join(", ")}, recorded ${expected.join(", ")}`);
    worst = Math.max(worst, off);
  }
  results.push([
    `${file.replace(/^.*\//, "")}, as other pilots`,
    `${there} of ${places.length} appear, within ${(100 * worst).toFixed(1)} cm; ${(100 * load).toFixed(0)} % of a core`,
    places.length > 0 && there === places.length && worst < 0.1,
  ]);
}

/** Seconds of processor time that a process has taken. */
function cpuOf({ process: { pid } }: Running): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

/** Processor cores that a process uses, measured over two seconds. */
async function loadOf(running: Running): Promise<number> {
  const [before, began] = [cpuOf(running), performance.now()];
  await sleep(2000);
  return (1000 * (cpuOf(running) - before)) / (performance.now() - began);
}

function isSame(recorded_: unknown, shown: unknown): boolean {
  const number = Number(recorded_);
  return Math.fround(number) === Math.fround(Number(shown));
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

/** Stops the process as Ctrl+C does, and gives its output. */
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
