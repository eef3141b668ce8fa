import { readFileSync } from "node:fs";
import {
  filesBundle,
  firstChart,
  HERO,
  numberAt,
  open,
  pathText,
  type Recording,
  type Series,
  type SeriesPath,
  type State,
} from "simtape";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { charts } from "../../src/engine/charts.ts";
import { Engine } from "../../src/engine/engine.ts";
import { series, table } from "../../src/engine/series.ts";
import { lineOf, Survey } from "../../src/engine/survey.ts";
import { searchPaths } from "../../src/plots/paths.ts";
import type { Locator } from "../../src/protocol.ts";
import { example } from "../support/viewer.ts";

const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"] as const;
/** A number that is its time, at some times. */
function seriesOf(times: readonly number[]): Series {
  return {
    path: { value: "clock", keys: [] },
    text: "clock",
    unit: null,
    kind: "number",
    interpolation: "linear",
    time: Float64Array.from(times),
    value: Float64Array.from(times),
    valid: new Uint8Array(times.length).fill(1),
    texts: null,
    moments: times.length,
  };
}

const { signal } = new AbortController();
const ignore = (): void => undefined;

/** A recording in an engine, and what is known of it without one. */
async function opened(name: string): Promise<{ engine: Engine; id: number; recording: Recording }> {
  const file = new File([new Uint8Array(readFileSync(example(name)))], name);
  const place: Locator = { kind: "files", name, files: [file] };
  const engine = new Engine();
  const { recording: id } = await engine.open(place, signal, ignore);
  return { engine, id, recording: await open(filesBundle([file])) };
}

describe("numbers over time", () => {
  test.each(EXAMPLES)("are those of the state, in %s", async (name) => {
    const { engine, id, recording } = await opened(name);
    const { start, end } = await recording.timeline();
    const all = searchPaths(await recording.state((start + end) / 2), "", 5000);
    const found = all.found.filter(({ path }) => !("item" in path && path.item === "speed"));
    const paths = found.filter((_, i) => i % Math.ceil(found.length / 12) === 0).map(({ path }) => path);
    const lines = await series(engine, { recording: id, paths, start, end, columns: 20_000 }, signal, ignore);
    expect(lines.map(({ path }) => pathText(path)).toSorted()).toEqual(paths.map(pathText).toSorted());
    for (const part of [0, 0.21, 0.5, 0.83, 1]) {
      const line = lines[0]!;
      const time = line.time[Math.floor(part * (line.time.length - 1))]!;
      const state = await recording.state(time);
      for (const { path, time: times, value } of lines) {
        const at = times.indexOf(time);
        if (at >= 0) expect([pathText(path), time, value[at]]).toEqual([pathText(path), time, numberAt(state, path)]);
      }
    }
  });

  test("are found by the label of their thing and by what they are called on the page", async () => {
    const { recording } = await opened("town.log");
    const state = await recording.state(1e9);
    const vehicles = state.sets.get("vehicles")!;
    const hero = vehicles.ids[vehicles.columns.get("label")!.data.indexOf("hero" as never)]!;
    const { found, isMore } = searchPaths(state, "HERO", 200);
    expect(isMore).toBe(false);
    expect(found.length).toBeGreaterThan(10);
    for (const { text } of found) expect(text).toMatch(new RegExp(`^vehicles/${hero}/|hero`));
    expect(searchPaths(state, "hero speed", 200).found.map(({ text }) => text)).toContain(
      `vehicles/${hero}/velocity.length`,
    );
    expect(searchPaths(state, "hero nosuch", 200).found).toEqual([]);
  });

  test("are looked at more closely where that shows more", async () => {
    const { engine, id, recording } = await opened("race.hcrp");
    const { start, end } = await recording.timeline();
    const state = await recording.state(start);
    const player = state.sets.get("players")!.ids[0]!;
    const paths: SeriesPath[] = [{ set: "players", id: player, column: "position", item: 0 }];
    const whole = await series(engine, { recording: id, paths, start, end, columns: 5 }, signal, ignore);
    const ask = { recording: id, paths, start: 10e9, end: 10.3e9, columns: 400 };
    const close = await series(engine, ask, signal, ignore);
    expect(whole[0]!.time.length).toBeLessThanOrEqual(28);
    expect(close[0]!.time.length).toBeGreaterThan(5);
    for (const [i, time] of close[0]!.time.entries()) {
      expect(close[0]!.value[i]).toBe(numberAt(await recording.state(time), paths[0]!));
    }
  });

  test("tell how fast a thing goes whose velocity is not recorded", async () => {
    const { engine, id, recording } = await opened("race.hcrp");
    const path: SeriesPath = { set: "players", id: 1, column: "position", item: "speed" };
    for (const [start, end] of [
      [0, 45e9],
      [20e9, 22e9],
    ] as const) {
      const ask = { recording: id, paths: [path], start, end, columns: 1000 };
      const [line] = await series(engine, ask, signal, ignore);
      expect(line).toMatchObject({ unit: "block/s", interpolation: "linear" });
      const at = line!.time.indexOf(21e9);
      const [before, after] = await Promise.all([20.95e9, 21e9].map((time) => recording.state(time)));
      const moved = [0, 1, 2].map((item) => {
        const there = { ...path, item };
        return numberAt(after!, there) - numberAt(before!, there);
      });
      expect(line!.value[at]).toBeCloseTo(Math.hypot(...moved) / 0.05, 6);
    }
  });

  test("are asked for again after they were called off, and once for all who ask", async () => {
    const { engine, id, recording } = await opened("town.log");
    const { start, end } = await recording.timeline();
    const paths: SeriesPath[] = [{ value: "visual-time", keys: [] }];
    const ask = { recording: id, paths, start, end, columns: 100 };
    const controller = new AbortController();
    const first = series(engine, ask, controller.signal, ignore);
    const second = series(engine, ask, signal, ignore);
    controller.abort();
    await expect(first).rejects.toThrow();
    expect((await second)[0]!.value.length).toBe((await series(engine, ask, signal, ignore))[0]!.value.length);
  });

  test("go on to the neighbours of a range, whatever it is", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: -10, max: 1010 }),
        fc.integer({ min: 0, max: 400 }),
        (unsorted, start, length) => {
          const times = unsorted.toSorted((a, b) => a - b);
          const range = { start, end: start + length };
          const { time, value } = lineOf(seriesOf(times), range, 500, 2000);
          const inside = times.filter((at) => at >= start && at <= range.end);
          const before = times.filter((at) => at < start).slice(-1);
          const behind = times.filter((at) => at > range.end).slice(0, 1);
          expect([...time]).toEqual([...before, ...inside, ...behind]);
          expect([...value]).toEqual([...time]);
        },
      ),
    ));

  test("that are held go on to the end of what is known, and others do not", () => {
    const held = { ...seriesOf([10, 20]), interpolation: "hold" } as const;
    const timesOf = (series: Series, end: number, known: number): number[] => [
      ...lineOf(series, { start: 15, end }, 100, known).time,
    ];
    expect(timesOf(held, 50, 2000)).toEqual([10, 20, 50]);
    expect(timesOf(held, 50, 30)).toEqual([10, 20, 30]);
    expect(timesOf(held, 16, 2000)).toEqual([10, 20]);
    expect(timesOf(seriesOf([10, 20]), 50, 2000)).toEqual([10, 20]);
  });

  test("stand still while they are not awaited, and go on where they were", async () => {
    const { recording } = await opened("town.log");
    const { start, end } = await recording.timeline();
    const paths: SeriesPath[] = [{ value: "visual-time", keys: [] }];
    const survey = new Survey(recording, paths, { start, end: end + 1 });
    const controller = new AbortController();
    const reached: number[] = [];
    const first = survey.complete((time) => {
      reached.push(time);
      controller.abort(new Error("enough"));
    }, controller.signal);
    await expect(first).rejects.toThrow("enough");
    const { length } = reached;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reached.length).toBe(length);
    await survey.complete((time) => reached.push(time), signal);
    expect(reached).toEqual(reached.toSorted((a, b) => a - b));
    expect(survey.series(0)!.moments).toBe((await recording.series(paths))[0]!.time.length);
  });

  test("become CSV with a row for every moment", async () => {
    const { engine, id } = await opened("town.log");
    const paths: SeriesPath[] = [
      { value: "visual-time", keys: [] },
      { set: "vehicles", id: 24, column: "position", item: 0 },
    ];
    const csv = await (await table(engine, { recording: id, paths, start: 1e9, end: 2e9 }, signal, ignore)).text();
    const [header, ...rows] = csv.trimEnd().split("\n");
    expect(header).toBe("time [s],visual-time [s],vehicles/24/position.x [cm]");
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row).toMatch(/^1(\.\d+)?,[\d.]+,-?[\d.]+$/);
  });
});

describe("charts to begin with", () => {
  const first = async (name: string): Promise<string[]> => {
    const { engine, id, recording } = await opened(name);
    const { start, end } = await recording.timeline();
    const listed = await recording.paths({ at: (start + end) / 2 });
    return (await charts(engine, { recording: id, from: start, isReading: true }, signal, ignore)).map((path) => {
      const unit = listed.find(({ text }) => text === pathText(path))?.unit;
      return `${pathText(path)} [${unit}]`;
    });
  };

  test.each([
    ["buckyball.nanover.zip", ["energy.kinetic [kJ/mol]", "energy.potential [kJ/mol]"]],
    ["flight.fgtape", ["aircraft/self/geodetic.z [ft]", "/velocities/airspeed-kt [kt]"]],
    [
      "patrol.tape",
      ["poses//robot/Odometry/position.x [m]", "poses//robot/Odometry/position.y [m]", "/robot/charger/Level [null]"],
    ],
    ["race.hcrp", ["players/1/position.y [block]", "players/1/position.speed [block/s]"]],
    // as fast all the time
    ["town.log", ["vehicles/24/position.x [cm]", "vehicles/24/position.y [cm]"]],
  ])("of %s tell something", async (name, labels) => {
    expect(await first(name)).toEqual(labels);
  });

  const state = (mileage: number, level: number, far = 0): State => ({
    time: 0,
    values: new Map([
      ["/robot/Level", level],
      ["/robot/Mileage", mileage],
    ]),
    sets: new Map([
      [
        "cars",
        {
          ids: [3, 4],
          axes: null,
          columns: new Map([
            ["x", { data: Float64Array.of(1, far), width: 1, unit: "m", interpolation: "hold" } as const],
          ]),
        },
      ],
    ]),
  });
  const x: SeriesPath = { set: "cars", id: HERO, column: "x", item: null };
  const level: SeriesPath = { value: "/robot/Level", keys: [] };
  const mileage: SeriesPath = { value: "/robot/Mileage", keys: [] };

  test("are of what varies: of a thing that moves, else of the next that the format names, else of any number", () => {
    expect(firstChart([state(1, 1, 1), state(1, 1, 2)], { charts: [[x, level]] })).toEqual([{ ...x, id: 4 }]);
    expect(firstChart([state(1, 1), state(1, 2)], { charts: [[x], [mileage, level]] })).toEqual([level]);
    expect(firstChart([state(1, 1), state(2, 1)], { charts: [[x], [level]] })).toEqual([mileage]);
    expect(firstChart([state(1, 1), state(2, 1)], {})).toEqual([mileage]);
  });

  test("are of what is there where nothing varies, and none where there is no number", () => {
    expect(firstChart([state(1, 1)], { charts: [[x]] })).toEqual([{ ...x, id: 3 }]);
    expect(firstChart([state(1, 1)], {})).toEqual([level]);
    expect(firstChart([{ time: 0, values: new Map(), sets: new Map() }], { charts: [[x]] })).toEqual([]);
    expect(firstChart([], {})).toEqual([]);
  });
});
