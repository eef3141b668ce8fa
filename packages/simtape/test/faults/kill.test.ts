import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check, type Recording } from "../../src/index.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import { verify } from "../../src/record/index.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { openRecording } from "../record/walk.ts";
import { Dice } from "../record/session-lines.ts";
import { tries } from "../soak.ts";
import { MAIN, simtapeProcess } from "../cli/run.ts";

const KILLS = Number(process.env["KILLS"] ?? tries(6, 500));
const FIRST = Number(process.env["FIRST_KILL"] ?? 0);
/** Milliseconds that may be lost with the journal: a second, and what a busy machine takes to let a process do anything. */
const PROMISE = Number(process.env["KILL_LOSS"] ?? 1000) + Number(process.env["KILL_SLACK"] ?? 6000);
const PLAYERS = 5;
/** Milliseconds of a tick. */
const TICK = 5;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-kill-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Case {
  readonly kill: number;
  readonly kind: "world" | "states";
  readonly input: "stdin" | "tcp";
  readonly journal: boolean;
  /** How it goes on: `recover`, `--resume`, or `--resume --journal`. */
  readonly next: "recover" | "resume" | "resume with journal";
}

const CASES = Array.from({ length: KILLS }, (_, n): Case => {
  const kill = FIRST + n;
  return {
    kill,
    kind: kill % 2 === 0 ? "world" : "states",
    input: kill % 4 < 2 ? "stdin" : "tcp",
    journal: kill % 3 !== 0,
    next: (["recover", "resume", "resume with journal"] as const)[Math.floor(kill / 2) % 3]!,
  };
});

/** Where a thing is at a tick. */
function placeOf(thing: number, tick: number): number[] {
  return [tick / 4 + thing, 64 + ((tick + thing) % 8), (tick % 40) / 8];
}

/** What happens in a tick, in two halves that are sent apart. */
function tickLines(kind: Case["kind"], tick: number, label: string): [string, string] {
  const moved = Array.from({ length: PLAYERS }, (_, thing) =>
    kind === "world"
      ? { move: { id: thing, at: placeOf(thing, tick) } }
      : { entities: { things: { [`t${thing}`]: { position: placeOf(thing, tick) } } } },
  );
  const event = { event: "kill:tick", value: `${label}${tick}` };
  const reported = kind === "world" ? { block: { at: [tick % 100, 0, 0], state: `x:b${tick}` } } : { set: { tick } };
  const lines = [{ tick }, ...moved.slice(0, 3), event, ...moved.slice(3), reported].map((one) => JSON.stringify(one));
  return [
    `${lines.slice(0, 4).join("\n")}\n${lines[4]!.slice(0, 9)}`,
    `${lines[4]!.slice(9)}\n${lines.slice(5).join("\n")}\n`,
  ];
}

function beginning(kind: Case["kind"]): string {
  const there = Array.from({ length: PLAYERS }, (_, thing) => ({
    spawn: { id: thing, type: "x:thing", at: placeOf(thing, 0) },
  }));
  return [{ simtape: 1 }, { tick: 0 }, ...(kind === "world" ? there : [])]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("");
}

/** Sends ticks until the recorder is killed, some time after it has begun; gives when each tick was sent whole. */
async function killed(one: Case, out: string, dice: Dice): Promise<{ sent: number[]; at: number }> {
  const words = [
    "record",
    out,
    "--commit-every",
    dice.of(one.journal ? ["200ms", "700ms", "30s"] : ["200ms", "700ms"]),
  ];
  if (one.journal) words.push("--journal");
  if (one.input === "tcp") words.push("--input", "tcp://127.0.0.1:0");
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["pipe", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said += bytes.toString();
  });
  const to = one.input === "stdin" ? child.stdin : await connected(child, () => said);
  to.on("error", () => undefined);
  to.write(beginning(one.kind));
  await until(() => existsSync(join(out, "meta.hcrp")) || child.exitCode !== null);
  expect(said, "the recorder").not.toMatch(/Error/);
  const sent: number[] = [];
  const start = performance.now();
  const end = start + 100 + dice.next() * (one.journal ? 2200 : 1200);
  for (let tick = 0; performance.now() < end; tick++) {
    const [first, second] = tickLines(one.kind, tick, "a");
    to.write(first);
    // somewhere in the middle of a tick it ends
    if (dice.is(0.5)) await pause(1);
    if (performance.now() >= end) break;
    to.write(second);
    sent.push(performance.now());
    const ahead = start + (tick + 1) * TICK - performance.now();
    if (ahead > 0) await pause(ahead);
  }
  const at = performance.now();
  child.kill("SIGKILL");
  await ended;
  return { sent, at };
}

async function connected(child: ChildProcess, said: () => string): Promise<Writable> {
  await until(() => /listening at tcp:\/\/127\.0\.0\.1:\d+/.test(said()) || child.exitCode !== null);
  return connect(Number(/127\.0\.0\.1:(\d+)/.exec(said())![1]), "127.0.0.1");
}

/** What was recorded in each tick, from the events. */
async function ticksOf(recording: Recording): Promise<string[]> {
  const channel = recording.channels.find(({ name }) => name === "kill:tick");
  const found: string[] = [];
  if (channel === undefined) return found;
  for await (const batch of recording.batches({ channels: [channel] })) {
    for (let i = 0; i < batch.length; i++) {
      const tick = batch.time[i]! / 50e6;
      expect(found[tick], `two events in tick ${tick}`).toBeUndefined();
      found[tick] = JSON.parse(new TextDecoder().decode(batch.payload(i))) as string;
    }
  }
  return found;
}

async function expectTick(recording: Recording, kind: Case["kind"], at: number, tick: number): Promise<void> {
  const state = await recording.state(at * 50e6);
  const set = state.sets.get(kind === "world" ? "entities" : "things")!;
  expect(set.ids).toHaveLength(PLAYERS);
  const position = set.columns.get("position")!.data as Float64Array;
  for (let row = 0; row < PLAYERS; row++)
    expect([...position.subarray(3 * row, 3 * row + 3)], `tick ${at}, row ${row}`).toEqual(placeOf(row, tick));
  if (kind === "states") expect(state.values.get("tick")).toBe(tick);
  else {
    const blocks = state.sets.get("blocks")!;
    const row = [...blocks.ids].indexOf(`${tick % 100},0,0`);
    expect(blocks.columns.get("kind")!.data[row]).toBe(`x:b${tick}`);
  }
}

describe("a recorder that is killed while lines come", () => {
  test.each(CASES)(
    "leaves whole ticks, the first of those that were sent: kill $kill, $kind over $input, journal $journal, $next",
    async (one) => {
      const dice = new Dice(one.kill * 7919 + 14);
      const out = join(folder, String(one.kill));
      const { sent, at } = await killed(one, out, dice);
      let more = 0;
      if (one.next === "recover") {
        const { exit, stderr } = await simtapeProcess(["recover", out]);
        expect([exit, stderr]).toEqual([0, ""]);
      } else {
        more = 5;
        const lines =
          beginning(one.kind) +
          Array.from({ length: more }, (_, tick) => tickLines(one.kind, tick, "b").join("")).join("");
        const words = ["record", out, "--resume", ...(one.next === "resume" ? [] : ["--journal"])];
        const input = new TextEncoder().encode(`${lines}{"end":"completed"}\n`);
        const { exit, stderr } = await simtapeProcess(words, input);
        expect([exit, stderr.replace(/simtape: goes on with the journal .*\n/, "")]).toEqual([0, ""]);
      }
      const store = directoryStore(folder);
      const id = String(one.kill);
      await using recording = await openRecording(store, id);
      expect((await check(recording)).findings).toEqual([]);
      const { findings, ...verified } = await verify(recordingBundle(store, id));
      expect(verified).toMatchObject({ status: "sound", isFinished: true });
      expect(findings).toEqual([]);
      expect(existsSync(join(out, "journal.hcj"))).toBe(false);
      const ticks = await ticksOf(recording);
      const kept = ticks.length - more;
      expect(ticks).toEqual([
        ...Array.from({ length: kept }, (_, tick) => `a${tick}`),
        ...Array.from({ length: more }, (_, tick) => `b${tick}`),
      ]);
      expect((await recording.timeline()).tick!.count).toBe(kept + more);
      expect(kept).toBeLessThanOrEqual(sent.length);
      for (let tick = 0; tick < kept; tick += 7) await expectTick(recording, one.kind, tick, tick);
      if (kept > 0) await expectTick(recording, one.kind, kept - 1, kept - 1);
      for (let tick = 0; tick < more; tick++) await expectTick(recording, one.kind, kept + tick, tick);
      const lost = kept === sent.length ? 0 : at - (sent[kept] ?? at);
      if (process.env["KILLS_TOLD"] !== undefined)
        console.log(
          `kill ${one.kill}: ${kept} of ${sent.length} ticks, ${Math.round(lost)} ms, ${JSON.stringify(one)}`,
        );
      if (one.journal) expect(lost).toBeLessThanOrEqual(PROMISE);
      rmSync(out, { recursive: true });
    },
  );
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}
