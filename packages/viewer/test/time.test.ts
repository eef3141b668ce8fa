import type { Timeline } from "simtape";
import { expect, test } from "vitest";
import { clock, parseTime, tickAt } from "../src/time.ts";

const timeline: Timeline = {
  start: 0,
  end: 100e9,
  epoch: null,
  tick: { name: "tick", count: 2000, duration: 50e6 },
};

test.each([
  [0, "0:00.000"],
  [62.5e9, "1:02.500"],
  [-3e9, "-0:03.000"],
  [7201e9, "2:00:01.000"],
  [59.9996e9, "1:00.000"],
])("a time of %i is shown as %s", (time, text) => {
  expect(clock(time)).toBe(text);
});

test.each([
  ["12.5", 12.5e9],
  ["12.5s", 12.5e9],
  ["1m30s", 90e9],
  ["1:30", 90e9],
  ["1:00:01.5", 3601.5e9],
  ["t1200", 60e9],
  ["50%", 50e9],
  ["+2", 12e9],
  ["-2s", 8e9],
  ["300ms", 0.3e9],
])("%s typed at ten seconds means %i", (text, time) => {
  expect(parseTime(text, timeline, 10e9)).toBe(time);
});

test.each(["", "soon", "1:2:3:4", "12..5", "t", "%", "--3", "5parsecs"])("%j is no time", (text) => {
  expect(parseTime(text, timeline, 0)).toBeNull();
});

test("a tick can be typed only where ticks have a length", () => {
  expect(parseTime("t5", { ...timeline, tick: null }, 0)).toBeNull();
  expect(tickAt(125e6, timeline)).toBe(2);
  expect(tickAt(125e6, { ...timeline, tick: null })).toBeNull();
});
