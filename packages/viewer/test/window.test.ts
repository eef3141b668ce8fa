import fc from "fast-check";
import { expect, test } from "vitest";
import { clamped, panned, pinched, pixelOf, rulerOf, timeOf, zoomed } from "../src/timeline/window.ts";

const all = { start: 0, end: 1e12 };
const windows = fc
  .tuple(fc.double({ min: 0, max: 9e11, noNaN: true }), fc.double({ min: 1e4, max: 1e11, noNaN: true }))
  .map(([start, length]) => ({ start, end: start + length }));

test("zooming keeps the place under the pointer, as long as an edge is not met", () => {
  fc.assert(
    fc.property(windows, fc.double({ min: 0, max: 1, noNaN: true }), (window, part) => {
      const at = window.start + (window.end - window.start) * part;
      const closer = zoomed(window, at, 0.5, all);
      expect(pixelOf(at, closer, 1000)).toBeCloseTo(part * 1000, 1);
    }),
  );
});

test("a window never leaves the recording, however it is moved", () => {
  fc.assert(
    fc.property(windows, fc.double({ min: -100, max: 100, noNaN: true }), (window, parts) => {
      for (const moved of [panned(window, parts, all), zoomed(window, window.start, 2 ** parts, all)]) {
        expect(moved.start).toBeGreaterThanOrEqual(0);
        expect(moved.end).toBeLessThanOrEqual(1e12 + 1);
        expect(moved.end).toBeGreaterThan(moved.start);
      }
    }),
  );
});

test("pixels and times are inverse", () => {
  const window = clamped({ start: 5e9, end: 9e9 }, all);
  expect(timeOf(pixelOf(7e9, window, 640), window, 640)).toBeCloseTo(7e9, 3);
});

test.each([
  [{ start: 0, end: 45e9 }, 1000, 84, 5e9, 0],
  [{ start: 0, end: 6.8e9 }, 1100, 84, 1e9, 0],
  [{ start: 1e9, end: 1.001e9 }, 1000, 84, 1e5, 4],
  [{ start: 0, end: 36e12 }, 1000, 84, 3600e9, 0],
])("a ruler over %j has round steps, not too near each other", (window, width, apart, step, digits) => {
  const ruler = rulerOf(window, width, apart);
  expect(ruler.times[1]! - ruler.times[0]!).toBeCloseTo(step, 3);
  expect((step / (window.end - window.start)) * width).toBeGreaterThanOrEqual(apart);
  expect(ruler.digits).toBe(digits);
});

test("two fingers keep the times below them, closer, farther and crossed", () => {
  const held = [2e11, 4e11] as const;
  for (const fingers of [
    [100, 500],
    [300, 620],
    [500, 100],
  ] as const) {
    const window = pinched(held, fingers, 800, all);
    const [a, b] = fingers.toSorted((one, other) => one - other);
    expect(timeOf(a!, window, 800)).toBeCloseTo(2e11, -3);
    expect(timeOf(b!, window, 800)).toBeCloseTo(4e11, -3);
  }
  expect(pinched(held, [300, 301], 800, all)).toEqual(all);
});
