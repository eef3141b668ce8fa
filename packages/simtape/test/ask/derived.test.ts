import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  test("has the speed of a thing whose velocity is not recorded from its places", async () => {
    const { stdout } = await simtape(["series", example("race.hcrp"), "speed(players[1]) in m/s", "--json"]);
    const [series] = (JSON.parse(stdout) as { series: { time: number[]; value: (number | null)[] }[] }).series;
    const recording = await open(fromFile(example("race.hcrp")));
    const [x, y, z] = await recording.series(["x", "y", "z"].map((axis) => `players/1/position.${axis}`));
    await recording.close();
    const place = new Map([...x!.time].map((time, i) => [time, [x!.value[i]!, y!.value[i]!, z!.value[i]!]]));
    const times = [...place.keys()];
    let compared = 0;
    for (const [i, time] of series!.time.entries()) {
      const before = times[times.indexOf(time) - 1];
      const [value, from, to] = [series!.value[i] ?? null, place.get(before ?? -1), place.get(time)];
      if (value === null || from === undefined || to === undefined || time - before! > 50e6) continue;
      expect(value).toBeCloseTo(Math.hypot(...to.map((one, k) => one - from[k]!)) / 0.05, 6);
      compared++;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test("writes texts and booleans as CSV", async () => {
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

interface Plain {
  readonly path: string;
  readonly unit: string | null;
  readonly time: number[];
  readonly value: (number | null)[];
}

async function seriesOf(expression: string, ...more: readonly string[]): Promise<readonly Plain[]> {
  const { stdout, exit, stderr } = await simtape(["series", example("town.log"), expression, "--json", ...more]);
  expect(exit, stderr).toBe(0);
  return (JSON.parse(stdout) as { series: Plain[] }).series;
}

test("an expression about each thing has a series for every one", async () => {
  const all = await seriesOf("each vehicles (speed in km/h)", "--until", "2s");
  expect(all.map(({ path, unit }) => [path, unit])).toEqual([
    ["vehicles/24: each vehicles (speed in km/h)", "km/h"],
    ["vehicles/25: each vehicles (speed in km/h)", "km/h"],
  ]);
  for (const [i, id] of [24, 25].entries()) {
    const [own] = await seriesOf(`speed(vehicles[${id}]) in km/h`, "--until", "2s");
    const known = (one: Plain): Map<number, number | null> => new Map(one.time.map((t, k) => [t, one.value[k]!]));
    const each = known(all[i]!);
    for (const [time, value] of known(own!)) expect(each.get(time), `${id} at ${time}`).toBe(value);
  }
});

test("the values of a sentence with for are those of the sentence", async () => {
  const [long] = await seriesOf("speed(vehicles[24]) > 1 m/s for 100 s");
  expect(new Set(long!.value)).toEqual(new Set([0]));
  const [short] = await seriesOf("speed(vehicles[24]) > 1 m/s for 1 s");
  expect(short!.value).toContain(1);
});

describe("simtape table --columns", () => {
  const table = (columns: string, ...more: readonly string[]): ReturnType<typeof simtape> =>
    simtape(["table", example("town.log"), "--columns", columns, "--format", "ndjson", ...more]);
  const rowsOf = (stdout: string): Record<string, number | string | boolean | null>[] =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("takes expressions about each thing of the set, beside recorded columns", async () => {
    const away = "distance(it, vehicles[25]) in m";
    const { stdout, exit, stderr } = await table(`position,${away}`, "--columns", "speed(it) > 5 km/h");
    expect(exit, stderr).toBe(0);
    const rows = rowsOf(stdout);
    expect(rows.length).toBe(240);
    expect(Object.keys(rows[0]!)).toEqual([
      ...["time [ns]", "id", "position.x [cm]", "position.y [cm]", "position.z [cm]"],
      ...[`${away} [m]`, "speed(it) > 5 km/h"],
    ]);
    for (let i = 0; i < rows.length; i += 2) {
      const [a, b] = rows.slice(i, i + 2);
      const gap = ["x", "y", "z"].map(
        (axis) => Number(a![`position.${axis} [cm]`]) - Number(b![`position.${axis} [cm]`]),
      );
      expect(a![`${away} [m]`]).toBeCloseTo(Math.hypot(...gap) / 100, 9);
      expect(b![`${away} [m]`]).toBe(0);
    }
    expect(new Set(rows.map((row) => row["speed(it) > 5 km/h"]))).not.toContain(null);
  });

  test("has the value that holds at the time of each row, of things and times that were chosen", async () => {
    const words = ["--id", "24", "--every", "500ms", "--from", "1s", "--until", "4s"];
    const { stdout, exit, stderr } = await table("abs(position.x)", ...words);
    expect(exit, stderr).toBe(0);
    const [own] = await seriesOf("abs(vehicles[24].position.x)", "--from", "1s", "--until", "4s");
    const rows = rowsOf(stdout);
    expect(rows.length).toBe(6);
    expect(new Set(own!.value).size).toBeGreaterThan(6);
    for (const row of rows) {
      const at = own!.time.findLastIndex((time) => time <= Number(row["time [ns]"]));
      expect(row["abs(position.x) [cm]"]).toBe(own!.value[at]!);
    }
  });

  test("writes texts, and leaves what is unknown empty", async () => {
    const { stdout, exit } = await simtape([
      ...["table", example("town.log"), "--columns", "vehicles[24].kind in m", "--until", "100ms"],
    ]);
    expect([stdout, exit]).toEqual(["", 2]);
    const csv = await simtape([
      ...["table", example("town.log"), "--columns", "(kind), derivative(position.x)", "--until", "100ms"],
    ]);
    const [head, first, , third] = csv.stdout.split("\n");
    expect(head).toMatch(/^time \[ns\],id,\(kind\),derivative\(position\.x\) \[cm\/s\]$/);
    // a difference is known from the second moment on
    expect(first).toMatch(/^\d+,24,vehicle\.[^,]+,$/);
    expect(third).toMatch(/^\d+,24,vehicle\.[^,]+,-?\d+(\.\d+)?(e-?\d+)?$/);
  });

  test.each([
    ["distance(it, vehicles[99])", "has no 99", "^^^^"],
    ["speed(it) + 3 s", "3 s is s, a time", "^^^"],
    ["changed(gear)", "an instant is between rows", "^"],
    ["position, distance(it", "the end has no meaning here", "^"],
  ])("%s is wrong usage, with a caret", async (columns, message, carets) => {
    const { exit, stderr, stdout } = await simtape(["table", example("town.log"), "--columns", columns]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(carets);
  });

  test("a channel has no derived columns", async () => {
    const { exit, stderr } = await simtape(["table", example("town.log"), "-c", "position", "--columns", "speed(it)"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("derived of a set");
  });
});

describe("simtape when", () => {
  test("writes the recording with a note at each beginning", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-when-"));
    try {
      const marked = join(folder, "marked.log");
      const asked = "each vehicles (changed(position.x))";
      const words = ["when", example("town.log"), asked, "--until", "300ms"];
      const { stdout, stderr, exit } = await simtape([...words, "--mark", marked]);
      expect(exit, stderr).toBe(0);
      const { intervals } = JSON.parse((await simtape([...words, "--json"])).stdout) as {
        intervals: { from: number; thing: string }[];
      };
      expect(intervals.length).toBeGreaterThan(3);
      expect(stdout.trim().split("\n").length).toBe(intervals.length);
      const events = (await simtape(["events", marked, "--kind", "when", "--format", "ndjson"])).stdout.trim();
      const notes = events.split("\n").map((line) => JSON.parse(line) as { time: number; text: string });
      expect(notes.map(({ time, text }) => [time, text])).toEqual(
        intervals.map(({ from, thing }) => [from, `${asked} (${thing})`]),
      );
      // a file that is there stays as it is
      expect((await simtape([...words, "--mark", marked])).exit).not.toBe(0);
      expect((await simtape([...words, "--mark", marked, "--force"])).exit).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("lists intervals with the extreme", async () => {
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
