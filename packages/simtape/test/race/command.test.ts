import { mkdtempSync, readFileSync, statSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import type { Race } from "../../src/race/index.ts";
import { simtape } from "../cli/run.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { Drive, Eight, tapeOf } from "./made.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-race-"));
afterAll(() => rmSync(folder, { recursive: true }));
const inside = (name: string): string => join(folder, name);
const TOWER = new URL("../../../../examples/race.hcrp", import.meta.url).pathname;
const EIGHT = new Eight();

const schema = readFileSync(new URL("../../../../docs/race.schema.json", import.meta.url), "utf8");
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: true }).compile(
  JSON.parse(schema) as object,
);

async function json(words: readonly string[]): Promise<Race & { files: string[] }> {
  const { exit, stdout, stderr } = await simtape(["race", ...words, "--json"]);
  expect(exit, stderr).toBe(0);
  const found = JSON.parse(stdout) as Race & { files: string[] };
  validate(found);
  expect(validate.errors ?? []).toEqual([]);
  return found;
}

function driven(name: string, speeds: readonly number[]): string {
  const drive = new Drive(EIGHT.length, speeds);
  const way = (t: number): readonly [number, number] => EIGHT.place(t < 1 ? 10 * (t - 1) : drive.along(t - 1));
  writeFileSync(inside(name), tapeOf(way, { until: drive.seconds + 2, every: 0.05 }));
  return inside(name);
}

describe("simtape race", () => {
  const [a, b] = [driven("a.tape", [20, 20, 20, 20, 20]), driven("b.tape", [20, 10, 20, 30, 20])];

  test("prints times, gaps, splits, and the curve of each lap but the first", async () => {
    const { exit, stdout } = await simtape(["race", a, b, "--line", EIGHT.line, "--sectors", "5"]);
    expect(exit).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^\d+\.\d m along a\.tape poses\[\/robot\/Odometry\] #1, 2 laps$/);
    expect(lines[3]).toMatch(/^1 {2}a\.tape .* 0:\d\d\.\d{3} {2}/);
    expect(lines[4]).toMatch(/^2 {2}b\.tape .* 0:\d\d\.\d{3} {2}\+\d\.\d{3} {2}/);
    expect(stdout).toContain("theoretical best ");
    expect(stdout).toMatch(/; lost \d\.\d\d s from \d+ to \d+ m, won/);
    expect(stdout).toMatch(/^ {2}[▁▂▃▄▅▆▇█]{50,}$/m);
  });

  test("has everything in JSON, of a folder, too", async () => {
    const { files, laps, course } = await json([folder, "--line", EIGHT.line, "--points", "50"]);
    expect(files).toEqual([a, b]);
    expect([laps.length, course.along.length, laps[0]!.curve.seconds.length]).toEqual([2, 51, 51]);
  });

  test("writes a report that has no script and nothing from elsewhere, and does not overwrite one", async () => {
    const page = inside("report.html");
    const words = ["race", a, b, "--line", EIGHT.line, "--html", page, "--view", "http://127.0.0.1:8080/x/?url=a.tape"];
    expect((await simtape(words)).exit).toBe(0);
    const html = readFileSync(page, "utf8");
    expect(html).not.toMatch(/<script|@import|url\(|src=/i);
    expect(html).toContain('href="http://127.0.0.1:8080/x/?url=a.tape#%7B%22t%22%3A');
    expect(html.match(/<svg /g)!.length).toBe(2);
    expect(html).not.toContain("NaN");
    expect((await simtape(words)).exit).not.toBe(0);
    expect((await simtape([...words, "--force"])).exit).toBe(0);
    expect(statSync(page).mode).toBe(statSync(a).mode & statSync(b).mode);
    const { exit, stderr } = await simtape(["race", a, b, "--line", EIGHT.line, "--html", b, "--force"]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("input and output are the same file")]);
  });

  test.each([
    [["--line", "nowhere"], "a line is x1,y1,x2,y2"],
    [["--line", "900,0,910,0"], "it crosses the line never; it is within x"],
    [["--thing", "poses[nothing]"], "nothing is poses[nothing]"],
    [["--sectors", "none"], "sectors is a whole number"],
    [["--view", "http://localhost/"], "--view goes with --html"],
    [["--course", a], "the course"],
  ])("%j is wrong usage", async (words, message) => {
    const { exit, stderr } = await simtape(["race", a, b, ...words]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("takes the times of players from marks, and those of checkpoints", async () => {
    const checkpoints = [1, 2, 3].flatMap((n) => ["--checkpoint", `checkpoint ${n}`]);
    const words = ["--thing", "players[*]", "--mark", "start", "--finish", "finish", ...checkpoints];
    const { laps, theoretical, course } = await json([TOWER, ...words]);
    // the marks themselves, read by nothing that races
    await using recording = await open(fromFile(TOWER));
    const marks = new Map<string, number>();
    for await (const events of recording.events()) for (const { text, time } of events) marks.set(text, time);
    const start = marks.get("start")!;
    expect(laps.length).toBe(5);
    const finishes = laps.map(({ label }) => (marks.get(`${label}: finish`)! - start) / 1e9);
    expect(laps.map(({ seconds }) => seconds)).toEqual(finishes);
    expect(finishes).toEqual(finishes.toSorted((one, other) => one - other));
    for (const { label, splits } of laps)
      for (const k of [0, 1, 2])
        expect(splits[k]!.seconds).toBe((marks.get(`${label}: checkpoint ${k + 1}`)! - start) / 1e9);
    const sectors = [0, 1, 2, 3].map((k) => Math.min(...laps.map(({ splits }) => splits[k]!.sector!)));
    expect(theoretical!.sectors.map(({ seconds }) => seconds)).toEqual(sectors);
    expect(course.splits.map(({ name }) => name)).toEqual(["checkpoint 1", "checkpoint 2", "checkpoint 3", "finish"]);
    const places = course.splits.map(({ along }) => along!);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    // who falls loses time there, and wins none on the way down
    const fallen = laps.find(({ label }) => label === "Bo_Jumps")!;
    for (const { seconds } of fallen.won) expect(seconds).toBeGreaterThan(-0.5);
  });
});

describe.skipIf(samplesDirectory === null)("simtape race, of real recordings", () => {
  test("finds the lap of a flight between two lines in degrees", async () => {
    const path = sample("flightgear/ufo-continuous.fgtape");
    await using recording = await open(fromFile(path));
    const { start, end } = await recording.timeline();
    const lines: string[] = [];
    const times = [0.3, 0.7].map((part) => Math.round(start + part * (end - start)));
    for (const time of times) {
      const placeAt = async (at: number): Promise<readonly [number, number]> => {
        const set = (await recording.state(at)).sets.get("aircraft")!;
        const data = set.columns.get("geodetic")!.data as Float64Array;
        return [data[0]!, data[1]!];
      };
      const [lat, lon] = await placeAt(time);
      const [back, left] = await placeAt(time - 1e9);
      // across the way that it goes
      const narrow = Math.cos((lat * Math.PI) / 180);
      const [north, east] = [-(lon - left) * narrow, (lat - back) / narrow];
      const scale = 0.01 / Math.hypot(north, east);
      lines.push([lat - north * scale, lon - east * scale, lat + north * scale, lon + east * scale].join(","));
    }
    const { laps, course } = await json([path, path, "--line", lines[0]!, "--finish", lines[1]!]);
    expect(laps.length).toBe(2);
    expect(course.origin).not.toBeNull();
    for (const lap of laps) {
      expect(lap.gap.seconds).toBe(0);
      // a recorded moment each 50 ms
      expect(Math.abs(lap.start - times[0]!)).toBeLessThan(50e6);
      expect(Math.abs(lap.end - times[1]!)).toBeLessThan(50e6);
    }
  });

  test.each([
    { things: [] as string[], still: "is nowhere in that time" },
    { things: ["--thing", "aircraft[*]"], still: /^recording 2: nothing that aircraft\[\*\] names moves/ },
  ])("a recording in which nothing moves is a note where others race: $things", async ({ things, still }) => {
    const files = ["c172p-normal.fgtape", "c172p-recovery.fgtape"].map((name) => sample(`flightgear/${name}`));
    const { laps, notes } = await json([...files, ...things]);
    expect(laps.map(({ recording }) => recording)).toEqual([0]);
    expect(notes).toEqual([expect.stringMatching(still)]);
    const { exit, stderr } = await simtape(["race", files[1]!, ...things]);
    expect(exit).not.toBe(0);
    expect(stderr).toMatch(/nowhere|moves/);
  });

  test("races the cars of CARLA, of which one drives elsewhere", async () => {
    const [one, other] = ["carla/2020-DistanceBetweenVehicles.log", "carla/2021-DistanceToLaneCenter.log"].map(sample);
    const { laps, notes } = await json([one!, other!]);
    expect(laps.map(({ recording, label }) => [recording, label])).toEqual([
      [0, "hero"],
      [1, "hero"],
    ]);
    expect(laps[1]!.seconds).toBeNull();
    expect(notes).toEqual([expect.stringMatching(/comes along \d+ % of the course/)]);
  });
});
