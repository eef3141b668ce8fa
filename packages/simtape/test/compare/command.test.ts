import { chmodSync, copyFileSync, mkdtempSync, readFileSync, statSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simtape } from "../cli/run.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { makeMcap } from "../fixtures/mcap/make.ts";
import { placed } from "../fixtures/mcap/placed.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { SOUND } from "../specimens.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-compare-"));
afterAll(() => rmSync(folder, { recursive: true }));
const inside = (name: string): string => join(folder, name);
const LONG = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 40);
writeFileSync(inside("long.log"), LONG);
writeFileSync(inside("same.log"), LONG);
beforeAll(() => simtape(["trim", inside("long.log"), inside("a.log"), "--until", "70%"]));

function schema(name: string): (document: unknown) => void {
  const text = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(text) as object);
  return (document) => {
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  };
}
const isComparison = schema("comparison.schema.json");
const isStatistics = schema("statistics.schema.json");

async function json(words: readonly string[]): Promise<{ exit: number | null; found: Record<string, unknown> }> {
  const { exit, stdout, stderr } = await simtape(["compare", ...words, "--json"]);
  expect(stdout, stderr).not.toBe("");
  const found = JSON.parse(stdout) as Record<string, unknown>;
  isComparison(found);
  return { exit, found };
}

describe("simtape compare", () => {
  test("ends with 0 for recordings that are the same", async () => {
    const { exit, stdout } = await simtape(["compare", inside("long.log"), inside("same.log")]);
    expect([exit, stdout.split("\n")[3]]).toEqual([0, "same, message by message"]);
  });

  test("ends with 3 where one is longer, and 0 for the part that both have", async () => {
    const { exit, found } = await json([inside("a.log"), inside("long.log")]);
    expect([exit, (found["first"] as { kind: string }).kind]).toEqual([3, "extent"]);
    expect((await json([inside("a.log"), inside("long.log"), "--align", "utc"])).exit).toBe(0);
    expect((await json([inside("a.log"), inside("long.log"), "--until", "20%"])).exit).toBe(0);
  });

  test("names the recording that has a thing which the other lacks", async () => {
    const { channels, messages } = placed();
    const more = { channels, messages: messages.filter(({ channel }) => channel !== 4) };
    const less = { channels, messages: more.messages.filter(({ channel }) => channel !== 2) };
    writeFileSync(inside("more.mcap"), await makeMcap(more));
    writeFileSync(inside("less.mcap"), await makeMcap(less));
    for (const [a, b, side] of [
      ["more.mcap", "less.mcap", "A"],
      ["less.mcap", "more.mcap", "B"],
    ]) {
      const { exit, stdout } = await simtape(["compare", inside(a!), inside(b!), "--align", "utc"]);
      expect(exit).toBe(3);
      expect(stdout).toContain(": poses//pose\n  only in " + side + "\n");
    }
  });

  test("what only one says of things parts them at the first of these, with what it says", async () => {
    await simtape(["redact", inside("long.log"), "-c", "kinematics", "-o", inside("still.log")]);
    for (const [a, b] of [
      ["long.log", "still.log"],
      ["still.log", "long.log"],
    ]) {
      const { found } = await json([inside(a!), inside(b!)]);
      const first = found["first"] as { path: string; thing: { set: string; id: number }; a: unknown; b: unknown };
      expect(first.path).toBe(`vehicles/${first.thing.id}/angular-velocity`);
      const [said, nothing] = a === "long.log" ? [first.a, first.b] : [first.b, first.a];
      expect([said, nothing]).toEqual([[expect.any(Number), expect.any(Number), expect.any(Number)], null]);
    }
  });

  test.each([
    ["mira", "patrol.tape", "poses//robot/Odometry/position.x"],
    ["mcap", "drive.mcap", "frames/base/position.x"],
  ])(
    "a trim of %s %s is the same as the whole by the wall clock, and its shift is found by a path",
    async (format, name, path) => {
      const { files } = SOUND.find((one) => one.format === format)!;
      const [whole, cut] = [inside(name), inside(`cut-${name}`)];
      writeFileSync(whole, files[Object.keys(files)[0]!]!);
      expect((await simtape(["trim", whole, cut, "--from", "30%", "--until", "80%"])).exit).toBe(0);
      const { found } = await json([whole, cut, "--align", "utc"]);
      // what a part says again at its beginning may be an event of its own
      expect([found["paths"], found["onlyIn"]]).toEqual([[], { a: [], b: [] }]);
      const { shift } = found["alignment"] as { shift: number };
      expect(shift).toBeGreaterThan(0);
      const by = await json([whole, cut, "--align", `correlate:${path}`]);
      expect([(by.found["alignment"] as { shift: number }).shift, by.found["paths"]]).toEqual([shift, []]);
    },
  );

  test.each([
    [["--align", "sideways"], "no alignment"],
    [["--align", "event:nothing"], 'has no event "nothing"; its kinds are'],
    [["--align", "mark:never"], 'has no mark "never"'],
    [["--align", "correlate:no/such/path"], "no path"],
    [["--rule", "vehicles/*.position"], "a rule is PATH: NUMBER UNIT"],
    [["--rule", "vehicles/*.position: 3 quux"], "is no unit"],
    [["--near", "soon"], "--near takes a time"],
    [["--view", "http://localhost/"], "--view goes with --html"],
  ])("%j is wrong usage", async (words, message) => {
    const { exit, stderr } = await simtape(["compare", inside("a.log"), inside("long.log"), ...words]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("a report is read by who reads both recordings, and takes the place of none", async () => {
    const [a, b, page] = [inside("one.log"), inside("other.log"), inside("page.html")];
    for (const copy of [a, b]) copyFileSync(inside("a.log"), copy);
    chmodSync(a, 0o644);
    chmodSync(b, 0o640);
    expect((await simtape(["compare", a, b, "--html", page])).exit).toBe(0);
    expect(statSync(page).mode & 0o777).toBe(0o640);
    for (const input of [a, b]) {
      const { exit, stderr } = await simtape(["compare", a, b, "--html", input, "--force"]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining("input and output are the same file")]);
    }
    expect(readFileSync(b)).toEqual(readFileSync(inside("a.log")));
    const { exit, stderr } = await simtape(["compare", a, b, "--html", folder]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("say what the report in it is called")]);
  });

  test("statistics in JSON have the shape that the schema says", async () => {
    const { exit, stdout } = await simtape(["stats", folder, "--json"]);
    expect(exit).toBe(0);
    for (const line of stdout.trim().split("\n")) isStatistics(JSON.parse(line));
  });
});

describe.skipIf(samplesDirectory === null)("simtape compare, of real recordings", () => {
  const [one, other] = ["carla/2020-DistanceBetweenVehicles.log", "carla/2021-DistanceToLaneCenter.log"].map(sample);

  test("says on one screen how two runs differ", async () => {
    const { exit, stdout } = await simtape(["compare", one!, other!]);
    const lines = stdout.trimEnd().split("\n");
    expect(exit).toBe(3);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines[3]).toMatch(/^differ, first at 0:00\.000: /);
  });

  test("writes a report that has no script and nothing from elsewhere, and JSON as the schema has it", async () => {
    const page = inside("report.html");
    await simtape(["compare", one!, other!, "--html", page, "--view", "http://127.0.0.1:8080/x/?url=a.log"]);
    const html = readFileSync(page, "utf8");
    expect(html).not.toMatch(/<script|@import|url\(|src=/i);
    expect(html).toContain('href="http://127.0.0.1:8080/x/?url=a.log#%7B%22t%22%3A0');
    expect(html.match(/<svg /g)!.length).toBeGreaterThan(10);
    expect((await json([one!, other!])).exit).toBe(3);
  });

  test.each([
    "carla/2020-DistanceBetweenVehicles.log",
    "flightgear/c172p-normal.fgtape",
    "mira/multi.tape",
    "nanover/17-ala-multiple.nanover.zip",
  ])("%s is the same after its way through HCRP, and its states are in HCRP", async (path) => {
    const name = path.split("/")[1]!;
    const [middle, back] = [inside(`${name}.hcrp`), inside(`back-${name}`)];
    expect((await simtape(["convert", sample(path), middle])).exit).not.toBe(1);
    expect((await simtape(["convert", middle, back])).exit).toBe(0);
    expect((await json([sample(path), back])).exit).toBe(0);
    const { found } = await json([sample(path), middle]);
    expect([found["first"], (found["moments"] as number) > 0]).toEqual([null, true]);
  });
});
