import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  type Digests,
  HOW_TO_GET,
  lastOf,
  Nanover,
  nanoverPython,
  partsOf,
  type Parts,
  playedInto,
  recordedFrom,
  type Said,
  simtape,
  type Shown,
  unlike,
} from "./nanover.ts";

/**
 * Compares simtape with NanoVer's own programs: `npm run simulator:nanover [FOLDER]`. NanoVer's recorder and simtape
 * record NanoVer's server at the same time. NanoVer's recorder and client then connect to `simtape play`, which must
 * send what NanoVer's own playback sends. Last, twenty of NanoVer's clients watch, one of which does not read. Exit 1:
 * something differs. Skipped if the programs are not installed (`NANOVER_PYTHON` names a Python that has them).
 */
const results: [what: string, figures: string, isRight: boolean][] = [];
/** Seconds between two steps: NanoVer's server looks for commands 30 times a second. */
const STEP = 0.045;
const CROWD = 20;
const CROWD_RATE = 4;
/** Seconds that the crowd watches before the first look at simtape's memory, and after it. */
const WARM = 20;
const WATCH = 60;

async function main(): Promise<void> {
  const python = nanoverPython();
  if (python === null) {
    console.log(`skipped: ${HOW_TO_GET}`);
    return;
  }
  const nanover = new Nanover(python);
  const folder = mkdtempSync(join(tmpdir(), "simtape-nanover-"));
  try {
    const files = recordings(process.argv[2], folder);
    const theirs = new Map<string, Said[]>();
    await Promise.all(
      files.map(async ({ zip, name }) => {
        theirs.set(name, await stepped(nanover, name, zip, work(folder, `stepped-${name}`)));
      }),
    );
    for (const { zip, name } of files.slice(0, 3)) await meanwhile(nanover, name, zip, work(folder, `live-${name}`));
    for (const tried of files)
      await played(nanover, tried, theirs.get(tried.name)!, work(folder, `played-${tried.name}`));
    await commanded(
      nanover,
      files.map(({ file }) => file),
    );
    await crowded(nanover, files[0]!.file);
    await caughtUp(nanover, files[0]!.file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    table();
  }
}

function table(): void {
  console.log(`\n| what | figures | |\n|---|---|---|`);
  for (const [what, figures, isRight] of results) console.log(`| ${what} | ${figures} | ${isRight ? "" : "wrong"} |`);
  if (results.some(([, , isRight]) => !isRight)) process.exitCode = 1;
}

interface Tried {
  readonly name: string;
  readonly file: string;
  /** The same recording in a file that today's NanoVer server opens. */
  readonly zip: string;
}

/** Every NanoVer recording in a folder. NanoVer's server does not open version 2, so those are converted for it. */
function recordings(given: string | undefined, folder: string): Tried[] {
  const samples = fileURLToPath(new URL("../../shared/samples/nanover/", import.meta.url));
  const examples = fileURLToPath(new URL("../examples/", import.meta.url));
  const from = given ?? (existsSync(samples) ? samples : examples);
  const names = readdirSync(from).filter((name) => /\.(nanover\.zip|traj)$/.test(name));
  return names.map((name) => {
    const file = join(from, name);
    if (!name.endsWith(".traj")) return { name, file, zip: file };
    const zip = join(folder, `${basename(name, ".traj")}.v2.nanover.zip`);
    const { status } = spawnSync(process.execPath, [simtape, "convert", file, zip], { stdio: ["ignore", "ignore", 2] });
    if (status !== 0) throw new Error(`${name} was not converted`);
    return { name, file, zip };
  });
}

function work(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/**
 * NanoVer's server plays message by message, and both recorders must have every message. Gives those of NanoVer's
 * recorder.
 */
async function stepped(nanover: Nanover, name: string, zip: string, folder: string): Promise<Said[]> {
  const messages = nanover.messages(zip);
  const { server, address } = await nanover.serve([zip]);
  const both = await recordedFrom(nanover, address, folder);
  const client = nanover.client(address);
  await client.ask("ask", "playback/load", { index: 0 });
  await client.ask("run_pause");
  await sleep(300);
  await client.ask("run_reset");
  await sleep(500);
  await client.ask("steps", messages.length, STEP);
  await sleep(300);
  const { theirs, ours } = await both.end();
  await client.end();
  await server.end();
  // the server also played for a moment before the reset; then it merged the changes that a client had not received yet
  const recorded = partsOf(messages);
  const [a, b] = [lastOf(theirs, recorded), lastOf(ours, recorded)];
  const wrong = unlike(a.frames, b.frames) + unlike(a.updates, b.updates);
  results.push([
    `${name}: NanoVer's server, message by message, recorded by both`,
    `${b.frames.length} frames and ${b.updates.length} updates, ${wrong} unlike`,
    wrong === 0 && b.frames.length === recorded.frames.length,
  ]);
  return theirs;
}

/**
 * NanoVer's server plays at the recorded speed. For each client it merges the changes that the client has not received
 * yet.
 */
async function meanwhile(nanover: Nanover, name: string, zip: string, folder: string): Promise<void> {
  const { server, address } = await nanover.serve([zip]);
  const both = await recordedFrom(nanover, address, folder);
  const client = nanover.client(address);
  await client.ask("ask", "playback/load", { index: 0 });
  await sleep(10_000);
  await client.ask("run_pause");
  await sleep(300);
  const { theirs, ours } = await both.end();
  await client.end();
  await server.end();
  const [a, b] = [folded(theirs), folded(ours)];
  const common = [...a.frames].filter(([index]) => b.frames.has(index));
  const same = common.filter(([index, said]) => b.frames.get(index) === said).length;
  const isStateSame = JSON.stringify(a.state) === JSON.stringify(b.state);
  const off = common.map(([index]) => b.times.get(index)! - a.times.get(index)!).sort((x, y) => x - y);
  const middle = off[off.length >> 1]!;
  const apart = off.map((one) => Math.abs(one - middle)).sort((x, y) => x - y);
  const part = (share: number): string => (apart[Math.floor((apart.length - 1) * share)]! / 1000).toFixed(1);
  results.push([
    `${name}: the same, ten seconds of it as recorded`,
    `${theirs.length} and ${ours.length} messages; after ${common.length} frames that both have, ${same} equal; state ${isStateSame ? "equal" : "unlike"}; arrival ms apart: p50 ${part(0.5)}, p95 ${part(0.95)}, most ${part(1)}`,
    common.length > 100 && same === common.length && isStateSame,
  ]);
}

/** The values that a client has after each frame, by the server's time stamps, and its shared state at the end. */
function folded(messages: readonly Said[]): {
  frames: Map<number, string>;
  times: Map<number, number>;
  state: object;
} {
  const frames = new Map<number, string>();
  const times = new Map<number, number>();
  let frame: { [key: string]: string } = {};
  const state: { [key: string]: string } = {};
  for (const message of messages) {
    if (message.frame !== undefined) {
      if (message.index === 0) frame = {};
      Object.assign(frame, message.frame);
      const { "frame.index": _, ...content } = frame;
      if (typeof message.stamp === "number") {
        frames.set(message.stamp, JSON.stringify(inOrder(content)));
        times.set(message.stamp, message.time);
      }
    }
    Object.assign(state, message.updates);
    for (const key of message.removals ?? []) delete state[key];
  }
  return { frames, times, state: inOrder(state) };
}

/** The same, with its keys sorted. */
function inOrder(digests: Digests): Digests {
  return Object.fromEntries(Object.entries(digests).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** NanoVer's recorder records `simtape play`. It must get every frame and update that NanoVer's own playback sent. */
async function played(nanover: Nanover, { name, file, zip }: Tried, theirs: Said[], folder: string): Promise<void> {
  const player = await playedInto([file], ["--rate", "8"]);
  const recorder = await nanover.record(player.address, folder);
  const client = nanover.client(player.address);
  await client.ask("run_load", 0);
  await until(async () => ((await client.ask("ask", "playback/status", {})) as { phase: string }).phase === "ended");
  await sleep(500);
  const ours = nanover.messages(await recorder.end());
  const shown = (await client.ask("shown")) as Shown;
  await client.end();
  await player.end();
  const recorded = partsOf(nanover.messages(zip));
  const [wanted, got] = [contentOf(theirs, recorded), contentOf(ours, recorded)];
  const wrong = unlike(wanted.frames, got.frames) + unlike(wanted.updates, got.updates);
  report(name, wanted, got);
  results.push([
    `${name}: simtape play, recorded by nanover-record`,
    `${got.frames.length} frames and ${got.updates.length} updates, ${wrong} unlike those of NanoVer's own playback`,
    wrong === 0 && shown.frames > 0,
  ]);
}

function report(name: string, wanted: Parts, got: Parts): void {
  for (const kind of ["frames", "updates"] as const) {
    if (wanted[kind].length !== got[kind].length)
      console.error(`    ${name}: ${got[kind].length} ${kind} for ${wanted[kind].length}`);
    for (const [i, one] of wanted[kind].entries()) {
      if (got[kind][i] === one) continue;
      console.error(`    ${name}, ${kind} ${i}: ${one.slice(0, 400)}\n      is ${(got[kind][i] ?? "").slice(0, 400)}`);
      break;
    }
  }
}

/** Sends the commands of NanoVer's client to the server of `simtape play`. */
async function commanded(nanover: Nanover, files: readonly string[]): Promise<void> {
  const player = await playedInto(files, []);
  const client = nanover.client(player.address);
  const status = (): Promise<Status> => client.ask("ask", "playback/status", {}) as Promise<Status>;
  const done: [string, boolean][] = [];
  const names = (await client.ask("run_list")) as string[];
  done.push(["list", names.length === files.length]);
  const all = (await client.ask("commands")) as string[];
  done.push(["commands/list", all.includes("playback/load") && all.includes("commands/list")]);
  const plays = async (wanted: number): Promise<boolean> => {
    const { index, phase } = await status();
    return index === wanted % files.length && phase === "playing";
  };
  await client.ask("run_load", 1);
  await until(() => plays(1));
  done.push(["load", true]);
  await client.ask("run_next");
  await until(() => plays(2));
  done.push(["next", true]);
  await client.ask("run_pause");
  const paused = await status();
  await sleep(300);
  done.push(["pause", paused.phase === "paused" && (await status()).time === paused.time]);
  await client.ask("run_reset");
  const reset = await status();
  done.push(["reset", reset.time === 0]);
  const before = (await client.ask("shown")) as Shown;
  await client.ask("steps", 5, 0);
  const after = (await client.ask("shown")) as Shown;
  done.push(["step", after.frames + after.updates >= before.frames + before.updates + 5 && (await status()).time > 0]);
  await client.ask("run_play");
  await until(async () => (await status()).phase === "playing");
  done.push(["play", true]);
  await client.ask("share", "update.index.py", 7);
  await until(async () => ((await client.ask("shown")) as Shown).state["update.index.py"] !== undefined);
  done.push(["echo", true]);
  await client.end();
  await player.end();
  const wrong = done.filter(([, isRight]) => !isRight).map(([what]) => what);
  results.push([
    "commands of NanoVer's client at simtape play",
    `${done.map(([what]) => what).join(", ")}${wrong.length === 0 ? "" : `; wrong: ${wrong.join(", ")}`}`,
    wrong.length === 0,
  ]);
}

interface Status {
  readonly index: number;
  readonly phase: string;
  readonly time: number;
}

/** Twenty of NanoVer's clients that all read; then twenty, one of which takes no message. */
async function crowded(nanover: Nanover, file: string): Promise<void> {
  const slowest: number[] = [];
  for (const stuck of [0, 1]) {
    const player = await playedInto([file], ["--repeat", "--rate", String(CROWD_RATE)]);
    const crowd = await nanover.crowd(player.address, CROWD, stuck);
    const client = nanover.client(player.address);
    await client.ask("run_play");
    await sleep(WARM * 1000);
    const early = memoryOf(player.pid);
    await crowd.ask("reset");
    const later: number[] = [];
    for (let second = 0; second < WATCH; second += 2) {
      await sleep(2000);
      later.push(memoryOf(player.pid));
    }
    const frames = ((await crowd.ask("shown")) as Shown[]).slice(stuck).map((one) => one.frames);
    const [least, greatest] = [Math.min(...frames), Math.max(...frames)];
    slowest.push(least);
    await crowd.end();
    await client.end();
    await player.end();
    results.push([
      `${CROWD} of NanoVer's clients, ${stuck === 0 ? "all of which read" : "one of which takes nothing"}, ${WATCH} s at ${CROWD_RATE} times the speed`,
      `frames of each reader ${least} to ${greatest}; memory of simtape ${early} MB after ${WARM} s, later ${Math.min(...later)} to ${Math.max(...later)} MB`,
      least > 0.95 * greatest && Math.max(...later) < early + 30,
    ]);
  }
  const share = slowest[1]! / slowest[0]!;
  results.push([
    "frames of the slowest reader beside one that takes nothing",
    `${(100 * share).toFixed(1)} % of those without`,
    share > 0.95,
  ]);
}

/** One of NanoVer's clients takes nothing for some seconds, and then reads again. */
async function caughtUp(nanover: Nanover, file: string): Promise<void> {
  const player = await playedInto([file], ["--repeat", "--rate", "32"]);
  const crowd = await nanover.crowd(player.address, 3, 1);
  const client = nanover.client(player.address);
  await client.ask("run_play");
  // less than the twenty seconds after which simtape takes a client for dead
  await sleep(15_000);
  await client.ask("run_pause");
  await crowd.ask("free");
  const began = performance.now();
  let all: Shown[] = [];
  await until(async () => {
    all = (await crowd.ask("shown")) as Shown[];
    const [first, ...others] = all.map((one) => {
      const { "frame.index": _, "server.timestamp": __, ...frame } = one.frame;
      return JSON.stringify(frame);
    });
    return others.every((other) => other === first);
  });
  const seconds = (performance.now() - began) / 1000;
  await crowd.end();
  await client.end();
  await player.end();
  results.push([
    "one that took nothing for 15 s at 32 times the speed, and reads again",
    `has what the others have after ${seconds.toFixed(1)} s, by ${all[0]!.frames} frames where they had ${all.at(-1)!.frames}`,
    all[0]!.frames < all.at(-1)!.frames,
  ]);
}

/** Resident memory of a process, MB. */
function memoryOf(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return Math.round((pages * 4096) / 1e6);
}

async function until(hasHappened: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await hasHappened())) {
    if (performance.now() > deadline) throw new Error("what the script waits for has not happened within two minutes");
    await sleep(50);
  }
}

await main();
