import fc from "fast-check";
import type { Series } from "simtape";
import { expect, test } from "vitest";
import { scaleOf, scalesOf } from "../../src/plots/scales.ts";

const wave = Array.from({ length: 400 }, (_, i) => Math.sin(i / 10));

test("a single number far away does not flatten the line, and is named beside the plot", () => {
  const { min, max, beyond } = scaleOf([...wave, 1e6]);
  expect([min, max].every((edge) => Math.abs(edge) < 1.3)).toBe(true);
  expect(beyond).toBe(1e6);
  expect(scaleOf([...wave, -1e6, 1e3]).beyond).toBe(-1e6);
  expect(scaleOf([...wave, 1e6], true)).toMatchObject({ beyond: null });
  expect(scaleOf([...wave, 1e6], true).max).toBeGreaterThan(1e6);
});

test("a signal that is seldom on is no outlier, nor are a few numbers", () => {
  const pulse = [...Array<number>(1000).fill(0), 1, 1, ...Array<number>(1000).fill(0)];
  expect(scaleOf(pulse)).toEqual({ min: -0.05, max: 1.05, beyond: null });
  expect(scaleOf([1, 2, 3, 1e9])).toMatchObject({ beyond: null });
});

test("a constant has room about it that fits its size", () => {
  expect(scaleOf([20, 20])).toEqual({ min: 18, max: 22, beyond: null });
  expect(scaleOf([-0.001])).toEqual({ min: -0.0011, max: -0.0009, beyond: null });
  expect(scaleOf([0, 0])).toEqual({ min: -1, max: 1, beyond: null });
  // what rounding leaves is no change
  expect(scaleOf([0.1 + 0.2, 0.3]).max).toBeCloseTo(0.33);
});

test("an axis is never empty, and has all but what it says it leaves out", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e12, max: 1e12 })), (numbers) => {
      const { min, max, beyond } = scaleOf(numbers);
      expect(max).toBeGreaterThan(min);
      const isOut = numbers.some((number) => number < min || number > max);
      expect(isOut).toBe(beyond !== null);
    }),
  );
});

test("only what is seen counts, each unit for itself, with what held before", () => {
  const line = (unit: string | null, times: number[], values: number[]): Series =>
    ({ unit, time: Float64Array.from(times), value: Float64Array.from(values) }) as Series;
  const lines = [line("m", [0, 10, 20, 30], [100, 0, 4, 100]), line(null, [0], [7])];
  const scales = scalesOf(lines, { start: 12, end: 25 }, false);
  expect([...scales.keys()]).toEqual(["m", ""]);
  expect(scales.get("m")).toEqual({ min: -0.2, max: 4.2, beyond: null });
  expect(scales.get("")).toMatchObject({ min: 6.3 });
});
