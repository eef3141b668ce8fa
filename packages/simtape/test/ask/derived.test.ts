import { describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { simtape } from "../cli/run.ts";
import { example } from "./support.ts";

describe("simtape series FILE EXPRESSION", () => {
  test("has the distance of two things at every moment, as their positions say", async () => {
    const { stdout, exit } = await simtape([
      ...["series", example("town.log"), "distance(vehicles[24], vehicles[25]) in m", "--until", "2s", "--json"],
    ]);
    expect(exit).toBe(0);
    const [series] = (JSON.parse(stdout) as { series: { unit: string; time: number[]; value: number[] }[] }).series;
    expect(series!.unit).toBe("m");
    expect(series!.time.length).toBeGreaterThan(20);
    const recording = await open(fromFile(example("town.log")));
    for (const [i, time] of series!.time.entries()) {
      const { ids, columns } = (await recording.state(time)).sets.get("vehicles")!;
      const { data } = columns.get("position")!;
      const at = (id: number): number[] => [0, 1, 2].map((k) => Number(data[3 * ids.indexOf(id) + k]) / 100);
      const [a, b] = [at(24), at(25)];
      expect(series!.value[i]).toBeCloseTo(Math.hypot(...a.map((one, k) => one - b[k]!)), 9);
    }
    await recording.close();
  });

  test("writes texts and truths as CSV", async () => {
    const text = await simtape(["series", example("town.log"), "vehicles[24].kind", "--until", "100ms"]);
    expect(text.stdout.split("\n")[1]).toMatch(/^vehicles\[24\]\.kind,\d+,vehicle\./);
    const truth = await simtape(["series", example("town.log"), "vehicles[24].brake >= 0", "--until", "100ms"]);
    expect(truth.stdout.split("\n")[1]).toMatch(/,1$/);
  });

  test("is wrong usage, with a caret, for what does not fit", async () => {
    const { exit, stderr } = await simtape(["series", example("town.log"), "vehicles[24].position + 3 s"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("^");
  });
});

describe("simtape when", () => {
  test("lists intervals with the extreme, and marks them", async () => {
    const words = ["when", example("town.log"), "any vehicles (speed > 3 km/h for 200 ms)"];
    const { stdout, exit } = await simtape(words);
    expect([stdout, exit]).toEqual(["0:00.000 to 0:06.800  6.800 s  max 8.04984 km/h at 0:00.000  vehicles/24\n", 0]);
  });

  test("ends with 0 when it is never true, and says so", async () => {
    const { stdout, stderr, exit } = await simtape(["when", example("town.log"), "frame < 0"]);
    expect([stdout, stderr, exit]).toEqual(["", "never\n", 0]);
  });

  test.each([
    ["vehicles[24].position.x > 3 s", "3 s is s, a time; vehicles[24].position.x is cm, a length", "^^^"],
    ["vehicles[24].brake > 0.5 and", "the end has no meaning here", "^"],
    ["vehicles[99].brake > 0.5", "has no 99; it has: 24, 25", "^^^^^^^^^^^^"],
    ["event(crash)", 'no events are called "crash"', "^^^^^"],
    ["vehicles[24].kind > 3", "a text is compared with a number", "^"],
    ["vehicles[24].brake", "it is a number", "^"],
  ])("%s is wrong usage, with a caret", async (expression, message, carets) => {
    const { exit, stderr } = await simtape(["when", example("town.log"), expression]);
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.split("\n")[1]).toBe(expression);
    expect(stderr).toContain(carets);
  });
});
