import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCarla } from "../../../../bench/make/carla.ts";
import { simtapeProcess as simtape } from "../cli/run.ts";
import { example } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-find-test-"));
const runs = join(folder, "runs");
beforeAll(() => {
  mkdirSync(join(runs, "deep"), { recursive: true });
  cpSync(example("town.log"), join(runs, "town.log"));
  cpSync(example("town.log"), join(runs, "deep", "town.log"));
  cpSync(example("flight.fgtape"), join(runs, "flight.fgtape"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const found = async (
  where: string,
  ...more: readonly string[]
): Promise<Record<string, unknown> & { recordings: Record<string, unknown>[] }> => {
  const { stdout, exit, stderr } = await simtape(["find", runs, "--where", where, "--json", ...more]);
  expect(exit, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe("simtape find", () => {
  test("lists the recordings of a folder in which an expression is true, and how often", async () => {
    const { recordings, asked, unfit } = await found("event(collision)");
    expect(asked).toBe(3);
    expect(recordings.map(({ name, count }) => [name, count])).toEqual([
      ["deep/town.log", 2],
      ["town.log", 2],
    ]);
    expect((unfit as { name: string; code: string }[]).map(({ name, code }) => [name, code])).toEqual([
      ["flight.fgtape", "event"],
    ]);
  });

  test("names the recordings in lines, in the order of the folder", async () => {
    const { stdout, exit } = await simtape(["find", runs, "--where", "any vehicles (speed > 1 km/h)"]);
    expect(exit).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split("  ")[0]),
    ).toEqual(["deep/town.log", "town.log"]);
  });

  test("reads nothing of a recording of which the kept index decides", async () => {
    const where = "any vehicles (throttle > 1000)";
    expect((await found(where)).decided).toBe(0);
    // values of CARLA are decoded late: paths are listed where that is asked for
    expect((await simtape(["index", "--paths", join(runs, "town.log")])).exit).toBe(0);
    const answer = await found(where);
    expect(answer.decided).toBe(1);
    expect(answer.recordings).toEqual([]);
    // what the index cannot rule out is read
    const { recordings } = await found("any vehicles (throttle >= 0)");
    expect(recordings.length).toBe(2);
  });

  test("says only whether it is true, where that is asked", async () => {
    for (const where of ["event(collision)", "any vehicles (speed > 1 km/h for 100 ms)", "frame < 0"]) {
      const all = await found(where);
      const whether = await found(where, "--whether");
      expect(whether.recordings).toEqual(all.recordings.map(({ name, file }) => ({ name, file })));
    }
    const { stdout } = await simtape(["find", runs, "--where", "event(collision)", "--whether"]);
    expect(stdout).toBe("deep/town.log\ntown.log\n");
  });

  test("finds on several threads what it finds on one, in the order of the folder", async () => {
    const many = join(folder, "many");
    mkdirSync(many);
    for (let n = 0; n < 18; n++) {
      const name = n % 3 === 0 ? "flight.fgtape" : "town.log";
      cpSync(example(name), join(many, `${String(n).padStart(2, "0")}-${name}`));
    }
    const bytes = readFileSync(example("town.log"));
    writeFileSync(join(many, "18-cut.log"), bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    writeFileSync(join(many, "19-head.hcrp"), readFileSync(example("race.hcrp")).subarray(0, 40));
    const where = "any vehicles (speed > 1 km/h)";
    const { stdout, stderr, exit } = await simtape(["find", many, "--where", where, "--json"]);
    expect(exit, stderr).toBe(3);
    const answer = JSON.parse(stdout) as Record<string, { name: string }[]> & { failed: string[] };
    const one = (await found(where)).recordings[1]!;
    const towns = answer["recordings"]!.filter(({ name }) => name.endsWith("town.log"));
    expect(towns.length).toBe(12);
    for (const { name, ...fits } of towns) expect({ ...one, ...fits }).toEqual({ ...one, file: join(many, name) });
    expect(answer["recordings"]!.map(({ name }) => name)).toEqual(
      answer["recordings"]!.map(({ name }) => name).toSorted(),
    );
    expect(answer["unfit"]!.length).toBe(6);
    expect(answer.failed).toEqual(["19-head.hcrp"]);
    expect(stderr).toContain("18-cut.log is damaged");
    const wrong = await simtape(["find", many, "--where", "ships[1].depth > 3 m"]);
    expect([wrong.exit, wrong.stderr.includes("it fits no recording"), wrong.stderr.includes("^")]).toEqual([
      2,
      true,
      true,
    ]);
  });

  test("names the columns of a set, the nearest first, where a thing of it has no such one", async () => {
    const { stderr, exit } = await simtape(["find", runs, "--where", "any vehicles (brakes > 0.5)"]);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/things of "vehicles" have no "brakes"; they have: brake, /);
    expect((await simtape(["find", runs, "--where", "vehicles[24].throtle > 0.5"])).stderr).toMatch(
      /have no "throtle"; they have: throttle, /,
    );
  });

  test("says that there is none, and ends with 0", async () => {
    const { stdout, stderr, exit } = await simtape(["find", runs, "--where", "frame < 0"]);
    expect([stdout, exit]).toEqual(["", 0]);
    expect(stderr).toContain("never");
  });

  test("ends with 2 for an expression that is wrong, or fits no recording", async () => {
    const wrong = await simtape(["find", runs, "--where", "frame >"]);
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain("^");
    const unfit = await simtape(["find", runs, "--where", "ships[1].depth > 3 m"]);
    expect(unfit.exit).toBe(2);
    expect(unfit.stderr).toContain("it fits no recording");
  });

  test("what fits no recording says the same, and opens none, with kept indexes", async () => {
    const mixed = join(folder, "mixed");
    mkdirSync(mixed);
    for (const name of ["town.log", "flight.fgtape", "race.hcrp"]) cpSync(example(name), join(mixed, name));
    expect((await simtape(["index", mixed])).exit).toBe(0);
    for (const where of [
      "any ships (depth > 3 m)",
      "event(eclipse)",
      "any vehicles (trottle > 1) and ships[1].x > 2",
    ]) {
      const [kept, read] = await Promise.all(
        [[], ["--no-index"]].map((more) => simtape(["find", mixed, "--where", where, ...more])),
      );
      expect(kept, where).toEqual(read);
      expect([kept!.exit, kept!.stderr.includes("it fits no recording")]).toEqual([2, true]);
    }
    const of = async (...more: readonly string[]): Promise<unknown> => {
      const { stdout, exit } = await simtape([
        "find",
        mixed,
        "--where",
        "any vehicles (speed > 1 km/h)",
        "--json",
        ...more,
      ]);
      return [JSON.parse(stdout), exit];
    };
    expect(await of()).toEqual(await of("--no-index"));
  });

  test("the kept index decides also where it has no room for the paths of all things", async () => {
    const crowd = join(folder, "crowd");
    mkdirSync(crowd);
    writeFileSync(join(crowd, "town.log"), Buffer.concat([...makeCarla(400_000)]));
    const indexed = await simtape(["index", "--paths", join(crowd, "town.log"), "--json"]);
    expect((JSON.parse(indexed.stdout) as { paths: number | null }).paths).toBe(null);
    const of = async (where: string): Promise<number[]> => {
      const { stdout } = await simtape(["find", crowd, "--where", where, "--json"]);
      const { decided, recordings } = JSON.parse(stdout) as { decided: number; recordings: unknown[] };
      return [decided, recordings.length];
    };
    expect(await of("any vehicles (throttle > 2)")).toEqual([1, 0]);
    expect(await of("vehicles[1].throttle > 2")).toEqual([1, 0]);
    expect(await of("any vehicles (throttle > 0.2)")).toEqual([0, 1]);
  });

  test("leaves out what is false by the events of the kept index, and reads no message for those that there are", async () => {
    const flights = join(folder, "flights");
    mkdirSync(flights);
    cpSync(example("flight.fgtape"), join(flights, "flight.fgtape"));
    expect((await simtape(["index", join(flights, "flight.fgtape")])).exit).toBe(0);
    const of = async (where: string, ...more: readonly string[]): Promise<number[]> => {
      const { stdout } = await simtape(["find", flights, "--where", where, "--json", ...more]);
      const { decided, recordings } = JSON.parse(stdout) as { decided: number; recordings: unknown[] };
      return [decided, recordings.length];
    };
    expect(await of("event(crash)")).toEqual([1, 0]);
    expect(await of("event(crash)", "--no-index")).toEqual([0, 0]);
    expect(await of("/position/altitude-ft > 100000 ft and event(touchdown)")).toEqual([1, 0]);
    expect(await of("/position/altitude-ft > 1 ft")).toEqual([0, 1]);
  });

  test("fails for a name that leads nowhere, and where no recording can be read", async () => {
    const nowhere = await simtape(["find", join(folder, "nowhere"), "--where", "frame > 1"]);
    expect(nowhere).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringMatching(/^simtape: no such file: /) });
    const short = join(folder, "short.log");
    writeFileSync(short, readFileSync(example("town.log")).subarray(0, 30));
    const ran = await simtape(["find", short, "--where", "frame > 1"]);
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.not.stringContaining("See: simtape check") });
  });

  test("a recording that cannot be read is left out, and one that is cut is asked; both end with 3", async () => {
    const bad = join(folder, "bad");
    mkdirSync(bad);
    cpSync(example("town.log"), join(bad, "a.log"));
    const bytes = readFileSync(example("town.log"));
    // the end of the file is missing: what is left is read, and the damage is a finding
    writeFileSync(join(bad, "b.log"), bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    // its head is that of a recording, and nothing behind it is
    writeFileSync(join(bad, "c.hcrp"), readFileSync(example("race.hcrp")).subarray(0, 40));
    const { stdout, stderr, exit } = await simtape(["find", bad, "--where", "any vehicles (speed > 1 km/h)", "--json"]);
    expect(exit).toBe(3);
    const { recordings, failed } = JSON.parse(stdout) as { recordings: { name: string }[]; failed: string[] };
    expect([recordings.map(({ name }) => name), failed]).toEqual([["a.log", "b.log"], ["c.hcrp"]]);
    expect(stderr).toContain("c.hcrp");
  });
});
