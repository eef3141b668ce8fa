import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { BudgetError } from "../../src/bytes/budget.ts";
import { check, convert, FORMATS, MemoryFiles, open as openRecording, RecordingError } from "../../src/index.ts";
import { Budget, ByteBuilder } from "../../src/kit.ts";
import { simtape, temporaryFile } from "../cli/run.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { REAL, SOUND, type SoundRecording } from "../specimens.ts";
import { BOMBS } from "../support/bombs.ts";
import { carla } from "../support/bombs/carla.ts";
import type { Bomb } from "../support/bombs/parts.ts";

const MiB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "simtape-budget-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly result?: string;
  readonly error?: string;
  readonly message?: string;
}

interface Detonated {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** MiB of memory at most, and seconds of processor. */
  readonly peak: number;
  readonly seconds: number;
}

const SCRIPT = fileURLToPath(new URL("../support/detonate.js", import.meta.url));
const READING = "state,batches,back,records,statistics,check";

/** What becomes of a process with a heap of 192 MiB that does things with a file; null when it ended otherwise. */
async function detonate(path: string, deeds: string): Promise<Detonated | null> {
  const child = spawn(process.execPath, ["--max-old-space-size=192", "--expose-gc", SCRIPT, path, "", deeds], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 300_000,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await once(child, "close");
  return text === "" ? null : (JSON.parse(text) as Detonated);
}

/** Some ways, quickly made; in the long run all there are, as large as they are meant. */
const QUICK = new Map([
  ["mira: gzip in blocks", 1],
  ["hcrp: metadata of empty compounds", 0.5],
  ["hcrp: a million entries of the index", 0.3],
  ["carla: collisions", 0.1],
  ["flightgear: a header of empty nodes", 0.2],
  ["nanover: entries that overlap", 0.1],
  ["nanover: a frame of empty lists", 0.3],
  ["mcap: metadata records", 1],
]);
const CHOSEN: readonly (readonly [Bomb, number])[] = BOMBS.flatMap((bomb) => {
  const size = tries(QUICK.get(bomb.name) ?? 0, 1);
  return size === 0 ? [] : [[bomb, size] as const];
});
/** Conversion looks at every value at every moment: what has many of both takes long, and nothing else. */
const SLOW = new Set([
  "flightgear: extra properties",
  "mira: a channel for each message",
  "mcap: as many channels as there can be",
]);

/** Everything there is to do with a recording. */
async function everything(sound: SoundRecording, budget: number | undefined): Promise<void> {
  const recording = await openRecording(sound.bundle(), { budget });
  try {
    const { start, end } = await recording.timeline();
    await recording.state(start + (end - start) / 2);
    await recording.state(end);
    expect((await check(recording)).status).toBe("sound");
    const target = FORMATS.find(({ id }) => id === (sound.format === "hcrp" ? "nanover" : "hcrp"))!;
    await convert(recording, await target.writing!(), new MemoryFiles("converted"));
  } finally {
    await recording.close();
  }
}

describe("a small file that asks for much", () => {
  test("the chosen ones are among them all, and every format has some", () => {
    for (const name of QUICK.keys()) expect(BOMBS.map((bomb) => bomb.name)).toContain(name);
    for (const format of ["mira", "hcrp", "carla", "flightgear", "nanover", "mcap"])
      expect(BOMBS.filter(({ name }) => name.startsWith(`${format}: `)).length).toBeGreaterThan(4);
  });

  test.each(CHOSEN.map(([bomb, size]) => [bomb.name, bomb, size] as const))(
    "%s: no more than the budget, and a result or a typed error",
    async (name, bomb, size) => {
      const empty = join(folder, `empty-${bomb.file}`);
      writeFileSync(empty, "");
      const base = (await detonate(empty, READING))!.peak;
      const path = join(folder, bomb.file);
      writeFileSync(path, bomb.make(size));
      // what has been read stays for those who read again: a conversion has a recording of its own, as the command has
      for (const deeds of SLOW.has(name) ? [READING] : [READING, "convert"]) {
        const detonated = await detonate(path, deeds);
        expect(detonated, "the process came to its end").not.toBeNull();
        const untyped = Object.entries(detonated!.outcomes).filter(([, { error }]) => error === "untyped");
        expect(untyped).toEqual([]);
        expect(detonated!.peak - base, deeds).toBeLessThan(256);
        expect(detonated!.seconds, deeds).toBeLessThan(120);
      }
      rmSync(path);
    },
    400_000,
  );
});

describe("a budget", () => {
  test.each([...SOUND, ...REAL].map((sound) => [sound.name, sound] as const))(
    "is enough for %s four times over",
    (_, sound) => everything(sound, 64 * MiB),
    60_000,
  );

  test("that is too small is a typed error that says how to raise it, whatever the format and how small", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...SOUND), fc.double({ min: 0, max: 24, noNaN: true }), async (sound, power) => {
        try {
          await everything(sound, 2 ** power);
        } catch (error) {
          if (!RecordingError.is(error)) throw error;
          expect(error.code).toBe("over-budget");
          expect(error.message).toMatch(
            /^over budget: .* would take [\d.]+ [KM]?i?B.*, and [\d.]+ [KM]?i?B .*; .*--budget [\d.]+[KM]?i?B/,
          );
        }
      }),
      { numRuns: tries(40, 2000), seed: 14 },
    ));

  test("of one byte is too small for every format", async () => {
    for (const sound of SOUND)
      await expect(openRecording(sound.bundle(), { budget: 1 })).rejects.toMatchObject({ code: "over-budget" });
  });

  test("that is larger opens what the usual one refuses", async () => {
    const bytes = BOMBS.find(({ name }) => name === "mira: gzip in blocks")!.make(1);
    const open = (budget?: number): ReturnType<typeof openRecording> =>
      openRecording(bundleOfFiles({ "a.tape": bytes }), { budget });
    await expect(open()).rejects.toMatchObject({ code: "over-budget", format: "mira" });
    const recording = await open(512 * MiB);
    expect((await recording.statistics())[0]!.bytes).toBe(1200 * MiB);
    await recording.close();
  });

  test("can be shared by several recordings", async () => {
    const budget = new Budget(3000);
    const open = (): ReturnType<typeof openRecording> => openRecording(SOUND[0]!.bundle(), { budget });
    const opened = [await open()];
    await expect(
      (async () => {
        for (let i = 0; i < 10; i++) opened.push(await open());
      })(),
    ).rejects.toMatchObject({ code: "over-budget" });
    for (const recording of opened) await recording.close();
  });

  test("counts what is held, and refuses what finds no room beside it", () => {
    const budget = new Budget(100);
    budget.hold("a", 60);
    budget.fit("b", 40);
    expect(() => budget.fit("b", 41)).toThrow(BudgetError);
    expect(() => budget.hold("c", 41)).toThrow(/over budget: c /);
    budget.hold("d", 40);
    expect(() => new Budget(0)).toThrow(RangeError);
    expect(() => new Budget(Number.NaN)).toThrow(RangeError);
  });

  test("says amounts of a size to read, and how much would be enough", () => {
    const refused = (limit: number, held: number, more: number): string => {
      const budget = new Budget(limit);
      budget.hold("a", held);
      try {
        budget.hold("the list of channels", more);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    const said = (amounts: string, budget: string): string =>
      `over budget: the list of channels would take ${amounts} are left; if that is meant to be, allow more: --budget ${budget}, or budget in the options of open`;
    expect(refused(256 * MiB, 256 * MiB - 40, 212)).toBe(said("212 B more, and 40 B of 256 MiB", "512MiB"));
    expect(refused(256 * MiB, 255 * MiB, 1300 * MiB)).toBe(said("1300 MiB more, and 1 MiB of 256 MiB", "2048MiB"));
    expect(refused(3000, 952, 2049)).toBe(said("2.1 KiB more, and 2 KiB of 2.9 KiB", "5.9KiB"));
    expect(() => new Budget(1).expand("a", 3, 0)).toThrow(/would take 3 B, and 2 B are allowed; .* --budget 2B,/);
  });

  test("grows with the file for what is made of it", () => {
    const budget = new Budget(MiB);
    expect(budget.expansion(0)).toBe(2 * MiB);
    expect(budget.expansion(3 * MiB)).toBe(5 * MiB);
    budget.expand("a", 2 * MiB, 0);
    expect(() => budget.expand("a", 2 * MiB + 1, 0)).toThrow(BudgetError);
  });
});

describe("the command", () => {
  const tape = temporaryFile("blocks.tape", BOMBS.find(({ name }) => name === "mira: gzip in blocks")!.make(1));

  test("says in one line what was exceeded, and ends with 1", async () => {
    const { exit, stderr, stdout } = await simtape(["info", tape]);
    expect(exit).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^simtape: .*blocks\.tape: over budget: decompressing its messages would take 1\d{3} MiB, .*--budget.*\n$/,
    );
  });

  test("takes a larger budget as an option, and from the environment", async () => {
    expect((await simtape(["info", "--budget", "512MiB", tape])).exit).toBe(0);
    process.env["SIMTAPE_BUDGET"] = "1g";
    try {
      expect((await simtape(["info", tape])).exit).toBe(0);
      expect((await simtape(["info", "--budget", "200m", tape])).exit).toBe(1);
      process.env["SIMTAPE_BUDGET"] = "much";
      const { exit, stderr } = await simtape(["info", tape]);
      expect([exit, stderr]).toEqual([2, expect.stringMatching(/^simtape: SIMTAPE_BUDGET is much: a size such as/)]);
    } finally {
      delete process.env["SIMTAPE_BUDGET"];
    }
  });

  test("holds for every command that reads an HCRP recording, also where it writes in place", async () => {
    const [run, out] = [join(folder, "run"), join(folder, "run.hcrp")];
    const lines = ['{"spawn":{"id":1,"type":"cow","at":[1,2,3]}}', '{"tick":0}', '{"tick":9}'];
    const input = new TextEncoder().encode(`${lines.join("\n")}\n`);
    expect((await simtape(["record", run, "--json"], input)).exit).toBe(0);
    const deeds: readonly (readonly string[])[] = [
      ["info", run],
      ["tail", run],
      ["check", run],
      ["verify", run],
      ["compact", run, out],
      ["convert", run, out],
      ["copy", run, out],
      ["trim", run, out, "--from", "100ms"],
      ["repair", run, out],
      ["dictionary", "train", run, "--id", "40000", "-o", join(folder, "run.dict")],
      ["meta", "get", run],
      ["meta", "set", run, "a=1"],
      ["recover", run],
      ["record", run, "--resume"],
    ];
    for (const words of deeds) {
      const name = words.join(" ");
      const { exit, stdout, stderr } = await simtape([...words, "--budget", "1"], input);
      expect([exit, stdout + stderr], name).toEqual([1, expect.stringMatching(/over budget: .*--budget/)]);
      process.env["SIMTAPE_BUDGET"] = "1";
      try {
        const ran = await simtape(words, input);
        expect(ran.stderr + ran.stdout, name).toMatch(/over budget: .*--budget/);
      } finally {
        delete process.env["SIMTAPE_BUDGET"];
      }
    }
    expect(existsSync(out)).toBe(false);
    for (const words of [
      ["verify", run],
      ["compact", run, out],
      ["meta", "set", run, "a=1"],
      ["recover", run],
    ])
      expect((await simtape([...words, "--budget", "1GiB"])).exit, words.join(" ")).toBe(0);
  });

  test("refuses what is no size", async () => {
    expect((await simtape(["info", "--budget", "0", tape])).exit).toBe(2);
    expect((await simtape(["info", "--budget", "lots", tape])).exit).toBe(2);
  });
});

test("collisions of many packets in a frame are all there, in order", async () => {
  const bytes = carla((log) => {
    log.frame(1);
    for (let i = 0; i < 5000; i++)
      log.packet(5, new ByteBuilder().u16le(1).u32le(i).u32le(1).u32le(2).u8(0).u8(0).take());
    log.packet(1, new Uint8Array(0));
  });
  const recording = await openRecording(bundleOfFiles({ "a.log": bytes }));
  const { values } = await recording.state((await recording.timeline()).end);
  const ids = (values.get("collisions") as readonly { collision: number }[]).map(({ collision }) => collision);
  expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  await recording.close();
});
