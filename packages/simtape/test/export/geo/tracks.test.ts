import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FixSpool } from "../../../src/export/geo/fix-spool.ts";
import { FIX_WIDTH } from "../../../src/export/geo/fix.ts";
import { EXPORT_TARGETS, targetOfName } from "../../../src/export/targets.ts";
import { type ByteSink, MemoryFiles, open, RecordingError, type SinkBundle } from "../../../src/index.ts";
import { HeldFiles } from "../../../src/io/sink/held.ts";
import { makeContinuous } from "../../fixtures/flightgear/make.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { toFile } from "../../../src/io/node/index.ts";
import { simtape } from "../../cli/run.ts";
import { sample, samplesDirectory } from "../../samples.ts";
import { gpxTracks } from "./programs.ts";
import { DRIVE, exported, FLIGHT, madeRecording, opened, putAircraft, randomly } from "./support.ts";

const TARGETS = ["kml", "gpx", "czml", "acmi"];

/** Adds so many fixes of three things in turn, whose numbers say which they are. */
async function filled(spool: FixSpool, fixes: number): Promise<void> {
  const cells = new Float64Array(2 * FIX_WIDTH);
  for (let i = 0; i < fixes; i++) {
    cells.fill(i, FIX_WIDTH);
    if (spool.add(i % 3, cells, FIX_WIDTH)) await spool.settle();
  }
}

async function mustHave(spool: FixSpool, fixes: number): Promise<void> {
  for (let thing = 0; thing < 3; thing++) {
    const count = Math.ceil((fixes - thing) / 3);
    expect(spool.count(thing)).toBe(count);
    for (const [from, to] of [
      [0, count],
      [count - 1, count],
      [100, count - 100],
      [255, 257],
      [256, 512],
    ] as const) {
      let at = from;
      for await (const some of spool.read(thing, from, to)) {
        for (let k = 0; k < some.length; k++)
          if (some[k] !== 3 * (at + Math.floor(k / FIX_WIDTH)) + thing) expect.fail();
        at += some.length / FIX_WIDTH;
      }
      expect(at).toBe(to);
    }
  }
}

describe("the spool of fixes", () => {
  test("gives them back by thing, from memory", async () => {
    const files = new MemoryFiles("a.kml");
    const spool = new FixSpool(files);
    await filled(spool, 5000);
    await mustHave(spool, 5000);
    await spool.close();
    expect([...files.files]).toEqual([]);
  });

  test("gives them back from a file, and leaves none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-spool-"));
    try {
      const spool = new FixSpool(toFile(join(folder, "a.kml")), 4);
      await filled(spool, 20_000);
      expect(readdirSync(folder)).toHaveLength(1);
      await mustHave(spool, 20_000);
      await spool.close();
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("gives them back from a file that is held until all is written", async () => {
    const files = new MemoryFiles("a.kml");
    const held = new HeldFiles(files);
    const spool = new FixSpool(held, 1);
    await filled(spool, 5000);
    await mustHave(spool, 5000);
    await spool.close();
    await held.release();
    expect([...files.files]).toEqual([]);
  });

  test("keeps them in memory where a file cannot be read back", async () => {
    const files = new MemoryFiles("a.kml");
    const to: SinkBundle = {
      name: "a.kml",
      open: async (name) => {
        const { read: _, ...sink } = (await files.open(name)) as ByteSink & { read: unknown };
        return { ...sink, abort: async () => undefined, name: "x", position: 0 } as unknown as ByteSink;
      },
    };
    const spool = new FixSpool(to, 4);
    await filled(spool, 20_000);
    await mustHave(spool, 20_000);
    await spool.close();
  });

  test("refuses more than memory may have there, with what to do", async () => {
    const spool = new FixSpool({ name: null, open: async () => ({ abort: async () => undefined }) as ByteSink }, 2, 8);
    await expect(filled(spool, 4000)).rejects.toThrow(/write to a file/);
  });
});

test("the ending of a file's name gives the target", () => {
  for (const id of TARGETS) expect(targetOfName(`Flight.${id.toUpperCase()}`)?.id).toBe(id);
  for (const target of EXPORT_TARGETS)
    expect(TARGETS.includes(target.id) ? target.carries : "place").toContain("place");
});

test("what a target says of itself before it is loaded is what it is", async () => {
  for (const { load, ...facts } of EXPORT_TARGETS.filter(({ id }) => TARGETS.includes(id)))
    expect(await load()).toMatchObject(facts);
});

test("a town fits by its vehicles first; with a set of it, that is carried", async () => {
  await using recording = await open(makeTown(RELEASES.at(-1)!));
  for (const target of EXPORT_TARGETS.filter(({ id }) => TARGETS.includes(id))) {
    const fitting = await (await target.load()).fitting(recording);
    expect(fitting.slice(0, 2)).toEqual(["vehicles", "walkers"]);
    expect(fitting).toContain("traffic-lights");
  }
});

test("of a damaged flight each target writes what is left, or gives one typed error", async () => {
  const sound = makeContinuous({ frames: 80 });
  const random = randomly(11);
  const ends = { written: 0, refused: 0 };
  for (let i = 0; i < 60; i++) {
    const bytes = sound.slice(0, i % 5 === 0 ? Math.floor(random.next().value * sound.length) : sound.length);
    for (let k = 0; k < 4; k++) bytes[Math.floor(random.next().value * bytes.length)] = random.next().value * 256;
    const to = TARGETS[i % 4]!;
    try {
      await using recording = await open(bytes);
      const { text, report } = await exported(recording, to);
      expect(report.count).toBeGreaterThan(0);
      expect(text).not.toMatch(/NaN|Infinity|undefined|null,/);
      if (to === "gpx") expect([...gpxTracks(text).values()].flat(2)).toHaveLength(report.count);
      if (to === "czml") expect(() => JSON.parse(text) as unknown).not.toThrow();
      ends.written++;
    } catch (error) {
      if (!(error instanceof RangeError) && !RecordingError.is(error)) throw error;
      ends.refused++;
    }
  }
  expect(ends.written).toBeGreaterThan(30);
});

describe("what is asked for", () => {
  const recording = madeRecording({
    times: [0, 1e9, 2e9],
    fill: (state, time) =>
      putAircraft(state, [
        { id: "a", place: [10 + time / 1e12, 20, 0] },
        { id: "7", place: [11 + time / 1e12, 20, 0] },
      ]),
  });

  test("only the things that are wanted are carried", async () => {
    for (const to of TARGETS) expect((await exported(recording, to, { ids: [7] })).report.count).toBe(3);
  });

  test("nothing that is there is one error, and no file", async () => {
    for (const to of TARGETS) {
      await expect(exported(recording, to, { ids: ["b"] })).rejects.toThrow(/nothing with the id b has a place/);
      await expect(exported(recording, to, { set: "birds" })).rejects.toThrow(/nothing in birds has a place/);
      const files = new MemoryFiles("x");
      const exporter = await EXPORT_TARGETS.find(({ id }) => id === to)!.load();
      await expect(exporter.write(recording, files, { set: "birds" })).rejects.toThrow(RangeError);
      expect([...files.files]).toEqual([]);
    }
  });

  test("options of rows are refused", async () => {
    for (const options of [{ channel: "x" }, { columns: ["a"] }])
      for (const to of TARGETS) await expect(exported(recording, to, options)).rejects.toThrow(TypeError);
  });
});

describe.skipIf(samplesDirectory === null)("of a real flight", () => {
  test("a part has the fixes of the whole in that time, and every so often has one there", async () => {
    await using recording = await opened(FLIGHT);
    const whole = gpxTracks((await exported(recording, "gpx")).text);
    const part = gpxTracks((await exported(recording, "gpx", { start: 20e9, end: 30e9 })).text);
    const zero = Date.UTC(2000, 0, 1);
    const [all, some] = [whole.get("c172p")!.flat(), part.get("c172p")!.flat()];
    expect(some).toEqual(all.filter(({ time }) => time >= zero + 20e3 && time < zero + 30e3));
    expect(some.length).toBeGreaterThan(5);
    const steps = gpxTracks((await exported(recording, "gpx", { start: 20e9, end: 30e9, every: 25e7 })).text);
    const times = steps
      .get("c172p")!
      .flat()
      .map(({ time }) => (time - zero - 20e3) / 250);
    expect(times.every((step) => Number.isInteger(step) && step >= 0 && step < 40)).toBe(true);
    expect(times.at(0)).toBe(0);
    expect(times.at(-1)).toBe(39);
  });

  test("the command writes each, and nothing beside it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-geo-"));
    try {
      for (const id of TARGETS) {
        const { exit, stdout } = await simtape(["export", sample(FLIGHT), "-o", join(folder, `a.${id}`), "--json"]);
        expect(exit).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ to: id, of: ["aircraft"], unit: "fix", lost: [] });
      }
      expect(readdirSync(folder).sort()).toEqual(TARGETS.map((id) => `a.${id}`).sort());
      const refused = await simtape(["export", sample(DRIVE), "-o", join(folder, "drive.kml")]);
      expect(refused).toMatchObject({ exit: 2, stdout: "" });
      expect(refused.stderr).toContain("give an origin");
      expect(existsSync(join(folder, "drive.kml"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("nothing is left of an export that is called off", async () => {
    await using recording = await opened(FLIGHT);
    const folder = mkdtempSync(join(tmpdir(), "simtape-geo-"));
    try {
      for (const { id, load } of EXPORT_TARGETS.filter((target) => TARGETS.includes(target.id))) {
        const exporter = await load();
        const stop = new AbortController();
        const onProgress = (): void => stop.abort();
        const path = join(folder, `a.${id}`);
        await expect(exporter.write(recording, toFile(path), { signal: stop.signal, onProgress })).rejects.toThrow();
        expect(existsSync(path)).toBe(false);
      }
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
