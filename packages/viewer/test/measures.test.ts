import type { SeriesPath, State } from "simtape";
import { expect, test } from "vitest";
import { modesOf, timeScale } from "../src/clock.ts";
import { measureOf, measureOfReading } from "../src/measures.ts";
import { nameOfPath } from "../src/plots/names.ts";
import { rulerOf } from "../src/timeline/window.ts";

test.each([
  ["m/s", "vehicles", "everyday", "km/h", 3.6],
  ["cm/s", "walkers", "everyday", "km/h", 0.036],
  ["m/s", "aircraft", "everyday", "kt", 3600 / 1852],
  ["m/s", "robots", "everyday", "m/s", 1],
  ["m/s", "robots", "imperial", "mph", 3600 / 1609.344],
  ["kt", null, "imperial", "kt", 1],
  ["nm/ps", "particles", "everyday", "nm/ps", 1],
  ["nm", "particles", "imperial", "nm", 1],
  ["rad", null, "everyday", "°", 180 / Math.PI],
  ["cm", "vehicles", "everyday", "m", 0.01],
  ["cm", "vehicles", "recorded", "cm", 1],
  [null, null, "imperial", null, 1],
] as const)("a number in %s of %s is shown, %s, in %s", (unit, set, system, expected, factor) => {
  const measure = measureOf(unit, set, system);
  expect(measure.unit).toBe(expected);
  expect(measure.factor).toBeCloseTo(factor, 12);
});

test("a reading has the unit of the plot of the same number", () => {
  for (const system of ["everyday", "imperial", "recorded"] as const) {
    const plot = measureOf("m/s", "vehicles", system);
    const reading = measureOfReading("km/h", system);
    expect([reading.unit, 3.6 * reading.factor]).toEqual([plot.unit, expect.closeTo(plot.factor, 9)]);
  }
});

test("numbers are called by what people know", () => {
  const text = (data: readonly string[]): object => ({ data, width: 1, unit: null, interpolation: "hold" });
  const vehicles = {
    ids: [35, 45],
    columns: new Map([
      ["label", text(["hero", ""])],
      ["kind", text(["", "vehicle.lincoln.mkz_2017"])],
    ]),
  };
  const state = { sets: new Map([["vehicles", vehicles]]) } as unknown as State;
  const cell = (
    set: string,
    id: number | string,
    column: string,
    item: number | "length" | "speed" | null,
  ): SeriesPath => ({ set, id, column, item });
  const value = (name: string): SeriesPath => ({ value: name, keys: [] });
  const names: readonly (readonly [SeriesPath, string])[] = [
    [cell("vehicles", 35, "velocity", "length"), "hero · speed"],
    [cell("vehicles", 45, "forwardSpeed", null), "mkz_2017 45 · forward speed"],
    [cell("particles", 7, "position", 1), "particle 7 · position y"],
    [cell("robots", "/robot/Odometry", "position", 0), "robot/Odometry · position x"],
    [value("energy.kinetic"), "energy · kinetic"],
    [value("/velocities/airspeed-kt"), "velocities · airspeed"],
    [{ value: "/robot/Odometry", keys: ["pose", "x"] }, "robot · odometry pose x"],
  ];
  for (const [path, name] of names) expect(nameOfPath(path, state, true)).toBe(name);
  expect(nameOfPath(value("/controls/gear-down"), state, false)).toBe("controls · gear down");
});

test("times are shown since the start, by the time of day, or in ticks, and are read as they are shown", () => {
  // half past nine in the morning, wherever this runs
  const epoch = BigInt(new Date(2026, 4, 3, 9, 30).getTime()) * 1_000_000n + 250_000_000n;
  const timeline = { start: 0, end: 3600e9, epoch, tick: { name: "tick", count: 72_000, duration: 50e6 } } as const;
  expect(modesOf(timeline)).toEqual(["start", "wall", "tick"]);
  expect(modesOf({ ...timeline, epoch: null, tick: null })).toEqual(["start"]);
  const [start, wall, tick] = (["start", "wall", "tick"] as const).map((mode) => timeScale(timeline, mode));
  expect(start!.text(90.5e9)).toBe("1:30.500");
  expect(wall!.text(90.5e9)).toBe("09:31:30.750");
  expect(wall!.text(14.5 * 3600e9, 0)).toBe("00:00:00");
  expect(tick!.text(90.5e9)).toBe("t1810");
  for (const scale of [start!, wall!, tick!]) expect(scale.parse(scale.text(90.5e9), 0)).toBe(90.5e9);
  expect(wall!.parse("9:31", 0)).toBe(59.75e9);
  expect(timeScale({ ...timeline, epoch: null }, "wall").mode).toBe("start");
  // the ruler has round times of what is shown
  const window = { start: 0, end: 60e9 };
  expect(
    rulerOf(window, 600, 84, wall)
      .times.slice(0, 2)
      .map((time) => wall!.text(time, 0)),
  ).toEqual(["09:30:10", "09:30:20"]);
  expect(
    rulerOf(window, 600, 84, tick)
      .times.slice(0, 3)
      .map((time) => tick!.text(time)),
  ).toEqual(["t0", "t200", "t400"]);
  expect(rulerOf({ start: 0, end: 1e3 }, 600, 84, tick).times).toEqual([0]);
});
