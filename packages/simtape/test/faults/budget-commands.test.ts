import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { BudgetError } from "../../src/bytes/budget.ts";
import type { TapeSchema } from "../../src/formats/mira/meaning/schema.ts";
import {
  convert,
  FORMATS,
  MemoryFiles,
  MutableState,
  open as openRecording,
  repair,
  type SourceBundle,
} from "../../src/index.ts";
import { Budget } from "../../src/kit.ts";
import { Growth } from "../../src/model/state/growth.ts";
import { LookedAt } from "../../src/ops/looked-at.ts";
import { simtape } from "../cli/run.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { BOMBS } from "../support/bombs.ts";
import type { Bomb } from "../support/bombs/parts.ts";
import { watched } from "../support/watched.ts";

const MiB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "simtape-budget-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The usual budget, and what the engine takes before it collects: its young generation, and a quarter of the budget. */
const MOST = 256 + 96;
/** What there is to do with a file; `out` is a place to write to. */
const COMMANDS: Readonly<Record<string, (file: string, out: string) => readonly string[]>> = {
  info: (file) => ["info", "--json", file],
  cat: (file) => ["cat", file],
  events: (file) => ["events", file],
  state: (file) => ["state", file, "--at", "0s"],
  records: (file) => ["records", file],
  series: (file) => ["series", file, "no/such/path"],
  "export --list": (file) => ["export", file, "--list"],
  check: (file) => ["check", file],
  index: (file) => ["index", file, "--beside"],
  copy: (file, out) => ["copy", file, out, "--force"],
  rewrite: (file, out) => ["copy", file, out, "--force", "--rewrite"],
  repair: (file, out) => ["repair", file, out, "--force"],
  trim: (file, out) => ["trim", file, out, "--force", "--from", "1ns"],
  shift: (file, out) => ["shift", file, out, "--force", "--by", "1s"],
  filter: (file, out) => ["filter", file, out, "--force", "--exclude", "*7*"],
  redact: (file, out) => ["redact", file, out, "--force", "--channel", "*"],
  join: (file, out) => ["join", file, file, "--output", out, "--force"],
  "export to MCAP": (file) => ["export", file, "--to", "mcap", "--output", join(folder, "exported.mcap"), "--force"],
  "export to Parquet": (file) => ["export", file, "--output", join(folder, "exported.parquet"), "--force"],
  "table of a channel": (file) => ["table", file, "--channel", channelOf(file)],
  stats: (file) => ["stats", file],
  compare: (file) => ["compare", file, file],
  sql: (file) => ["sql", file, "select count(*) from events"],
  "to HCRP": (file) => ["convert", file, join(folder, "converted.hcrp"), "--force"],
  "to NanoVer": (file) => ["convert", file, join(folder, "converted.nanover.zip"), "--force"],
  "to CARLA": (file) => ["convert", file, join(folder, "converted.log"), "--force"],
  "to MIRA": (file) => ["convert", file, join(folder, "converted.tape"), "--force"],
  "to FlightGear": (file) => ["convert", file, join(folder, "converted.fgtape"), "--force"],
};

/** A channel that bombs of a format have, and its messages are large or many. */
const CHANNELS: Readonly<Record<string, string>> = { hcrp: "chat", log: "event-add", tape: "/camera", state: "state" };

function channelOf(file: string): string {
  return CHANNELS[file.slice(file.lastIndexOf(".") + 1)] ?? "frame";
}

function bombNamed(name: string): Bomb {
  return BOMBS.find((bomb) => bomb.name === name)!;
}

/** A few pairs of a bomb and a command, and its size; in the long run all of them. */
const QUICK: readonly (readonly [string, string, number])[] = [
  ["mira: a million channels", "info", 0.065],
  ["hcrp: a damaged chunk of a century", "repair", 1],
  ["mcap: other keys in each message", "series", 1],
  ["hcrp: chat of one tick", "export to MCAP", 1],
  ["nanover: a frame of nothings", "export to MCAP", 1],
  ["carla: a million actors", "events", 1],
  ["carla: a million actors", "table of a channel", 1],
  ["hcrp: metadata of one long array", "info", 1],
  ["flightgear: extra properties", "redact", 1],
  ["flightgear: extra properties of many levels", "to CARLA", 1],
  ["flightgear: many pilots", "index", 0.4],
  ["carla: a million actors", "trim", 0.35],
  ["carla: a million actors", "redact", 0.2],
  ["carla: collisions", "index", 1],
  ["hcrp: metadata of one long array", "join", 1],
  ["nanover: a frame of many keys", "join", 0.5],
  ["mcap: other keys in each message", "to MIRA", 1],
  ["mcap: half a million empty messages in a chunk", "repair", 0.2],
];
const PAIRS =
  tries(0, 1) === 0
    ? QUICK
    : BOMBS.flatMap(({ name }) => Object.keys(COMMANDS).map((verb) => [name, verb, 1] as const));

describe("a process", () => {
  test.each(PAIRS)(
    "with %s: %s takes the budget at most",
    async (name, verb, size) => {
      const { file, make } = bombNamed(name);
      const [tiny, large, out] = [join(folder, `tiny-${file}`), join(folder, file), join(folder, `out-${file}`)];
      writeFileSync(tiny, make(1e-6));
      writeFileSync(large, make(size));
      const base = await watched(COMMANDS[verb]!(tiny, out));
      const { exit, stderr, peak } = await watched(COMMANDS[verb]!(large, out));
      expect(peak, `the process came to its end; ${stderr}`).not.toBeNull();
      expect([0, 1, 2, 3], stderr).toContain(exit);
      expect(peak! - base.peak!).toBeLessThan(MOST);
    },
    1_200_000,
  );
});

describe("work", () => {
  test.each(["nanover: frames with a key more in each message", "nanover: a state with a key more in each message"])(
    "of %s, the square of its size, is over budget; that of a file of its size alone is not",
    async (name) => {
      const { file, make } = bombNamed(name);
      const hcrp = await FORMATS.find(({ id }) => id === "hcrp")!.writing!();
      const converted = async (count: number): Promise<number> => {
        const bundle = bundleOfFiles({ [file]: make(count / 200_000) });
        const recording = await openRecording(bundle, { budget: 6 * MiB });
        return (await convert(recording, hcrp, new MemoryFiles("converted"))).moments;
      };
      expect(await converted(500)).toBe(500);
      await expect(converted(6000)).rejects.toMatchObject({
        code: "over-budget",
        message: expect.stringMatching(/^over budget: reading its values at every moment would take/),
      });
    },
  );

  test("of many values that hold still is none", async () => {
    const { file, make } = bombNamed("nanover: a state with a key more in each message");
    const recording = await openRecording(bundleOfFiles({ [file]: make(500 / 200_000) }));
    const still = await recording.state((await recording.timeline()).end);
    const lookedAt = new LookedAt({ ...recording.reader, info: recording.info, budget: new Budget(1000) });
    for (let time = 0; time < 1e5; time++) lookedAt.add({ ...still, time });
    expect(() => {
      for (let time = 0; time < 1e5; time++) lookedAt.add({ ...still, time, values: new Map(still.values) });
    }).toThrow(BudgetError);
  });

  test("of weighing a state near the limit is done once for each part of the budget that was folded", () => {
    const state = new MutableState();
    for (let i = 0; i < 1000; i++) state.setValue(`value ${i}`, i);
    const budget = new Budget(state.weigh() * 2 + 1);
    const weigh = vi.spyOn(state, "weigh");
    const growth = new Growth(budget);
    for (let i = 0; i < 10_000; i++) growth.folded(state, 8);
    const [growthOfAByte, copies, share] = [64, 2, budget.limit / 64];
    expect(weigh.mock.calls.length).toBeLessThan((10_000 * 8 * growthOfAByte * copies) / share + 2);
    state.setValue("large", new Uint8Array(budget.limit));
    expect(() => {
      for (let i = 0; i < 10_000; i++) growth.folded(state, 8);
    }).toThrow(BudgetError);
  });
});

describe("channels", () => {
  const tape = bombNamed("mira: a million channels");
  const open = (count: number): ReturnType<typeof openRecording> =>
    openRecording(bundleOfFiles({ [tape.file]: tape.make(count / 1e6) }));

  test("belong to the budget: five thousand open, as many as there can be do not", async () => {
    const recording = await open(5000);
    const { end } = await recording.timeline();
    expect((await recording.state(end)).values.size).toBe(5000);
    const read = new Set(recording.channels.map(({ schema }) => (schema as TapeSchema).encoding?.encoding));
    expect(read.size).toBe(1);
    await recording.close();
    await expect(open(65_000)).rejects.toMatchObject({
      code: "over-budget",
      message: expect.stringMatching(/^over budget: the list of channels would take/),
    });
  });

  test("are listed for people as far as they can be read, and all of them in JSON", async () => {
    const file = join(folder, "many.tape");
    writeFileSync(file, tape.make(600 / 1e6));
    const { stdout } = await simtape(["info", file]);
    expect(stdout).toContain("… and 100 more channels; --json has all");
    expect(stdout.match(/\/c\/\d+ /g)).toHaveLength(500);
    expect(JSON.parse((await simtape(["info", "--json", file])).stdout).channels).toHaveLength(600);
  });
});

test("what is left of a damaged chunk of a century takes a few thousand chunks without events", async () => {
  const { file, make } = bombNamed("hcrp: a damaged chunk of a century");
  const bundle = bundleOfFiles({ [file]: make(1) });
  const recording = await openRecording(bundle);
  const files = new MemoryFiles(file);
  const writing = await FORMATS.find(({ id }) => id === "hcrp")!.writing!();
  const reopen = (written: SourceBundle): ReturnType<typeof openRecording> => openRecording(written);
  expect((await repair(recording, bundle, writing, files, reopen)).status).toBe("repaired");
  const repaired = await openRecording(bundleOfFiles(Object.fromEntries(files.files)));
  expect((await repaired.timeline()).tick?.count).toBe(0x7fff_ffff);
  expect(repaired.reader.chunks!.length).toBeLessThan(5000);
});
