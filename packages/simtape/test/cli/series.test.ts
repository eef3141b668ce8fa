import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { simtape } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
const town = example("town.log");

interface Answer {
  readonly series: readonly {
    readonly path: string;
    readonly unit: string | null;
    readonly kind: string;
    readonly time: readonly number[];
    readonly value: readonly (number | string | null)[];
  }[];
  readonly findings: readonly unknown[];
}

async function series(file: string, ...words: readonly string[]): Promise<Answer> {
  const { exit, stdout, stderr } = await simtape(["series", file, ...words, "--json"]);
  expect([exit, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Answer;
}

/** A number of a state, from `simtape state`. */
async function numberAt(file: string, time: number, set: string, id: number | string): Promise<unknown> {
  const words = ["state", file, `--at=${(time / 1e9).toFixed(9)}s`, `--path=${set}/${id}/position.x`, "--json"];
  const { stdout } = await simtape(words);
  const { sets } = JSON.parse(stdout) as { sets: Record<string, { columns: Record<string, { data: unknown[] }> }> };
  return sets[set]!.columns["position.x"]!.data[0];
}

describe.each([
  ["town.log", "vehicles", 24],
  ["flight.fgtape", "aircraft", "self"],
  ["race.hcrp", "players", 1],
  ["patrol.tape", "poses", "/robot/Odometry"],
] as const)("of %s", (name, set, id) => {
  test("each value is that of the state", async () => {
    const things = await simtape(["state", example(name), "--at", "50%", "--json"]);
    const { sets } = JSON.parse(things.stdout) as { sets: Record<string, { ids: (number | string)[] }> };
    const thing = sets[set]!.ids.includes(id) ? id : sets[set]!.ids[0]!;
    const path = `${set}/${thing}/position.x`;
    for (const steps of [[], ["--every", "450ms"], ["--points", "5", "--mode", "sample"]]) {
      const [one] = (await series(example(name), "--path", path, "--from", "10%", "--until", "60%", ...steps)).series;
      expect(one!.path).toBe(path);
      expect(one!.time.length).toBeGreaterThan(2);
      const rows = [0, Math.floor(one!.time.length / 2), one!.time.length - 1];
      for (const row of rows) expect(one!.value[row]).toBe(await numberAt(example(name), one!.time[row]!, set, thing));
    }
  });
});

test("CSV has the same values, of every path", async () => {
  const paths = ["--path", "vehicles/24/position.x", "--path", "vehicles/24/kind", "--points", "7"];
  const { exit, stdout } = await simtape(["series", town, ...paths]);
  expect(exit).toBe(0);
  const rows = (await series(town, ...paths)).series.flatMap(({ path, time, value }) =>
    value.flatMap((one, row) => (one === null ? [] : [`${path},${time[row]},${one}`])),
  );
  expect(rows.some((row) => row.includes("vehicle.tesla.model3"))).toBe(true);
  const [head, ...lines] = stdout.trim().split("\n");
  expect(head).toBe("path,time,value");
  expect(lines.sort()).toEqual(rows.sort());
});

test("without a path it lists paths, each of which has a series", async () => {
  const { stdout } = await simtape(["series", town, "--json"]);
  const { paths } = JSON.parse(stdout) as { paths: readonly { path: string; unit: string | null }[] };
  expect(paths.find(({ path }) => path === "vehicles/24/position.x")?.unit).toBe("cm");
  const some = [paths[0]!, paths.at(-1)!].flatMap(({ path }) => ["--path", path]);
  expect((await series(town, ...some, "--points", "2")).series).toHaveLength(2);
  const people = await simtape(["series", town]);
  expect(people.stdout).toMatch(/^0:00\.000 to 0:06\.800 {2}vehicles\/24\/position\.x {2}cm$/m);
});

test.each([
  [["--path", "vehicles/24/speeed"], /there are: vehicles\/24\//],
  [["--path", "frame", "--points", "0"], /--points takes a whole number above 0, not "0"/],
  [["--path", "frame", "--every", "soon"], /--every takes a time/],
  [
    ["--path", "frame", "--every", "1ns"],
    /--every 1ns would be 6,800,[0-9,]+ moments of this range: fewer than 1,000,000,000/,
  ],
  [["--path", "frame", "--every", "1s", "--points", "3"], /not both/],
  [["--path", "frame", "--from", "1h"], /is not in the recording/],
])("%j is wrong usage, in one line", async (words, message) => {
  const { exit, stdout, stderr } = await simtape(["series", town, ...words]);
  expect([exit, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
